"""Every part of the lesson runs, in both languages, before and after the answers, with many settings."""

import pytest

from pages.lessons import lesson
from pages.model import edits
from pages.model.settings import POSITIONS, Settings
from pages.model.view import Place, View
from tests.apps import LANGUAGES, open_page
from tests.states import with_own

LESSON = lesson("order")
ANSWERED = tuple(sorted((question, "shown") for question in LESSON.questions))
START = Settings()


def one_token() -> Settings:
    return edits.remove_token(edits.remove_token(START, 0), 0)


HEADS = edits.resize(START, num_heads=8, num_kv_heads=2, d_k=3, d_v=2)
CASES = {
    "start": START,
    "one token": one_token(),
    "heads": edits.with_choice(HEADS, position="rotary", first_position=3),
    "d_k 1": edits.resize(START, d_k=1),
    "causal": with_own(START, mask="causal", order=(2, 0, 1)),
    **{name: edits.with_choice(START, position=name) for name in POSITIONS},
    "fully masked": edits.with_choice(
        START, mask="custom", blocked=frozenset({(1, 0), (1, 1), (1, 2)}), position="alibi"
    ),
}
TOPICS = {"limits": ("padding", "longer", "cost")}
PLACES = [(part.name, topic) for part in LESSON.parts for topic in TOPICS.get(part.name, (None,))]


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize(("part", "topic"), PLACES)
def test_it_runs(part, topic, case):
    app = open_page("order", CASES[case], View(answers=ANSWERED), Place(part=part, topic=topic))
    assert not app.exception


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("part", [part.name for part in LESSON.parts])
def test_it_runs_before_and_after_the_answers(part, language):
    for answers in ((), ANSWERED):
        app = open_page("order", START, View(language=language, answers=answers), Place(part=part))
        assert not app.exception
