"""Your code: a printed result is read as it was printed, and the page says what it looks like."""

import contextlib
import io
import json

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from attention.checking.cases import case_of
from attention.checking.suspects import NAMES
from attention.checking.verdict import judge
from pages.draw.texts import Texts
from pages.lessons.practice import your_code
from pages.model.entries import SettingsError
from pages.model.view import Place
from tests.attention.checking.test_check import outputs
from tests.attention.checking.written import attend
from tests.support.course import lesson
from tests.support.screen import LANGUAGES, matrix, open_page, pictures, visit
from tests.support.states import looking

EVERY = [case_of(name) for name in [topic.name for topic in lesson("practice").part("your_code").topics]]
every_case = pytest.mark.parametrize("case", EVERY, ids=lambda case: case.name)
SHOWING = [(name, case) for case in EVERY for name in NAMES if outputs(name, case)]

# ---- reading

PRINTS = {
    "a tensor": str,
    "with dtype and gradient": lambda tensor: str(tensor.double().requires_grad_() * 1),
    "with leading dimensions": lambda tensor: str(tensor[None, None]),
    "with the weights behind it": lambda tensor: str((tensor, torch.ones(2, 2))),
    "a name before it": lambda tensor: f"output: {tensor}",
    "an array": lambda tensor: str(tensor.numpy()),
    "the repr of an array": lambda tensor: repr(tensor.numpy()),
    "lists": lambda tensor: str(tensor.tolist()),
    "plain rows": lambda tensor: "\n".join(" ".join(map(str, row)) for row in tensor.tolist()),
    "JSON over several lines": lambda tensor: json.dumps(tensor.tolist(), indent=1),
    "typed": lambda tensor: str(tensor).replace("-", "−").replace(",", "，"),
}


@pytest.mark.parametrize("how", PRINTS)
@every_case
def test_what_print_shows_is_read(case, how):
    reading = your_code.read(PRINTS[how](case.expected))
    torch.testing.assert_close(torch.tensor(reading.rows), case.expected, rtol=0, atol=6e-5)
    assert judge(case, torch.tensor(reading.rows), your_code.tolerance(case, reading)) is None


@given(st.integers(1, 4), st.integers(1, 4), st.data())
def test_any_matrix_is_read_back(rows, columns, data):
    number = st.floats(-1e6, 1e6, width=32) | st.sampled_from([np.nan, np.inf, -np.inf])
    values = data.draw(
        st.lists(st.lists(number, min_size=columns, max_size=columns), min_size=rows, max_size=rows)
    )
    for text in (str(torch.tensor(values)), str(np.array(values)), str(values)):
        reading = torch.tensor(your_code.read(text).rows)
        torch.testing.assert_close(reading, torch.tensor(values), rtol=1e-3, atol=1e-3, equal_nan=True)


BAD = {
    "text_too_long": "1 " * your_code.MAX_TEXT,
    "file_empty": " \n",
    "text_shortened": "tensor([[1., 2., ..., 3.]])",
    "not_a_number": "[[1.0, two]]",
    "file_uneven": "[[1.0, 2.0], [3.0]]",
}


@pytest.mark.parametrize("code", BAD)
def test_what_is_refused_is_told_with_its_reason(code):
    with pytest.raises(SettingsError) as refused:
        your_code.read(BAD[code])
    assert refused.value.code == code


@given(st.text(alphabet="[](),. -+einfatsr0123456789\n…∞\x00", max_size=60))
def test_no_text_is_more_than_refused(text):
    with contextlib.suppress(SettingsError):
        your_code.read(text)


# ---- what it looks like


@every_case
def test_the_code_gives_the_case_and_prints_the_result(case):
    scope, out = {"my_attention": attend}, io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(your_code.program(case), scope)
    for name in ("query", "key", "value", "mask"):
        given_, recipe = getattr(case, name), scope.get(name)
        assert (given_ is None and recipe is None) or torch.equal(given_, recipe)
    reading = your_code.read(out.getvalue())
    assert judge(case, torch.tensor(reading.rows), your_code.tolerance(case, reading)) is None


@pytest.mark.parametrize("decimals", [4, *(pytest.param(count, marks=pytest.mark.slow) for count in (2, 8))])
@pytest.mark.parametrize(("name", "case"), SHOWING, ids=[f"{name}-{case.name}" for name, case in SHOWING])
def test_a_mistake_is_named_however_many_decimals_are_printed(name, case, decimals):
    if name == "half_softmax" and decimals == 2:
        return  # as right as the print
    for output in outputs(name, case):
        text = "\n".join(" ".join(f"{number:.{decimals}f}" for number in row) for row in output.tolist())
        reading = your_code.read(text)
        verdict = judge(
            case, torch.tensor(reading.rows, dtype=torch.float64), your_code.tolerance(case, reading)
        )
        assert verdict is not None and name in verdict.suspects and not verdict.together
        assert len(verdict.suspects) == 1 or case.name == "large_scores"


