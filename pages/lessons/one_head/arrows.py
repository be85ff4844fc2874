"""A query and the keys as arrows in a plane: what a score is to the eye. Deeper: W_Q, the values, the output.

With d_k = 2 the plane is that of the two numbers themselves, and an arrow can be dragged: W_Q or W_K changes
by as little as possible. With more it is the plane that shows most of them.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor

from attention import AttentionTrace, scaled_dot_product_attention
from attention.lab.heads.again import again
from attention.lab.weights import directions as lab
from pages import session
from pages.ask import blocks
from pages.draw import charts, inputs, own_sentence, placing, positions, say, steps, winners
from pages.draw.charts import Axis, Chart
from pages.draw.numbers import short
from pages.draw.page import Page
from pages.draw.results import reading
from pages.model import edits
from pages.model.compute import divisor_of
from pages.model.edits import example_start
from pages.model.progress import Takeaway
from pages.model.shown import is_at_least
from pages.model.state import State
from pages.picture import Arrow, Flow, Matrix, Passage, VectorPlot, Vectors, round_above

from . import sentence

QUESTION = "long_key"
FLAT = 2  # numbers that a plane shows as they are
ANGLES = range(-180, 181, 5)
TURNED, GROWN = 90.0, 1.5  # the task: so many degrees, or so many times the norm
TWICE = 2.0  # the norm of the key in the question
TIE = 1e-9


def draw(page: Page) -> blocks.Blocks:
    """The plane with the weights, the direction of the query, the question, and what goes deeper."""
    yield blocks.aside(positions.without)
    scene = _scene(page)
    query = scene.tokens[_row(scene)]
    flat = scene.settings.head_dim == FLAT
    if flat:
        yield blocks.text("arrows.intro", query=query)
    else:
        yield blocks.control(_flatten, follows="moved")
    if not _is_learners(page):
        yield blocks.control(sentence.loading)
        yield blocks.control(sentence.way_back)
    else:
        yield blocks.control(own_sentence.offer)
    if flat:
        yield blocks.dragged(_turn)
    yield blocks.picture(_picture)
    yield blocks.ask(QUESTION)
    yield blocks.picture(_two_keys)
    deeper = [blocks.caption("arrows.smallest"), blocks.picture(_whole)]
    if flat:
        deeper.append(blocks.chart("turned", _turning_charts, query=query))
    yield blocks.always(blocks.expander("arrows.deeper", deeper))


def _scene(page: Page) -> Page:
    """The page without positions; with the sentence of the course where all queries of the learner are 0."""
    own = positions.plainly(page)
    return own if steps.of(own).head.query.any() else page.unfollowed(sentence.start(page))


def _row(page: Page) -> int:
    """The query that is followed, or the middle one; another one if that is 0."""
    norms = steps.of(page).head.query.norm(dim=-1).tolist()
    middle = len(norms) // 2 if page.row is None else page.row
    return next((row for row in (middle, *range(len(norms))) if norms[row]), middle)


def _changed(page: Page) -> tuple[float, float]:
    """What the task measures: by how many degrees the query is turned, and how many times a key has grown.

    Both by W_Q or W_K: other numbers of X are no answer. 0 and 1 where the sizes differ from the start's.
    """
    scene = _scene(page)
    first, w_q, w_k = example_start(scene.settings.example), scene.settings.w_q, scene.settings.w_k
    if [len(w_q), len(w_q[0]), len(w_k[0])] != [len(first.w_q), len(first.w_q[0]), len(first.w_k[0])]:
        return 0.0, 1.0
    begun = scene.unfollowed(replace(scene.settings, w_q=first.w_q, w_k=first.w_k))
    row, before, after = _row(scene), steps.of(begun).head, steps.of(scene).head
    angle = _angles(before.query[row], after.query[row][None])[0]
    longer = after.key.norm(dim=-1) / before.key.norm(dim=-1).clamp(min=TIE)
    return angle or 0.0, longer.max().item()


def task(page: Page) -> bool:
    """Whether a query was turned, or a key made longer."""
    angle, times = _changed(page)
    return is_at_least(angle, TURNED) or is_at_least(times, GROWN)


def _flatten(page: Page) -> None:
    """What the plane shows of more than two numbers, and the way to two."""
    scene = _scene(page)
    t, d_k, head = page.t, scene.settings.head_dim, steps.of(scene).head
    _, share = lab.principal_directions(head.query, head.key)
    text = t("arrows.principal", d_k=d_k, share=short(100 * share, 0))
    say.caption(t("arrows.one_number") if d_k == 1 else text)
    page.button(t("arrows.two"), "arrows_two", lambda settings: edits.resize(settings, d_k=FLAT, d_v=FLAT))


def keep(page: Page) -> Takeaway:
    """The key with the largest score, and how its norm makes it."""
    scene = _scene(page)
    row = _row(scene)
    head = steps.of(scene).head
    best = int(head.scores[row].argmax())
    facts = {
        "score": head.scores[row, best],
        "norm": head.key[best].norm(),
        "of_query": head.query[row].norm(),
    }
    numbers = {name: short(value.item()) for name, value in facts.items()}
    return Takeaway({"query": scene.words[row], "key": scene.words[best], **numbers})


def _picture(page: Page) -> None:
    """The query that is followed and all keys as arrows, next to Q, K and A."""
    scene = _scene(page)
    row = _row(scene)
    scene = replace(scene, place=replace(scene.place, row=row))
    computation = steps.of(scene)
    others, _ = _way(computation)
    weights = next(matrix for matrix in others if matrix.id == "weights")
    query, key = _projections(page, computation, "query", "key")
    divisor = divisor_of(scene.settings)
    shares = "softmax" if divisor == 1 else f"÷ {short(divisor)}, softmax"
    placing.draw(
        scene,
        "arrows",
        [query, key, weights],
        [Flow(["query", Arrow("·"), "key"]), Flow([Arrow(shares), "weights"])],
        follow=scene.tokens,
        plots=[Plane(scene, computation, row).scores()],
        plots_left=True,
        passages=[Passage(page.t("arrows.read"), sentences(scene, computation.head, row))],
        sources=[computation.find],
    )


def _whole(page: Page) -> None:
    """W_Q as a map, the mixture, and the way from X to the output."""
    scene = _scene(page)
    row = _row(scene)
    computation = steps.of(scene)
    vectors = Plane(scene, computation, row)
    others, flows = _way(computation)
    used = {item for flow in flows for item in flow.items if isinstance(item, str)}
    matrices = [
        *(inputs.matrix(scene, name) for name in ("x", "w_q", "w_k")),
        *_projections(page, computation, *edits.PROJECTIONS),
        *others,
    ]
    lines = _undivided(scene, computation.head, row)
    if not _is_learners(page):
        matrices = [matrix.to_read() for matrix in matrices]
    placing.draw(
        scene,
        "arrows_whole",
        [matrix for matrix in matrices if matrix.id in used],
        flows,
        plots=[vectors.map(), vectors.mixture()],
        passages=[Passage(page.t("arrows.divided"), lines)] if lines else [],
    )


def _projections(page: Page, computation: steps.Steps, *names: str) -> list[Matrix]:
    """Q, K and V, to be edited where the learner may."""
    return [computation[name].to_edit() if _is_free(page, name) else computation[name] for name in names]


def _way(computation: steps.Steps) -> tuple[list[Matrix], list[Flow]]:
    """From Q and K to the output; then what Q and K are made from."""
    others = [
        matrix
        for matrix in computation.matrices()
        if matrix.id not in edits.PROJECTIONS and matrix.look.size != "thumbnail"
    ]
    way, (_, *mixed), weights = computation.short_way()
    scored = Flow(["query", Arrow("·"), "key", Arrow("="), *way])
    others = [weights if matrix.id == "weights" else matrix for matrix in others]
    return others, [scored, Flow(["value", Arrow("A · V"), *mixed]), Flow(["x", "w_q", "w_k"])]


def _is_learners(page: Page) -> bool:
    """Whether the numbers are the learner's, and not those of the sentence in their place."""
    return _scene(page).settings == positions.plainly(page).settings


