"""Sentences that name a winner, sentences of other pages, and what a part sets aside."""

import re
from dataclasses import replace

import pytest

from pages.draw import texts
from pages.draw.messages import sentence
from pages.draw.texts import LESSONS, SHARED, Texts, table
from pages.hand.export import worksheet
from pages.model import edits
from pages.model.entries import CODES, SettingsError
from pages.model.settings import Settings
from pages.model.view import Place, View
from tests.lessons import sentences
from tests.lessons.sentences import MORE, pattern, winning
from tests.support import course
from tests.support.course import PLACES
from tests.support.screen import LANGUAGES, open_page, opened, pictures, said, shown
from tests.support.states import SWITCHED, as_state, heads_of
from tests.support.worksheets import page_of

# The ends of these lessons tell the learner's whole computation, with all switches.
WHOLE = {("one_head", "misconceptions"), ("many_heads", "sharing")}


@pytest.mark.exhaustive
@pytest.mark.parametrize("place", PLACES, ids=lambda place: "-".join(filter(None, place)))
def test_what_a_part_sets_aside_changes_nothing_in_it(place):
    """Nor in the end of the lesson below it: its sentences, its question and what an answer shows."""
    name, part, topic = place
    caption = Texts("en")("position.set_aside")
    now = edits.example_start("tired_heads" if name == "many_heads" else "masks")
    all_at_once = edits.with_choice(
        now, **{key: one for way in SWITCHED.values() for key, one in way.items()}
    )
    if place[:2] in WHOLE or caption not in said(opened(name, part, all_at_once, topic)):
        return
    without = opened(name, part, now, topic)
    for switch, way in SWITCHED.items():
        page = opened(name, part, edits.with_choice(now, **way), topic)
        lines = [line for line in sentences.of(said(page)) if line != caption]
        assert lines == sentences.of(said(without)), switch
        assert [one["matrices"] for one in pictures(page)] == [one["matrices"] for one in pictures(without)]


# ---- a text that names one winner has a sibling, <key>_tie (pages/draw/winners.py)


def lines_of(
    name: str, part: str, topic: str | None, now: Settings, language: str, row: int | None = None
) -> list[str]:
    view = View(language=language, answers=shown(name))
    app = open_page(name, as_state(now), view, Place(part, row, topic=topic))
    assert not app.exception
    return sentences.of(said(app))


ALIKE = edits.with_choice(edits.example_start("uniform"), mask="padding", padding=2)
# Each query attends most to itself in one head, equally in the other.
UNLIKE = heads_of((3.0, 1.0), (0.0, 1.0))


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    ("name", "part", "topic", "key", "now"),
    [
        ("masks", "gallery", None, "gallery.most", ALIKE),
        ("masks", "wrong", "after_softmax", "after_softmax.worst", ALIKE),
        ("one_head", "arrows", None, "reading.most", edits.example_start("two_heads")),
        ("why_scale", "yours", "moved", "yours.reading", UNLIKE),
        ("why_scale", "yours", "moved", "yours.reading", heads_of((3.0, 1.0), off=1e-6)),
        ("why_scale", "yours", "moved", "summary.three", UNLIKE),
        ("many_heads", "overview", None, "overview.most_different", UNLIKE),
        ("many_heads", "sharing", None, "summary.one", UNLIKE),
    ],
)
def test_a_tie_is_named(name, part, topic, key, now, language):
    texts = table(language, SHARED) | table(language, LESSONS / name)
    lines = lines_of(name, part, topic, now, language, row=2)
    assert not any(winning(name, language)[key].search(line) for line in lines)
    assert any(pattern(texts[f"{key}_tie"]).search(line) for line in lines)


@pytest.mark.parametrize("language", LANGUAGES)
def test_two_heads_that_count_as_much_are_named_together(language):
    now, texts = heads_of((3.0, 1.0), (3.0, 1.0)), table(language, LESSONS / "many_heads")
    lines = lines_of("many_heads", "ablation", None, now, language)
    assert any(pattern(texts["because.ablation_several"]).search(line) for line in lines)
    assert not any(pattern(texts["because.ablation_one"]).search(line) for line in lines)


# Texts with a superlative and a name that need no tie.
KINDS = ("previous", "next", "first", "same_word", "animal")
CLEAR = ("largest", "head_top", "top_part", "between")
ALWAYS_ONE = {
    # A wish, and what is so once it is fulfilled; a question that has one answer (test_stops.py).
    "one_head": {
        "stop.hand_task",
        "hand.cell",
        "hand.done",
        "hand.itself",
        "ask.one_projection",
    },
    # These data never change (real_heads/test_claims.py), and the best heads of all are counted.
    "real_heads": {
        "anecdote.best",
        "anecdote.control",
        "anecdote.special",
        "ask.real_wide",
        *(f"because.real_{kind}" for kind in KINDS),
    },
    # An exercise leaves no doubt (CLEAR in practice/bank.py).
    "practice": {
        "claim.importance",
        *(f"{section}.{key}" for section in ("claim", "follows", "refuted") for key in CLEAR),
    },
}
SUPERLATIVE = re.compile(
    r"\b((?<!at )most|(larg|small|furth|farth|near|strong|high|low|few)est|best|worst)\b"
)
NAME = re.compile(r"“\{\w+\}”|\{(head|heads|best|q|k)\}")


@pytest.mark.parametrize("name", ["", *course.LESSONS, *course.REFERENCE])
def test_every_text_that_names_a_winner_has_its_tie(name):
    texts = table("en", LESSONS / name if name else SHARED)
    named = {
        key
        for key, text in texts.items()
        for line in re.split(r"(?<=[.?!:;])\s", text)
        if NAME.search(line) and SUPERLATIVE.search(re.sub(r"\{\w+\}", "", line))
    }
    ties = {key for key in texts if f"{key}_tie" in texts or key.endswith("_tie")}
    assert named - ties - {*MORE.get(name, ())} - ALWAYS_ONE.get(name, set()) == set()


# ---- other pages


def renamed(now: Settings) -> Settings:
    """The same numbers, with tokens that no text has."""
    tokens = tuple(f"Zq{i}" for i in range(len(now.tokens)))
    return replace(now, tokens=tokens, source=tuple(f"Zs{i}" for i in range(len(now.source))))


@pytest.mark.parametrize("mask", ["none", "causal"])
def test_a_worksheet_has_the_names_of_tokens_in_quotation_marks(mask):
    now = edits.with_choice(renamed(Settings()), mask=mask)
    sheet = worksheet.make(page_of(now), frozenset(), "https://attention.example.org")
    result = re.findall(r"<p>(.*?)</p>", sheet, re.DOTALL)
    assert result
    assert sentences.unquoted(result) == []


FOLDERS = [
    texts.SHARED,
    texts.SHARED / "glossary",
    *(texts.LESSONS / one for one in (*course.LESSONS, *course.REFERENCE)),
]


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
