"""Four layers counted alike, and the entries of the paper's table next to them."""

import functools

from attention.lab.cost import layers as lab
from attention.lab.cost.layers import LAYERS, Layer
from pages.ask import blocks
from pages.draw import charts, plots, say
from pages.draw.charts import HERO, Axis, Chart
from pages.draw.numbers import apart
from pages.draw.page import Page
from pages.model.fields import specs

from .settings import CostNumbers
from .words import count

LENGTHS = tuple(2**i for i in range(1, 18))  # the range of cost_n


def draw(page: Page) -> blocks.Blocks:
    yield blocks.ask("cost_crossing", lambda page: plots.ghost(page, "layers", _charts(page)))
    yield blocks.sliders("cost_n", "cost_d", plain=("cost_kernel", "cost_window"))
    yield blocks.chart("layers", _charts, _file, heading=False, result=sentence)
    yield blocks.aside(_table, follows="moved")
    yield blocks.caption("compare.left_out")


def layers(own: CostNumbers, n: int | None = None) -> tuple[Layer, ...]:
    """The four layers with the learner's sizes, at another length if it is given."""
    sizes = (own.cost_n if n is None else n, own.cost_d, own.cost_kernel, own.cost_window, own.dilated)
    return _layers(*sizes)


@functools.lru_cache(maxsize=512)
def _layers(n: int, d: int, kernel: int, window: int, dilated: bool) -> tuple[Layer, ...]:
    return lab.layers(n, d, kernel=kernel, window=window, dilated=dilated)


def _curves(page: Page, field: str) -> dict[str, list[float]]:
    """One number of each layer against n."""
    at = [layers(page.own, n) for n in LENGTHS]
    return {
        page.t(f"layer.{name}"): [getattr(layers[i], field) for layers in at] for i, name in enumerate(LAYERS)
    }


def _charts(page: Page) -> list[Chart]:
    """The layers as they are counted here, and as the paper's table has them."""
    d, at = page.own.cost_d, lab.crossing(page.own.cost_d)
    counted = _chart(page, "mixing", "panel.counted", (at, at * d * d))
    return [counted, _chart(page, "table_operations", "panel.of_table", (d, d**3))]


def _chart(page: Page, field: str, title: str, crossing: tuple[float, float]) -> Chart:
    t = page.t
    # One range for every kernel and window, so that a curve is seen to move.
    d = page.own.cost_d
    spec = specs(CostNumbers)["cost_kernel"]
    ends = (2 * d * LENGTHS[0], max(2 * LENGTHS[-1], spec.high * d) * LENGTHS[-1] * d)
    return charts.curves(
        Axis(t("axis.tokens"), (LENGTHS[0], LENGTHS[-1]), log=True),
        Axis(t("axis.work"), charts.log_reach(ends), log=True),
        LENGTHS,
        _curves(page, field),
        title=t(title),
        at=page.own.cost_n,
        crossing=crossing,
        height=HERO,
    )


def _file(page: Page) -> dict[str, list]:
    rows = [layer for n in LENGTHS for layer in layers(page.own, n)]
    columns = {"n": [n for n in LENGTHS for _ in LAYERS], page.t("column.layer"): [r.name for r in rows]}
    fields = ("mixing", "projections", "sequential", "path", "scores", "table_operations", "table_path")
    return columns | {page.t(f"column.{field}"): [getattr(row, field) for row in rows] for field in fields}


def sentence(page: Page) -> str:
    """Which of two layers mixes with fewer multiply–adds at this length, and by what factor."""
    own = page.own
    attention, recurrent = layers(own)[:2]
    ratio = attention.mixing / recurrent.mixing
    key = "more" if ratio > 1 else "fewer" if ratio < 1 else "equal"
    factor = count(max(ratio, 1 / ratio))
    if factor == "1":
        factor = apart(max(ratio, 1 / ratio), 1.0)
    facts = {"n": f"{own.cost_n:,}", "d": f"{own.cost_d:,}", "half": count(lab.crossing(own.cost_d))}
    facts |= {
        layer.name.split("_")[-1]: count(layer.mixing + layer.projections) for layer in (attention, recurrent)
    }
    return page.t(f"compare.{key}", factor=factor, lstm=count(lab.crossing(own.cost_d, lstm=True)), **facts)


def _table(page: Page) -> None:
    """The four layers' numbers at the chosen sizes, and the entries of the paper's table."""
    t = page.t
    fields = ("layer", "mixing", "projections", "sequential", "path", "scores", "table")
    path = "logₖ(n)" if page.own.dilated else "n/k"
    entries = {
        "self_attention": ("n²·d", "1"),
        "recurrent": ("n·d²", "n"),
        "convolutional": ("k·n·d²", path),
        "restricted": ("r·n·d", "n/r"),
    }
    rows = [
        (
            f"**{t(f'layer.{layer.name}')}**",
            *(
                count(value)
                for value in (layer.mixing, layer.projections, layer.sequential, layer.path, layer.scores)
            ),
            f"{entries[layer.name][0]}; {'n' if layer.name == 'recurrent' else 1}; {entries[layer.name][1]}",
        )
        for layer in layers(page.own)
    ]
    say.table([t(f"column.{field}") for field in fields], rows)
