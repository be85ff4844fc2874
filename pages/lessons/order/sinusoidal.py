"""Fixed sine and cosine waves, added to X."""

import functools

from attention import sinusoidal_encoding
from attention.lab.order import products_by_distance
from pages.ask import questions
from pages.draw import charts, inputs, live, placing, plots, say, steps
from pages.draw.charts import Axis, Chart
from pages.draw.page import Page
from pages.picture import Arrow, Flow

from . import scene

KIND = "sinusoidal"
LENGTH, WIDTH = 48, 16  # of the table that is drawn


@live.places
def draw(page: Page) -> None:
    say.markdown(page.t("sinusoidal.intro"))
    waves = steps.of(scene.with_position(page, KIND)).positions()
    if questions.ask(page, "order_waves", matrices=[waves]):
        _figure(page)


def _figure(page: Page) -> None:
    scene.use(page, KIND)
    live.draw(page, _picture)
    page.choose("wave", range(WIDTH), lambda wave: str(wave + 1))
    plots.draw(page, "waves", _charts, _file, width=WIDTH)
    live.draw(page, _change)


def _picture(page: Page) -> None:
    variant = scene.with_position(page, KIND)
    inputs.draw_sliders(page, "position_base", "first_position")
    placing.draw(page, KIND, *figure_of(variant), sources=scene.sources(variant))


def _change(page: Page) -> None:
    variant = scene.with_position(page, KIND)
    say.result(scene.change_sentence(steps.of(variant), variant))


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
    return file | {
        page.t("axis.product"): products_by_distance(LENGTH, WIDTH, page.settings.position_base).tolist()
    }
