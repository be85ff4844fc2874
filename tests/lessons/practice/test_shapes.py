"""Shapes: right by the core and by torch, every slip told by its name, nothing given away before the end."""

from dataclasses import replace

import pytest

from pages.ask.exercise.look import LEVELS
from pages.draw.texts import Texts
from pages.lessons.practice import shape_exercise as exercises
from pages.lessons.practice.shape_exercise import ShapeSizes, exercise, shapes_of, slip
from pages.model import edits
from pages.model.progress import SOLVED, Progress
from pages.model.view import Place
from tests.support.screen import open_page, pictures, said, visit
from tests.support.states import looking

SEEDS = range(1, 151)
EACH = pytest.mark.parametrize(("level", "language"), [*zip(LEVELS, ("en", "zh", "en"), strict=True)])
SHAPES = Place("fill_in", topic="shapes")
GROUPED = ShapeSizes(n=3, m=7, d_model=5, d_k=13, d_v=11, h=6, h_kv=2, batch=17)


def test_the_same_number_gives_the_same_exercise():
    before = [exercise("3", number) for number in range(1, 6)]
    exercises.exercise.cache_clear()
    assert [exercise("3", number) for number in range(1, 6)] == before
    assert exercise("3", 1).sizes == GROUPED
    assert exercise("3", 1).asked == ("w_k", "key", "value_cache", "all_queries")


@pytest.mark.parametrize("level", LEVELS)
def test_no_swapped_axis_can_hide(level):
    for number in SEEDS:
        now = exercise(level, number)
        named = now.sizes.named
        assert all(side in named for shape in now.right.values() for side in shape)
        sides = [shape[-2:] for name, shape in now.right.items() if name not in ("scores", "weights")]
        assert all(a != b for a, b in sides if not _square(now, a, b))
        assert len(set(now.asked)) == 4


def _square(now, a, b) -> bool:
    """Scores of a sequence with itself are as wide as they are long."""
    return a == b == now.sizes.n == now.sizes.m


@pytest.mark.parametrize("level", LEVELS)
def test_what_is_told_of_a_wrong_result_is_true(level):
    for number in SEEDS:
        for one in exercise(level, number).products:
            for said_of_it in one.options:
                told = one.reason(said_of_it)
                assert (told in ("fits", "outer", "mask_fits")) == (one.result is not None)
                assert told.startswith("mask_") == one.masks
                assert told != "inner" or one.left[-1] != one.right[-2]
                assert told != "leading" or one.left[-1] == one.right[-2]


@pytest.mark.parametrize("count", [2, 3])
def test_the_place_of_a_shape_does_not_tell_whether_it_is_right(count):
    """The error ends the list. In lists that were sorted, the second of three shapes was mostly right."""
    products = [one for level in LEVELS for number in SEEDS for one in exercise(level, number).products]
    assert all(one.options[-1] is None and None not in one.options[:-1] for one in products)
    listed = [one for one in products if len(one.options) == count + 1 and one.result is not None]
    places = [sum(one.options[place] == one.result for one in listed) for place in range(count)]
    assert 0.75 * len(listed) < count * min(places) <= count * max(places) < 1.25 * len(listed)


def _leading(one):
    return list(zip(one.left[:-2][::-1], one.right[:-2][::-1], strict=False))


@pytest.mark.parametrize(
    ("matrix", "entered", "name"),
    [
        ("w_k", (26, 5), "swapped"),
        ("key_cache", (2, 17, 7, 13), "order"),
        ("key_cache", (17, 6, 7, 13), "query_heads"),
        ("key_cache", (17, 2, 3, 13), "query_length"),
        ("key_cache", (17, 2, 7, 26), "all_heads"),
        ("key_cache", (17, 2, 7, 11), "value_width"),
        ("value_cache", (17, 2, 7, 13), "key_width"),
        ("key_cache", (17, 2, 7, 5), "model_width"),
        ("all_weights", (17, 2, 3, 7), "kv_heads"),
        ("all_weights", (17, 6, 7, 7), "key_length"),
        ("all_weights", (17, 6, 3, 13), "width_for_length"),
        ("all_outputs", (17, 6, 3, 7), "length_for_width"),
        ("all_weights", (17, 6, 3, 5), "width_for_length"),
        ("all_weights", (17, 5, 3, 7), "other_size"),
        ("w_k", (5, 13), "one_head"),
        ("w_k", (5, 78), "query_heads"),
        ("w_q", (5, 26), "kv_heads"),
        ("output", (17, 3, 66), "not_model"),
        ("output", (17, 3, 4), "no_size"),
        ("output", (3, 3, 5), "other_size"),
        ("output", (17, 3, 2.5), "not_whole"),
        ("output", (17, 0, 5), "not_whole"),
    ],
)
def test_every_slip_has_its_name(matrix, entered, name):
    mistake = slip(GROUPED, shapes_of(GROUPED)[matrix], entered)
    assert mistake.name == name


