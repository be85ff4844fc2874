"""The catalogue of common mistakes: one entry and one name for each, whether code makes it or a hand.

    right(given)                    the run as the core computes it
    MISTAKES[name].step             the step at which it shows first: all before it are those of the right run
    MISTAKES[name].slip(worked)     that step worked by hand with the mistake; None where no hand makes it

What code makes (CODED) has more:

    MISTAKES[name].run(given)       the run with that mistake, every step of it
    MISTAKES[name].applies(given)   whether the mistake can be made with such an input
    MISTAKES[name].check            the check that fails on the wrong run and holds on the right one, for
                                    checks.check(name, given, run)
    MISTAKES[name].wrong_lines(heads), right_lines(heads)   the lines of code, as they are commonly written

The lines are in a program, ONE_HEAD or SEVERAL_HEADS, which the tests execute.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from attention.lab.mistakes import runs, slips
from attention.lab.mistakes.by_hand import COMPUTED
from attention.lab.mistakes.runs import Compute, Given, right
from attention.lab.mistakes.slips import Slip

# ---- the code


# The program for one head, a line or a few for each step; h heads write some of the lines otherwise.
# x is (b, n, d_model), mask (n, n) or (b, n, n), True = may attend; the first `real` tokens are no padding.
ONE_HEAD = {
    "query": "query = x @ w_q",
    "key": "key = x @ w_k",
    "value": "value = x @ w_v",
    "scores": "scores = query @ key.transpose(-2, -1)",
    "scaled_scores": "scores = scores / sqrt(d_k)",
    "padding": "mask = mask & (torch.arange(n) < real)[None, :]",
    "masked_scores": "scores = scores.masked_fill(~mask, -inf)",
    "weights": "weights = torch.softmax(scores, dim=-1)",
    "head_output": "heads = weights @ value",
    "concatenated": "",
    "output": "",
}
SEVERAL_HEADS = ONE_HEAD | {
    "query": "query = (x @ w_q).view(b, n, h, d_k).transpose(1, 2)",
    "key": "key = (x @ w_k).view(b, n, h, d_k).transpose(1, 2)",
    "value": "value = (x @ w_v).view(b, n, h, d_v).transpose(1, 2)",
    "concatenated": "joined = heads.transpose(1, 2).flatten(2)",
    "output": "output = joined @ w_o",
}
# Where the scores were masked before, it only changes rows that may attend to nothing: softmax gives NaN
# there, and this the weights 0 that the core has.
MASKED_WEIGHTS = "weights = torch.softmax(scores, dim=-1).masked_fill(~mask, 0)"
Lines = Mapping[str, str]
Possible = Callable[[Given], bool]


def _always(given: Given) -> bool:
    return True


@dataclass(frozen=True, eq=False)
class Mistake:
    """A mistake that code makes, or a hand, or both."""

    name: str
    step: str  # at which it shows first
    slip: Slip | None = None
    run: Compute | None = None  # what code makes has this and all that follows
    check: str = ""  # of checks.CHECKS
    wrong: Lines = field(default_factory=dict)  # the lines that are written wrongly, by step
    wrong_several: Lines = field(default_factory=dict)  # those that differ with several heads
    instead: Lines = field(default_factory=dict)  # right lines that the usual program has otherwise
    possible: Possible = _always

    @property
    def by_hand(self) -> str:
        """The step in which a hand makes it: masked scores are not written down, and there is one head."""
        return {"masked_scores": "weights", "head_output": "output"}.get(self.step, self.step)

    def applies(self, given: Given) -> bool:
        """Whether code can make the mistake here; that it changes a number is not said by that."""
        return self.run is not None and self.possible(given)

    def wrong_lines(self, num_heads: int = 1) -> dict[str, str]:
        """The wrong lines, by step; an empty one is left out of the program."""
        return dict(self.wrong) | (dict(self.wrong_several) if num_heads > 1 else {})

    def right_lines(self, num_heads: int = 1) -> dict[str, str]:
        """What should be in place of the wrong lines."""
        lines = (SEVERAL_HEADS if num_heads > 1 else ONE_HEAD) | dict(self.instead)
        return {step: lines[step] for step in self.wrong_lines(num_heads)}


# ---- where code can make a mistake


def _masked(given: Given) -> bool:
    return given.visible is not None and not bool(given.visible.all())


def _no_empty_column(given: Given) -> bool:
    """Down a column that is masked as a whole, softmax gives NaN, as it does in the mistake nan_rows."""
    return given.visible is None or bool(given.visible.any(0).all())


def _opens_padding(given: Given) -> bool:
    """With a causal mask no real query sees padding at the end, so that the wrong rows let nothing in."""
    if given.real is None or given.visible is None:
        return False
    return bool((runs.query_rows_mask(given) & ~given.visible).any())


def _empty_row(given: Given) -> bool:
    return given.visible is not None and not bool(given.visible.any(-1).all())


def _two_sentences(given: Given) -> bool:
    return given.num_heads == 2 and given.visible is not None and given.beside is not None


def _several(given: Given) -> bool:
    return given.num_heads > 1 and given.n > 1


def _fills_x(given: Given) -> bool:
    return given.num_heads * given.d_v == given.d_model


# ---- the table


def _divided_by(name: str, divisor: str, line: str) -> Mistake:
    """The scores divided by another of scaling.divisors."""
    made = (slips.divided_by(divisor), runs.divided_by(divisor))
    return Mistake(name, "scaled_scores", *made, "divisor", {"scaled_scores": line})


def _both(name: str, step: str, check: str, possible: Possible = _always, **lines: str) -> Mistake:
    """What a hand makes as well as code: the slip and the run have the mistake's name."""
    made = (getattr(slips, name), getattr(runs, name))
    return Mistake(name, step, *made, check, lines, possible=possible)


