"""Every question has one right answer: in every state that is drawn, or for all of them together.

In general: the text says "whatever the numbers are" or the like. The marked option holds in every drawn state
in which the question is asked, and each other option fails in some of them.
Here: the answer depends on the numbers. Where the page asks, the marked option is the only one that holds.
A fact: it depends on no number that the learner can change; the table says where it comes from.
What an option says is recomputed here with the core; the page's own functions are only asked what they mark.
"""

from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal, localcontext
from types import SimpleNamespace

import pytest
import torch
from torch import Tensor

from attention import causal_mask, scaled_dot_product_attention
from attention.lab.heads.parts import losses
from attention.lab.mistakes import forms
from pages.lessons.cross_attention import predict
from pages.lessons.cross_attention import summary as cross_end
from pages.lessons.many_heads import ablation
from pages.lessons.many_heads.summary import swapped
from pages.lessons.masks import after_softmax, times_zero
from pages.lessons.masks import summary as masks_end
from pages.lessons.order import swap
from pages.lessons.softmax import temperature
from pages.lessons.why_scale import spread, yours
from pages.model import edits
from pages.model.compute import cross_trace_of, mask_of, tensors_of, trace_of
from pages.model.settings import Settings
from pages.model.view import Place, View
from pages.ui.questions import only
from pages.ui.texts import Texts
from tests.apps import open_page, shown, visit
from tests.asked import ASKED, RIGHT
from tests.drawn import drawn

SEEDS = 150
STATES = [drawn(seed) for seed in range(SEEDS)]
Holds = dict[str, bool] | None  # option → whether it holds; None where the question is not asked


def same(one: Tensor, other: Tensor) -> bool:
    return one.shape == other.shape and torch.allclose(one, other, atol=1e-9)


def plain(now: Settings, mask: str = "none") -> Settings:
    return edits.with_choice(now, mask=mask, mask_2="none", position="none")


def alone(before: Tensor, after: Tensor) -> set[int]:
    """The rows that differ."""
    return {row for row in range(len(before)) if not same(before[row], after[row])}


def new_rows(before: Tensor, after: Tensor) -> set[int]:
    """The rows of `after` that no row had before."""
    return {row for row in range(len(after)) if not any(same(after[row], one) for one in before)}


# ---- in general


def symmetric(now: Settings) -> Holds:
    now = plain(now)
    q = trace_of(now).head(0).query
    s = q @ q.mT
    off = s - torch.diag(s.diagonal())
    mirror, diagonal, equal = same(s, s.mT), same(off, 0 * s), same(s, s[0, 0].expand_as(s))
    return {
        "mirror": mirror,
        "diagonal": diagonal,
        "equal": equal,
        "nothing": not (mirror or diagonal or equal),
    }


def swap_two(now: Settings) -> Holds:
    now, n = plain(now), len(now.tokens)
    if n < 2:
        return None
    before, after = trace_of(now).output, trace_of(edits.swap_tokens(now, 0, n - 1)).output
    order = [n - 1, *range(1, n - 1), 0]
    return {
        "rows": same(before[order], after),
        "same": same(before, after),
        "two": new_rows(before, after) == {0, n - 1},
        "all": new_rows(before, after) == set(range(n)),
    }


def value_edited(mask: str) -> Callable[[Settings], Holds]:
    def holds(now: Settings) -> Holds:
        now, n = plain(now, mask), len(now.tokens)
        head = trace_of(now).head(0)
        visible = head.weights[-1] if mask == "causal" else head.weights
        if n < 2 or (visible < 1e-12).any():
            return None  # too small for floating point: in exact arithmetic it is more than 0
        value = head.value.clone()
        value[-1] += 1e9
        after = scaled_dot_product_attention(head.query, head.key, value, mask=head.mask, scale=head.scale)
        rows, weights = alone(head.output, after.output), alone(head.weights, after.weights)
        return {
            "last": rows == {n - 1} and not weights,
            "all": rows == set(range(n)) and not weights,
            "weights": rows == weights == set(range(n)),
        }

    return holds


def shift(now: Settings) -> Holds:
    head = trace_of(plain(now)).head(0)
    after, before = torch.softmax(head.scaled_scores + 5, -1), head.weights
    wider = (after.amax(-1) - before.amax(-1)).tolist()
    return {
        "same": same(before, after),
        "sharper": all(one > 1e-9 for one in wider),
        "uniform": all(one < -1e-9 for one in wider),
        "sum": not same(after.sum(-1), before.sum(-1)),
    }


