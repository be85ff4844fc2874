"""The whole computation on one screen, from X and the weight matrices to the output."""

from __future__ import annotations

from pages.ui import choices, figure, inputs, positions, results, steps
from pages.ui.page import Page
from pages.ui.picture import Arrow, Flow, Grid, Matrix, Passage
from pages.ui.walk import walk


def draw(page: Page) -> None:
    """The picture with its panel; below it what the numbers say."""
    found = steps.of(page)
    figure.draw(
        page,
        "attention",
        matrices(page, found),
        layout(page, found),
        steps=walk(found),
        on_pick=choices.choose_head,
        fit=True,
        follow=True,
        passages=said(page, found),
    )


def said(page: Page, found: steps.Steps) -> list[Passage]:
    """What the numbers are checked for, how they are read, and how they may not be read."""
    t = page.t
    return [
        results.checks(t, found.head),
        Passage(t("reading.title"), [results.reading(t, found.head, page.tokens, page.row)]),
        Passage(t("reading.title_not"), [t("reading.not")]),
    ]


def matrices(page: Page, found: steps.Steps) -> list[Matrix]:
    """Inputs, steps, and the thumbnails of the heads."""
    shown = [inputs.matrix(page, name) for name in inputs.names(page.now)]
    if "custom" in (page.now.mask, page.now.mask_2):
        shown.append(inputs.mask(page))
    shown += positions.matrices(found)
    shown += [found.matrix(name) for name in found.names()]
    return shown + (found.thumbnails() if found.several else [])


def layout(page: Page, found: steps.Steps) -> list[Grid | Flow]:
    """Every product stands where its factors cross; then the way from the scores to the output."""
    t, now = page.t, page.now
    rows = [["w_q", "w_k", "w_v"]]
    if now.b_q is not None:
        rows.append(["b_q", "b_k", "b_v"])
    rows.append(["query", "key", "value"])
    rows = positions.beside(found, rows)
    mask = ["mask"] if "custom" in (now.mask, now.mask_2) else []
    last = "head_output" if found.several else "output"
    to_scores = ["scores", Arrow(f"÷ {found.divisor()}"), "scaled_scores"]
    flow = [
        Arrow(t("arrow.mask")),
        *mask,
        "masked_scores",
        Arrow("softmax"),
        "weights",
        Arrow(f"· {found.symbol('V')}"),
        last,
    ]
    # With a bias the way from the scores to the output takes two lines.
    lines = [[*to_scores, *positions.bias(found)], flow] if found.biased else [[*to_scores, *flow]]
    bands: list[Grid | Flow] = [Grid(rows), *map(Flow, lines)]
    if found.several:
        bands.append(choices.heads_band(page))
    return bands
