"""The files of the lesson have the exact computation of the example on the screen."""

from dataclasses import replace

import pytest

from attention.lab.worked_examples.audit import audit, judged
from pages.draw.page import Page
from pages.hand.export import program, script
from pages.lessons.worked_examples.documents import read
from pages.lessons.worked_examples.notes import NOTES
from pages.model.view import SHOWN, Place
from tests.support.course import lesson
from tests.support.example_states import TWELVE
from tests.support.exported import assert_same, run
from tests.support.screen import LANGUAGES
from tests.support.states import looking, page_in
from tests.support.variant_files import check_variant

from .test_conventions import CASES, printed

TOPICS = {topic.name: topic.asks[0].name for topic in lesson("worked_examples").part("notes").topics}
WITHOUT = ("it",)  # its weights are all that is printed


def note(topic: str, language: str = "en", *, answered: bool = True) -> Page:
    view = looking([(TOPICS[topic], SHOWN)] if answered else [], language=language)
    page = page_in("worked_examples", "notes", TWELVE, view)
    return replace(page, place=Place("notes", topic=topic))


def check(page: Page, exact: dict) -> None:
    check_variant(page, {})
    known, _ = run(script.pytorch(page, ""))
    for name in ("weights", "output"):
        if name in exact:  # queries that the example lacks come last
            assert_same(known[name][: len(exact[name])], exact[name])


@pytest.mark.parametrize("topic", [topic for topic in TOPICS if topic not in WITHOUT])
def test_every_file_has_the_exact_numbers_of_a_note(topic):
    for language in LANGUAGES:
        page = note(topic, language)
        exact = audit(NOTES[topic]).exact
        assert "weights" in exact
        check(page, exact)
        assert bool(program.of(page).about) == ("x" not in exact)


@pytest.mark.parametrize("case", CASES)
def test_every_file_has_the_exact_numbers_of_an_example_of_the_learner_s(case):
    named, divisor, causal, _ = CASES[case]
    for steps in ((), ("Q", "K", "A"), ("scaled", "A")):
        document = printed(named, divisor, causal, *steps)
        page = page_in("worked_examples", "own", TWELVE, looking(document=document))
        outcome = judged(read(document))
        check(page, audit(read(document), outcome.convention).exact)


def test_without_an_example_that_is_shown_the_files_have_the_settings():
    own = [
        page_in("worked_examples", "own", view=looking(document=text)) for text in ("", "Q = [[1", "A = 1")
    ]
    others = [page_in("worked_examples", part) for part in ("code", "gallery")]
    open_notes = [note(topic, answered=False) for topic in TOPICS]
    for page in (*own, *others, *open_notes, *map(note, WITHOUT)):
        assert program.of(page) is None