def _is_free(page: Page, name: str) -> bool:
    """Q, K or V can be edited by way of its weight matrix: neither is locked."""
    weight = edits.PROJECTIONS[name]
    if not _is_learners(page):
        return False
    free = session.is_allowed(lambda settings: edits.fill(settings, weight, "zeros"))
    return free and page.stop.fixed.isdisjoint((weight, name))


class Plane:
    """What the plots show of one head; the weights belong to the query in `row`."""

    def __init__(self, page: Page, computation: steps.Steps, row: int):
        self.page, self.t, self.row = page, page.t, row
        self.computation, self.head = computation, computation.head
        self.shares = computation.head.weights[row].tolist()
        self.names = {"query": computation.queries, "key": computation.keys, "value": computation.keys}

    def _set(self, name: str, flat: Tensor, only: int | None = None, **look: Any) -> Vectors:
        """Q, K or V: drawn from its matrix, where its two numbers are what is drawn. only: this row of it."""
        whole = getattr(self.head, name).shape[-1] == FLAT
        rows = slice(None) if only is None else slice(only, only + 1)
        return Vectors(
            self.t(f"arrows.{name}"),
            name,
            self.names[name][rows],
            flat[rows].tolist(),
            matrix=name if whole else None,
            col=self.computation.start(name[0]),
            row=only or 0,
            **look,
        )

    def scores(self) -> VectorPlot:
        """The query and the keys from one point, and how far each key reaches in the query's direction."""
        plane, _ = lab.principal_directions(self.head.query, self.head.key)
        query, key = self.head.query @ plane.mT, self.head.key @ plane.mT
        sets = [
            self._set("key", key, shares=self.shares),
            self._set("query", query, self.row),
        ]
        paths = reaches(query[self.row], key) if self.head.query.shape[-1] == FLAT else []
        legend = {"path": self.t("arrows.reach")} if paths else {}
        return self._plot("scores", sets, query[self.row], key, paths=paths, legend=legend)

    def map(self) -> VectorPlot:
        """W_Q: where each column of X leads, and the query as the sum of these arrows."""
        plane, _ = lab.principal_directions(self.head.query, self.head.key)
        settings, start = self.page.settings, self.computation.start("q")
        block = (
            torch.tensor(settings.w_q, dtype=torch.float64)[:, start : start + settings.head_dim] @ plane.mT
        )
        x = torch.tensor(settings.x[self.row], dtype=torch.float64)
        bias = torch.zeros(settings.head_dim, dtype=torch.float64)
        if settings.b_q is not None:
            bias = torch.tensor(settings.b_q[start : start + settings.head_dim], dtype=torch.float64)
        path = torch.cat(((bias @ plane.mT)[None], x[:, None] * block)).cumsum(0)
        token, query = self.page.tokens[self.row], self.head.query[self.row] @ plane.mT
        sets = [
            Vectors(
                self.t("arrows.map"),
                "weight",
                inputs.dimensions(settings),
                block.tolist(),
                matrix="w_q" if settings.head_dim == FLAT else None,
                col=start,
            ),
            Vectors(self.t("arrows.mapped", token=token), "query", [token], [query.tolist()]),
        ]
        legend = {"path": self.t("arrows.sum")}
        return self._plot("map", sets, block, path, query, paths=[path.tolist()], legend=legend)

    def mixture(self) -> VectorPlot:
        """Values as points, and the output of the query within the area between them."""
        plane, _ = lab.principal_directions(self.head.value)
        value, output = self.head.value @ plane.mT, self.head.output[self.row] @ plane.mT
        token = self.page.tokens[self.row]
        sets = [
            self._set("value", value, kind="point", shares=self.shares),
            Vectors(self.t("arrows.output", token=token), "output", [token], [output.tolist()], "point"),
        ]
        legend = {"hull": self.t("arrows.area")}
        return self._plot("mixture", sets, value, output, hull=hull(value.tolist()), legend=legend)

    def _plot(self, name: str, sets: Sequence[Vectors], *vectors: Tensor, **more: Any) -> VectorPlot:
        top = max(vector.abs().max().item() for vector in vectors)
        title, alt = self.t(f"arrows.title_{name}"), self.t(f"arrows.alt_{name}")
        return VectorPlot(title, alt, sets, round_above(top), **more)


