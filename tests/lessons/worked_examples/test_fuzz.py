"""Any text, and any change of a shipped example, is read or refused with a reason; nothing else is raised."""

import contextlib
import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from attention.checking.cases import case_of
from attention.checking.verdict import judge
from attention.lab.worked_examples.audit import audit
from attention.lab.worked_examples.document import BLANK, Block, Document, number, of_notes
from pages.lessons.practice import your_code
from pages.lessons.worked_examples import opening, view
from pages.lessons.worked_examples.documents import read, skipped, tables_of, written
from pages.model.entries import MAX_VALUE, Refusal
from tests.lessons.worked_examples.test_documents import FORMS
from tests.lessons.worked_examples.test_linear import UNITS
from tests.support.course import lesson

ODD = (
    "0e999",
    "1e999",
    "1e999/1e999",
    "0√1e999",
    "-1e400",
    "1e-999",
    "1/1e-999",
    "1/0",
    "√0",
    "-",
    "٣",
    "９",
    "1e308",
)
NOTES = [
    written(
        Document(
            tuple(Block(one.step, one.rows) for one in note.blocks if one.step in view_steps), note.tokens
        )
    )
    for view_steps in [("query", "key", "value", "scores", "scaled_scores", "weights", "output")]
    for note in of_notes().values()
]
EXAMPLES = [*NOTES, *FORMS.values()]
CASES = [topic.name for topic in lesson("practice").part("your_code").topics]
PRINTS = [str(case_of(name).expected) for name in CASES]
any_text = st.lists(st.sampled_from([*UNITS, *ODD]), max_size=60).map("".join)


@st.composite
def changed(draw: st.DrawFn, texts: list[str]) -> str:
    """A text with some places replaced: by odd numbers, by what a reader knows, or by parts of the text."""
    result = draw(st.sampled_from(texts))
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(result)))
        end = min(len(result), start + draw(st.integers(0, 12)))
        own = result[draw(st.integers(0, len(result))) :][: draw(st.integers(0, 40))]
        result = result[:start] + draw(st.sampled_from([*ODD, *UNITS, own])) + result[end:]
    return result


def values(document: Document) -> list:
    return [
        (one.step, [[number(entry) for entry in row if entry != BLANK] for row in one.rows])
        for one in document.blocks
    ]


def use(text: str) -> None:
    """All that the page does with a text, but for drawing it."""
    with contextlib.suppress(Refusal):
        document = read(text)
        outcome = audit(document)
        assert all(math.isfinite(number(line.printed)) for line in outcome.lines)
        assert all(abs(number(line.printed)) <= MAX_VALUE for line in outcome.lines)
        assert all(len(line) <= 60 for line in skipped(tables_of(text)))
        for line in outcome.lines:
            assert all(
                len(view.exact_text(value, line)) < 40 for value in (line.exact, line.own, line.difference)
            )
        opening.settings_of(document)
        assert values(read(written(document))) == values(document)


@given(changed(EXAMPLES))
@settings(max_examples=500, deadline=None, derandomize=True)
def test_any_change_of_an_example_is_audited_or_refused(text):
    use(text)


@given(any_text)
@settings(max_examples=500, deadline=None, derandomize=True)
def test_any_text_of_what_has_a_meaning_is_audited_or_refused(text):
    for start in ("", "Q = 1 1\nK = 1 1\nS = ", '{"Q": [[1, 1]], "K": [[1, 1]], "S": ', "Q,1\nK,1\nS,"):
        use(start + text)


@given(changed(PRINTS) | any_text, st.sampled_from(CASES))
@settings(max_examples=300, deadline=None, derandomize=True)
def test_any_printed_result_is_judged_or_refused(text, name):
    with contextlib.suppress(Refusal):
        reading = your_code.read(text)
        tolerance = your_code.tolerance(case_of(name), reading)
        assert 0 <= tolerance < 1
        judge(case_of(name), torch.tensor(reading.rows, dtype=torch.float64), tolerance)


@pytest.mark.parametrize("entry", ["0e999", "1e999", "1e999/1e999", "0√1e999", "1e-999/1e-999", "1/0", "٣√٣"])
def test_a_number_that_is_none_is_refused_wherever_it_is(entry):
    for text in (
        "Q = [{}]\nK = 1\nS = 1",
        "Q = [1]\nK = [1]\nS = [{}]",
        "Q,1\nK,1\nS,{}",
        '{{"Q": [["{}"]], "K": [[1]]}}',
    ):
        with pytest.raises(Refusal) as refused:
            read(text.format(entry))
        codes = {"not_a_number", "too_large"} | ({"nothing_to_check"} if "٣" in entry else set())  # a word
        assert refused.value.code in codes, text
    with pytest.raises(Refusal):
        your_code.read(f"[[{entry}, 1]]")
