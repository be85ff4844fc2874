"""How the sentences of every part read: names in quotation marks, nouns that agree with their numbers.

Every part is drawn before and after its answers, with tokens that no text has, and with one of everything.
Chinese has its quotation marks where English has them.
"""

import re
from dataclasses import replace

import pytest

from pages.draw import texts
from pages.draw.messages import sentence
from pages.hand.export import worksheet
from pages.model import edits
from pages.model.entries import CODES, SettingsError
from pages.model.settings import Settings
from pages.model.state import State
from pages.model.view import Place, View
from tests.lessons.test_sentences_hold import sentences
from tests.support.course import LESSONS, PLACES, REFERENCE
from tests.support.example_states import ONE, extremes
from tests.support.screen import LANGUAGES, open_page, said, shown
from tests.support.states import as_state, start_of
from tests.support.worksheets import page_of

every_place = pytest.mark.parametrize(
    ("name", "part", "topic"), PLACES, ids=["-".join(filter(None, one)) for one in PLACES]
)
TOKEN = re.compile(r"Z[qs]\d")
# Named rightly: in quotation marks; as the place of a cell, S[Zq0, Zq1]; in bold, as an option is.
NAMED = re.compile(r"“[^“”]*”|\w\\?\[[^\]]*\]|\*\*[^*]*\*\*")
PLURAL = re.compile(r"(?<![\d.,/·×–−=√] )(?<![\d.,/·–−=√-])(?<![Hh]ead )(?<!lgorithm )\b1 ([a-z]+s)\b")
SINGULAR = {"is", "was", "has", "as", "this", "stays", "plus", "times", "differs", "lies", "sums"}


def renamed(now: Settings) -> Settings:
    """The same numbers, with tokens that no text has."""
    tokens = tuple(f"Zq{i}" for i in range(len(now.tokens)))
    return replace(now, tokens=tokens, source=tuple(f"Zs{i}" for i in range(len(now.source))))


def lines_of(state: State, name: str, part: str, topic: str | None) -> list[str]:
    """All sentences of the part, before and after its answers."""
    lines = []
    for answers in ((), shown(name)):
        app = open_page(name, state, View(answers=answers), Place(part, topic=topic))
        assert not app.exception
        lines += sentences(said(app))
    return lines


def unquoted(lines: list[str]) -> list[str]:
    return [line for line in lines if TOKEN.search(NAMED.sub("", line))]


def disagreeing(lines: list[str]) -> list[str]:
    """What follows a 1 in these lines and is no word of SINGULAR, each with its line."""
    return [f"1 {word}: {line}" for line in lines for word in PLURAL.findall(line) if word not in SINGULAR]


@pytest.mark.parametrize("line", ["The row of Zq1 is 0.", "Zq0 attends most to “Zq1”."])
def test_a_bare_name_is_found(line):
    assert unquoted([line, "The row of “Zq1” is 0.", "S[Zq0, Zq1] = 1"]) == [line]


@pytest.mark.parametrize("line", ["All 1 scores are equal.", "It has 1 tokens"])
def test_a_plural_after_one_is_found(line):
    assert len(disagreeing([line, "It has 1 token and 11 rows.", "x = 0.1 times y, 1 is"])) == 1


@every_place
def test_a_sentence_has_the_names_of_tokens_in_quotation_marks(name, part, topic):
    assert unquoted(lines_of(as_state(renamed(start_of(name))), name, part, topic)) == []


@every_place
def test_a_noun_after_one_is_singular(name, part, topic):
    one = edits.resize(ONE, d_k=1, d_v=1)
    state = next((state for which, state in extremes(name) if which == "lowest"), as_state(one))
    assert disagreeing(lines_of(replace(state, core=one), name, part, topic)) == []


@pytest.mark.parametrize("mask", ["none", "causal"])
def test_a_worksheet_has_the_names_of_tokens_in_quotation_marks(mask):
    now = edits.with_choice(renamed(Settings()), mask=mask)
    sheet = worksheet.make(page_of(now), frozenset(), "https://attention.example.org")
    result = re.findall(r"<p>(.*?)</p>", sheet, re.DOTALL)
    assert result
    assert unquoted(result) == []


FOLDERS = [texts.SHARED, texts.SHARED / "glossary", *(texts.LESSONS / one for one in (*LESSONS, *REFERENCE))]


def quoted_names(text: str) -> set[str]:
    return {name for quote in re.findall("“[^“”]*”", text) for name in re.findall(r"\{(\w+)\}", quote)}


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_both_languages_quote_the_same_names(folder):
    english, chinese = texts.table("en", folder), texts.table("zh", folder)
    assert [key for key in english if quoted_names(english[key]) != quoted_names(chinese[key])] == []


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("code", [code for code, facts in CODES.items() if "name" in facts])
def test_a_refusal_has_the_label_in_quotation_marks(code, language):
    t = texts.Texts(language)
    facts = dict.fromkeys(CODES[code], 1) | {"name": "padding"}
    assert f"“{t('setting.padding')}”" in sentence(t, SettingsError(code, **facts))
