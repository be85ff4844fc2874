"""A target is made in the panel for a hand-out, and the link opens with it."""

from urllib.parse import parse_qsl, urlsplit

import pytest

from pages.model import targets
from pages.model.edits import example_start
from pages.model.handout import read
from pages.model.state import State
from pages.model.targets import Condition
from tests.support.screen import open_link, opened, pictures, said, shown, unfolded, visit

NAMES = {"one_head": "picture", "many_heads": "split", "cross_attention": "picture"}


def panel(lesson: str, language: str = "en"):
    """The panel with the form unfolded."""
    app = opened(lesson, NAMES[lesson], language=language)
    unfolded(app, "share").button(key="handout").click().run()
    return use(app, named(app, "toggle", f"target_form-{lesson}").set_value(True))


def use(app, _):
    """A run after something in the panel was used. AppTest runs the whole page, so it is opened again."""
    app.button(key="handout").click().run()
    assert not app.exception
    return app


def named(app, kind: str, start: str):
    [widget] = [widget for widget in app.get(kind) if (widget.key or "").startswith(start)]
    return widget


def linked(app) -> dict[str, str]:
    """The query of the link in the panel."""
    [code] = [code.value for code in app.code if "plan=" in code.value]
    return dict(parse_qsl(urlsplit(code).query))


@pytest.mark.exhaustive
@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("lesson", NAMES)
def test_a_target_of_the_form_is_in_the_link_and_in_the_picture(lesson, language):
    app = panel(lesson, language)
    assert "target" not in read(linked(app)["plan"]).stop(1).parts  # nothing may be changed yet
    use(app, named(app, "button_group", "target_free").set_value(["w_q"]))
    use(app, named(app, "selectbox", "target_row").set_value(2))
    use(app, named(app, "number_input", "target_bound").set_value(0.95))
    word = read(linked(app)["plan"]).stop(1).parts["target"]
    target = targets.read(word)
    assert target.conditions == (Condition("weights", 2, 0, "ge", 0.95),) and target.may == ("w_q",)
    copy = open_link(lesson, linked(app), dict(shown(lesson)))
    assert not copy.exception and visit(copy).settings == visit(app).settings
    assert [line[:1] for picture in pictures(copy) for line in picture["target"]] == ["○"]
    assert {m["id"] for p in pictures(copy) for m in p["matrices"] if m["editable"]} == {"w_q"}


def test_a_second_number_and_a_relation_without_a_bound():
    app = panel("one_head")
    use(app, named(app, "button_group", "target_free").set_value(["x", "w_k"]))
    use(app, named(app, "toggle", "target_second").set_value(True))
    first, second = [box for box in app.selectbox if (box.key or "").startswith("target_relation")]
    use(app, second.set_value("top"))
    target = targets.read(read(linked(app)["plan"]).stop(1).parts["target"])
    assert [condition.relation for condition in target.conditions] == ["ge", "top"]
    assert target.may == ("x", "w_k") and first.value == "ge"


def test_a_target_that_is_reached_at_once_is_told():
    app = panel("one_head")
    use(app, named(app, "button_group", "target_free").set_value(["x"]))
    use(app, named(app, "number_input", "target_bound").set_value(0.1))
    assert "The present numbers reach this target already." in " ".join(one.value for one in app.warning)


def test_a_target_of_the_course_goes_along():
    app = opened("one_head", "picture", State(core=example_start("tired")))
    [button] = [button for button in app.button if button.key == "target_try"]
    button.click().run()
    unfolded(app, "share").button(key="handout").click().run()
    assert not [one for one in app.toggle if (one.key or "").startswith("target_form")]
    assert read(linked(app)["plan"]).stop(1).parts["target"] == "query_street"
    copy = open_link("one_head", linked(app))
    assert "gives at least 0.8 to “street”" in said(copy) and visit(copy).owner == "tired:query_street"
    assert visit(copy).settings == example_start("tired")
    assert [button.key for button in copy.button if (button.key or "").startswith("target_")] == [
        "target_hint"
    ]
