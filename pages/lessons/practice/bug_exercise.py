"""Which computation is shown, and which mistake is in it.

An exercise follows from its level, its number and the learner's settings, where it is made from those. It is
made only of numbers in which the mistake can be seen, and told from every other mistake that is offered.
"""

import functools
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor

from attention import causal_mask, padding_mask
from attention.checking.mistakes import CODED, MISTAKES
from attention.checking.runs import Inputs, Run, right
from attention.lab.mistakes.checks import check, first_difference
from attention.lab.mistakes.forms import split
from pages.ask.exercise.chance import Chance, are_plain, seeded
from pages.ask.exercise.fill_exercise import HOUR
from pages.draw.positions import set_aside
from pages.model.compute import inputs_of, mask_of, needed, one_mask, tensors_of
from pages.model.languages import START
from pages.model.settings import Settings

# The mistakes of a level, in the order in which they are offered: that of the steps.
OF_MASKS = ("after_softmax", "times_zero", "mask_added", "inverted", "query_rows")
OF_SCALING = ("by_sqrt_d_model", "by_d_k", "by_sqrt_n", "not_scaled", "scaled_late")
LEVEL_BUGS = {
    HOUR: ("by_d_k", "not_scaled", "times_zero", "inverted", "wrong_axis"),
    # Without √n and √d_model.
    "1": ("by_d_k", "not_scaled", "scaled_late", *OF_MASKS, "wrong_axis", "softmax_twice"),
    "2": (
        *("exchanged", "one_projection", "unprojected", "transposed_scores"),
        *(*OF_SCALING, "by_sqrt_d_v"),
        *OF_MASKS,
        *("wrong_axis", "softmax_twice", "nan_rows", "transposed_weights"),
    ),
    "3": CODED,
}
# The steps that may be the first wrong step, and the steps that are shown.
LEVEL_STEPS = {
    HOUR: ("scaled_scores", "masked_scores", "weights"),
    "1": ("scaled_scores", "masked_scores", "weights"),
    "2": Run._fields[: Run._fields.index("concatenated")],
    "3": Run._fields,
}
LEVEL_MASKS = {
    HOUR: ("causal",),
    "1": ("causal", "padding"),
    "2": ("none", "causal", "padding", "left_padding"),
    "3": ("causal", "padding", "left_padding"),
}
# Sizes in which √d_k, √d_model, d_k and √n differ as far as they can.
LEVEL_SIZES = {
    HOUR: ({"tokens": 3, "d_model": 6, "d_k": 4, "d_v": 2},),
    "1": ({"tokens": 3, "d_model": 6, "d_k": 2, "d_v": 2}, {"tokens": 4, "d_model": 6, "d_k": 3, "d_v": 2}),
    "2": (
        {"tokens": 3, "d_model": 4, "d_k": 2, "d_v": 2},
        {"tokens": 3, "d_model": 4, "d_k": 3, "d_v": 4},
        {"tokens": 3, "d_model": 4, "d_k": 3, "d_v": 2},
    ),
    "3": (
        {"tokens": 3, "d_model": 4, "d_k": 2, "d_v": 2, "heads": 2},
        {"tokens": 3, "d_model": 4, "d_k": 3, "d_v": 2, "heads": 2},
    ),
}
VISIBLE = 0.02  # two numbers that differ by more look different with two decimals
DRAWS = 300
LARGEST_SCORE = 9.0
MOST_TOKENS, MOST_WIDTH, MOST_HEADS = 6, 8, 4  # of the learner's own numbers


@dataclass(frozen=True, eq=False)
class BugExercise:
    """A computation with one mistake in it, and the mistakes to choose from."""

    level: str
    tokens: tuple[str, ...]
    inputs: Inputs
    mask: str  # the name of the mask that was drawn; "own" for the learner's
    bug: str
    options: tuple[str, ...]
    run: Run
    right: Run

    @property
    def step(self) -> str:
        """The first wrong step."""
        return MISTAKES[self.bug].step

    @property
    def from_scores(self) -> bool:
        """The scores are given, and the matrices before them are not shown."""
        return "scores" not in self.steps

    @property
    def steps(self) -> tuple[str, ...]:
        """The steps to choose from."""
        return steps_of(self.level, self.inputs)


def steps_of(level: str, inputs: Inputs) -> tuple[str, ...]:
    """Without a mask there is no step of masking."""
    return tuple(s for s in LEVEL_STEPS[level] if s != "masked_scores" or inputs.visible is not None)


@functools.lru_cache(maxsize=256)
def make(
    level: str, number: int, settings: Settings | None = None, *, language: str = START
) -> BugExercise | None:
    """The exercise; settings: the learner's own. None where no mistake of the level shows in them.

    language: of its tokens.
    """
    chance = Chance("bug_hunt", level, number)
    bugs = chance.some(LEVEL_BUGS[level], len(LEVEL_BUGS[level]))
    if settings is not None:
        inputs = own_inputs(settings, heads=level == "3")
        result = (_exercise(level, settings.tokens, inputs, "own", bug) for bug in bugs)
        return next((exercise for exercise in result if exercise is not None), None)
    for bug in bugs:
        for _ in range(DRAWS):
            exercise = _exercise(level, *_draw_numbers(chance, level, language), bug)
            if exercise is not None:
                return exercise
    raise LookupError(f"no exercise {number} of level {level}")


