"""The end of the lesson: what was seen, in the learner's own numbers, and a question that needs all of it."""

from dataclasses import replace

from pages.ask.questions import ask
from pages.draw import placing, positions, steps
from pages.draw.numbers import short
from pages.draw.page import Page
from pages.picture import Flow, Group, Matrix, nice_bound

from . import changes


def lines(page: Page) -> list[str]:
    """A score, a row of weights, a row of the output: of the followed query, or of the last one."""
    t, computation = page.t, steps.of(page)
    head, row = computation.head, len(page.tokens) - 1 if page.row is None else page.row
    key = int(head.weights[row].argmax())
    query, attended = page.tokens[row], page.tokens[key]
    a, v, o = map(computation.symbol, "AVO")
    masked = "" if head.weights[row].any() else "_masked"
    return [
        t(
            "summary.one",
            query=query,
            key=attended,
            score=short(head.scores[row, key].item()),
            divisor=computation.divisor(),
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
    """Every number of Q is doubled: what follows? ALiBi's bias and normalised queries would not double.

    The answer brings the matrices before and after the change, in the same colours.
    """
    before = positions.plainly(page)
    after = replace(before, settings=changes.query_doubled(before.settings))
    first, second = zip(*map(_one_scale, _matrices(before), _matrices(after)), strict=True)
    if ask(page, "one_head_end", matrices=first, sources=[steps.of(before).find]):
        ids = [matrix.id for matrix in first]
        for settings, name, matrices in ((before, "before", first), (after, "doubled", second)):
            flow = Flow([Group(ids, page.t(f"summary.{name}"))])
            placing.draw(settings, f"end_{name}", matrices, [flow], sources=[steps.of(settings).find])


def _one_scale(first: Matrix, other: Matrix) -> tuple[Matrix, Matrix]:
    """Both with the colours of the larger numbers."""
    bound = nice_bound([*first.known, *other.known])
    return replace(first, bound=bound), replace(other, bound=bound)


def _matrices(page: Page) -> list[Matrix]:
    """Q, S, A and the output."""
    computation = steps.of(page)
    return [computation[name] for name in ("query", "scores", "weights", list(computation.rows)[-1])]
