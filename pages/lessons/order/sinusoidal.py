"""Fixed sine and cosine waves, added to X."""

import functools

from attention import sinusoidal_encoding
from attention.lab.order import products_by_distance
from pages.ask import blocks
from pages.draw import charts, inputs, placing, steps
from pages.draw.charts import Axis, Chart
from pages.draw.page import Page
from pages.picture import Arrow, Flow, Matrix

from . import scene

KIND = "sinusoidal"
LENGTH, WIDTH = 48, 16  # of the table that is drawn


def draw(page: Page) -> blocks.Blocks:
    yield blocks.text("sinusoidal.intro")
    yield blocks.ask("order_waves", matrices=_waves)
    yield blocks.aside(scene.use)
    yield blocks.sliders("position_base", "first_position")
    yield blocks.picture(_picture)
    yield blocks.result(scene.change_sentence)
    yield blocks.control(_choose_wave)
    yield blocks.chart("waves", _charts, _file, width=WIDTH)


def _waves(page: Page) -> list[Matrix]:
    return [steps.of(scene.with_position(page, KIND)).positions()]


def _picture(page: Page) -> None:
    variant = scene.with_position(page, KIND)
    placing.draw(page, KIND, *figure_of(variant), sources=scene.sources(variant))


def _choose_wave(page: Page) -> None:
    page.choose("wave", range(WIDTH), lambda wave: str(wave + 1))


def figure_of(variant: Page) -> tuple[list, list[Flow]]:
    """X, P and their sum, and the weights without and with positions."""
    computation = steps.of(variant)
    matrices = [inputs.matrix(variant, "x"), computation.positions(), computation["x_p"]]
    weights = [scene.without(variant), scene.with_them(computation)]
    flow = Flow(["x", Arrow("+"), "p", Arrow("="), "x_p", Arrow("→"), "weights_without", "weights"])
    return [*matrices, *weights], [flow]


@functools.lru_cache(maxsize=64)
def table(base: float) -> tuple[tuple[float, ...], ...]:
    return tuple(map(tuple, sinusoidal_encoding(LENGTH, WIDTH, base=base).tolist()))


def _charts(page: Page) -> list[Chart]:
    t, settings, own = page.t, page.settings, page.own
    encoding, positions = table(settings.position_base), list(range(LENGTH))
    curve = {"": [row[own.wave] for row in encoding]}
    products = {"": products_by_distance(LENGTH, WIDTH, settings.position_base).tolist()}
    place, distance = (Axis(t(f"axis.{name}"), (0, LENGTH - 1)) for name in ("position", "distance"))
    wave, product = Axis("P", (-1.0, 1.0)), Axis(t("axis.product"), charts.reach(products[""]))
    title = t("panel.wave", dimension=own.wave + 1)
    return [
        charts.heat(t("axis.dimension"), t("axis.position"), encoding, title=t("panel.table")),
        charts.curves(place, wave, positions, curve, title=title),
        charts.curves(distance, product, positions, products, title=t("panel.products")),
    ]


def _file(page: Page) -> dict[str, list]:
    encoding = table(page.settings.position_base)
    file = {page.t("axis.position"): list(range(LENGTH))}
    file |= {f"P_{i + 1}": list(column) for i, column in enumerate(zip(*encoding, strict=True))}
    products = products_by_distance(LENGTH, WIDTH, page.settings.position_base).tolist()
    return file | {page.t("axis.product"): products}
