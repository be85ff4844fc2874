"""Each check of a text or of a chart sees its fault."""

import pytest

from pages.draw.texts import SHARED, table, with_terms
from tests.lessons import sentences
from tests.lessons.checkers import ambiguous
from tests.support.chart_axes import unfilled
from tests.support.screen import LANGUAGES


def test_a_label_of_two_points_is_found():
    rows = [{"kind": "label", "text": text, "x": x, "y": 0} for text, x in (("it", 0), ("it", 1), ("a", 1))]
    assert ambiguous([*rows, rows[-1]]) == ["it"]


def test_an_axis_that_its_numbers_leave_empty_is_found():
    def chart(ends: list[float] | None, top: float, **scale: str) -> tuple[dict, list[dict]]:
        y = {"type": "quantitative", "scale": {"domain": ends} | scale}
        return {"layer": [{"encoding": {"y": y}}]}, [{"kind": "line", "y": y} for y in (1.0, top)]

    for ends, top in (([0.0, 2.0], 1.9), ([1.0, 2.0], 1.9), ([-9.0, 9.0], 1.0)):
        assert unfilled(*chart(ends, top)) == []
    for ends, top in (([0.0, 2.0], 1.7), ([-1.0, 2.0], 1.9), (None, 2.0)):
        assert unfilled(*chart(ends, top))
    assert unfilled(*chart([1.0, 1e4], 100.0, type="log"))
    assert not unfilled(*chart([1.0, 150.0], 100.0, type="log"))


@pytest.mark.parametrize("line", ["The row of Zq1 is 0.", "Zq0 attends most to “Zq1”."])
def test_a_bare_name_is_found(line):
    assert sentences.unquoted([line, "The row of “Zq1” is 0.", "S[Zq0, Zq1] = 1"]) == [line]


@pytest.mark.parametrize("line", ["All 1 scores are equal.", "It has 1 tokens"])
def test_a_plural_after_one_is_found(line):
    assert len(sentences.disagreeing([line, "It has 1 token and 11 rows.", "x = 0.1 times y, 1 is"])) == 1


def test_a_winner_is_found_and_a_tie_is_not():
    for language in LANGUAGES:
        texts, winner = (
            table(language, SHARED),
            sentences.winning("cross_attention", language)["reading.most"],
        )
        one = texts["reading.most"].format(query="a", name="b", value="0.50")
        tie = texts["reading.most_tie"].format(query="a", names="“b”、“c”", value="0.50")
        assert winner.search(one) and not winner.search(tie)


def test_a_line_that_is_off_in_the_last_digit_is_found():
    assert sentences.miscalculated(["p₁ = 0.17 · 0.45 + 0.25 · 1.27 = 0.3950"]) != []
    assert sentences.miscalculated(["p₁ = 0.17 · 0.45 + 0.25 · 1.27 = 0.3940", "A = 0.5"]) == []


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ("The sum is {value}.", "a placeholder"),
        ("The sum is nan.", "not a number"),
        ("It is −0.00 here.", "minus zero"),
        ("It is 1e-7.", "a raw exponent"),
        ("It is -1.", "a hyphen for a minus sign"),
        ("It ends..", "two full stops"),
        ("““it””", "two quotation marks"),
        ("These are: .", "an empty list"),
        ("It changes by more than 0.00.", "a claimed difference that reads as 0"),
        ("The rows differ by 0.", "a claimed difference that reads as 0"),
        ("每行之和相差 0。", "a claimed difference that reads as 0"),
        ("Every row sums to 1.000.", "a number that reads like 0 or 1"),
        ("The sums go from 0.31 to 0.31.", "a change to the same number"),
        ("In 8 of the 8 pairs it is right.", "a change to the same number"),
        ("The standard deviation is 2.03005.", "more decimals than a reader needs"),
    ],
)
def test_a_fault_of_words_is_found(line, fault):
    right = "The rows differ by 0.02, from 1.00 to 1.002; in 8 of the 80 pairs by 0.999998 or 1.5."
    assert [one.partition(": ")[0] for one in sentences.broken([line, right])] == [fault]


@pytest.mark.parametrize(
    "text", ["叫作**[键](terms)**。", "**课堂：**单头", "**a", "{value} is", r"about \sqrt{d}", "a __b"]
)
def test_a_mark_that_is_shown_as_written_is_found(text):
    assert sentences.raw_marks(text, is_markdown=True)


@pytest.mark.parametrize(
    "text", ["叫作[**键**](terms)。", "**课堂**：单头", r"$\sqrt{d}$ and `__b`", "s_{ij}"]
)
def test_a_mark_that_is_read_is_not(text):
    assert not sentences.raw_marks(text, is_markdown=True)
    assert bool(sentences.raw_marks(text, is_markdown=False)) == (text != "s_{ij}")


@pytest.mark.parametrize(("text", "count"), [("我, 爱; 猫", 2), ("猫。 鱼", 1), ("S[我, 爱]、1, 2；q, k", 0)])
def test_a_latin_mark_is_found(text, count):
    assert len(sentences.with_latin_marks(text)) == count


def test_a_foreign_token_is_found():
    assert sentences.is_foreign("猫 cats", "en") and sentences.is_foreign("cats", "zh")
    assert not sentences.is_foreign("A", "zh") and not sentences.is_foreign("float16", "zh")


def test_a_link_to_a_term_is_found():
    text = with_terms("[Scores](term:score) of each [key](term:key)", "en")
    assert sentences.linked_terms(text) == ["score", "key"]