def transposed(now: Settings) -> Holds:
    head = trace_of(edits.with_choice(now, position="none")).head(0)
    mixed, n = head.weights.mT, len(head.weights)  # AᵀV: row j is mixed with row j of Aᵀ
    sums = torch.stack([torch.stack([head.weights[i, j] for i in range(n)]).sum() for j in range(n)])
    return {
        "column": same(mixed.sum(-1), sums),
        "one": same(mixed.sum(-1), torch.ones_like(sums)),
        "row": same(mixed.sum(-1), head.value.sum(-1)),
    }


def one_projection(now: Settings) -> Holds:
    x, w = torch.tensor(now.x, dtype=torch.float64), tensors_of(now)["w_q"][:, : now.head_dim]
    q = x @ w
    row = int(q.norm(dim=-1).argmax())
    weights = torch.softmax(q @ q.mT / now.head_dim**0.5, -1)[row]
    unlike = int((q - q[row]).norm(dim=-1).argmax())
    itself = bool(weights[row] >= weights.max() - 1e-12)
    return {"itself": itself, "other": bool(weights[unlike] == weights.max()), "depends": not itself}


def doubled(now: Settings) -> Holds:
    head = trace_of(edits.with_choice(now, position="none")).head(0)
    again = scaled_dot_product_attention(
        2 * head.query, head.key, head.value, mask=head.mask, scale=head.scale
    )

    def spread(weights: Tensor) -> Tensor:
        return -torch.special.xlogy(weights, weights).sum(-1)

    seen = torch.ones_like(head.scores, dtype=torch.bool) if head.mask is None else head.mask
    low = head.scaled_scores.masked_fill(~seen, torch.inf).amin(-1)
    high = head.scaled_scores.masked_fill(~seen, -torch.inf).amax(-1)
    falls = spread(head.weights) - spread(again.weights)
    # Where the scores lie far apart, a row is one-hot before and after, but for rounding.
    differ = (high - low > 1e-3) & (spread(head.weights) > 1e-6)
    if now.masked_score != "-inf":  # a finite score in place of −∞ gives a fully masked row equal weights
        differ = differ & seen.any(-1)
    twice = same(again.scores, 2 * head.scores)
    mixed = same(again.output, again.weights @ head.value)
    return {
        "sharper": twice and bool((falls[differ] > 0).all()) and mixed,
        "all": twice and same(again.weights, 2 * head.weights) and same(again.output, 2 * head.output),
        "cancels": twice and same(again.weights, head.weights) and same(again.output, head.output),
        "projections": same(again.key, 2 * head.key) and same(again.value, 2 * head.value),
    }


def heads_exchanged(now: Settings) -> Holds:
    now = edits.set_biases(plain(now), False)
    if now.num_heads < 2 or now.kv_heads != now.num_heads:
        return None
    output, n, dim = trace_of(now).output, len(now.tokens), now.value_dim
    moved = swapped(now, rows_too=False)
    w_o = [list(row) for row in now.w_o]
    columns = [[row[i] for i in _exchange(len(row), dim)] for row in w_o]
    x = now.x if n < 2 else (now.x[1], now.x[0], *now.x[2:])
    return {
        "nothing": same(moved, output),
        "rows": same(swapped(now, rows_too=True), output),
        "columns": same(swapped(replace(now, w_o=tuple(map(tuple, columns))), rows_too=False), output),
        "x": same(swapped(replace(now, x=x), rows_too=False), output),
    }


def _exchange(width: int, dim: int) -> list[int]:
    order = [*range(dim, 2 * dim), *range(dim), *range(2 * dim, width)]
    return [i for i in order if i < width]


def reversed_order(now: Settings) -> Holds:
    now, n = plain(now), len(now.tokens)
    if n < 2:
        return None
    before = trace_of(now).output
    after = trace_of(edits.reordered(now, list(range(n))[::-1])).output
    stays = {token for token in range(n) if same(before[token], after[n - 1 - token])}
    return {
        "along": stays == set(range(n)),
        "stay": same(before, after),
        "all": not stays,
        "two": stays == {0},
    }


