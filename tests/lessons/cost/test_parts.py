"""Every part of the lesson runs in both languages, before and after the answers, in all settings."""

import pytest

from pages.lessons import lesson
from pages.model import edits
from pages.model.settings import Settings
from pages.model.view import Place, View
from tests.apps import LANGUAGES, open_page
from tests.states import with_own

LESSON = lesson("cost")
ANSWERED = tuple(sorted((question, "shown") for question in LESSON.questions))
START = Settings()
ONE = edits.remove_token(edits.remove_token(START, 0), 0)
CASES = {
    "start": START,
    "one token": ONE,
    "heads": edits.resize(START, num_heads=8, num_kv_heads=2, d_k=3, d_v=2),
    "masked": edits.with_choice(START, mask="causal"),
    "least": with_own(
        START, cost_n=2, cost_d=8, cost_kernel=2, cost_window=2, path_n=2, cache_tokens=1, dilated=False
    ),
    "most": with_own(
        START,
        cost_n=131_072,
        cost_d=16_384,
        cost_kernel=64,
        cost_window=4096,
        path_n=64,
        cache_tokens=131_072,
        cache_batch=1024,
    ),
    "equal": with_own(START, cost_n=256),
}
PARTS = [part.name for part in LESSON.parts]


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("part", PARTS)
def test_it_runs(part, case):
    app = open_page("cost", CASES[case], View(answers=ANSWERED), Place(part=part))
    assert not app.exception


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("part", PARTS)
def test_it_runs_before_and_after_the_answers(part, language):
    for answers in ((), ANSWERED):
        app = open_page("cost", START, View(language=language, answers=answers), Place(part=part))
        assert not app.exception
