"""The end of the lesson: what was seen, in the learner's own numbers, and a question that needs all of it."""

from dataclasses import replace

from pages.model import edits
from pages.ui import figure, steps
from pages.ui.numbers import short
from pages.ui.page import Page
from pages.ui.questions import ask


def lines(page: Page) -> list[str]:
    """A score, a row of weights, a row of the output: of the followed query, or of the last one."""
    t, found = page.t, steps.of(page)
    head, row = found.head, len(page.tokens) - 1 if page.row is None else page.row
    key = head.weights[row].argmax().item()
    query, attended = page.tokens[row], page.tokens[key]
    a, v, o = map(found.symbol, "AVO")
    masked = "" if head.weights[row].any() else "_masked"
    return [
        t(
            "summary.one",
            query=query,
            key=attended,
            score=short(head.scores[row, key].item()),
            divisor=found.divisor(),
            scaled=short(head.scaled_scores[row, key].item()),
        ),
        t(
            f"summary.two{masked}",
            query=query,
            a=a,
            key=attended,
            weight=short(head.weights[row, key].item()),
            total=short(head.weights[row].sum().item()),
        ),
        t(
            f"summary.three{masked}",
            query=query,
            v=v,
            o=o,
            output=", ".join(map(short, head.output[row].tolist()[:4]))
            + (", …" if head.output.shape[-1] > 4 else ""),
        ),
    ]


def question(page: Page) -> None:
    """Every number of Q is doubled: what follows? Without positions, for ALiBi's bias does not double."""
    page = replace(page, now=edits.with_choice(page.now, position="none"))

    def picture() -> None:
        found = steps.of(page)
        last = found[list(found.rows)[-1]]
        figure.draw(page, "end", [found["query"], found["scores"], found["weights"], last])

    options = ("sharper", "all", "cancels", "projections")
    ask(page, "one_head_end", options, "sharper", picture=picture, keep=True)