def test_a_number_is_called_what_it_is():
    """No size: neither one that is given nor a width of all heads. Not d_model: another size, by its name."""
    s, right = GROUPED, shapes_of(GROUPED)["output"]
    start = {s.n, s.m, s.d_model, s.d_k, s.d_v, s.h, s.h_kv, s.batch}
    widths = {heads * width for heads in (s.h, s.h_kv) for width in (s.d_k, s.d_v)}
    mistake = {got: slip(s, right, (17, 3, got)) for got in range(1, 200) if got != s.d_model}
    assert {got for got, one in mistake.items() if one.name == "no_size"} == {*mistake} - start - widths
    called = {got: one.size for got, one in mistake.items() if one.name == "not_model"}
    assert called == {got: s.named[got] for got in (start | widths) - {s.d_model}}


def test_a_right_shape_is_no_slip():
    assert all(slip(GROUPED, shape, shape) is None for shape in shapes_of(GROUPED).values())


# ---- on the page


def opened(level, language="en", number=3):
    app = open_page("practice", view=looking(language=language, level=level, exercise=number), place=SHAPES)
    assert not app.exception
    return app


def attempt(app, level, number=3):
    return visit(app).memory["practice"]["shapes", level, number, None]


def enter(app, now, shapes, choices):
    """Types the shapes into the tables, a table for each number of sides, and chooses the results."""
    (take,) = filter(None, (one.taker for one in visit(app).inbox.pictures.values()))
    for name, shape in shapes.items():
        row = [one for one in now.asked if len(now.right[one]) == len(shape)].index(name)
        for col, side in enumerate(shape):
            take({"matrix": f"shape{len(shape)}", "row": row, "col": col, "value": float(side)})
    for radio, choice in zip(app.radio, choices, strict=True):
        radio.set_value(choice)
    app.button(key="check").click().run()
    assert not app.exception


@EACH
def test_blank_then_wrong_then_right(level, language):
    app, now = opened(level, language), exercise(level, 3)
    cells = [c for m in pictures(app)[0]["matrices"] for row in m["values"] for c in row]
    assert cells and all(cell is None for cell in cells)
    choices = [one.options.index(one.result) for one in now.products]

    app.button(key="check").click().run()
    assert len(app.warning) == 1 and not attempt(app, level).tries

    wrong = {
        name: shape[::-1] if len(shape) == 2 else (*shape[:-1], 999) for name, shape in now.right.items()
    }
    enter(app, now, wrong, [(choice + 1) % 3 for choice in choices])
    told = app.warning[0].value.splitlines()
    square = sum(shape == shape[::-1] for shape in wrong.values() if len(shape) == 2)
    assert len(told) == 6 - square
    assert app.main.get("page_link"), "a wrong answer leads to the part that treats it"
    ringed = [cell for m in pictures(app)[0]["matrices"] for cell in m["ringed"]]
    assert ringed

    enter(app, now, now.right, choices)
    assert attempt(app, level).solved and app.success and not app.warning
    view = said(app)
    assert all(" × ".join(map(str, shape)) in view for shape in now.right.values())


@EACH
def test_hints_and_the_solution(level, language):
    app, now = opened(level, language, 5), exercise(level, 5)
    for count in (1, 2, 3):
        app.button(key="hint").click().run()
        assert not app.exception and len(app.info) == count
    hints = [info.value.partition(".")[2] for info in app.info]
    assert level != "1" or not any(character.isdigit() for hint in hints for character in hint)
    app.button(key="show_solution").click().run()
    matrices = [row for m in pictures(app)[0]["matrices"] for row in m["values"]]
    assert sorted(map(tuple, matrices)) == sorted(tuple(map(str, shape)) for shape in now.right.values())
    assert all(radio.disabled for radio in app.radio)


def test_an_exercise_without_own_numbers_stays_the_same_one_while_they_change():
    app = open_page("practice", view=looking(numbers="own"), place=SHAPES)
    app.button(key="hint").click().run()
    session = visit(app)
    session.state = replace(session.state, core=edits.set_cell(session.settings, "x", 0, 0, 7.0))
    app.run()
    assert not app.exception
    assert len(app.info) == 1


def test_a_link_to_the_former_part_opens_the_same_exercise_with_the_score_that_the_browser_keeps():
    app = open_page("practice", view=looking(level="2", exercise=7), place=Place("shapes"))
    assert exercise("2", 7).asked and f"d_model = {exercise('2', 7).sizes.d_model}" in said(app)
    visit(app).record.progress = Progress(exercises={"shapes.2.7": SOLVED})
    assert Texts("en", "practice")("desk.score", solved=1, tried=1, at_once=0) in said(app.run())