def source_swapped(now: Settings) -> Holds:
    now = edits.with_choice(now, cross_mask="none")
    before, after = cross_trace_of(now).output, cross_trace_of(predict.swapped(now)).output
    order = [1, 0, *range(2, len(before))] if len(before) > 1 else [0]
    return {
        "same": same(before, after),
        "rows": len(before) > 1 and same(before[order], after),
        "other": alone(before, after) == set(range(len(before))),
    }


def shape(now: Settings) -> Holds:
    found = cross_trace_of(edits.with_choice(now, cross_mask="none")).head(0).weights.shape
    n, m = len(now.tokens), len(now.source)
    shapes = {"n_m": (n, m), "m_n": (m, n), "n_n": (n, n), "m_m": (m, m)}
    return {option: tuple(found) == size for option, size in shapes.items()}


def aligned(now: Settings) -> Holds:
    n = len(now.tokens)
    if n < 2:
        return None
    head, new = trace_of(edits.with_choice(now, position="none")).head(0), (n + 1) // 2

    def weights(count: int, mask: Tensor) -> Tensor:
        query = head.query[n - count :]
        return scaled_dot_product_attention(query, head.key, head.value, mask=mask, scale=head.scale).weights

    whole = weights(n, causal_mask(n))[n - new :]
    return {
        name: same(weights(new, causal_mask(new, n, alignment=name)), whole)
        for name in ("upper_left", "lower_right")
    }


def padded_left(now: Settings) -> Holds:
    n, real = len(now.tokens), now.padding
    if real == n:
        return None
    visible = [{key for key in range(query + 1) if key >= n - real} for query in range(n)]
    empty = {query for query in range(n) if not visible[query]}
    pad = set(range(n - real))
    return {"none": not empty, "padded": empty == pad, "real": empty == set(range(n)) - pad}


GENERAL: dict[str, Callable[[Settings], Holds]] = {
    "symmetric": symmetric,
    "swap": swap_two,
    "value": value_edited("none"),
    "value_causal": value_edited("causal"),
    "shift": shift,
    "transposed": transposed,
    "one_projection": one_projection,
    "one_head_end": doubled,
    "many_heads_end": heads_exchanged,
    "order_reversed": reversed_order,
    "cross_order": source_swapped,
    "cross_shape": shape,
    "cross_aligned": aligned,
    "left_padding": padded_left,
}


@pytest.mark.parametrize("question", GENERAL)
def test_the_marked_option_alone_holds_whatever_the_numbers_are(question):
    found = [(seed, GENERAL[question](now)) for seed, now in enumerate(STATES)]
    asked = [(seed, holds) for seed, holds in found if holds is not None]
    assert len(asked) > SEEDS // 10
    broken = {option: [seed for seed, holds in asked if not holds[option]] for option in asked[0][1]}
    assert broken.pop(RIGHT[question]) == []
    assert [option for option, seeds in broken.items() if not seeds] == []


# ---- here


def seen_scores(now: Settings) -> tuple[Tensor, Tensor, Tensor]:
    """Scaled scores, mask and values of the first head; the causal mask where none is chosen."""
    head = trace_of(now).head(0)
    mask = mask_of(now)
    return head.unmasked_scores, causal_mask(len(now.tokens)) if mask is None else mask, head.value


def causal_order(now: Settings) -> tuple[str | None, Holds]:
    """With random inputs of as many tokens: which rows can change when the first two exchange places."""
    n = len(now.tokens)
    if n < 2:
        return None, None
    can: set[int] = set()
    for seed in range(3):
        other = plain(edits.fill(edits.load_example(now, "cats"), "w_v", "identity"), "causal")
        while len(other.tokens) != n:
            other = edits.add_token(other) if len(other.tokens) < n else edits.remove_token(other, 0)
        other = edits.fill(other, "x", "normal", seed)
        order = [1, 0, *range(2, n)]
        before, after = trace_of(other).output, trace_of(edits.reordered(other, order)).output
        can |= alone(before[order], after)
    rows = {"none": set(), "pair": {0, 1}, "later": {0, 1, *range(2, n)}, "every": set(range(n))}
    return only(swap.causal_holds(n)), {option: rows[option] == can for option in rows}


def wrong_order(now: Settings) -> tuple[str | None, Holds]:
    right = cross_trace_of(edits.with_choice(now, cross_mask="none"))
    other = replace(now, tokens=now.source, x=now.y, source=now.tokens, y=now.x, cross_mask="none")
    wrong = cross_trace_of(other)  # raises nothing: so there is no error
    turned = all(same(one, two.mT) for one, two in zip(wrong.heads.weights, right.heads.weights, strict=True))
    rows = len(wrong.output) == len(now.source)
    holds = {"error": False, "transposed": turned and same(wrong.value, right.value), "other": rows}
    return only(cross_end.holds(now)), holds


