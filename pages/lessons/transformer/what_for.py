"""What residual connections, LayerNorm and the feed-forward layer are for, and where the work is."""

import functools
from typing import Any

import torch

from attention import feed_forward, layer_norm
from attention.lab.transformer import spread_by_depth
from attention.lab.transformer.model import HIDDEN, LENGTH, WIDTH, WORDS
from pages import picture
from pages.ask import blocks, links
from pages.draw import charts, inputs, matrix, placing, say
from pages.draw.charts import Axis, Chart
from pages.draw.numbers import apart, bracketed, confirmed, power, short
from pages.draw.page import Page
from pages.draw.results import size
from pages.draw.texts import Texts
from pages.model.course import Location
from pages.model.languages import LANGUAGES
from pages.picture import Arrow, Flow, Matrix

from . import scene
from .settings import ModelNumbers

LEAST = 1e-9  # of a spread that is drawn
FORMS = {
    "pure": {},
    "forward": {"feed_forward": True},
    "residual": {"residual": True},
    "both": {"residual": True, "feed_forward": True},
}
REACH = 3


def draw(page: Page) -> blocks.Blocks:
    parts = {"depth": _depth, "large_row": _large_row, "forward": _forward, "work": _work}
    yield from blocks.topics(page, parts)


# ---- depth


@functools.lru_cache(maxsize=64)
def spreads(seed: int) -> dict[str, list[float]]:
    """For each form of a model, how far its rows are from equal: before all blocks, and after each."""
    return {name: spread_by_depth(seed, **form) for name, form in FORMS.items()}


def _depth(page: Page) -> blocks.Blocks:
    yield blocks.text("depth.intro")
    yield blocks.ask("model_deep")
    yield blocks.control(_seed)
    yield blocks.chart("depth", _depth_charts, _depth_file, result=_depth_result)


def _seed(page: Page) -> None:
    page.number("model_seed", where="_page", width=130)


def _depth_result(page: Page) -> str:
    of_seed = spreads(page.own.model_seed)
    facts: dict[str, Any] = {
        "pure": spread_text(page.t, of_seed["pure"][-1]),
        "residual": apart(of_seed["residual"][-1]),
    }
    facts |= {"start": apart(of_seed["pure"][0]), "blocks": len(of_seed["pure"]) - 1}
    return page.t("depth.result", **facts)


def spread_text(t: Texts, value: float) -> str:
    """A spread as text. Rows that attention mixes never become equal: what is below LEAST may be rounding."""
    return t("depth.less", bound=power(LEAST, 0)) if value < LEAST else apart(value)


def _depth_charts(page: Page) -> list[Chart]:
    t, of_seed = page.t, spreads(page.own.model_seed)
    depths = list(range(len(of_seed["pure"])))
    series = {t(f"form.{name}"): [max(value, LEAST) for value in values] for name, values in of_seed.items()}
    across = Axis(t("axis.blocks"), (0, depths[-1]), whole=True)
    return [charts.curves(across, Axis(t("axis.spread"), (LEAST, 1), log=True), depths, series)]


def _depth_file(page: Page) -> dict[str, list]:
    of_seed = spreads(page.own.model_seed)
    columns = {page.t(f"form.{name}"): values for name, values in of_seed.items()}
    return {page.t("axis.blocks"): list(range(len(of_seed["pure"]))), **columns}


# ---- a large row


def _large_row(page: Page) -> blocks.Blocks:
    yield blocks.text("large_row.intro")
    yield blocks.ask("model_scale")
    yield blocks.picture(_rows)
    yield blocks.result(_rows_differ)


def layer_norms(page: Page) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """The row times the factor; the row itself and that row after LayerNorm."""
    row = torch.tensor([page.own.norm_row], dtype=torch.float64)
    scaled = row * page.own.norm_factor
    return scaled, layer_norm(row).output, layer_norm(scaled).output


def _rows(page: Page) -> None:
    scaled, first, second = layer_norms(page)
    row, factor = page.own.norm_row, page.own.norm_factor
    texts = [
        [
            f"{short(factor, 4)} · {bracketed(before)} = {short(value, 4)}"
            for value, (before,) in (
                (value, confirmed(lambda number: factor * number, (number,), value))
                for number, value in zip(row, scaled[0].tolist(), strict=True)
            )
        ]
    ]
    times = matrix.of("scaled_row", page.t("large_row.scaled"), scaled, [""], recipe=picture.written(texts))
    matrices = [
        inputs.number(page, "norm_row"),
        inputs.slider(page, "norm_factor"),
        _normalized(page, "first", torch.tensor([row]), first, "norm_row"),
        times,
        _normalized(page, "second", scaled, second, "scaled_row"),
    ]
    bands = [
        Flow(["norm_row", Arrow("LayerNorm"), "first"]),
        Flow(["norm_factor"]),
        Flow(["scaled_row", Arrow("LayerNorm"), "second"]),
    ]
    placing.draw(page, "rows", matrices, bands)


def _rows_differ(page: Page) -> str:
    _, first, second = layer_norms(page)
    difference = (first - second).abs().max().item()
    key = "large_row.result" if difference else "large_row.same"
    return page.t(key, factor=short(page.own.norm_factor), difference=size(difference))


