"""Shared keys and values: what grouped-query attention does to the weights, and what it saves."""

import functools
from collections.abc import Sequence
from typing import Any

import torch

from attention.lab.heads.parts import Cost, costs
from attention.lab.heads.sharing import Shared, share
from pages.ask import blocks
from pages.draw import arithmetic, choices, inputs, matrix, placing, positions, say, steps
from pages.draw.numbers import counted
from pages.draw.page import Page
from pages.draw.steps import Steps
from pages.model.compute import mask_of, needed, options_of, tensors_of
from pages.model.settings import Settings
from pages.picture import Flow, Grid, GridRows, Matrix, Passage, nice_bound, product, softmax_of

from . import scene
from .scene import percent, percents


def draw(page: Page) -> blocks.Blocks:
    heads, kv_heads = page.settings.num_heads, page.settings.kv_heads
    if heads == 1:
        yield blocks.control(scene.alone)
        return
    yield blocks.aside(positions.without)
    if kv_heads != heads:
        yield blocks.info("sharing.shared_already", heads=heads, kv_heads=kv_heads)
        yield blocks.control(scene.own_kv)
        yield blocks.aside(_table)
        return
    yield blocks.ask("shared", _before, heads=heads)
    yield blocks.control(_groups)
    yield blocks.picture(_figure)
    yield blocks.text("sharing.why")
    yield blocks.aside(_with_changes, follows="released")


def _groups(page: Page) -> None:
    counts = divisors(page.settings.num_heads)
    page.choose("groups", counts, lambda count: _kind(page, count), value=group_count(page))


def _with_changes(page: Page) -> None:
    """What each number of key/value heads costs, and what it changes."""
    page = positions.plainly(page)
    _table(page, [sharing_of(page.settings, groups) for groups in divisors(page.settings.num_heads)[1:]])


def divisors(heads: int) -> list[int]:
    """The numbers of key/value heads that there can be, most of them first."""
    return [count for count in range(heads, 0, -1) if heads % count == 0]


def group_count(page: Page) -> int:
    """How many key/value heads the figure shows: as chosen, or the next smaller number that is possible."""
    return next(count for count in divisors(page.settings.num_heads) if count <= page.look.groups)


@functools.lru_cache(maxsize=64)
def sharing_of(settings: Settings, groups: int) -> Shared:
    """The learner's attention with its key/value heads pooled into so many groups."""
    options = options_of(settings)
    return share(
        torch.tensor(settings.x, dtype=torch.float64),
        tensors_of(settings),
        num_heads=settings.num_heads,
        groups=groups,
        mask=mask_of(settings),
        scale=options["scale"],
        masked_score=options["masked_score"],
    )


def _before(page: Page) -> None:
    """The first two heads' queries, and the keys that they would share."""
    page = positions.plainly(page)
    computation, first = steps.of(page), sharing_of(page.settings, 1)
    heads = first.full.heads
    cols = counted(page.settings.head_dim)
    bounds = {
        "Q": nice_bound(heads.query.flatten(0, 1).tolist()),
        "K": nice_bound(heads.key.flatten(0, 1).tolist()),
    }
    width, d_model = page.settings.head_dim, page.settings.d_model
    recipe = {
        (letter, head): product(
            "x", f"w_{letter}", d_model, col_start=head * width, bias=computation.offset(letter)
        )
        for letter in "qk"
        for head in (0, 1)
    }
    matrices = [
        matrix.of(
            f"{name}_{head + 1}",
            f"{letter}_{head + 1}",
            values[head],
            rows,
            cols,
            bound=bounds[letter],
            recipe=recipe[letter.lower(), head],
        )
        for head in (0, 1)
        for name, letter, values, rows in (
            ("query", "Q", heads.query, computation.queries),
            ("key", "K", heads.key, computation.keys),
        )
    ]
    key = first.shared.heads.key[0]
    look: dict[str, Any] = {"bound": bounds["K"], "recipe": arithmetic.mean(list(heads.key), key)}
    matrices.append(matrix.of("shared", page.t("sharing.key"), key, computation.keys, cols, **look))
    placing.draw(page, "before", matrices, sources=[computation.find])


