"""Queries and keys as arrows in a plane, values as points: what a score and an output are to the eye.

With d_k = 2 the plane is that of the two numbers themselves, and an arrow can be dragged: W_Q or W_K changes
by as little as possible. With more it is the plane that shows most of them.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor

from attention import AttentionTrace
from attention.lab.heads.again import again
from attention.lab.weights import directions as lab
from pages import session
from pages.ask.questions import ask
from pages.draw import arithmetic, charts, inputs, matrix, placing, plots, positions, say, steps, winners
from pages.draw.charts import Axis, Chart
from pages.draw.numbers import short
from pages.draw.page import Page
from pages.draw.picture import (
    Arrow,
    Flow,
    Matrix,
    Passage,
    VectorPlot,
    Vectors,
    round_above,
    softmax_of,
)
from pages.draw.results import reading
from pages.draw.texts import quoted
from pages.model import edits
from pages.model.state import State

QUESTION = "long_key"
FLAT = 2  # numbers that a plane shows as they are
ANGLES = range(-180, 181, 5)
TIE = 1e-9


def draw(page: Page) -> None:
    """The plots with their matrices, what turning the query does, and the question of a longer key."""
    page = positions.without(page)
    computation, now = steps.of(page), page.now
    row = len(page.tokens) // 2 if page.row is None else page.row
    if now.head_dim == FLAT:
        say.caption(page.t("arrows.intro"))
    else:
        _flatten(page, computation)
    vectors = Plane(page, computation, row)
    sources = [inputs.matrix(page, name) for name in ("x", "w_q", "w_k")]
    matrices = [
        computation[name].to_edit() if _is_free(page, name) else computation[name]
        for name in edits.PROJECTIONS
    ]
    others, flows = _way(computation)
    used = {one for flow in flows for one in flow.items if isinstance(one, str)}
    placing.draw(
        page,
        "arrows",
        [one for one in (*sources, *matrices, *others) if one.id in used],
        flows,
        follow=True,
        plots=vectors.plots(),
        passages=[Passage(page.t("arrows.read"), sentences(page, computation.head, row))],
    )
    if now.head_dim == FLAT:
        _turn(page, computation, row)
    _ask(page, computation)


def _flatten(page: Page, computation: steps.Steps) -> None:
    """What the plane shows of more than two numbers, and the way to two."""
    t, d_k = page.t, page.now.head_dim
    _, share = lab.principal_directions(computation.head.query, computation.head.key)
    text = t("arrows.principal", d_k=d_k, share=short(100 * share, 0))
    say.caption(t("arrows.one_number") if d_k == 1 else text)
    page.button(t("arrows.two"), "arrows_two", lambda now: edits.resize(now, d_k=FLAT, d_v=FLAT))


def _way(computation: steps.Steps) -> tuple[list[Matrix], list[Flow]]:
    """From Q and K to the output; then what Q and K are made from."""
    others = [
        one
        for one in computation.matrices()
        if one.id not in edits.PROJECTIONS and one.look.size != "thumbnail"
    ]
    way, (_, *mixed), weights = computation.short_way()
    scored = Flow(["query", Arrow("·"), "key", Arrow("="), *way])
    others = [weights if one.id == "weights" else one for one in others]
    return others, [scored, Flow(["value", Arrow("A · V"), *mixed]), Flow(["x", "w_q", "w_k"])]


def _is_free(page: Page, name: str) -> bool:
    """Q, K or V can be edited by way of its weight matrix: neither is locked."""
    weight = edits.PROJECTIONS[name]
    free = session.is_allowed(lambda now: edits.fill(now, weight, "zeros"))
    return free and page.stop.fixed.isdisjoint((weight, name))


class Plane:
    """What the plots show of one head; the weights belong to the query in `row`."""

    def __init__(self, page: Page, computation: steps.Steps, row: int):
        self.page, self.t, self.row = page, page.t, row
        self.computation, self.head = computation, computation.head
        self.shares = computation.head.weights[row].tolist()
        self.names = {"query": computation.queries, "key": computation.keys, "value": computation.keys}

    def plots(self) -> list[VectorPlot]:
        return [self._scores(), self._map(), self._mixture()]

    def _set(self, name: str, flat: Tensor, **look: Any) -> Vectors:
        """Q, K or V: drawn from its matrix, where its two numbers are what is drawn."""
        whole = getattr(self.head, name).shape[-1] == FLAT
        return Vectors(
            self.t(f"arrows.{name}"),
            name,
            self.names[name],
            flat.tolist(),
            matrix=name if whole else None,
            col=self.computation.start(name[0]),
            **look,
        )

    def _others(self) -> list[int]:
        return [i for i in range(len(self.page.tokens)) if i != self.row]

    def _scores(self) -> VectorPlot:
        """Queries and keys from one point: what makes a score large."""
        plane, _ = lab.principal_directions(self.head.query, self.head.key)
        query, key = self.head.query @ plane.mT, self.head.key @ plane.mT
        sets = [
            self._set("key", key, shares=self.shares),
            self._set("query", query, faint=self._others()),
        ]
        return self._plot("scores", sets, query, key)

    def _map(self) -> VectorPlot:
        """W_Q: where each column of X leads, and the query as the sum of these arrows."""
        plane, _ = lab.principal_directions(self.head.query, self.head.key)
        now, start = self.page.now, self.computation.start("q")
        block = torch.tensor(now.w_q, dtype=torch.float64)[:, start : start + now.head_dim] @ plane.mT
        x = torch.tensor(now.x[self.row], dtype=torch.float64)
        bias = torch.zeros(now.head_dim, dtype=torch.float64)
        if now.b_q is not None:
            bias = torch.tensor(now.b_q[start : start + now.head_dim], dtype=torch.float64)
        path = torch.cat(((bias @ plane.mT)[None], x[:, None] * block)).cumsum(0)
        token, query = self.page.tokens[self.row], self.head.query[self.row] @ plane.mT
        sets = [
            Vectors(
                self.t("arrows.map"),
                "weight",
                inputs.dimensions(now),
                block.tolist(),
                matrix="w_q" if now.head_dim == FLAT else None,
                col=start,
            ),
            Vectors(self.t("arrows.mapped", token=token), "query", [token], [query.tolist()]),
        ]
        return self._plot("map", sets, block, path, query, path=path.tolist())

    def _mixture(self) -> VectorPlot:
        """Values as points, and the output of the query within the area between them."""
        plane, _ = lab.principal_directions(self.head.value)
        value, output = self.head.value @ plane.mT, self.head.output[self.row] @ plane.mT
        token = self.page.tokens[self.row]
        sets = [
            self._set("value", value, kind="point", shares=self.shares),
            Vectors(self.t("arrows.output", token=token), "output", [token], [output.tolist()], "point"),
        ]
        return self._plot("mixture", sets, value, output, hull=hull(value.tolist()))

    def _plot(self, name: str, sets: Sequence[Vectors], *vectors: Tensor, **more: Any) -> VectorPlot:
        top = max(one.abs().max().item() for one in vectors)
        title, alt = self.t(f"arrows.title_{name}"), self.t(f"arrows.alt_{name}")
        return VectorPlot(title, alt, sets, round_above(top), **more)


def hull(points: Sequence[Sequence[float]]) -> list[list[float]]:
    """The corners of the convex hull of points in the plane, counter-clockwise (Andrew's monotone chain)."""
    ordered = sorted({(x, y) for x, y in points})

    def chain(run: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
        kept: list[tuple[float, float]] = []
        for x, y in run:
            while len(kept) > 1:
                (ax, ay), (bx, by) = kept[-2:]
                if (bx - ax) * (y - ay) - (by - ay) * (x - ax) > 0:
                    break
                kept.pop()
            kept.append((x, y))
        return kept

    if len(ordered) < 3:
        return [list(point) for point in ordered]
    lower, upper = chain(ordered), chain(ordered[::-1])
    return [list(point) for point in (*lower[:-1], *upper[:-1])]


# ---- what the numbers say


def sentences(page: Page, head: AttentionTrace, row: int) -> list[str]:
    """The largest weight of one query by direction and length, and what the division by √d_k changes.

    Direction and length are those of one key: where several get as much, only their names are said.
    """
    t, query, weights = page.t, head.query[row], head.weights[row]
    visible = [i for i in range(len(page.tokens)) if head.mask is None or head.mask[row, i]]
    lengths, angles = head.key.norm(dim=-1).tolist(), _angles(query, head.key)
    drawn = [i for i in visible if angles[i] is not None]
    if not drawn:
        return [t("arrows.no_angle" if visible else "reading.nothing", query=page.tokens[row])]
    best, nearest = winners.winner(weights.tolist()), min(drawn, key=lambda i: angles[i] or 0.0)
    weight = short(weights.max().item())
    lines = []
    if best is None:
        lines.append(reading(t, head, page.tokens, row))
    elif angles[best] is not None:
        facts = {"query": page.tokens[row], "best": page.tokens[best]}
        angle, to_nearest = _degrees(angles[best]), _degrees(angles[nearest])
        length, of_nearest = short(lengths[best]), short(lengths[nearest])
        lines.append(t("arrows.best", angle=angle, length=length, weight=weight, **facts))
        longer = lengths[best] > lengths[nearest] and length != of_nearest
        if head.scale > 0 and longer and angle != to_nearest and (angles[best] or 180) < 90:
            lines.append(t("arrows.longer", nearest=page.tokens[nearest], angle=to_nearest, **facts))
    if page.now.scaling == "sqrt_d_k" and page.now.head_dim > 1:
        plain = short(again(head, scale=1.0).weights[row].max().item())
        if plain != weight:
            lines.append(t("arrows.scaled", d_k=page.now.head_dim, plain=plain, weight=weight))
    return lines


def _angles(query: Tensor, keys: Tensor) -> list[float | None]:
    """The angle in degrees between the query and each key; None where one of the two is 0."""
    products, lengths = keys @ query, keys.norm(dim=-1) * query.norm()
    return [
        math.degrees(math.acos(max(-1.0, min(1.0, (product / length).item())))) if length else None
        for product, length in zip(products, lengths, strict=True)
    ]


def _degrees(angle: float | None) -> str:
    return f"{angle:.0f}"


def _turn(page: Page, computation: steps.Steps, row: int) -> None:
    """The direction of the query, to turn, next to the row of A over all directions."""
    start, token = computation.start("q"), page.tokens[row]
    x, y = (edits.projected(page.now, "query", row, col) for col in (start, start + 1))
    direction = Matrix(
        "direction",
        page.t("arrows.turn", query=token),
        [""],
        [""],
        [[math.degrees(math.atan2(y, x))]],
        kind="plain",
    )
    if _is_free(page, "query"):
        low, high = float(ANGLES[0]), float(ANGLES[-1])
        direction = direction.to_edit(slider=True, step=5.0, low=low, high=high)

    def turn(edit: dict) -> Callable[[State], State]:
        degrees = edit["value"]
        return lambda state: replace(
            state, core=edits.set_direction(state.core, "query", row, start, degrees)
        )

    plots.headline(page, "turned", query=token)
    placing.draw(page, "turn", [direction], on_edit=turn)
    plots.draw(page, "turned", [_turning_chart(page, computation.head, row)], heading=False)


def _turning_chart(page: Page, head: AttentionTrace, row: int) -> Chart:
    """The row of A as the query turns through a circle; it is now at the rule."""
    t = page.t
    x, y = head.query[row].tolist()
    here = math.degrees(math.atan2(y, x))
    weights = lab.turned_weights(head, row, [angle - here for angle in ANGLES]).mT.tolist()
    across = Axis(t("arrows.direction"), (ANGLES[0], ANGLES[-1]), ticks=(-180, -90, 0, 90, 180))
    upwards = Axis(t("arrows.weight"), (0.0, 1.0))
    return charts.curves(across, upwards, ANGLES, dict(zip(page.tokens, weights, strict=True)), at=here)


# ---- a key of twice the length


def _ask(page: Page, computation: steps.Steps) -> None:
    t, head, tokens = page.t, computation.head, list(page.tokens)
    if len(tokens) < 2:
        say.info(t("predict.two_tokens"))
        return
    longest = max(range(len(tokens)), key=lambda i: head.key[i].norm().item())
    facts: dict[str, Any] = {"key": tokens[longest]}
    if not ask(page, QUESTION, None, **facts):
        return
    key = head.key.clone()
    key[longest] *= 2
    before, after = again(head, mask=None), again(head, mask=None, key=key)
    ringed = [(row, longest) for row in range(len(tokens))]
    look: dict[str, Any] = {**page.axes, "ringed": ringed}
    dots = arithmetic.products(before.query, before.key.mT, before.scores)
    matrices = [
        matrix.of("scores_before", t("arrows.scores"), before.scores, tokens, tokens, recipe=dots, **look)
    ]
    for name, trace in (("before", before), ("after", after)):
        look |= {"kind": "weights", "recipe": softmax_of(trace.scores.tolist(), 1 / trace.scale)}
        matrices.append(
            matrix.of(f"weights_{name}", t(f"arrows.{name}"), trace.weights, tokens, tokens, **look)
        )
    placing.draw(page, QUESTION, matrices)
    moved = (after.weights - before.weights)[:, longest].tolist()
    grow = [page.tokens[i] for i, by in enumerate(moved) if by > TIE]
    fall = [page.tokens[i] for i, by in enumerate(moved) if by < -TIE]
    none = t("predict.none")
    words = {"grow": t.all_of(quoted(grow)) or none, "fall": t.all_of(quoted(fall)) or none}
    say.result(t("arrows.moved", **words, **facts))
