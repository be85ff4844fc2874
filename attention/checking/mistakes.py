"""The catalogue of common mistakes: one entry and one name for each, whether code makes it or a hand.

An entry has the lines of code that are wrong, in place of those of programs.ONE_HEAD, SEVERAL_HEADS or
FUNCTION. All else follows from the lines: the run with the mistake, the step with the mistake of a hand, the
outputs by which attention.check recognises it.

    MISTAKES[name].step             the step at which it shows first: all steps before it are right
    MISTAKES[name].wrong_lines(heads), right_lines(heads)   the lines, as they are commonly written
    MISTAKES[name].values(steps, names)   what the program with the wrong lines computes in these steps
    MISTAKES[name].by_hand          the step in which a hand makes it
    MISTAKES[name].ways             the lines by which attention.check recognises it: all ways of writing it

Mistakes that the bug hunt has (CODED) have more:

    MISTAKES[name].run(given)       the run with that mistake, every step of it
    MISTAKES[name].applies(given)   whether the mistake can be made with such an input
    MISTAKES[name].check            the check of attention.lab.mistakes.checks that fails on the wrong run and
                                    holds on the right one
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

import torch
from torch import Tensor

from attention.checking.programs import FUNCTION, ONE_HEAD, SEVERAL_HEADS, Lines, execute
from attention.checking.runs import Inputs, Run

# After masked scores the line changes only rows that may attend to nothing: softmax alone gives NaN there,
# and the line gives weights 0, as the core does.
MASKED_WEIGHTS = "weights = torch.softmax(scores, dim=-1).masked_fill(~mask, 0)"
REPEATED, TILED = "{0}.repeat_interleave(groups, dim=-3)", "{0}.repeat(1, groups, 1, 1)"
TRANSPOSED = "mask = mask.transpose(-2, -1)"
Possible = Callable[[Inputs], bool]


@dataclass(frozen=True, eq=False)
class Mistake:
    """A mistake that code makes, or a hand, or both."""

    name: str
    step: str  # at which it shows first
    wrong: Lines  # the lines that are written wrongly, by step
    check: str = ""  # the bug hunt has what has a check
    hand: str = "True"  # an expression: the cells in which a hand can make it; empty where no hand makes it
    possible: Possible = lambda inputs: True
    wrong_several: Lines = field(default_factory=dict)  # the wrong lines that several heads write otherwise
    instead: Lines = field(default_factory=dict)  # right lines that the usual program has otherwise
    sentences: int = 1  # two where only a batch shows it
    same_as: str = ""  # a function of query, key and value gives the numbers of this other mistake
    other_ways: tuple[Lines, ...] = ()  # other lines with the same mistake, of a function alone
    random: bool = False  # it gives other numbers at each call
    only_empty_rows: bool = False  # it shows in rows that may attend to nothing, and nowhere else

    @property
    def by_hand(self) -> str:
        """The step in which a hand makes it: masked scores are not written down, and there is one head."""
        return {"masked_scores": "weights", "head_output": "output"}.get(self.step, self.step)

    @property
    def ways(self) -> tuple[Lines, ...]:
        """All ways of writing it in a function of query, key and value; none where no such function can."""
        if self.same_as or self.random:
            return ()
        return tuple(lines for lines in (self.wrong, *self.other_ways) if set(lines) <= set(FUNCTION))

    def applies(self, inputs: Inputs) -> bool:
        """Whether the bug hunt can have the mistake here; it may still change no number."""
        return bool(self.check) and self.possible(inputs)

    def wrong_lines(self, num_heads: int = 1) -> dict[str, str]:
        """The wrong lines, by step; an empty one is left out of the program."""
        return dict(self.wrong) | (dict(self.wrong_several) if num_heads > 1 else {})

    def right_lines(self, num_heads: int = 1) -> dict[str, str]:
        """What should be in place of the wrong lines."""
        lines = (SEVERAL_HEADS if num_heads > 1 else ONE_HEAD) | dict(self.instead)
        return {step: lines[step] for step in self.wrong_lines(num_heads)}

    def values(
        self, steps: Iterable[str], names: Mapping[str, object], num_heads: int = 1
    ) -> dict[str, Tensor]:
        """What the program with the mistake computes in these steps, see programs.execute."""
        wrong = self.wrong_lines(num_heads)
        lines = (SEVERAL_HEADS if num_heads > 1 else ONE_HEAD) | wrong
        return execute(lines, steps, names, empty_rows="weights" not in wrong)

    def run(self, inputs: Inputs) -> Run:
        """Every step of the program with the mistake; of a batch the first sentence."""
        names: dict[str, object] = {
            name: getattr(inputs, name) for name in ("w_q", "w_k", "w_v", "w_o", "real")
        }
        names |= {"n": inputs.n, "d_k": inputs.d_k, "d_v": inputs.d_v, "d_model": inputs.d_model}
        names |= {
            "b": self.sentences,
            "h": inputs.num_heads,
            "x": inputs.x.contiguous(),
            "mask": inputs.every,
        }
        if self.sentences > 1:
            masks = [mask for mask in (inputs.visible, inputs.beside) if mask is not None]
            names |= {"x": torch.stack([inputs.x, inputs.x]), "mask": torch.stack(masks)}
        steps = [step for step in SEVERAL_HEADS if self._has(step, inputs)]
        values = self.values(steps, names, inputs.num_heads)
        values.pop("padding", None)
        if inputs.num_heads == 1:  # nothing to join, and no W_O
            joined = values["head_output"]
            heads = {step: value[None] for step, value in values.items()}
            return Run(**heads, concatenated=joined, output=joined)
        values.setdefault("output", values["concatenated"])
        return Run(**{step: value[0] for step, value in values.items()})

    def _has(self, step: str, inputs: Inputs) -> bool:
        """Whether the program for this kind of input has the step."""
        if step == "padding":
            return inputs.real is not None and self.sentences == 1  # two masks have it already
        joins = inputs.num_heads > 1
        return {"concatenated": joins, "output": joins and inputs.w_o is not None}.get(step, True)


# ---- where code can make a mistake


def _masked(inputs: Inputs) -> bool:
    return inputs.visible is not None and not bool(inputs.visible.all())


def _no_empty_column(inputs: Inputs) -> bool:
    """Down a column that is masked as a whole, softmax gives NaN, as it does in the mistake nan_rows."""
    return inputs.visible is None or bool(inputs.visible.any(0).all())


def _opens_padding(inputs: Inputs) -> bool:
    """With a causal mask no real query sees padding at the end, so that the wrong rows let nothing in."""
    if inputs.real is None or inputs.visible is None:
        return False
    names = {"mask": inputs.every, "n": inputs.n, "real": inputs.real}
    rows = MISTAKES["query_rows"].values(["padding"], names)["padding"]
    return bool((rows & ~inputs.visible).any())


def _empty_row(inputs: Inputs) -> bool:
    return inputs.visible is not None and not bool(inputs.visible.any(-1).all())


def _two_sentences(inputs: Inputs) -> bool:
    return inputs.num_heads == 2 and inputs.visible is not None and inputs.beside is not None


def _several(inputs: Inputs) -> bool:
    return inputs.num_heads > 1 and inputs.n > 1


def _fills_x(inputs: Inputs) -> bool:
    return inputs.num_heads * inputs.d_v == inputs.d_model


# ---- the table


def _scores(name: str, line: str, check: str = "", hand: str = "True", same_as: str = "") -> Mistake:
    return Mistake(name, "scores", {"scores": line}, check, hand, same_as=same_as)


def _scaled(name: str, line: str, hand: str, check: str = "divisor", *other: str) -> Mistake:
    ways = tuple({"scaled_scores": way} for way in other)
    return Mistake(name, "scaled_scores", {"scaled_scores": line}, check, hand, other_ways=ways)


def _masked_scores(name: str, check: str, **lines: str) -> Mistake:
    """In rows without a masked key no hand makes it."""
    return Mistake(name, "masked_scores", lines, check, "~mask.all(-1, keepdim=True)", _masked)


def _weights(name: str, line: str, hand: str = "True", same_as: str = "") -> Mistake:
    return Mistake(name, "weights", {"weights": line}, hand=hand, same_as=same_as)


def _output(name: str, line: str, check: str = "", hand: str = "True") -> Mistake:
    return Mistake(name, "head_output", {"head_output": line}, check, hand)


def _function(name: str, step: str, *ways: Lines, only_empty_rows: bool = False) -> Mistake:
    """A mistake that only a function of query, key and value makes, in these ways."""
    first, *others = ways
    return Mistake(name, step, first, hand="", other_ways=tuple(others), only_empty_rows=only_empty_rows)


ALL = (
    Mistake(
        "view_split",
        "query",
        {
            "query": "query = (x @ w_q).view(b, h, n, d_k)",
            "key": "key = (x @ w_k).view(b, h, n, d_k)",
            "value": "value = (x @ w_v).view(b, h, n, d_v)",
        },
        "projection",
        hand="",
        possible=_several,
    ),
    Mistake(
        "over_heads",
        "query",
        {
            "query": "query = (x @ w_q).view(b, n, h, d_k)",
            "key": "key = (x @ w_k).view(b, n, h, d_k)",
            "value": "value = (x @ w_v).view(b, n, h, d_v)",
            "concatenated": "joined = heads.flatten(2)",
        },
        hand="",
    ),
    Mistake(
        "exchanged",
        "query",
        {"query": "query = x @ w_k", "key": "key = x @ w_q"},
        "projection",
        hand="",
        wrong_several={
            "query": "query = (x @ w_k).view(b, n, h, d_k).transpose(1, 2)",
            "key": "key = (x @ w_q).view(b, n, h, d_k).transpose(1, 2)",
        },
        same_as="transposed_scores",
    ),
    Mistake(
        "one_projection",
        "key",
        {"key": "key = x @ w_q", "value": "value = x @ w_q"},
        "symmetric",
        hand="",
        possible=lambda inputs: inputs.d_k == inputs.d_v,
        wrong_several={
            "key": "key = (x @ w_q).view(b, n, h, d_k).transpose(1, 2)",
            "value": "value = (x @ w_q).view(b, n, h, d_k).transpose(1, 2)",
        },
        other_ways=({"arguments": "key = query"}, {"arguments": "key = value = query"}),
    ),
    _function(
        "tiled_heads",
        "key",
        *(
            {"groups": f"key, value = {key}, {value}"}
            for key in (REPEATED.format("key"), TILED.format("key"))
            for value in (TILED.format("value"), REPEATED.format("value"))
            if (key, value) != (REPEATED.format("key"), REPEATED.format("value"))
        ),
    ),
    _function(
        "not_repeated",
        "key",
        *({"groups": f"{name} = {REPEATED.format(name)}"} for name in ("key", "value")),
        {"groups": ""},
    ),
    Mistake(
        "unprojected",
        "value",
        {"value": "value = x"},
        "projection",
        hand="",
        possible=_fills_x,
        wrong_several={"value": "value = x.view(b, n, h, d_v).transpose(1, 2)"},
    ),
    Mistake(
        "rotated_values",
        "value",
        {"rotation": "query, key, value = map(rotate, (query, key, value))"},
        hand="",
    ),
    _function("keys_for_values", "scores", {"arguments": "key, value = value, key"}),
    _scores("key_not_transposed", "scores = query @ key", hand="n == d_k"),
    _scores(
        "transposed_scores",
        "scores = key @ query.transpose(-2, -1)",
        "dot_products",
        hand="~torch.eye(n, dtype=torch.bool)",
    ),
    _scores(
        "score_signs",
        "scores = query.abs() @ key.abs().transpose(-2, -1)",
        hand="query.abs() @ key.abs().transpose(-2, -1) != query @ key.transpose(-2, -1)",
    ),
    _scores(
        "score_term",
        "scores = query[..., :-1] @ key[..., :-1].transpose(-2, -1)",
        hand="(query[..., -1:] @ key[..., -1:].transpose(-2, -1) != 0) & (d_k > 1)",
    ),
    _scores(
        "scaled_early",
        "scores = query @ key.transpose(-2, -1) / sqrt(d_k)",
        hand="d_k > 1",
        same_as="by_d_k",
    ),
    _scaled("by_sqrt_d_model", "scores = scores / sqrt(d_model)", "d_model != d_k"),
    _scaled("by_d_k", "scores = scores / d_k", "d_k > 1"),
    _scaled(
        "by_sqrt_n",
        "scores = scores / sqrt(n)",
        "n != d_k",
        "divisor",
        "scores = scores / sqrt(query.shape[-2])",
    ),
    Mistake(
        "by_sqrt_d_v",
        "scaled_scores",
        {"scaled_scores": "scores = scores / sqrt(value.shape[-1])"},
        "divisor",
        hand="",
        possible=lambda inputs: inputs.d_v != inputs.d_k,
    ),
    _scaled("not_scaled", "", "d_k > 1"),
    _scaled("multiplied", "scores = scores * sqrt(d_k)", "d_k > 1", check=""),
    _scaled("scaled_sign", "scores = scores.abs() / sqrt(d_k)", "scores < 0", check=""),
    Mistake(
        "scaled_late",
        "scaled_scores",
        {"scaled_scores": "", "weights": f"{ONE_HEAD['weights']} / sqrt(d_k)"},
        "row_sums",
        hand="",
        possible=lambda inputs: inputs.d_k > 1 and not _empty_row(inputs),
        other_ways=(
            {"scaled_scores": "", "scale": "", "weights": f"{ONE_HEAD['weights']} / sqrt(d_k)"},
            {"scaled_scores": "", "scale": "", "weights": f"{ONE_HEAD['weights']} * scale"},
            {"scaled_scores": "", "weights": f"{ONE_HEAD['weights']} / d_k"},
        ),
    ),
    _function("scale_ignored", "scaled_scores", {"scale": ONE_HEAD["scaled_scores"]}),
    _function("scale_divides", "scaled_scores", {"scale": "scores = scores / scale"}),
    _function("scale_zero", "scaled_scores", {"scale": "scores = scores * (scale or 1 / sqrt(d_k))"}),
    _function("causal_ignored", "masked_scores", {"causal": ""}),
    _function(
        "causal_reversed",
        "masked_scores",
        *({"causal": FUNCTION["causal"].replace("tril(corner", f"triu(corner{by}")} for by in ("", " + 1")),
    ),
    _masked_scores("mask_forgotten", "", masked_scores=""),
    _masked_scores("after_softmax", "row_sums", masked_scores="", weights=MASKED_WEIGHTS),
    _masked_scores("times_zero", "masked_weights", masked_scores="scores = scores * mask"),
    Mistake(
        "mask_added",
        "masked_scores",
        {"masked_scores": "scores = scores + mask.to(scores.dtype)"},
        "masked_weights",
        hand="",
        possible=_masked,
        other_ways=({"masked_scores": "scores = scores + (~mask).to(scores.dtype)"},),
    ),
    _masked_scores("inverted", "masked_weights", masked_scores="scores = scores.masked_fill(mask, -inf)"),
    Mistake(
        "query_rows",
        "masked_scores",
        {"padding": "mask = mask & (torch.arange(n) < real)[:, None]"},
        "masked_weights",
        hand="",
        possible=_opens_padding,
        other_ways=(
            {"mask": TRANSPOSED},
            {"mask": TRANSPOSED, "causal": f"{FUNCTION['causal']}; {TRANSPOSED}"},
        ),
    ),
    Mistake(
        "mask_on_heads",
        "masked_scores",
        {"masked_scores": "scores = scores.masked_fill(~mask, -inf)"},
        "mask_pattern",
        hand="",
        possible=_two_sentences,
        instead={"masked_scores": "scores = scores.masked_fill(~mask[:, None], -inf)"},
        sentences=2,
        other_ways=({"mask": "mask = mask[:, 0] if mask.ndim == 4 else mask"},),
    ),
    _function(
        "mask_of_one_head", "masked_scores", {"mask": "mask = mask[:, :1] if mask.ndim == 4 else mask"}
    ),
    _function("mask_of_one_text", "masked_scores", {"mask": "mask = mask[:1] if mask.ndim > 2 else mask"}),
    _function(
        "causal_off_by_one",
        "masked_scores",
        *({"causal": FUNCTION["causal"].replace("corner", f"corner {by}")} for by in ("- 1", "+ 1")),
    ),
    _function(
        "lower_right",
        "masked_scores",
        {"causal": FUNCTION["causal"].replace("corner", "n - query.shape[-2]")},
    ),
    _function(
        "always_causal",
        "masked_scores",
        {"arguments": FUNCTION["causal"].replace("corner", "0")},
    ),
    _weights("exp_only", "weights = torch.exp(scores)"),
    _weights("exp_below", "weights = torch.exp(scores - scores.amax(-1, keepdim=True))"),
    Mistake(
        "no_exp",
        "weights",
        {
            "masked_scores": "scores = scores.masked_fill(~mask, 0)",
            "weights": "weights = scores / scores.sum(-1, keepdim=True)",
        },
    ),
    Mistake(
        "wrong_axis",
        "weights",
        {"weights": "weights = torch.softmax(scores, dim=-2)"},
        "row_sums",
        possible=_no_empty_column,
        other_ways=tuple(
            {"weights": f"weights = torch.softmax(scores, dim={dim}){after}"}
            for dim in (-2, 0, 1, 2, "0 if scores.ndim == 3 else 1")  # the last: F.softmax without dim
            for after in ("", ".masked_fill(~mask, 0)")
            if (dim, after) != (-2, "")
        ),
    ),
    Mistake(
        "softmax_twice",
        "weights",
        {"weights": "weights = torch.softmax(torch.softmax(scores, dim=-1), dim=-1)"},
        "torch_output",
        hand="",
        possible=lambda inputs: not _empty_row(inputs),
        other_ways=tuple(
            {"weights": f"weights = torch.softmax(torch.softmax(scores, dim=-1).nan_to_num(), dim=-1){after}"}
            for after in ("", ".masked_fill(~mask, 0)")
        ),
    ),
    _function(
        "plus_one",
        "weights",
        {"weights": "weights = torch.exp(scores) / (1 + torch.exp(scores).sum(-1, keepdim=True))"},
        {
            "weights": "weights = torch.exp(scores - scores.amax(-1, keepdim=True)); "
            "weights = weights / (1 + weights.sum(-1, keepdim=True))"
        },
        {
            "weights": "top = scores.amax(-1, keepdim=True).clamp(min=0); weights = torch.exp(scores - top); "
            "weights = weights / (torch.exp(-top) + weights.sum(-1, keepdim=True))"
        },
    ),
    _function(
        "base_two",
        "weights",
        {"weights": "weights = torch.softmax(scores * 0.6931471805599453, dim=-1)"},
        {"weights": "weights = torch.softmax(scores * 0.6931471805599453, dim=-1).masked_fill(~mask, 0)"},
    ),
    _function(
        "no_keepdim",
        "weights",
        *(
            {"weights": f"exps = torch.exp(scores - {top}); weights = exps / exps.sum(-1){after}"}
            for top in ("scores.amax(-1, keepdim=True)", "scores.max()", "0")
            for after in ("", "; weights = weights.masked_fill(~mask, 0)")
        ),
    ),
    _function(
        "half_softmax",
        "weights",
        *(
            {"weights": f"weights = torch.softmax(scores.to(torch.{dtype}), dim=-1).to(scores.dtype)"}
            for dtype in ("float16", "bfloat16")
        ),
    ),
    Mistake(
        "dropout_on",
        "weights",
        {"weights": "weights = torch.dropout(torch.softmax(scores, dim=-1), 0.1, train=True)"},
        hand="",
        random=True,
    ),
    _function(
        "overflow",
        "weights",
        {"weights": "weights = torch.exp(scores) / torch.exp(scores).sum(-1, keepdim=True)"},
    ),
    _weights(
        "scaled_again",
        "weights = torch.softmax(scores / sqrt(d_k), dim=-1)",
        hand="d_k > 1",
        same_as="by_d_k",
    ),
    Mistake(
        "nan_rows",
        "weights",
        {"weights": "weights = torch.softmax(scores, dim=-1)"},
        "finite",
        hand="",
        possible=_empty_row,
        instead={"weights": MASKED_WEIGHTS},
        only_empty_rows=True,
    ),
    _function(
        "finite_mask",
        "weights",
        {"masked_scores": "scores = scores.masked_fill(~mask, -1e9)"},
        {"masked_scores": "scores = scores + torch.where(mask, 0, -1e4)"},
        only_empty_rows=True,
    ),
    _output("transposed_weights", "heads = weights.transpose(-2, -1) @ value", "torch_output"),
    _function("scaled_output", "head_output", {"head_output": "heads = weights @ value / sqrt(d_k)"}),
    _function("weights_key", "head_output", {"head_output": "heads = weights @ key"}),
    _output("value_row", "heads = weights @ value.transpose(-2, -1)", hand="n == d_v"),
    _output("mean", "heads = mask.to(value.dtype) @ value / mask.sum(-1, keepdim=True)"),
    _output("sum", "heads = mask.to(value.dtype) @ value"),
    Mistake(
        "largest",
        "head_output",
        {"head_output": "heads = value.take_along_dim(weights.argmax(-1, keepdim=True), dim=-2)"},
        other_ways=(
            {
                "head_output": "largest = weights == weights.amax(-1, keepdim=True); "
                "heads = (mask & largest).to(value.dtype) @ value"
            },
        ),
    ),
    _output("output_signs", "heads = weights @ value.abs()", hand="weights @ value.abs() != weights @ value"),
    _output(
        "output_term",
        "heads = weights[..., :-1] @ value[..., :-1, :]",
        hand="(weights[..., -1:] @ value[..., -1:, :] != 0) & (n > 1)",
    ),
    Mistake(
        "view_join",
        "concatenated",
        {"concatenated": "joined = heads.reshape(b, n, h * d_v)"},
        "columns",
        hand="",
        possible=_several,
    ),
    _function(
        "not_transposed_back",
        "concatenated",
        {"result": "heads = heads.transpose(1, 2)"},
        {"result": "heads = heads.transpose(-2, -1)"},
    ),
    Mistake(
        "no_w_o",
        "output",
        {"output": "output = joined"},
        "projected_output",
        hand="",
        possible=lambda inputs: inputs.w_o is not None and inputs.num_heads > 1 and _fills_x(inputs),
    ),
)
MISTAKES: Mapping[str, Mistake] = MappingProxyType({mistake.name: mistake for mistake in ALL})
CODED = tuple(mistake.name for mistake in ALL if mistake.check)  # in the order of the steps