ALL = (
    Mistake(
        "view_split",
        "query",
        run=runs.view_split,
        check="projection",
        wrong={
            "query": "query = (x @ w_q).view(b, h, n, d_k)",
            "key": "key = (x @ w_k).view(b, h, n, d_k)",
            "value": "value = (x @ w_v).view(b, h, n, d_v)",
        },
        possible=_several,
    ),
    Mistake(
        "exchanged",
        "query",
        run=lambda given: right(given, w_q=given.w_k, w_k=given.w_q),
        check="projection",
        wrong={"query": "query = x @ w_k", "key": "key = x @ w_q"},
        wrong_several={
            "query": "query = (x @ w_k).view(b, n, h, d_k).transpose(1, 2)",
            "key": "key = (x @ w_q).view(b, n, h, d_k).transpose(1, 2)",
        },
    ),
    Mistake(
        "one_projection",
        "key",
        run=lambda given: right(given, w_k=given.w_q, w_v=given.w_q),
        check="symmetric",
        wrong={"key": "key = x @ w_q", "value": "value = x @ w_q"},
        wrong_several={
            "key": "key = (x @ w_q).view(b, n, h, d_k).transpose(1, 2)",
            "value": "value = (x @ w_q).view(b, n, h, d_k).transpose(1, 2)",
        },
        possible=lambda given: given.d_k == given.d_v,
    ),
    Mistake(
        "unprojected",
        "value",
        run=runs.unprojected,
        check="projection",
        wrong={"value": "value = x"},
        wrong_several={"value": "value = x.view(b, n, h, d_v).transpose(1, 2)"},
        possible=_fills_x,
    ),
    Mistake("key_not_transposed", "scores", slips.key_not_transposed),
    _both("transposed_scores", "scores", "dot_products", scores="scores = key @ query.transpose(-2, -1)"),
    Mistake("score_signs", "scores", slips.score_signs),
    Mistake("score_term", "scores", slips.score_term),
    Mistake("scaled_early", "scores", slips.scaled_early),
    _divided_by("by_sqrt_d_model", "sqrt_d_model", "scores = scores / sqrt(d_model)"),
    _divided_by("by_d_k", "d_k", "scores = scores / d_k"),
    _divided_by("by_sqrt_n", "sqrt_n", "scores = scores / sqrt(n)"),
    _divided_by("not_scaled", "none", ""),
    Mistake("multiplied", "scaled_scores", slips.multiplied),
    Mistake("scaled_sign", "scaled_scores", slips.scaled_sign),
    Mistake("mask_forgotten", "masked_scores", slips.mask_forgotten),
    _both("after_softmax", "masked_scores", "row_sums", _masked, masked_scores="", weights=MASKED_WEIGHTS),
    _both("times_zero", "masked_scores", "masked_weights", _masked, masked_scores="scores = scores * mask"),
    _both(
        "inverted",
        "masked_scores",
        "masked_weights",
        _masked,
        masked_scores="scores = scores.masked_fill(mask, -inf)",
    ),
    Mistake(
        "query_rows",
        "masked_scores",
        run=runs.query_rows,
        check="masked_weights",
        wrong={"padding": "mask = mask & (torch.arange(n) < real)[:, None]"},
        possible=_opens_padding,
    ),
    Mistake(
        "mask_on_heads",
        "masked_scores",
        run=runs.mask_on_heads,
        check="mask_pattern",
        wrong={"masked_scores": "scores = scores.masked_fill(~mask, -inf)"},
        instead={"masked_scores": "scores = scores.masked_fill(~mask[:, None], -inf)"},
        possible=_two_sentences,
    ),
    Mistake("exp_only", "weights", slips.exp_only),
    Mistake("exp_below", "weights", slips.exp_below),
    Mistake("no_exp", "weights", slips.no_exp),
    _both(
        "wrong_axis",
        "weights",
        "row_sums",
        _no_empty_column,
        weights="weights = torch.softmax(scores, dim=-2)",
    ),
    Mistake("scaled_again", "weights", slips.scaled_again),
    Mistake(
        "nan_rows",
        "weights",
        run=runs.nan_rows,
        check="finite",
        wrong={"weights": "weights = torch.softmax(scores, dim=-1)"},
        instead={"weights": MASKED_WEIGHTS},
        possible=_empty_row,
    ),
    _both(
        "transposed_weights",
        "head_output",
        "torch_output",
        head_output="heads = weights.transpose(-2, -1) @ value",
    ),
    Mistake("value_row", "head_output", slips.value_row),
    Mistake("mean", "head_output", slips.mean),
    Mistake("sum", "head_output", slips.total),
    Mistake("largest", "head_output", slips.largest),
    Mistake("output_signs", "head_output", slips.output_signs),
    Mistake("output_term", "head_output", slips.output_term),
    Mistake(
        "view_join",
        "concatenated",
        run=runs.view_join,
        check="columns",
        wrong={"concatenated": "joined = heads.reshape(b, n, h * d_v)"},
        possible=_several,
    ),
    Mistake(
        "no_w_o",
        "output",
        run=lambda given: right(given, w_o=None),
        check="projected_output",
        wrong={"output": "output = joined"},
        possible=lambda given: given.w_o is not None and given.num_heads > 1 and _fills_x(given),
    ),
)
MISTAKES: Mapping[str, Mistake] = MappingProxyType({one.name: one for one in ALL})
CODED = tuple(one.name for one in ALL if one.run is not None)  # in the order of the steps

# What a hand gets wrong in each step: the step with that mistake.
SLIPS: Mapping[str, Mapping[str, Slip]] = {
    step: {one.name: one.slip for one in ALL if one.slip is not None and one.by_hand == step}
    for step in COMPUTED
}
