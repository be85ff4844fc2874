"""The whole computation on one screen, from X and the weight matrices to the output."""

from pages.ask import blocks
from pages.draw import inputs, own_sentence, positions, results, steps, whole
from pages.draw.page import Page
from pages.picture import Grid, Passage


def draw(page: Page) -> blocks.Blocks:
    yield blocks.picture(_picture)


def _picture(page: Page) -> None:
    """The picture with its panel; below it what the numbers say."""
    computation = steps.of(page)
    rows = positions.with_positions(
        computation, [*whole.weights_rows(computation), ["query", "key", "value"]]
    )
    entered = [inputs.matrix(page, name) for name in inputs.names(page.settings)]
    whole.draw(computation, "attention", entered, Grid(rows), passages(page, computation))


def passages(page: Page, computation: steps.Steps) -> list[Passage]:
    """What the numbers are checked for, how they are read, and how they may not be read."""
    t, own = page.t, own_sentence.told(page)
    return [
        *([Passage(t("own_sentence.title"), [own])] if own else []),
        results.checks(t, computation.head),
        Passage(results.title(page), [results.reading(t, computation.head, page.tokens, page.row)]),
        Passage(t("reading.title_not"), [t("reading.not")]),
    ]
