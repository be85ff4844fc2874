"""The sentences of every part, for settings that are drawn: none has a fault that its words or numbers show.

The tests of each part recompute what its sentences claim. Here every part is drawn once in each language,
with its answers, core settings of every kind and its lesson's own numbers anywhere in their ranges.
"""

import random
import re

import pytest

from pages.draw.texts import Texts
from pages.model import edits
from pages.model.fields import specs, with_fields
from pages.model.scores import MAX_LOGITS
from pages.model.settings import Settings
from pages.model.state import State
from pages.model.view import Place, View
from tests.apps import LANGUAGES, open_page, opened, pictures, said, shown
from tests.asked import PLACES
from tests.course import lesson
from tests.drawn import drawn
from tests.states import SWITCHED, as_state, start_of

EN = r"more than|up to|(?<!of )at most|at least|less than|off by"
ZH = r"超过|多于|少于|不到|至少|最多(相差|改变|偏差)"
FAULTS = {
    "a placeholder": r"\{[a-z_0-9]+\}",
    "not a number": r"\b(nan|inf)\b",
    "minus zero": r"[−-]0(\.0+)?(?![\d.,e])",
    "a raw exponent": r"\de[+-]\d",
    "a hyphen for a minus sign": r"(?<![\w\\=-])-\d",
    "two full stops": r"(?<!\.)\.\.(?![./])|。[。.]",
    "two quotation marks": "““|””",
    "an empty list": r"(?<!\[)[:：,，、(（]\s*[.。,，、;；)）](?!\d)|“\s*”",
    "a claimed difference that reads as 0": rf"({EN}|{ZH})\s?0(\.0+|%)(?!\d)|(up to|off by) 0(?!\.?\d)",
}


def state(name: str, seed: int) -> State:
    """Core settings of any kind, and the lesson's own numbers anywhere in their ranges."""
    draw, now = random.Random(seed), as_state(drawn(seed))
    for kind in lesson(name).numbers:
        fields = {}
        for field, spec in specs(kind).items():
            if spec.kind == "choice":
                fields[field] = draw.choice(spec.options)
            elif spec.kind == "flag":
                fields[field] = draw.random() < 0.5
            elif field == "sample_pairs":  # as many pairs take long
                fields[field] = 200
            elif spec.low is not None:
                low, high = spec.range(kind())
                fields[field] = draw.randint(low, high) if spec.kind == "count" else draw.uniform(low, high)
        if "logits" in specs(kind):
            tied = draw.random() < 0.3
            fields["logits"] = tuple(
                float(draw.randint(-1, 1)) if tied else draw.uniform(-6, 6)
                for _ in range(draw.randint(1, MAX_LOGITS))
            )
        now = now.having(with_fields(kind(), **fields))
    return now


def sentences(text: str) -> list[str]:
    """What is said, without tables, formulas and code, which may have braces and signs of their own."""
    plain = re.sub(r"<style>.*?</style>|```.*?```", "", text, flags=re.DOTALL)
    plain = re.sub(r"\$[^$]*\$|`[^`]*`", "x", plain)
    plain = re.sub(r"<[^>]*>", " ", plain)
    return [line for line in plain.splitlines() if line.strip() and not line.startswith("|")]


def lines_of(name: str, part: str, topic: str | None, now: State, language: str) -> list[str]:
    app = open_page(name, now, View(language=language, answers=shown(name)), Place(part, topic=topic))
    assert not app.exception
    return sentences(said(app))


@pytest.mark.exhaustive
@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    ("name", "part", "topic"), PLACES, ids=["-".join(filter(None, one)) for one in PLACES]
)
def test_no_sentence_has_a_fault_that_its_words_show(name, part, topic, language):
    seed = 1000 * LANGUAGES.index(language) + PLACES.index((name, part, topic))
    lines = lines_of(name, part, topic, state(name, seed), language)
    results = [(fault, line) for line in lines for fault, how in FAULTS.items() if re.search(how, line)]
    assert results == []


# ---- switches


# The ends of these lessons tell the learner's whole computation, with all switches.
WHOLE = {("one_head", "misconceptions"), ("many_heads", "code")}


@pytest.mark.exhaustive
@pytest.mark.parametrize("switch", SWITCHED)
@pytest.mark.parametrize(
    ("name", "part", "topic"), PLACES, ids=["-".join(filter(None, one)) for one in PLACES]
)
def test_what_a_part_sets_aside_changes_nothing_in_it(name, part, topic, switch):
    """Nor in the end of the lesson below it: its sentences, its question and what an answer shows."""
    caption = Texts("en")("position.set_aside")
    now = edits.example_start("tired_heads" if name == "many_heads" else "masks")
    page = opened(name, part, edits.with_choice(now, **SWITCHED[switch]), topic)
    if caption not in said(page) or (name, part) in WHOLE:
        return
    without = opened(name, part, now, topic)
    assert [line for line in sentences(said(page)) if line != caption] == sentences(said(without))
    assert [one["matrices"] for one in pictures(page)] == [one["matrices"] for one in pictures(without)]


# ---- ties


TIED = edits.fill(edits.fill(edits.resize(Settings(), num_heads=2), "x", "zeros"), "y", "zeros")
# What names one row, key, head or score as the most of all; no such is said where all are equal.
LEADS = {
    ("one_head", "picture"): "reading.most",
    ("cross_attention", "picture"): "reading.most",
    ("cross_attention", "translation"): "reading.most",
    ("masks", "gallery"): "gallery.most",
    ("why_scale", "yours"): "yours.reading",
    ("many_heads", "ablation"): "because.ablation_one",
}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(("name", "part"), LEADS)
def test_nothing_leads_where_all_are_equal(name, part, language):
    text = Texts(language, name)(LEADS[name, part])
    leads = re.compile(re.sub(r"\\{\w+\\}", "[^、,]+", re.escape(text)))
    lines = lines_of(name, part, None, as_state(TIED), language)
    assert [line for line in lines if leads.search(line)] == []
    assert any(leads.search(line) for line in lines_of(name, part, None, as_state(start_of(name)), language))
