"""The numbers of a figure as a file."""

import csv
import io
import math

import pytest

from pages.draw.plots import csv_of, in_cell

FORMULAS = ["=1+1", "+1", "-1+cmd|'/C calc'!A0", "@S(1)", "\t=1", "\r=1", " =1", "＝1", "＋1", "－1", "＠a"]


@pytest.mark.parametrize("name", FORMULAS)
def test_a_text_that_a_spreadsheet_would_run_is_shown_as_typed(name):
    content = csv_of({name: [1.5, -2.0], "b": [name, "a"]}).decode("utf-8-sig")
    header, first, second = csv.reader(io.StringIO(content, newline=""))
    assert header == [f"'{name}", "b"]
    assert first == ["1.5", f"'{name}"] and second == ["-2.0", "a"]


@pytest.mark.parametrize("name", FORMULAS[:5] + FORMULAS[6:])
def test_nor_is_it_run_after_a_semicolon_which_some_spreadsheets_read_as_the_end_of_a_cell(name):
    assert in_cell(f"a;{name.lstrip()};b") == f"a;'{name.lstrip()};b"
    assert in_cell(f"-1; {name.lstrip()}") == f"'-1;' {name.lstrip()}"


def test_a_column_has_the_name_that_a_program_gives_it():
    assert csv_of({"dₖ": [1]}).decode("utf-8-sig").startswith("d_k\r\n")


def test_what_is_not_known_is_an_empty_cell():
    assert csv_of({"a": [math.nan, None], "b": [1, 2.5]}).decode("utf-8-sig") == "a,b\r\n,1\r\n,2.5\r\n"


@pytest.mark.parametrize(
    "value", [-1.5, 0, True, None, "-1.5", "-1e-09", "-inf", "−1.5", "a=b", "a-b", "a; b=c"]
)
def test_numbers_and_other_texts_stay_as_they_are(value):
    assert in_cell(value) == value