def _exercise(
    level: str, tokens: tuple[str, ...], inputs: Inputs, mask: str, name: str
) -> BugExercise | None:
    """The exercise with this mistake; None where it does not show in these numbers, or two would be right."""
    bug = MISTAKES[name]
    if not bug.applies(inputs):
        return None
    run, good = bug.run(inputs), right(inputs)
    if first_difference(run, good) != bug.step or not differ(getattr(run, bug.step), getattr(good, bug.step)):
        return None
    if check(bug.check, inputs, run).holds or not check(bug.check, inputs, good).holds:
        return None
    options = tuple(bug for bug in LEVEL_BUGS[level] if MISTAKES[bug].applies(inputs))
    names = ("scores", *steps_of(level, inputs))
    for wrong in (MISTAKES[other].run(inputs) for other in options if other != name):
        if not any(differ(getattr(run, step), getattr(wrong, step)) for step in names):
            return None
    return BugExercise(level, tokens, inputs, mask, name, options, run, good) if len(options) > 1 else None


def differ(first: Tensor, other: Tensor) -> bool:
    """Whether two matrices look different."""
    return first.shape != other.shape or bool(apart(first, other).max() > VISIBLE)


def apart(first: Tensor, other: Tensor) -> Tensor:
    """How far each two numbers are apart; infinitely far where only one of them is −∞, or NaN."""
    distance = (first - other).abs()
    same = (first == other) | (first.isnan() & other.isnan())
    return distance.masked_fill(same, 0.0).nan_to_num(nan=torch.inf)


# ---- numbers of the exercise


def _draw_numbers(chance: Chance, level: str, language: str) -> tuple[tuple[str, ...], Inputs, str]:
    """Numbers in which the scores are small enough for weights that are not all 0 or 1."""
    size = chance.pick(LEVEL_SIZES[level])
    heads = size.get("heads", 1)
    while True:
        drawn = seeded(chance, language=language, **size)
        tensors = tensors_of(replace(drawn, w_q=_smaller(drawn.w_q), w_k=_smaller(drawn.w_k)))
        weights = {name: tensors[name] for name in ("w_q", "w_k", "w_v")} | {"w_o": tensors.get("w_o")}
        inputs = Inputs(inputs_of(drawn), **weights, num_heads=heads)
        whole = all(bool(weights[name].any(0).all()) for name in ("w_q", "w_k"))  # no column of zeros
        if whole and 1 < _largest_score(inputs) <= LARGEST_SCORE and _are_plain(inputs):
            break
    mask = chance.pick(LEVEL_MASKS[level])
    return drawn.tokens, _under(chance, inputs, mask, second=level == "3"), mask


def _largest_score(inputs: Inputs) -> float:
    query, key = (split(inputs.x @ weight, inputs.num_heads) for weight in (inputs.w_q, inputs.w_k))
    return (query @ key.mT).abs().max().item()


def _are_plain(inputs: Inputs) -> bool:
    """Whether the rows of Q, K, V and of the scores differ in each head and are not zero."""
    weights = (inputs.w_q, inputs.w_k, inputs.w_v)
    query, key, value = (split(inputs.x @ weight, inputs.num_heads) for weight in weights)
    return are_plain(*(head for matrix in (query, key, value, query @ key.mT) for head in matrix.tolist()))


def _smaller(matrix: tuple[tuple[float, ...], ...]) -> tuple[tuple[float, ...], ...]:
    """±2 becomes ±1, and ±1 becomes 0."""
    return tuple(tuple(float(int(value / 2)) for value in row) for row in matrix)


def _under(chance: Chance, inputs: Inputs, mask: str, second: bool) -> Inputs:
    """The same with a mask; second: and with the mask of a second sentence of the batch."""
    n = inputs.n
    if mask == "none":
        return inputs
    masks: dict[str, dict[str, Any]] = {
        "causal": {"mask": causal_mask(n)},
        "padding": {"real": chance.number(2, n - 1)},
        "left_padding": {"mask": causal_mask(n) & (torch.arange(n) > 0)},
    }
    inputs = replace(inputs, **masks[mask])
    if not second:
        return inputs
    real = chance.pick([count for count in range(1, n) if count != inputs.real])
    padding = padding_mask([real], n).expand(n, n)
    return replace(inputs, beside=padding if inputs.mask is None else causal_mask(n) & padding)


# ---- the learner's own numbers


def own_problem(level: str, settings: Settings) -> str | None:
    """Why an exercise of this level cannot be made from these sizes: the name of a text."""
    s = settings
    if level == "3" and s.num_heads == 1:
        return "one_head"
    if len(s.tokens) == 1:
        return "one_token"
    widths = (s.d_model, s.head_dim, s.value_dim)
    too_many = len(s.tokens) > MOST_TOKENS or (level == "3" and s.num_heads > MOST_HEADS)
    return "too_large" if too_many or max(widths) > MOST_WIDTH else None


def own_inputs(settings: Settings, *, heads: bool) -> Inputs:
    """The learner's numbers without biases and switches, divided by √d_k; all heads, or the first one."""
    s = settings
    plain = set_aside(s)
    matrices = tensors_of(plain)
    count = s.num_heads if heads else 1
    widths = {"w_q": s.head_dim, "w_k": s.head_dim, "w_v": s.value_dim}
    weights = {name: _of_heads(s, name, matrices[name], widths[name], count) for name in widths}
    padded = s.mask == "padding" and s.mask_2 == "none"
    return Inputs(
        inputs_of(plain),
        **weights,
        w_o=matrices["w_o"] if heads else None,
        num_heads=count,
        mask=None if padded else mask_of(s),
        real=int(needed(one_mask(s, "padding"))[0].sum()) if padded else None,
    )


def _of_heads(s: Settings, name: str, weight: Tensor, width: int, count: int) -> Tensor:
    """The columns of the first `count` heads; of a shared key/value head once for each head it serves."""
    index = [head if name == "w_q" else s.kv_head(head) for head in range(count)]
    return torch.cat([weight[:, i * width : (i + 1) * width] for i in index], dim=1)
