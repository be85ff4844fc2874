"""What the parts of this lesson share: the way out of one head, weights, names of columns, shares."""

from collections.abc import Sequence

import streamlit as st
from torch import Tensor

from pages import picture
from pages.draw import matrix, say
from pages.draw.page import Page
from pages.draw.steps import Steps
from pages.draw.texts import Texts
from pages.model import edits
from pages.model.examples import in_language
from pages.model.settings import Settings
from pages.picture import Matrix

# More columns than this in one line of matrices: only the shown head is drawn in full.
ROOM = 48
MOST_DIGITS = 6
ROUNDING = 1e-9


def alone(page: Page) -> None:
    """Says that there is one head only, and offers the ways to more."""
    t = page.t
    with st.container(border=True, key="one_head"):
        say.markdown(t("scene.one_head"))
        with st.container(horizontal=True):
            two_jobs(page, type="primary")
            page.button(
                t("scene.two_heads"), "two_heads", lambda settings: edits.resize(settings, num_heads=2)
            )


def two_jobs(page: Page, **look) -> None:
    """A button that loads the example with two jobs."""

    def load(settings: Settings) -> Settings:
        return edits.example_start(in_language("two_jobs", page.t.language))

    page.button(page.t("scene.two_jobs"), "two_jobs", load, loads=True, **look)


def own_kv(page: Page) -> None:
    """A button that gives each head keys and values of its own."""

    def change(settings: Settings) -> Settings:
        return edits.resize(settings, num_kv_heads=settings.num_heads)

    page.button(page.t("scene.own_kv"), "own_kv", change)


def weights(computation: Steps, name: str, title: str, values: Tensor, **more) -> Matrix:
    """Attention weights of some kind, with a row for each query and a column for each key."""
    square = {"masked": computation.without_weight(values), "query_rows": True}
    return matrix.of(
        name, title, values, computation.queries, computation.keys, kind="weights", **square, **more
    )


def difference(
    computation: Steps, name: str, title: str, values: Tensor, of: tuple[str, str], **more
) -> Matrix:
    """What is left of one matrix of weights without another one."""
    square = {"bound": 1.0, "recipe": picture.difference(*of), "query_rows": True}
    return matrix.of(name, title, values, computation.queries, computation.keys, **square, **more)


def columns(heads: int, width: int) -> list[str]:
    """The columns of a matrix that holds all heads: 1.1, 1.2, 2.1, 2.2 for two heads of width 2."""
    return [f"{head + 1}.{column + 1}" for head in range(heads) for column in range(width)]


def kv_group(settings: Settings, kv_head: int) -> list[int]:
    """The heads that a key/value head serves."""
    return [head for head in range(settings.num_heads) if settings.kv_head(head) == kv_head]


def index_list(t: Texts, numbers: Sequence[int]) -> str:
    """Indices as people count them: 1, 2, 5."""
    return t.listed(number + 1 for number in numbers)


def percents(shares: Sequence[float]) -> list[str]:
    """Shares in percent with as many digits as it takes that different ones, and 0, read differently."""
    apart = {round(share, 9) for share in (*shares, 0.0)}
    for digits in range(1, MOST_DIGITS):
        if len({f"{100 * share:.{digits}f}" for share in apart}) == len(apart):
            break
    return [f"{100 * share:.{digits}f}%" for share in shares]


def percent(share: float) -> str:
    return percents([share])[0]


def move_share(t: Texts, share: float) -> str:
    """A share of the weight in percent; what rounding alone would make the whole is not called that."""
    text = percent(share)
    return t("overview.nearly_all") if text == "100.0%" and share < 1 - ROUNDING else text