def test_every_mistake_that_can_show_has_its_words():
    words = Texts("en", "practice").section("looks_like")
    assert set(words) == {name for name, _ in SHOWING}


# ---- the page


def checked(case, text, language="en"):
    """The page of the case after this text was pasted and checked."""
    view, place = looking(language=language), Place("your_code", topic=case.name)
    return check(open_page("practice", None, view, place), case, text)


def check(app, case, text):
    app.text_area(key=f"pasted-{case.name}").set_value(text)
    labels = {Texts(language, "practice")("your_code.check") for language in LANGUAGES}
    next(one for one in app.button if one.label in labels).click().run()
    assert not app.exception and not app.error
    return app


@every_case
def test_a_right_result_is_said_to_be_right(case):
    language = LANGUAGES[len(case.name) % 2]
    app = checked(case, str(case.expected), language)
    assert [one.value for one in app.success] == [Texts(language, "practice")("your_code.right")]
    assert not app.warning and not pictures(app)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", ["inverted", "nan_rows", "by_sqrt_n"])
def test_a_wrong_result_is_named_and_shown_beside_the_right_one(name, language):
    case = next(case for view, case in SHOWING if view == name)
    output = outputs(name, case)[0]
    app = checked(case, str(output), language)
    t = Texts(language, "practice")
    assert t(f"looks_like.{name}") in app.warning[0].value and not app.success
    assert matrix(app, "expected")["values"] == case.output.tolist()
    assert len(matrix(app, "got")["values"]) == len(output)
    differ = ~torch.isclose(output.double(), case.output, rtol=case.tolerance, atol=case.tolerance)
    assert matrix(app, "got")["ringed"] == differ.nonzero().tolist()
    assert app.get("page_link"), "the way to the lesson that treats it"


@pytest.mark.parametrize("language", LANGUAGES)
def test_two_mistakes_together_are_both_named(language):
    case, t = case_of("square"), Texts(language, "practice")
    wrong = torch.softmax(case.query @ case.key.mT, dim=-1) @ case.value.abs()
    warning = checked(case, str(wrong), language).warning[0].value
    assert warning.startswith(t("your_code.looks_like_together"))
    assert t("looks_like.not_scaled") in warning and t("looks_like.output_signs") in warning


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_transposed_result_is_named_and_numbers_of_no_known_mistake_are_said_to_be_so(language):
    case, t = case_of("rectangle"), Texts(language, "practice")
    app = checked(case, str(case.output.mT), language)
    assert t("looks_like.not_transposed_back") in app.warning[0].value and not pictures(app)
    wrong = case.output + 1
    assert check(app, case, str(wrong)).warning[0].value == t("your_code.unknown")
    wrong[0, 0] = float("nan")
    assert check(app, case, str(wrong)).warning[0].value == t("your_code.not_finite")
    app = check(app, case, str(case.output[:, 1:]))
    sizes = {"rows": 2, "columns": 6, "expected_rows": 2, "expected_columns": 7}
    assert app.warning[0].value == t("your_code.shape", **sizes)


def test_what_cannot_be_read_is_told_and_stays():
    for code, text in BAD.items():
        app = checked(case_of("square"), text)
        assert len(app.warning) == (code != "file_empty") and not app.success
        assert app.text_area(key="pasted-square").value == text


def test_what_was_checked_is_there_again_and_can_be_corrected():
    case, other = case_of("square"), case_of("mask")
    app = checked(case, "[[1, 2], [3, 4]]")
    assert app.warning
    visit(app).places["practice"] = Place("your_code", topic=other.name)
    app.run()
    assert not app.warning and app.text_area(key="pasted-mask").value == ""
    visit(app).places["practice"] = Place("your_code", topic=case.name)
    app.run()
    assert app.warning and app.text_area(key="pasted-square").value == "[[1, 2], [3, 4]]"
    assert check(app, case, str(case.expected)).success


def test_a_learner_s_text_is_shown_as_typed_and_nothing_of_it_is_run():
    app = checked(case_of("square"), "[[1, <b>*x*</b>]]")
    assert r"\<b\>" in app.warning[0].value
    check(app, case_of("square"), "__import__('os').system('exit 1')")
    assert [warning.value for warning in app.warning] == [Texts("en", "practice")("error.file_empty")]


@every_case
def test_numbers_at_the_limits_of_floats_are_compared(case):
    """By the comparison, and in the first case by the page."""
    rows, columns = case.output.shape
    texts = [
        "\n".join([" ".join([number] * columns)] * rows)
        for number in ("-1.7976931348623157e+308", "5e-324", "inf", "1e300")
    ]
    for reading in map(your_code.read, texts):
        numbers = torch.tensor(reading.rows, dtype=torch.float64)
        assert judge(case, numbers, your_code.tolerance(case, reading)) is not None
    for text in texts if case is EVERY[0] else ():
        assert checked(case, text).warning
