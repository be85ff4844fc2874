"""The lesson `FlashAttention` without a browser: its questions, and the way from tile to tile."""

from functools import partial

import pytest

from pages.model import edits
from tests.support import screen
from tests.support.screen import matrix, pictures, said, visit
from tests.support.states import start_of, value_of, with_own

START = start_of("flash_attention")
opened = partial(screen.opened, "flash_attention")


def test_a_block_is_at_most_as_large_as_the_tokens_are_many():
    app = opened("tiles", with_own(edits.remove_token(START, 0), block_q=4, block_k=4))
    assert [app.number_input(key=f"set_{name}").value for name in ("block_q", "block_k")] == [3, 3]


# ---- questions


@pytest.mark.parametrize(("part", "question"), [("row", "flash_mend"), ("tiles", "flash_same")])
def test_before_the_answer_nothing_computed_is_shown(part, question):
    (view,) = pictures(opened(part, answers=()))
    assert not any(one["editable"] for one in view["matrices"])
    if question == "flash_same":
        assert view["matrices"][0]["values"] == [["1", "1", "3", "3"]] * 2 + [["2", "2", "4", "4"]] * 2


def test_the_multiplications_of_tiles_are_asked_for_and_then_there():
    asked, told = (matrix(app, "counts")["values"] for app in (opened("moves", answers=()), opened("moves")))
    hidden = [(r, c) for r, row in enumerate(asked) for c, cell in enumerate(row) if cell != told[r][c]]
    assert hidden == [(1, 0), (2, 0)] and asked[1][0] == asked[2][0] == "?"


# ---- from tile to tile


def test_the_buttons_go_through_the_tiles_and_the_state_is_in_the_view():
    app = opened("tiles")
    assert value_of(visit(app).view, "tile") == 1
    for key, tile in (("next", 2), ("end", 4), ("back", 3), ("start", 0)):
        app.button(f"tile-{key}").click().run()
        assert value_of(visit(app).view, "tile") == tile and not app.exception
    assert app.button("tile-back").disabled and app.button("tile-start").disabled
    assert "m = −∞" in said(app)


def test_play_begins_anew_after_the_last_tile_and_stops():
    app = opened("tiles", tile=4)
    app.button("tile-play").click().run()
    assert (value_of(visit(app).view, "tile"), value_of(visit(app).view, "playing")) == (0, True)
    assert not matrix(app, "x")["editable"] and app.button("tile-next").disabled
    app.button("tile-play").click().run()
    assert not value_of(visit(app).view, "playing") and matrix(app, "x")["editable"]
