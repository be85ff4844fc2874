"""Queries and keys turned by their position: scores that depend on distances alone."""

import math
from dataclasses import replace

import streamlit as st

from attention.lab.order import score_by_distance
from pages import picture, session
from pages.ask import blocks, questions
from pages.draw import charts, matrix, palette, placing, plots, steps
from pages.draw.charts import Axis, Chart, Plot
from pages.draw.numbers import short
from pages.draw.page import Page
from pages.draw.results import size
from pages.draw.texts import literal
from pages.model.compute import trace_of
from pages.picture import Flow, Matrix, nice_bound

from . import scene

KIND = "rotary"
LENGTH = 64
MOST_PAIRS = 2
CODE = """\
def rotate_half(x):
    first, second = x.chunk(2, dim=-1)
    return torch.cat((-second, first), dim=-1)

angles = torch.outer(positions, base ** (-torch.arange(0, d_k, 2) / d_k))
cos, sin = angles.cos().repeat(1, 2), angles.sin().repeat(1, 2)
rotated_query = query * cos + rotate_half(query) * sin
rotated_key = key * cos + rotate_half(key) * sin
"""


def draw(page: Page) -> blocks.Blocks:
    yield blocks.text("rotary.intro")
    if page.settings.head_dim == 1:
        yield blocks.info("rotary.one_number")
        return
    yield blocks.asking("order_shift", _ask)
    yield blocks.aside(scene.use)
    yield blocks.sliders("position_base", "first_position")
    yield blocks.picture(_picture)
    yield blocks.result(_shifted)
    yield blocks.control(_token)
    yield blocks.chart("turning", _charts, _file)
    yield blocks.expander("rotary.code", [blocks.aside(_code), blocks.text("rotary.code_why")])


def _ask(page: Page) -> bool:
    computation = steps.of(scene.with_position(page, KIND))
    before = [computation[name] for name in ("rotated_query", "rotated_key", "scores")]
    return questions.ask(page, "order_shift", matrices=before, sources=[computation.find])


def _code(page: Page) -> None:
    st.code(CODE, language="python")


def _picture(page: Page) -> None:
    """The turned queries and keys, and what a shift changes."""
    variant = scene.with_position(page, KIND)
    sources = [steps.of(variant).find, from_zero(variant).sources("_zero")]
    placing.draw(page, KIND, *figure_of(variant), sources=sources)


def _shifted(page: Page) -> str:
    first, difference = page.settings.first_position, size(shifted_by(scene.with_position(page, KIND)))
    key = "rotary.shifted" if first else "rotary.not_shifted"
    return page.t(key, first=first, difference=difference)


def from_zero(variant: Page) -> steps.Steps:
    """The same with positions from 0."""
    return steps.of(replace(variant, settings=replace(variant.settings, first_position=0)))


def shifted_by(variant: Page) -> float:
    """The largest difference of a score from the one with positions from 0."""
    first, second = (trace_of(shown.settings).heads.scores for shown in (variant, from_zero(variant).page))
    return (first - second).abs().max().item()


def figure_of(variant: Page) -> tuple[list[Matrix], list[Flow]]:
    """Q and K, turned, and their scores; what the shift changes in these."""
    t, computation = variant.t, steps.of(variant)
    zero = from_zero(variant).second("scores", "_zero", title=t("rotary.zero"))
    scores = computation["scores"]
    bound = nice_bound([*scores.known, *zero.known])
    shift = computation.head.scores - from_zero(variant).head.scores
    recipe = picture.difference("scores", "scores_zero")
    difference = matrix.by_query(
        variant, "difference", t("rotary.difference"), shift, variant.tokens, recipe=recipe
    )
    above = ("query", "rotated_query", "key", "rotated_key")
    matrices = [computation[name] for name in above]
    matrices += [replace(scores, bound=bound), replace(zero, bound=bound), difference]
    return matrices, [Flow([*above]), Flow(["scores", "scores_zero", "difference"])]


def _token(page: Page) -> None:
    """Whose query is drawn as arrows."""
    st.segmented_control(
        page.t("rotary.token"),
        range(len(page.tokens)),
        required=True,
        format_func=lambda row: literal(page.tokens[row]),
        help=page.t("rotary.token_help"),
        **session.bind("row", page.row or 0, lambda row: page.go(row=row)),
    )


def _charts(page: Page) -> list[Chart]:
    """The query of one token at every place, pair by pair; and its score with the first key by distance."""
    row, variant = page.row or 0, scene.with_position(page, KIND)
    t, settings, head = variant.t, variant.settings, steps.of(variant).trace
    query = _heads(variant, head.query, settings.num_heads)[variant.head][row]
    half = settings.head_dim // 2
    places = range(settings.first_position, settings.first_position + len(variant.tokens))
    results = []
    for pair in range(min(half, MOST_PAIRS)):
        speed = settings.position_base ** (-pair / half)
        points = [_turn(query[pair].item(), query[pair + half].item(), place * speed) for place in places]
        axes = (t("axis.number", number=pair + 1), t("axis.number", number=pair + half + 1))
        title = t("panel.pair", pair=pair + 1, angle=short(speed, 3))
        results.append(_arrows(title, axes, points, places, row))
    scores = _by_distance(variant, row)
    distance, score = Axis(t("axis.distance"), (0, LENGTH - 1)), Axis(t("axis.score"), charts.reach(scores))
    title = t("panel.by_distance")
    return [*results, charts.curves(distance, score, range(LENGTH), {"": scores}, title=title)]


def _arrows(
    title: str, axes: tuple[str, str], points: list[tuple[float, float]], places: range, chosen: int
) -> Chart:
    """Arrows from 0 to the points, each with its place at its head; the chosen one is emphasised."""
    _, top = charts.reach([math.hypot(*point) for point in points])  # an arrow keeps its length as it turns
    x, y = (Axis(axis, (-top, top)) for axis in axes)
    plot = Plot(x, y, title=title, used=palette.SERIES[:2], level=True)
    for i, (point, place) in enumerate(zip(points, places, strict=True)):
        series = int(i != chosen)
        plot.curve("line", (0.0, point[0]), (0.0, point[1]), series, line=i)
        plot.mark("dot", *point, series, sentence=str(place))
        plot.mark("label", *point, text=str(place))
    return plot.chart()


def _turn(a: float, b: float, angle: float) -> tuple[float, float]:
    cos, sin = math.cos(angle), math.sin(angle)
    return a * cos - b * sin, b * cos + a * sin


def _heads(variant: Page, tensor, count: int):
    """(heads, n, d_k) of a projection."""
    return tensor.unflatten(-1, (count, variant.settings.head_dim)).transpose(0, 1)


def _by_distance(variant: Page, row: int) -> list[float]:
    """The score of the token's query with its own key, so many positions earlier."""
    settings, trace = variant.settings, steps.of(variant).trace
    query = _heads(variant, trace.query, settings.num_heads)[variant.head][row]
    key = _heads(variant, trace.key, settings.kv_heads)[settings.kv_head(variant.head)][row]
    return score_by_distance(query, key, LENGTH, settings.position_base).tolist()


def _file(page: Page) -> plots.Columns:
    t, scores = page.t, _by_distance(scene.with_position(page, KIND), page.row or 0)
    return {t("axis.distance"): list(range(LENGTH)), t("axis.score"): scores}