def moved_row(now: Settings) -> tuple[str | None, Holds]:
    if len(now.tokens) < 2:
        return None, None
    now = edits.with_choice(now, position="none")
    before, after = (
        trace_of(edits.with_choice(now, scaling=scaling)).head(0).weights for scaling in ("none", "sqrt_d_k")
    )
    shares = [(a - b).clamp(min=0).sum().item() for a, b in zip(before, after, strict=True)]
    above = [share > max([*shares[:row], *shares[row + 1 :]]) + 1e-9 for row, share in enumerate(shares)]
    holds = {str(row + 1): yes for row, yes in enumerate(above)} | {yours.SEVERAL: not any(above)}
    return only(yours.row_holds(shares)), holds


def scores_times_zero(now: Settings) -> tuple[str | None, Holds]:
    scores, mask, _ = seen_scores(now)
    if mask.all():
        return None, None
    weights = torch.softmax(scores * mask, -1)
    masked = [
        weights[row, col].item() for row in range(len(mask)) for col in range(len(mask)) if not mask[row, col]
    ]
    holds = {
        "zero": max(masked) == 0,
        "more": min(masked) > 0,
        "nan": any(one != one for one in masked),
    }
    return only(times_zero.holds(forms.times_zero(scores, mask), mask)), holds


def divided_by_their_sums(now: Settings) -> tuple[str | None, Holds]:
    scores, mask, _ = seen_scores(now)
    late = torch.softmax(scores, -1) * mask
    mended = late / late.sum(-1, keepdim=True)
    right = torch.softmax(scores.masked_fill(~mask, -torch.inf), -1)
    seen = mask.any(-1)
    scene = SimpleNamespace(head=trace_of(edits.with_choice(now, masked_score="-inf")).head(0))
    marked = only(after_softmax.holds(scene, mask, forms.after_softmax(scores, mask)))
    agree, nan = same(mended[seen], right[seen]), bool(mended.isnan().any())
    return marked, {"right": agree, "leaks": not agree and not nan, "nan": nan}


def head_lost(now: Settings) -> tuple[str | None, Holds]:
    """By how much the output changes without each head: its rows of W_O are zeros."""
    if now.num_heads < 2:
        return None, None
    whole, dim, changes = trace_of(now).output, now.value_dim, []
    for head in range(now.num_heads):
        rows = range(head * dim, (head + 1) * dim)
        w_o = tuple((0.0,) * now.d_model if i in rows else row for i, row in enumerate(now.w_o))
        changes.append((whole - trace_of(replace(now, w_o=w_o)).output).norm().item())
    scale = whole.norm().item() or 1.0
    above = [
        change > max([*changes[:head], *changes[head + 1 :]]) + 1e-9 * max(scale, *changes)
        for head, change in enumerate(changes)
    ]
    holds = {str(head + 1): yes for head, yes in enumerate(above)} | {"several": not any(above)}
    shares = losses(trace_of(now), tensors_of(now).get("w_o"))
    return only(ablation.holds(shares)), holds


def scores_doubled(now: Settings) -> tuple[str | None, Holds]:
    """Of the first query's scores as logits, in decimals of 60 digits: no exponential is rounded to 0."""
    logits = trace_of(now).head(0).scores[0].tolist()

    def largest(factor: int) -> Decimal:
        top = Decimal(max(logits))
        parts = [(factor * (Decimal(one) - top)).exp() for one in logits]
        return max(parts) / sum(parts)

    with localcontext(prec=60):
        before, after = largest(1), largest(2)
    holds = {"grows": after > before, "stays": after == before, "shrinks": after < before}
    return only(temperature.doubled_holds(logits)), holds


HERE: dict[str, Callable[[Settings], tuple[str | None, Holds]]] = {
    "order_causal": causal_order,
    "cross_end": wrong_order,
    "row": moved_row,
    "ablation": head_lost,
    "soft_double": scores_doubled,
    "times_zero": scores_times_zero,
    "renormalise": divided_by_their_sums,
}


