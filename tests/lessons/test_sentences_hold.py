"""The sentences of every part, for settings that are drawn: none has a fault that its words or numbers show.

The tests of each part recompute what its sentences claim. Here every part is drawn once in each language,
with its answers, core settings of every kind and its lesson's own numbers anywhere in their ranges.
"""

import random
import re
from dataclasses import replace

import pytest

from pages.draw.texts import LESSONS, SHARED, Texts, table
from pages.model import edits
from pages.model.fields import specs, with_fields
from pages.model.scores import MAX_LOGITS
from pages.model.settings import Settings
from pages.model.state import State
from pages.model.view import Place, View
from tests.support import course
from tests.support.course import PLACES, lesson
from tests.support.random_settings import drawn
from tests.support.screen import LANGUAGES, open_page, opened, pictures, said, shown
from tests.support.states import SWITCHED, as_state, heads_of, with_own

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


def lines_of(
    name: str, part: str, topic: str | None, now: State, language: str, row: int | None = None
) -> list[str]:
    app = open_page(name, now, View(language=language, answers=shown(name)), Place(part, row, topic=topic))
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
WHOLE = {("one_head", "misconceptions"), ("many_heads", "sharing")}


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
# A text that names one winner has a sibling, <key>_tie, which names several (pages/draw/winners.py).


# Other texts on one winner: what they say instead of a tie has another name.
MORE = {"one_head": ("arrows.best", "arrows.longer"), "many_heads": ("because.ablation_one",)}
CATS = edits.set_source(Settings(), "a b c")
PADDED = {"mask": "padding", "padding": 2, "cross_mask": "padding", "source_padding": 2}
ZEROS = edits.fill(edits.fill(edits.resize(CATS, num_heads=2), "x", "zeros"), "y", "zeros")
EQUAL_KEYS = edits.set_biases(edits.fill(edits.fill(CATS, "w_k", "zeros"), "w_v", "zeros"), True)


def rows_alike(by: float) -> Settings:
    """All rows of X and of Y are the first one, times 1, 1 + by and 1 + 2·by."""
    factors = [1 + by * row for row in range(3)]
    x, y = ([[factor * number for number in rows[0]] for factor in factors] for rows in (CATS.x, CATS.y))
    return edits.set_block(edits.set_block(CATS, "x", 0, 0, x), "y", 0, 0, y)


# In these states queries are alike, and so are visible keys, visible tokens and heads. A mask is set in all,
# for some parts take the causal one where none is set.
TIED = {
    "zeros": edits.with_choice(ZEROS, **PADDED),
    "equal rows": edits.with_choice(rows_alike(0.0), **PADDED),
    "rows that read alike": edits.with_choice(rows_alike(1e-6), **PADDED),
    "equal keys": edits.with_choice(
        replace(EQUAL_KEYS, b_k=(1.0,) * len(EQUAL_KEYS.b_k), b_v=(1.0,) * len(EQUAL_KEYS.b_v)), **PADDED
    ),
    "two rows fully masked": edits.with_choice(
        ZEROS, mask="custom", blocked=frozenset((row, key) for row in (0, 1) for key in range(3))
    ),
}


def winning(name: str, language: str) -> dict[str, re.Pattern]:
    """The texts on one winner that the lesson can say, each as a pattern of what is filled in."""
    texts = table(language, SHARED) | table(language, LESSONS / name)
    keys = [key for key in texts if f"{key}_tie" in texts]
    return {key: pattern(texts[key]) for key in (*keys, *MORE.get(name, ()))}


def pattern(text: str) -> re.Pattern:
    (text,) = sentences(re.sub(r"\{(\w+)[^{}]*\}", "Zq", text))
    filled = re.escape(text).replace("“Zq”", "“[^“”]+”").replace("Zq", ".+?")
    return re.compile(filled)


def test_a_winner_is_found_and_a_tie_is_not():
    for language in LANGUAGES:
        texts, found = table(language, SHARED), winning("cross_attention", language)["reading.most"]
        one = texts["reading.most"].format(query="a", name="b", value="0.50")
        tie = texts["reading.most_tie"].format(query="a", names="“b”、“c”", value="0.50")
        assert found.search(one) and not found.search(tie)


def stands_in(language: str) -> str:
    """How the sentence begins which says that a question is about an example."""
    return Texts(language)("question.stands_in", example="|").split("|")[0]


OTHER_NUMBERS = {
    *(("one_head", part) for part in ("meaning", "library", "row", "hand", "arrows")),
    ("two_layers", "by_hand"),
    ("real_heads", "one_real_head"),
    ("real_heads", "next_word"),
    ("real_heads", "explain", "model"),
    ("real_heads", "explain", "without"),
    ("transformer", "the_model"),
}
OWN_NUMBERS = [place for place in PLACES if OTHER_NUMBERS.isdisjoint((place, place[:2]))]


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("name", "part", "topic"), OWN_NUMBERS, ids=["-".join(filter(None, one)) for one in OWN_NUMBERS]
)
def test_nothing_wins_where_all_read_alike(name, part, topic):
    """Each state is drawn in one of the languages."""
    for place, now in enumerate(TIED.values()):
        language = LANGUAGES[place % len(LANGUAGES)]
        state = as_state(now)
        if name in ("softmax", "flash_attention"):
            state = with_own(state, logits=(1.0, 1.0, 0.5))
        lines = lines_of(name, part, topic, state, language)
        texts = winning(name, language)
        if any(line.startswith(stands_in(language)) for line in lines):  # the verdict is on an example
            texts = {key: one for key, one in texts.items() if not key.startswith("because.")}
        named = [(key, line) for key, one in texts.items() for line in lines if one.search(line)]
        assert named == [], [*TIED][place]


ALIKE = edits.with_choice(edits.example_start("uniform"), mask="padding", padding=2)
UNLIKE = heads_of(
    (3.0, 1.0), (0.0, 1.0)
)  # each query attends most to itself in one head, equally in the other


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
    lines = lines_of(name, part, topic, as_state(now), language, row=2)
    assert not any(winning(name, language)[key].search(line) for line in lines)
    assert any(pattern(texts[f"{key}_tie"]).search(line) for line in lines)


@pytest.mark.parametrize("language", LANGUAGES)
def test_two_heads_that_count_as_much_are_named_together(language):
    now, texts = heads_of((3.0, 1.0), (3.0, 1.0)), table(language, LESSONS / "many_heads")
    lines = lines_of("many_heads", "ablation", None, as_state(now), language)
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
        "ask.row_most",
        "because.row_most",
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
