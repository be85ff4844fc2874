"""The lesson's own switches, which act on a real head's numbers, and what it looks at."""

from dataclasses import dataclass

from pages.model.entries import SettingsError
from pages.model.fields import choice, count, custom, flag, number

KINDS = ("previous", "next", "first", "same_word", "animal")  # what a head is looked for that does it
LAYERS, HEADS = 6, 12
CAUSAL_LAYERS, CAUSAL_HEADS = 30, 9  # of the model that predicts the next word
MOST_TOKENS = 64  # of a typed text
MOST_LETTERS = 400  # of a typed text, before the model cuts it into tokens
TOSSES = 100  # throws of coins that can be looked at, one after the other
# The names of the shipped sentences, also here: a link is read before PyTorch is there.
SENTENCES = (
    *("tired", "wide", "exchanged"),
    *("large", "small", "heavy", "thin", "hungry", "tasty", "fast", "slow"),
    *("afraid", "dangerous", "strong", "light", "rich", "poor", "received", "given"),
)


def _text(name: str, value: object, record: object) -> str:
    text = " ".join(str(value or "").split())
    if len(text) > MOST_LETTERS:
        raise SettingsError("token_too_long", length=len(text), limit=MOST_LETTERS)
    return text


@dataclass(frozen=True)
class RealHeadsNumbers:
    """What only this lesson changes."""

    sentence: str = choice("tired", "sentence", SENTENCES)
    typed: str = custom("", "typed", str, str, _text)  # a text of the learner's own, in place of the sentence
    typed_other: str = custom("", "typedother", str, str, _text)  # another one, with which it is compared
    # The places in the typed text of the pronoun and of the nouns it can mean; the first: none is chosen.
    pronoun: int = count(0, "pronoun", 0, MOST_TOKENS - 1, from_one=True)
    noun: int = count(0, "noun", 0, MOST_TOKENS - 1, from_one=True)
    other_noun: int = count(0, "othernoun", 0, MOST_TOKENS - 1, from_one=True)
    real_scaling: str = choice("sqrt_d_k", "realscale", ("sqrt_d_k", "none", "d_k"))
    real_mask: str = choice("none", "realmask", ("none", "causal", "window"))
    real_temperature: float = number(1.0, "realtemp", 0.05, 20.0, step=0.05, log=True)
    no_special: bool = flag(False, "nospecial")  # [CLS] and [SEP] may not be attended to
    next_text: str = custom("", "nexttext", str, str, _text)  # in place of the shipped text
    # Two tokens whose rows of Q, K and V change places; the same one twice: none.
    one_place: int = count(0, "oneplace", 0, MOST_TOKENS - 1, from_one=True)
    other_place: int = count(0, "otherplace", 0, MOST_TOKENS - 1, from_one=True)


@dataclass(frozen=True)
class RealHeadsLook:
    """What only this lesson looks at."""

    layer: int = count(LAYERS - 1, "layer", 0, LAYERS - 1, from_one=True)
    head_of_layer: int = count(0, "realhead", 0, HEADS - 1, from_one=True)
    # After the answer to which question it was chosen; before that, the answer says which head is shown.
    after: str = choice("", "after", ("", *KINDS))
    causal_layer: int = count(23, "nextlayer", 0, CAUSAL_LAYERS - 1, from_one=True)
    causal_head: int = count(4, "nexthead", 0, CAUSAL_HEADS - 1, from_one=True)
    believed: int = count(0, "believed", 0, LAYERS * HEADS)  # the head chosen in “An anecdote”; 0: no head
    toss: int = count(0, "toss", 0, TOSSES - 1)
    # Whose row is read; in a shorter text the last one's.
    query: int = count(10, "query", 0, MOST_TOKENS - 1, from_one=True)
