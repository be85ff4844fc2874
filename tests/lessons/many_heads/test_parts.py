"""The lesson `Many heads` without a browser: every part, both languages, before and after the answers."""

import pytest

from pages.lessons.many_heads import LESSON
from pages.model import edits
from pages.model.settings import Settings
from pages.model.view import Place, View
from tests.apps import LANGUAGES, open_page, pictures

START = Settings()
TWO_JOBS = edits.load_example(START, "two_jobs")
TWO = edits.resize(START, num_heads=2)
BIG = edits.resize(START, d_model=16, num_heads=8)
for _ in range(9):
    BIG = edits.add_token(BIG)
CASES = {
    "one head": START,
    "two heads": TWO,
    "two jobs": TWO_JOBS,
    "four heads": edits.resize(START, num_heads=4),
    "shared keys": edits.resize(START, num_heads=4, num_kv_heads=2),
    "one token": edits.resize(edits.remove_token(edits.remove_token(START, 0), 0), num_heads=2),
    "fully masked row": edits.with_choice(TWO, mask="custom", blocked=frozenset({(1, 0), (1, 1), (1, 2)})),
    "finite masked score": edits.with_choice(TWO, mask="causal", masked_score="-1e9"),
    "biases": edits.set_biases(edits.resize(START, num_heads=2, d_k=3, d_v=5), True),
    "twelve tokens, eight heads": BIG,
}
ANSWERS = tuple((question, "shown") for question in (*LESSON.questions, LESSON.ending))
TOPICS = {"view": ("output", "origins", "note"), "code": ("modules", "lines", "accident", "divide")}
PLACES = [(part.name, topic) for part in LESSON.parts for topic in TOPICS.get(part.name, (None,))]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("answers", [(), ANSWERS], ids=["before", "after"])
@pytest.mark.parametrize(("part", "topic"), PLACES)
def test_every_part_runs_in_either_language(part, topic, answers, language):
    app = open_page(
        "many_heads", TWO_JOBS, View(language=language, answers=answers), Place(part=part, topic=topic)
    )
    assert not app.exception and not app.warning
    assert pictures(app) or topic in ("modules", "lines", "divide")


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize(("part", "topic"), PLACES)
def test_every_part_runs_in_every_state(part, topic, case):
    app = open_page("many_heads", CASES[case], View(answers=ANSWERS), Place(part=part, topic=topic))
    assert not app.exception and not app.warning


@pytest.mark.parametrize("case", CASES)
def test_the_way_with_a_small_projection_per_head_runs_in_every_state(case):
    app = open_page("many_heads", CASES[case], View(answers=ANSWERS, writing="small"), Place(part="split"))
    assert not app.exception and not app.warning
