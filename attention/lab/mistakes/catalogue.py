"""Attention with one mistake in it: a table of the mistakes that real code makes.

    right(given)               the run as the core computes it
    BUGS[name].run(given)      the run with that mistake, every step of it
    BUGS[name].step            the step at which it shows first: all before it are those of the right run
    BUGS[name].applies(given)  whether the mistake can be made with such an input
    BUGS[name].check           the check that fails on the wrong run and holds on the right one, for
                               checks.check(name, given, run)
    BUGS[name].wrong_lines(heads), right_lines(heads)   the lines of code, as they are commonly written

The lines stand in a program (`program`), which the tests execute.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from attention.lab.mistakes import runs
from attention.lab.mistakes.runs import STEPS, Compute, Given, Run, divisor, first_difference, right

__all__ = [
    "BUGS",
    "ONE_HEAD",
    "SEVERAL_HEADS",
    "STEPS",
    "Bug",
    "Given",
    "Run",
    "divisor",
    "first_difference",
    "program",
    "right",
]

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
# In rows that may attend to nothing softmax gives NaN; this also gives them the weights 0 that the core has.
WEIGHTS_WITHOUT_NAN = "weights = torch.softmax(scores, dim=-1).masked_fill(~mask, 0)"
Lines = Mapping[str, str]


@dataclass(frozen=True, eq=False)
class Bug:
    """A mistake that is made in real code."""

    name: str
    step: str  # at which it shows first
    run: Compute
    check: str  # of checks.CHECKS
    wrong: Lines  # the lines that are written wrongly, by step
    wrong_several: Lines = field(default_factory=dict)  # those that differ with several heads
    instead: Lines = field(default_factory=dict)  # right lines that the usual program has otherwise
    possible: Callable[[Given], bool] = lambda given: True

    def applies(self, given: Given) -> bool:
        """Whether the mistake can be made here; that it changes a number is not said by that."""
        return self.possible(given)

    def wrong_lines(self, num_heads: int = 1) -> dict[str, str]:
        """The wrong lines, by step; an empty one is left out of the program."""
        return dict(self.wrong) | (dict(self.wrong_several) if num_heads > 1 else {})

    def right_lines(self, num_heads: int = 1) -> dict[str, str]:
        """What should stand in place of the wrong lines."""
        lines = (SEVERAL_HEADS if num_heads > 1 else ONE_HEAD) | dict(self.instead)
        return {step: lines[step] for step in self.wrong_lines(num_heads)}


def program(given: Given, changed: Lines) -> Iterator[tuple[str, str]]:
    """The steps of the program for such an input, each with its code, in the order they are executed.

    changed: lines that stand there in place of the right ones.
    """
    lines = (SEVERAL_HEADS if given.num_heads > 1 else ONE_HEAD) | dict(changed)
    for step, line in lines.items():
        needed = {"padding": given.real, "masked_scores": given.visible, "output": given.w_o}
        if line and needed.get(step, True) is not None:
            yield step, line


def _masked(given: Given) -> bool:
    return given.visible is not None and not bool(given.visible.all())


def _no_empty_column(given: Given) -> bool:
    """Down a column that is masked as a whole, softmax gives NaN, which is another story."""
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


ALL = (
    Bug(
        "view_split",
        "query",
        runs.view_split,
        "projection",
        {
            "query": "query = (x @ w_q).view(b, h, n, d_k)",
            "key": "key = (x @ w_k).view(b, h, n, d_k)",
            "value": "value = (x @ w_v).view(b, h, n, d_v)",
        },
        possible=_several,
    ),
    Bug(
        "exchanged",
        "query",
        lambda given: right(given, w_q=given.w_k, w_k=given.w_q),
        "projection",
        {"query": "query = x @ w_k", "key": "key = x @ w_q"},
        {
            "query": "query = (x @ w_k).view(b, n, h, d_k).transpose(1, 2)",
            "key": "key = (x @ w_q).view(b, n, h, d_k).transpose(1, 2)",
        },
    ),
    Bug(
        "one_projection",
        "key",
        lambda given: right(given, w_k=given.w_q, w_v=given.w_q),
        "symmetric",
        {"key": "key = x @ w_q", "value": "value = x @ w_q"},
        {
            "key": "key = (x @ w_q).view(b, n, h, d_k).transpose(1, 2)",
            "value": "value = (x @ w_q).view(b, n, h, d_k).transpose(1, 2)",
        },
        possible=lambda given: given.d_k == given.d_v,
    ),
    Bug(
        "unprojected",
        "value",
        runs.unprojected,
        "projection",
        {"value": "value = x"},
        {"value": "value = x.view(b, n, h, d_v).transpose(1, 2)"},
        possible=_fills_x,
    ),
    Bug(
        "transposed_scores",
        "scores",
        runs.transposed_scores,
        "dot_products",
        {"scores": "scores = key @ query.transpose(-2, -1)"},
    ),
    *(
        Bug(name, "scaled_scores", runs.divided_by(divisor), "divisor", {"scaled_scores": line})
        for name, divisor, line in (
            ("scaled_by_d_model", "sqrt_d_model", "scores = scores / sqrt(d_model)"),
            ("scaled_by_d_k", "d_k", "scores = scores / d_k"),
            ("scaled_by_n", "sqrt_n", "scores = scores / sqrt(n)"),
            ("not_scaled", "none", ""),
        )
    ),
    Bug(
        "mask_after_softmax",
        "masked_scores",
        runs.mask_after_softmax,
        "row_sums",
        {"masked_scores": "", "weights": "weights = torch.softmax(scores, dim=-1).masked_fill(~mask, 0)"},
        possible=_masked,
    ),
    Bug(
        "times_zero",
        "masked_scores",
        runs.times_zero,
        "masked_weights",
        {"masked_scores": "scores = scores * mask"},
        possible=_masked,
    ),
    Bug(
        "inverted",
        "masked_scores",
        lambda given: right(given, mask=~given.visible),
        "masked_weights",
        {"masked_scores": "scores = scores.masked_fill(mask, -inf)"},
        possible=_masked,
    ),
    Bug(
        "query_rows",
        "masked_scores",
        runs.on_query_rows,
        "masked_weights",
        {"padding": "mask = mask & (torch.arange(n) < real)[:, None]"},
        possible=_opens_padding,
    ),
    Bug(
        "mask_on_heads",
        "masked_scores",
        runs.mask_on_heads,
        "mask_pattern",
        {"masked_scores": "scores = scores.masked_fill(~mask, -inf)"},
        instead={"masked_scores": "scores = scores.masked_fill(~mask[:, None], -inf)"},
        possible=_two_sentences,
    ),
    Bug(
        "wrong_axis",
        "weights",
        runs.wrong_axis,
        "row_sums",
        {"weights": "weights = torch.softmax(scores, dim=-2)"},
        possible=_no_empty_column,
    ),
    Bug(
        "nan_rows",
        "weights",
        runs.nan_rows,
        "finite",
        {"weights": "weights = torch.softmax(scores, dim=-1)"},
        instead={"weights": WEIGHTS_WITHOUT_NAN},
        possible=_empty_row,
    ),
    Bug(
        "transposed_weights",
        "head_output",
        runs.transposed_weights,
        "torch_output",
        {"head_output": "heads = weights.transpose(-2, -1) @ value"},
    ),
    Bug(
        "view_join",
        "concatenated",
        runs.view_join,
        "columns",
        {"concatenated": "joined = heads.reshape(b, n, h * d_v)"},
        possible=_several,
    ),
    Bug(
        "no_w_o",
        "output",
        lambda given: right(given, w_o=None),
        "projected_output",
        {"output": "output = joined"},
        possible=lambda given: given.w_o is not None and given.num_heads > 1 and _fills_x(given),
    ),
)
BUGS: Mapping[str, Bug] = MappingProxyType({bug.name: bug for bug in ALL})
