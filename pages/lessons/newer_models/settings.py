"""The lesson's own numbers and switches: each part has one switch."""

from dataclasses import dataclass

from pages.model.fields import choice, count, flag, number
from pages.model.matrices import MAX_TOKENS, MAX_WIDTH

MAX_SCORE = 50.0  # of a sink


@dataclass(frozen=True)
class NewerNumbers:
    """What each of the four changes depends on."""

    sink_kind: str = choice("learned", "sinkkind", ("none", "plus_one", "learned"))
    sink: float = number(1.0, "sink", -MAX_SCORE, MAX_SCORE)
    # How many local layers come before each global one.
    layer_kinds: str = choice("five", "layerkinds", ("none", "one", "five", "all"))
    window_n: int = count(16, "windown", 2, 32)
    window_r: int = count(3, "windowr", 2, 32)
    absorbed: bool = flag(False, "absorbed")
    latent_rank: int = count(2, "rank", 1, MAX_WIDTH)  # where X has fewer columns, as many
    with_softmax: bool = flag(False, "withsoftmax")
    linear_token: int = count(2, "lineartoken", 1, MAX_TOKENS)  # where there are fewer tokens, the last one