def reaches(query: Tensor, keys: Tensor) -> list[list[list[float]]]:
    """For each key a line from 0 along the query to the point next to the key, and from there to the key."""
    square = (query @ query).item()
    if not square:
        return []
    feet = (keys @ query / square)[:, None] * query
    return [[[0.0, 0.0], foot, key] for foot, key in zip(feet.tolist(), keys.tolist(), strict=True)]


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
    return lines


def _undivided(page: Page, head: AttentionTrace, row: int) -> list[str]:
    """What the division by √d_k changes."""
    if page.settings.scaling != "sqrt_d_k" or page.settings.head_dim == 1:
        return []
    weight = short(head.weights[row].max().item())
    plain = short(again(head, scale=1.0).weights[row].max().item())
    return (
        []
        if plain == weight
        else [page.t("arrows.scaled", d_k=page.settings.head_dim, plain=plain, weight=weight)]
    )


def _angles(query: Tensor, keys: Tensor) -> list[float | None]:
    """The angle in degrees between the query and each key; None where one of the two is 0."""
    products, lengths = keys @ query, keys.norm(dim=-1) * query.norm()
    return [
        math.degrees(math.acos(max(-1.0, min(1.0, (product / length).item())))) if length else None
        for product, length in zip(products, lengths, strict=True)
    ]


