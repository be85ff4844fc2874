"""The choice of a part: stops of the hour in front, the other parts behind Deeper."""

import pytest

from pages.draw import say
from pages.draw.texts import Texts
from pages.model.view import Place, View
from tests.support.course import COURSE
from tests.support.screen import LANGUAGES, bound, open_page, opened, said, unfolded, visit

FRONT = {
    lesson.name: [stop.part for stop in COURSE.hour if stop.lesson == lesson.name]
    for lesson in COURSE.lessons
}
PLACES = [
    (lesson.name, part.name)
    for lesson in COURSE.lessons
    for part in lesson.parts
    if COURSE.stop_at(lesson.name, part.name) is None
]


def choice(app) -> list[str]:
    """The parts in front; none where there is no choice."""
    return next(
        (one.options for one in app.get("button_group") if (one.key or "").startswith("set_part")), []
    )


@pytest.mark.exhaustive
@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(("name", "part"), PLACES)
def test_a_part_that_is_no_stop_is_in_front_while_it_is_open_and_says_when_one_needs_it(name, part, language):
    app = opened(name, part, language=language)
    t, stops = Texts(language, name), FRONT[name]
    others = [part] if stops else [one.name for one in COURSE.pages[name].parts]
    names = [t(f"stop.{stop}") for stop in stops] + [t(f"part.{other}") for other in others]
    assert choice(app) == [say.with_formulas(text) for text in names]
    assert bound(app, "button_group", "part").value == part
    if stops:
        unfolded(app, "deeper")
    if stops or not COURSE.pages[name].part(part).tall:  # else the picture has all the room
        assert t(f"deeper.{part}") in said(app)


def test_deeper_opens_a_part_and_closes():
    name, part = next((name, part) for name, part in PLACES if FRONT[name])
    stop = FRONT[name][0]
    app = opened(name, stop)
    assert choice(app) == []  # the sidebar has the stops
    app = unfolded(app, "deeper")
    app.button(f"deeper_{part}").click().run()
    assert visit(app).place(name).part == part
    assert f"deeper_{part}" not in [button.key for button in app.button]
    bound(app, "button_group", "part").set_value(stop).run()
    assert visit(app).place(name).part == stop and choice(app) == [] and not app.exception


def test_a_presentation_has_all_parts_in_a_list_behind_the_title_of_the_lesson():
    name = next(name for name, stops in FRONT.items() if stops)
    here, *others = [part.name for part in COURSE.pages[name].parts]
    app = unfolded(open_page(name, view=View(presenting=True), place=Place(here)), "deeper")
    listed = {button.key for button in app.button if (button.key or "").startswith("deeper_")}
    assert choice(app) == [] and listed >= {f"deeper_{other}" for other in others}
