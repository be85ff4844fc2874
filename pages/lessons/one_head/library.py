"""What attention is for: a request, the labels of four books, and a mixture of what the books say.

The numbers are the stop's own. The match is not scaled: its reader does not know what it is divided by.
"""

from typing import Any

import torch
from torch import Tensor

from attention import AttentionTrace, scaled_dot_product_attention
from pages.ask import blocks
from pages.draw import arithmetic, inputs, matrix, placing
from pages.draw.numbers import short
from pages.draw.page import Page
from pages.model.progress import Takeaway
from pages.model.shown import shown
from pages.picture import Arrow, Flow, Matrix, Passage, VectorPlot, Vectors, round_above, softmax

from .arrows import hull

QUESTION = "library_equal"
BOOKS = ("robots", "cook", "recipes", "poems")
# How much AI and how much food a label promises, and a book has. A label says less than its book.
LABELS = ((2.0, 0.0), (1.0, 1.0), (0.0, 2.0), (0.0, 0.0))
CONTENTS = ((8.0, 0.0), (4.0, 6.0), (0.0, 8.0), (1.0, 1.0))
SUBJECTS = ("ai", "food")
WANTED = "robots"  # is to have half of the shares
HALF = (0.45, 0.55)
BOUND = 2.4  # of the plane, at least: a request may promise more than a label does


def draw(page: Page) -> blocks.Blocks:
    yield blocks.text("library.intro")
    yield blocks.picture(_picture)
    yield blocks.ask(QUESTION)
    yield blocks.picture(_equal)
    yield blocks.always(blocks.caption("library.made"))


def trace_for(page: Page) -> AttentionTrace:
    """The learner's request against all labels."""
    return _trace(_request(page))


def _trace(request: Tensor) -> AttentionTrace:
    labels, contents = (torch.tensor(rows, dtype=torch.float64) for rows in (LABELS, CONTENTS))
    return scaled_dot_product_attention(request, labels, contents, scale=1.0)


def _request(page: Page) -> Tensor:
    """Both numbers: a link may have the first one alone."""
    return torch.tensor([(*page.own.request, 0.0)[:2]], dtype=torch.float64)


def task(page: Page) -> bool:
    """Whether the book about robots has half of the shares."""
    low, high = HALF
    return low <= shown(_share(trace_for(page))) <= high


def keep(page: Page) -> Takeaway:
    trace = trace_for(page)
    request, mixture = (_point(rows[0].tolist()) for rows in (trace.query, trace.output))
    return Takeaway({"request": request, "mixture": mixture, "share": short(_share(trace))})


def _share(trace: AttentionTrace) -> float:
    return trace.weights[0, BOOKS.index(WANTED)].item()


def _point(numbers: list[float]) -> str:
    return f"({', '.join(map(short, numbers))})"


def _picture(page: Page) -> None:
    """The arrows of the request and of the labels; the contents as points, and the mixture between them."""
    t, trace = page.t, trace_for(page)
    books, subjects = _names(page)
    request = inputs.number(page, "request")
    request = request.having(cols=subjects, values=trace.query.tolist())
    placing.draw(
        page,
        "library",
        [request.to_edit(step=0.05, low=0.0), *_shared_out(page, trace, books)],
        [Flow(["request", Arrow(t("library.compare")), "match", Arrow(t("library.share_out")), "shares"])],
        note=t("library.drag"),
        plots=_plots(page, trace, books, subjects),
        passages=[Passage("", [_sentence(page, trace, books)])],
    )


def _equal(page: Page) -> None:
    """The answer: a request of 0, which all labels fit equally well."""
    trace, (books, subjects) = _trace(torch.zeros(1, len(SUBJECTS), dtype=torch.float64)), _names(page)
    matrices = _shared_out(page, trace, books, "_equal")
    placing.draw(
        page,
        QUESTION,
        matrices,
        [Flow([matrices[0].id, Arrow(page.t("library.share_out")), matrices[1].id])],
        plots=_plots(page, trace, books, subjects)[1:],
    )


def _names(page: Page) -> tuple[list[str], list[str]]:
    """Of the books and of the subjects."""
    return [page.t(f"book.{name}") for name in BOOKS], [page.t(f"subject.{name}") for name in SUBJECTS]


def _shared_out(page: Page, trace: AttentionTrace, books: list[str], end: str = "") -> list[Matrix]:
    """The match of each label, and the share of each book."""
    t, side = page.t, {"row_axis": "", "col_axis": ""}
    products = arithmetic.products(trace.query, trace.key.mT, trace.scores)
    match = matrix.of(f"match{end}", t("library.match"), trace.scores, [""], books, recipe=products, **side)
    look: dict[str, Any] = {"kind": "weights", "recipe": softmax(match.id)}
    return [match, matrix.of(f"shares{end}", t("library.shares"), trace.weights, [""], books, **look)]


def _plots(page: Page, trace: AttentionTrace, books: list[str], subjects: list[str]) -> list[VectorPlot]:
    t, weights = page.t, trace.weights[0].tolist()
    request, contents = trace.query.tolist(), [list(point) for point in CONTENTS]
    alone = [t("library.request")]
    promised = Vectors(t("library.labels"), "key", books, LABELS, shares=weights)
    asked = Vectors(t("setting.request"), "query", alone, request, matrix="request")
    there = Vectors(t("library.contents"), "value", books, contents, "point", shares=weights)
    mixed = Vectors(t("library.mixture"), "output", [t("library.mixture")], trace.output.tolist(), "point")
    bound = max(BOUND, round_above(trace.query.abs().max().item()))
    look: dict[str, Any] = {"corner": min(request[0]) >= 0, "axes": subjects}
    return [
        VectorPlot(t("library.title_match"), t("library.alt_match"), [promised, asked], bound, **look),
        VectorPlot(
            t("library.title_mixture"),
            t("library.alt_mixture"),
            [there, mixed],
            round_above(max(map(max, CONTENTS))),
            hull=hull(contents),
            legend={"hull": t("library.area")},
            corner=True,
            axes=subjects,
        ),
    ]


def _sentence(page: Page, trace: AttentionTrace, books: list[str]) -> str:
    """The share of the wanted book, and the mixture."""
    book, mixture = books[BOOKS.index(WANTED)], _point(trace.output[0].tolist())
    return page.t("library.said", book=book, share=short(_share(trace)), mixture=mixture)
