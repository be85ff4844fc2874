"""Each term is a link to *Terms* in the part that uses it first, on the way that a learner takes.

The way begins with the stops of the hour; the other parts follow in the order of the course. English is read,
and both languages have the same links in the same texts.
"""

import re
from collections.abc import Iterator

import pytest
from streamlit.testing.v1 import AppTest

from pages.draw import texts
from pages.draw.glossary import TERMS, name
from pages.draw.texts import with_terms
from pages.lessons.one_head.row import STEPS
from pages.model.course import Location
from tests.lessons.sentences import LINK, linked_terms
from tests.support.course import COURSE, LESSONS, PLACES, REFERENCE
from tests.support.screen import open_link, said, shown

# Words that everybody knows, and names of buttons.
EVERYDAY = {"cell", "undo", "visible"}
LINKED = re.compile(r"\]\(term:(\w+)\)")
FOLDERS = [texts.SHARED, *(texts.LESSONS / folder for folder in (*LESSONS, *REFERENCE))]


def words(term) -> re.Pattern:
    """The English name of the term, in the singular or plural, without what is in parentheses."""
    plain = re.sub(r"\s*\(.*\)", "", name(term, "en")).removesuffix("s")
    return re.compile(rf"(?<![\w-]){re.escape(plain)}e?s?(?![\w-])", re.IGNORECASE)


WORDS = {term.key: words(term) for term in TERMS if term.key not in EVERYDAY}
KEYS = {name(term, "en"): term.key for term in TERMS}


def way() -> list[Location]:
    """The parts in the order of the way: the stops, then all other parts of the lessons."""
    stops = [(stop.lesson, stop.part) for stop in COURSE.hour]
    others = [place for place in PLACES if place[0] in LESSONS and place[:2] not in stops]
    return [*(Location(*place) for stop in stops for place in PLACES if place[:2] == stop), *others]


def pages_of(place: Location) -> Iterator[AppTest]:
    """The part with its answers; of a part in steps, each step."""
    steps = [f"row_{step}" for step in STEPS] if place[:2] == ("one_head", "row") else [None]
    for step in steps:
        query = {"lang": "en", "part": place.part, "topic": place.topic, "step": step}
        query = {key: value for key, value in query.items() if value}
        yield open_link(place.lesson, query, dict(shown(place.lesson)))


def linked(text: str) -> list[str]:
    """The terms to which the text has a link."""
    return [KEYS[name] for name in linked_terms(text)]


def missing(place: Location, known: set[str]) -> Iterator[str]:
    """The terms that the part uses first and has no link to; adds all that it uses to the known ones."""
    text = "\n".join(map(said, pages_of(place)))
    text = re.sub(r"<style>.*?</style>|!\[[^]]*\]\([^)]*\)", "", text, flags=re.DOTALL)
    links, plain = set(linked(text)), LINK.sub("", text)
    used = {key for key, pattern in WORDS.items() if pattern.search(plain)} - known
    known |= used | links
    yield from (f"{'/'.join(filter(None, place))} uses {key!r} first" for key in sorted(used - links))


def test_a_link_and_its_lack_are_seen():
    text = with_terms("[Scores](term:score) of each [key](term:key)", "en")
    assert linked(text) == ["score", "key"] and WORDS["score"].search("Two scores.")
    assert not WORDS["key"].search("monkeys, keyboard") and not WORDS["head"].search("key/value-head")


def test_each_term_is_a_link_in_the_stop_that_uses_it_first():
    known: set[str] = set()
    places = [place for place in way() if COURSE.stop_at(*place[:2])]
    assert [fault for place in places for fault in missing(place, known)] == []


@pytest.mark.slow
def test_each_term_is_a_link_in_the_part_that_uses_it_first():
    known: set[str] = set()
    assert [fault for place in way() for fault in missing(place, known)] == []


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_both_languages_link_the_same_terms_once_in_a_text(folder):
    english, chinese = texts.table("en", folder), texts.table("zh", folder)
    links = {key: (LINKED.findall(text), LINKED.findall(chinese[key])) for key, text in english.items()}
    assert [key for key, (first, second) in links.items() if sorted(first) != sorted(second)] == []
    assert [key for key, (first, _) in links.items() if len(first) > len(set(first))] == []