def _degrees(angle: float | None) -> str:
    return f"{angle:.0f}"


def _turn(page: Page) -> None:
    """The direction of the query, to turn."""
    scene = _scene(page)
    row, start = _row(scene), steps.of(scene).start("q")
    x, y = (edits.projected(scene.settings, "query", row, col) for col in (start, start + 1))
    direction = Matrix(
        "direction",
        page.t("arrows.turn", query=scene.tokens[row]),
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

    angle, times = _changed(page)
    so_far = page.t("arrows.so_far", angle=f"{angle:.0f}", times=short(times))
    placing.draw(scene, "turn", [direction], on_edit=turn, note=so_far)


def _turning_charts(page: Page) -> list[Chart]:
    """The row of A as the query turns through a circle; it is now at the rule."""
    scene = _scene(page)
    row, head, t = _row(scene), steps.of(scene).head, page.t
    x, y = head.query[row].tolist()
    here = math.degrees(math.atan2(y, x))
    weights = lab.turned_weights(head, row, [angle - here for angle in ANGLES]).mT.tolist()
    across = Axis(t("arrows.direction"), (ANGLES[0], ANGLES[-1]), ticks=(-180, -90, 0, 90, 180))
    upwards = Axis(t("arrows.weight"), (0.0, 1.0))
    of_tokens = dict(zip(scene.tokens, weights, strict=True))
    return [charts.curves(across, upwards, ANGLES, of_tokens, at=here)]


# ---- two keys in the same direction


def _two_keys(page: Page) -> None:
    """A key, a key of twice its norm, and a query that points to both or away from them."""
    scene, t = _scene(page), page.t
    head, row = steps.of(scene).head, _row(scene)
    query = head.query[row]
    fits = head.key @ query
    key = head.key[int(fits.abs().argmax())] if fits.any() else query
    keys = torch.stack((key, TWICE * key)) * (-1.0 if key @ query < 0 else 1.0)
    queries = torch.stack((query, -query))
    trace = scaled_dot_product_attention(queries, keys, keys)
    plane, _ = lab.principal_directions(queries, keys)
    bound = round_above(max(points.abs().max().item() for points in (queries @ plane.mT, keys @ plane.mT)))
    names, asks = [t("arrows.once"), t("arrows.twice")], [t("arrows.query_alone")]
    views = []
    for number, name in enumerate(("towards", "away")):
        shares, shown = trace.weights[number].tolist(), queries[number : number + 1] @ plane.mT
        sets = [
            Vectors(t("arrows.key"), "key", names, (keys @ plane.mT).tolist(), shares=shares),
            Vectors(t("arrows.query_alone"), "query", asks, shown.tolist()),
        ]
        views.append(VectorPlot(t(f"arrows.{name}"), t("arrows.alt_scores"), sets, bound))
    larger, smaller = (short(trace.weights[number, 1].item()) for number in (0, 1))
    said = t("arrows.two_keys", towards=larger, away=smaller)
    placing.draw(scene, QUESTION, [], [], plots=views, passages=[Passage("", [said])])