def _figure(page: Page) -> None:
    """Every head's weights with keys of its own, with shared ones, and what that moved."""
    page = positions.plainly(page)
    settings = page.settings
    result = sharing_of(page.settings, group_count(page))
    computation = steps.of(page)
    whole = settings.num_heads * len(settings.tokens) <= scene.ROOM
    columns = list(range(settings.num_heads)) if whole else [page.head]
    matrices = [inputs.matrix(page, "x")]
    rows: GridRows = [["x"], [None], [None]]
    for head in columns:
        for row, projection in zip(rows, _of_head(computation, result, head), strict=True):
            matrices.append(projection)
            row.append(projection.id)
    layout: list[Grid | Flow] = [Grid(rows)]
    if len(columns) < settings.num_heads:
        thumbnails = computation.thumbnails()
        matrices += thumbnails
        layout.insert(0, Flow([thumbnail.id for thumbnail in thumbnails]))
    said = [Passage("", [_sentence(page, result)])]
    placing.draw(page, "shared", matrices, layout, on_pick=choices.choose_head, fit=True, passages=said)


def _of_head(computation: Steps, result: Shared, head: int) -> list[Matrix]:
    """A head's weights with its own keys, with shared ones, and the difference."""
    t, number = computation.t, head + 1
    own, pooled = (trace.heads.weights[head] for trace in (result.full, result.shared))
    first, second = (
        scene.weights(
            computation,
            f"{name}_{number}",
            t(f"sharing.weights_{name}", head=number),
            values,
            recipe=softmax_of(needed(trace.heads.masked_scores)[head].tolist()),
        )
        for name, values, trace in (("own", own, result.full), ("shared", pooled, result.shared))
    )
    of = (second.id, first.id)
    return [
        first,
        second,
        scene.difference(computation, f"moved_{number}", t("sharing.moved"), pooled - own, of),
    ]


def moved_shares(result: Shared) -> list[float]:
    """For each head, the share of the weight that sits on other keys: the mean over the queries."""
    return result.moved.mean(dim=-1).tolist()


def _sentence(page: Page, result: Shared) -> str:
    groups = group_count(page)
    if groups == page.settings.num_heads:
        return page.t("sharing.none")
    each = percents(moved_shares(result))
    heads = page.t.listed(
        page.t("sharing.moved_head", head=head + 1, share=share) for head, share in enumerate(each)
    )
    return page.t("sharing.said", heads=heads, change=percent(result.output_change))


# ---- costs


def all_costs(page: Page) -> list[Cost]:
    settings = page.settings
    return costs(
        settings.d_model,
        settings.num_heads,
        settings.head_dim,
        settings.value_dim,
        biases=settings.b_q is not None,
    )


def _table(page: Page, results: Sequence[Shared] = ()) -> None:
    """What each number of key/value heads costs, and what pooling into fewer than all changes."""
    t, costs = page.t, all_costs(page)
    say.markdown(
        f"##### {t('cost.title')}\n\n{t('cost.why', n=len(page.settings.tokens), cache=_cache(page, costs))}"
    )
    names = ["kv_heads", "serves", "parameters", "cache", "share", *(["moved", "output"] if results else [])]
    shares = percents([cost.cache / costs[0].cache for cost in costs])
    rows = [_row(page, cost, shares[i]) for i, cost in enumerate(costs)]
    if results:
        moved = percents([0.0, *(sum(moved_shares(result)) / page.settings.num_heads for result in results)])
        output = percents([0.0, *(result.output_change for result in results)])
        rows = [(*row, *more) for row, *more in zip(rows, moved, output, strict=True)]
    say.table([t(f"cost.{name}") for name in names], rows)


def _cache(page: Page, costs: list[Cost]) -> str:
    """The cache of all the tokens, with as many key/value heads as the learner has."""
    mine = next(cost for cost in costs if cost.kv_heads == page.settings.kv_heads)
    return str(mine.cache * len(page.settings.tokens))


def _kind(page: Page, count: int) -> str:
    name = {page.settings.num_heads: "mha", 1: "mqa"}.get(count, "gqa")
    return f"{count} {page.t(f'cost.{name}')}"


def _row(page: Page, cost: Cost, share: str) -> tuple[str, ...]:
    settings = page.settings
    marked = "**" if cost.kv_heads == settings.kv_heads else ""
    each = settings.num_heads // cost.kv_heads
    groups = (range(group * each, (group + 1) * each) for group in range(cost.kv_heads))
    serves = page.t.listed((scene.index_list(page.t, group) for group in groups), apart=True)
    return (
        f"{marked}{_kind(page, cost.kv_heads)}{marked}",
        serves,
        f"{marked}{cost.parameters}{marked}",
        f"{marked}{cost.cache}{marked}",
        share,
    )
