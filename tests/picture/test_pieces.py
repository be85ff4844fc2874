"""A picture's data in two pieces: whatever the browser holds, it gets the same data."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pages.picture import Flow, Matrix, PanelStep, Passage, Picture, packed
from tests.support.picture_data import Pieces, plain_data

NUMBERS = st.floats() | st.integers(-9, 9)
ENTRIES = {
    "signed": NUMBERS,
    "weights": NUMBERS,
    "plain": st.none() | NUMBERS,
    "mask": st.booleans(),
    "text": st.text(max_size=3),
}


@st.composite
def matrices(draw):
    """Up to four small ones, some of which have the same values, and some of which none that are known."""
    recipe = []
    for name in "abcd"[: draw(st.integers(0, 4))]:
        kind, rows, cols = (
            draw(st.sampled_from(list(ENTRIES))),
            draw(st.integers(0, 3)),
            draw(st.integers(0, 3)),
        )
        row = st.lists(ENTRIES[kind], min_size=cols, max_size=cols)
        values = draw(st.none() | st.lists(row, min_size=rows, max_size=rows))
        labels = ["1", "2", "3"]
        recipe.append(
            Matrix(name, draw(st.text(max_size=4)), labels[:rows], labels[:cols], values, kind=kind)
        )
    return recipe


def options(text: str) -> dict:
    return {
        "key": "k", "seq": 1, "stamp": "0", "texts": {"long": text * 30},
        "steps": [PanelStep("s", text), PanelStep("w", text, why=text), PanelStep("t", "T")],
        "passages": [Passage("P", [text * 9])],
    }  # fmt: skip


@given(st.lists(st.tuples(matrices(), st.text(max_size=3)), min_size=1, max_size=4), st.randoms())
def test_whatever_piece_the_browser_holds_it_gets_the_same_data(states, chance):
    tab = Pieces()
    for recipe, text in states:
        layout = [Flow([one.id for one in recipe])]
        wanted = json.loads(json.dumps(plain_data(recipe, layout, **options(text))))
        held = chance.choice(["", *tab.kept])
        assert tab.read(packed(Picture(recipe, layout, **options(text)), held)) == wanted


def test_an_answer_brings_only_what_the_browser_lacks():
    matrix = Matrix("m", "M", ["1"] * 12, ["1"] * 16, [[r + c / 7 for c in range(16)] for r in range(12)])
    shown, tab = Picture([matrix], [], **options("text")), Pieces()
    first = packed(shown)
    wanted = tab.read(first)
    second = packed(shown, tab.still)
    assert tab.read(second) == wanted and 12 * 16 * 8 < len(second) < len(first) - 1000
    with pytest.raises(KeyError):
        Pieces().read(second)
