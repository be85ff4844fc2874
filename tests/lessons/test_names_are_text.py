"""What a visitor has typed is shown as typed: it becomes no markup. For the places see checkers.py."""

import json

import pytest

from pages.hand.export import worksheet
from pages.hand.export.notebook import notebook
from pages.model.handout import Plan, Stop, parts_of
from pages.model.view import Place
from tests.hostile import markup
from tests.support.elements import elements
from tests.support.questions import ASKED
from tests.support.screen import LANGUAGES, open_link, open_page, said, unfolded
from tests.support.states import looking, start_of
from tests.support.worksheets import Sheet, page_of


def faults(app) -> list[str]:
    assert not app.exception
    return markup.faults(elements(app))


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", ["one_head", "cross_attention"])
@pytest.mark.parametrize("popover", ["share", "more"])
def test_in_the_popovers(name, popover, language):
    app = open_page(name, markup.settings(start_of(name)), looking(language=language))
    assert faults(unfolded(app, popover)) == []


@pytest.mark.parametrize("title", markup.NAMES)
def test_the_title_of_a_plan(title):
    plan = Plan((Stop("one_head"),), title)
    assert faults(open_link("one_head", parts_of(plan, 1, "en"))) == []


@pytest.mark.parametrize("typed", markup.NAMES)
def test_what_is_searched_for(typed):
    assert faults(open_page("terms", view=looking(search=typed))) == []


@pytest.mark.parametrize("typed", markup.NAMES)
def test_an_answer_that_is_no_number(typed):
    asked = next(one for one in ASKED if one.name == "note_start")
    app = open_page(asked.lesson, asked.settings, asked.view(), asked.place)
    [entry] = [one for one in app.text_input if one.key.startswith("guess-")]
    assert faults(entry.set_value(typed).run()) == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_worked_example(language):
    """Its tokens, and lines that are not understood."""
    numbers = {"Q": [[1, 2]] * 3, "K": [[1, 0]] * 3, "S": [[9, 9, 9]] * 3}
    document = json.dumps({"tokens": markup.NAMES[:3]} | numbers)
    app = open_page("worked_examples", view=looking(language=language, document=document), place=Place("own"))
    assert not app.warning
    assert faults(app) == []
    lines = [f"{markup.NAMES[i]} = [[1, 2], [3]]" for i in (0, 3)]  # of others the reader removes the markup
    [area] = app.text_area
    area.set_value("\n".join(["Q = [[1, 2]]", "K = [[1, 2]]", "S = [[5]]", *lines]))
    next(one for one in app.button if one.proto.is_form_submitter).click()
    assert faults(app.run()) == [] and markup.literal(markup.NAMES[0]) in said(app)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", ["one_head", "cross_attention"])
def test_the_worksheet_and_the_notebook(name, language):
    page = page_of(markup.settings(start_of(name)), name, language)
    words = "\n".join(Sheet(worksheet.make(page, frozenset(), "") + worksheet.make_key(page)).words)
    assert markup.MARK not in markup.without(words, str)
    for cell in json.loads(notebook(page, ""))["cells"]:
        assert cell["cell_type"] == "code" or markup.MARK not in cell["source"]