def _normalized(page: Page, name: str, row: torch.Tensor, result: torch.Tensor, of: str) -> Matrix:
    texts = scene.norm_texts(row.double(), result)
    title = page.t(f"large_row.{name}")
    return matrix.of(name, title, result, [""], recipe=picture.written(texts, [of], "row"))


# ---- a token that is alone


def _forward(page: Page) -> blocks.Blocks:
    yield blocks.text("forward.intro")
    yield blocks.ask("model_alone")
    yield blocks.picture(_absolute)
    yield blocks.chart("alone", _alone_charts, _alone_file, result=_alone_result)


def absolute(x: float) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Hidden, activated and output numbers of a feed-forward layer that gives |x|."""
    w_1, w_2 = torch.tensor([[1.0, -1.0]]).double(), torch.tensor([[1.0], [1.0]]).double()
    trace = feed_forward(torch.tensor([[x]]).double(), w_1=w_1, w_2=w_2, activation="relu")
    return trace.hidden, trace.activated, trace.output


def _absolute(page: Page) -> None:
    x = page.own.alone
    hidden, activated, output = absolute(x)
    look: dict[str, Any] = {"rows": [""]}
    entry = inputs.slider(page, "alone")
    first, second = (
        [
            [
                f"1 · {bracketed(short(x, 4))} = {short(x, 4)}",
                f"−1 · {bracketed(short(x, 4))} = {short(-x, 4)}",
            ]
        ],
        hidden,
    )
    relu = [[f"max(0, {short(value, 4)}) = {short(max(value, 0.0), 4)}" for value in hidden[0].tolist()]]
    total = " + ".join(short(value, 4) for value in activated[0].tolist())
    matrices = [
        entry,
        matrix.of("hidden", "H", second, **look, recipe=picture.written(first, ["alone"], "all")),
        matrix.of("activated", "R", activated, **look, recipe=picture.written(relu, ["hidden"])),
        matrix.of(
            "forward",
            "F",
            output,
            **look,
            cols=[""],
            recipe=picture.written([[f"{total} = {short(output.item(), 4)}"]], ["activated"], "row"),
        ),
    ]
    steps = [Arrow("· (1, −1)"), Arrow("max(0, ·)"), Arrow("+")]
    names = [entry.id for entry in matrices]
    items = [item for pair in zip(names, [*steps, None], strict=True) for item in pair if item is not None]
    placing.draw(page, "absolute", matrices, [Flow(items)])


def _alone_result(page: Page) -> str:
    return page.t("forward.result", x=short(page.own.alone), y=short(abs(page.own.alone)))


XS = [value / 4 for value in range(-4 * REACH, 4 * REACH + 1)]


def _alone_charts(page: Page) -> list[Chart]:
    t = page.t
    series = {t("form.absolute"): [abs(x) for x in XS], t("form.multiple"): list(XS)}
    across, up = Axis("x", (-REACH, REACH)), Axis(t("axis.output"), (-REACH, REACH))
    return [charts.curves(across, up, XS, series, at=page.own.alone)]


def _alone_file(page: Page) -> dict[str, list]:
    t = page.t
    return {"x": XS, t("form.absolute"): [abs(x) for x in XS], t("form.multiple"): XS}


# ---- parameters and multiply–adds


def _work(page: Page) -> blocks.Blocks:
    yield blocks.text("work.intro")
    yield blocks.ask("model_work")
    yield blocks.control(Page.choose, "blocks", (1, 2, 3), str)
    yield blocks.figure(_counts)
    yield blocks.aside(_cost)


def _cost(page: Page) -> None:
    t = page.t
    say.markdown(t("work.cost"), width="content")
    cost, colon = Texts(t.language, "cost"), LANGUAGES[t.language].colon
    for part in ("compare", "steps"):
        label = f"{cost('lesson.title')}{colon}{cost(f'part.{part}')}"
        links.to_place(Location("cost", part), label, t.language)


def counts(own: ModelNumbers) -> dict[str, tuple[int, int]]:
    """Part of the model → its parameters, and its multiply–adds for the sentence.

    A row of E is looked up, which takes none. The scores of masked cells are computed as well.
    """
    n, count = len(own.words), own.blocks
    projections, forward = 4 * WIDTH * WIDTH * count, 2 * WIDTH * HIDDEN * count * own.forward
    return {
        "embedding": ((WORDS + LENGTH) * WIDTH, 0),
        "projections": (projections, n * projections),
        "mixing": (0, 2 * n * n * WIDTH * count),
        "forward": (forward, n * forward),
        "logits": (WIDTH * WORDS, n * WIDTH * WORDS),
    }


def _counts(page: Page) -> None:
    t, rows = page.t, counts(page.own)
    total = tuple(map(sum, zip(*rows.values(), strict=True)))
    named = {t(f"work.{name}"): numbers for name, numbers in (rows | {"total": total}).items()}
    lines = [(name, *(f"{number:,}" for number in numbers)) for name, numbers in named.items()]
    heads = [t("column.layer"), t("column.parameters"), t("column.multiply_adds", count=len(page.own.words))]
    say.table(heads, lines)
