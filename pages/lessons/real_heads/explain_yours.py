"""The same four measures on the learner's own numbers, for one row of the output."""

import functools
from dataclasses import replace

from attention.lab.real_heads import explain as lab
from pages.ask import blocks
from pages.draw import inputs, placing, say, steps
from pages.draw.page import Page
from pages.model.compute import inputs_of, mask_of, options_of, tensors_of
from pages.model.settings import Settings
from pages.picture import Flow, Matrix

from . import sizes

MEASURES = ("weight", "norm", "gradient", "masked_out")


def draw(page: Page) -> blocks.Blocks:
    yield blocks.ask("real_zero", _before)
    yield blocks.figure(_measured)
    yield blocks.aside(sizes.claims, *MEASURES)


def _measured(page: Page) -> None:
    """The learner's numbers, the four measures of one row of the output, and what they say."""
    computation, t, at = steps.of(page), page.t, row(page)
    measured = measures(page.settings, at)
    sources = [inputs.matrix(page, name) for name in inputs.names(page.settings)]
    below = [_weights(computation), *sizes.matrices_of(page, measured, page.tokens)]
    layout = [Flow([source.id for source in sources]), Flow([matrix.id for matrix in below])]
    placing.draw(
        page,
        "yours",
        [*sources, *below],
        layout,
        on_pick=lambda picked: _read_row(page, picked),
        sources=[computation.find],
    )
    several = [t("explain.heads", heads=page.settings.num_heads)] if page.settings.num_heads > 1 else []
    say.sentence(t.joined([t("explain.row", token=page.tokens[at]), *several]))
    for line in sizes.sentences(page, measured, page.tokens):
        say.sentence(line)


def _before(page: Page) -> None:
    """What the question is about, in the learner's numbers: the values, their weights, the output."""
    computation = steps.of(page)
    last = "head_output" if computation.several else "output"
    matrices = [replace(computation[name], step_name=None) for name in ("value", "weights", last)]
    placing.draw(page, "before", matrices, sources=[computation.find])


def row(page: Page) -> int:
    """The query whose output is explained: the query that was clicked; before a click, the last query."""
    return len(page.tokens) - 1 if page.row is None else page.row


def _read_row(page: Page, picked: dict) -> None:
    if picked.get("matrix") == "weights":
        page.go(row=int(picked["row"]))


def _weights(computation: steps.Steps) -> Matrix:
    """A of the shown head; a click on a row explains its output."""
    subtitle = computation.t("explain.click")
    return replace(computation["weights"], step_name=None).looking(clickable=True, subtitle=subtitle)


@functools.lru_cache(maxsize=64)
def measures(settings: Settings, row: int) -> sizes.TokenMeasures:
    """For each token, for the norm of this row of the output."""
    attribution = lab.attributions(
        inputs_of(settings), tensors_of(settings), row=row, mask=mask_of(settings), **options_of(settings)
    )
    correlations = (
        attribution.weights,
        attribution.norms,
        attribution.gradient_times_input,
        attribution.leave_one_out,
    )
    return dict(zip(MEASURES, correlations, strict=True))