@pytest.mark.parametrize("question", HERE)
def test_where_a_question_is_asked_its_marked_option_alone_holds(question):
    found = {seed: HERE[question](now) for seed, now in enumerate(STATES)}
    asked = {seed: (marked, holds) for seed, (marked, holds) in found.items() if marked is not None}
    assert len(asked) > SEEDS // 3
    assert {
        seed: (marked, holds)
        for seed, (marked, holds) in asked.items()
        if [option for option, does in holds.items() if does] != [marked]
    } == {}


def test_the_checks_of_a_mask_are_compared_where_they_differ():
    """The table under the last question on masks shows what its answer claims, whatever the numbers are."""
    special = [now for now in STATES if len(now.tokens) > 1 and not table_tells(now)]
    assert special  # the page does not show their table
    assert table_tells(Settings())  # but this one's


def table_tells(now: Settings) -> bool:
    head = trace_of(now).head(0)
    found = masks_end.finds(head, len(head.query) - 1)
    ways = {check: [way for way in found if not found[way][check]] for check in masks_end.OPTIONS}
    tells = [check for check, fails in ways.items() if len(fails) == 4 and "right" not in fails]
    told = masks_end.tells_apart(found)
    assert not told or tells == ["change"]
    return told


# ---- facts


@pytest.mark.parametrize("seed", range(4))
def test_what_is_measured_is_clear_in_every_sample(seed):
    """The learner chooses the seed of this experiment, and the page marks the nearest option."""
    found = spread.concentrations(spread.ASKED, seed)["none"].largest.median
    near = sorted(spread.OPTIONS, key=lambda option: abs(spread.OPTIONS[option] - found))
    assert near[0] == RIGHT["largest"] and abs(spread.OPTIONS[near[0]] - found) < 0.1


FACTS = {
    "a theorem, or a definition": "soft_shift soft_axis soft_raise columns causal fully_masked padding_side "
    "masks_end shared view head_columns cross_cached cross_causal order_waves order_equal order_shift "
    "order_padding order_end cost_double flash_same flash_ops",
    "numbers of the question's own": "bank_rows soft_tiny factor same largest parts root_n why_scale_end "
    "order_slope cost_layers cost_end flash_mend flash_skip flash_end",
    "what PyTorch documents": "soft_drop softmax_end half ones polarity accident cost_fused",
    "a published paper or model": "cost_crossing cost_cache",
    "a study note, as it is quoted": "note_start worked_first worked_range worked_sum worked_it worked_shape "
    "worked_dropout worked_batch worked_end",
}


def test_each_question_is_judged_in_general_or_here_or_is_a_fact():
    judged = [*GENERAL, *HERE, *(name for names in FACTS.values() for name in names.split())]
    assert sorted(judged) == sorted(asked.name for asked in ASKED)


@pytest.mark.parametrize("question", GENERAL)
def test_every_option_that_is_offered_is_judged(question):
    (asked,) = [one for one in ASKED if one.name == question]
    app = open_page(asked.lesson, asked.settings, asked.view(), asked.place)
    guess = f"guess-{question}-"
    offered = {one.key.removeprefix(guess) for one in app.button if (one.key or "").startswith(guess)}
    holds = next(found for found in map(GENERAL[question], STATES) if found is not None)
    assert offered - {"shown"} == set(holds)


# ---- what the page does where a question cannot be asked


TWO = edits.remove_token(Settings(), 0)
ALIKE = edits.load_example(Settings(), "uniform")
ALIKE = replace(ALIKE, source=ALIKE.tokens, y=ALIKE.x)
EMPTY = edits.with_choice(Settings(), mask="custom", blocked=frozenset((1, key) for key in range(3)))
UNASKED = {
    "order_causal": ("order", Place(part="swap"), TWO),
    "cross_end": ("cross_attention", Place(part="alignment"), ALIKE),
    "renormalise": ("masks", Place(part="wrong", topic="after_softmax"), EMPTY),
}


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("question", UNASKED)
def test_the_page_says_what_a_question_needs_where_it_cannot_be_asked(question, language):
    lesson, place, now = UNASKED[question]
    app = open_page(lesson, now, View(language=language, answers=shown(lesson, but=question)), place)
    said = [one.value for one in app.info]
    assert not app.exception and Texts(language, lesson)(f"missing.{question}") in said
    assert not [one.key for one in app.button if (one.key or "").startswith(f"guess-{question}")]
    assert question not in dict(visit(app).view.answers)
