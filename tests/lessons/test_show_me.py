"""“Show me”, in every place of the course: nothing waits for an answer, and each question is one line."""

from collections import Counter

import pytest

from pages.draw import say
from pages.draw.page import line_of
from pages.draw.texts import Texts
from pages.model.link import to_query
from tests.support.course import PLACES
from tests.support.questions import ASKED
from tests.support.screen import LANGUAGES, figures, open_link, opened, said, unfolded, visit

every_place = pytest.mark.parametrize(
    ("name", "part", "topic"), PLACES, ids=["-".join(filter(None, place)) for place in PLACES]
)


UNASKED = """\
{name} is declared, so questions.ask has to ask it once at {place}, whatever is answered there."""
MISJUDGED = """\
The page does not judge {right!r} as the right answer of {name}. The right option is declared with {name}; if
it follows from the numbers, at_start= has it for the lesson's start."""


@pytest.mark.exhaustive("name")
@every_place
def test_every_picture_is_there_at_once_and_no_link_says_so(name, part, topic):
    language = LANGUAGES[len(part) % 2]
    shows, answered = (
        opened(name, part, topic=topic, language=language, **how)
        for how in ({"answers": (), "shows": True}, {})
    )
    assert Counter(map(str, figures(answered))) <= Counter(map(str, figures(shows)))
    assert Texts(language)("question.ghost") not in said(shows)
    assert not visit(shows).view.answers and shows.query_params == answered.query_params


@pytest.mark.exhaustive
@pytest.mark.parametrize("asked", ASKED, ids=str)
def test_each_question_is_one_line_which_can_be_answered(asked):
    t, guess = Texts("en", asked.lesson), f"guess-{asked.name}-"
    app = open_link(asked.lesson, to_query(asked.settings, asked.view(), asked.place, typed=True), shows=True)
    line = say.with_formulas(t("question.line", short=t(f"short.{asked.name}")))
    place = "/".join(filter(None, (asked.lesson, asked.place.part, asked.place.topic)))
    assert [one.label for one in app.expander].count(line) == 1, UNASKED.format(name=asked.name, place=place)
    assert not any((one.key or "").startswith(guess) for one in app.button)
    unfolded(app, line_of(asked.name))
    assert not app.exception
    app.button(key=guess + (asked.right or "shown")).click().run()
    assert not app.exception and line not in [one.label for one in app.expander]
    assert visit(app).view.answer(asked.name) == (asked.right or "shown")
    verdict = visit(app).record.progress.answers.get(asked.name)
    is_right = verdict is not None and verdict.right
    assert is_right == (asked.right is not None), MISJUDGED.format(name=asked.name, right=asked.right)
    app.button(key=f"again-{asked.name}").click().run()
    assert not app.exception and visit(app).view.answer(asked.name) is None
    assert app.button(key=f"{guess}shown")
