"""Mathematics has one form wherever people read.

- An index that Unicode has is written with it in every text, chart, label and title: dₖ, √dₖ, qᵢ, p₁.
- An index that Unicode lacks, W_Q or d_model, is written with an underscore in the texts. TeX, the picture
  and the sentences that follow the numbers draw it as a subscript; other places show the underscore.
- A power has its exponent above the line: 10⁻⁷, and $2^{-8/n}$ where Markdown is read. Cells of a picture and
  numbers that are typed keep 1e−7, for they hold few characters.
- Names of links, files and programs, in backticks, and TeX, in dollars, keep d_k.
"""

import html
import re

import pytest

from pages.draw import say, texts
from pages.draw.numbers import number_of, power
from tests.support.course import LESSONS, REFERENCE

FOLDERS = [texts.SHARED, texts.SHARED / "glossary", *(texts.LESSONS / one for one in (*LESSONS, *REFERENCE))]
# TeX, code, and places of values.
OWN_FORM = re.compile(r"```.*?```|`[^`]*`|\$\$.*?\$\$|\$[^$]*\$|\{\w+(?::[^{}]*)?\}", re.DOTALL)
OTHER_FORMS = re.compile(r"(?<![\w\\])[A-Za-z]_[ijknv](?!\w)|\d(?:\.\d+)?[eE][+−-]?\d|\w\^[({\d−-]|\w\*\*\d")
TYPED = "W_Q d_model <b> & \\ '"


def other_forms(text: str) -> list[str]:
    return OTHER_FORMS.findall(OWN_FORM.sub(" ", text))


def test_another_form_is_found():
    for wrong in ("√d_k", "q_i · k_j", "2.2e−16", "1e+7", "2^(−8/n)", "10^7", "n**2"):
        assert other_forms(f"Here: {wrong}."), wrong
    for right in ("√dₖ and W_Q, d_model", "`d_k`", "$d_k^{2}$", "10⁷, {d_k}", "K^T", "step 3e"):
        assert not other_forms(right), right


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_every_text_has_the_one_form(folder, language):
    encoding = {key: other_forms(text) for key, text in texts.table(language, folder).items()}
    assert {key: forms for key, forms in encoding.items() if forms} == {}


@pytest.mark.parametrize(
    ("value", "digits", "text"),
    [(1e-16, 0, "10⁻¹⁶"), (-2.24e-16, 1, "−2.2×10⁻¹⁶"), (7.13e7, 2, "7.13×10⁷"), (float("inf"), 1, "∞")],
)
def test_a_power_of_ten_is_written_and_read(value, digits, text):
    assert power(value, digits) == text and number_of(text) == pytest.approx(value, rel=0.02)


def test_a_sentence_draws_the_indices_that_unicode_lacks(monkeypatch):
    bodies: list[str] = []
    monkeypatch.setattr(say.st, "html", bodies.append)
    say.sentence("W_Q and d_model < 9, not W_QK or my_model")
    assert "W<sub>Q</sub> and d<sub>model</sub> &lt; 9, not W_QK or my_model" in bodies[0]


def test_a_sentence_shows_a_token_as_typed(monkeypatch):
    bodies: list[str] = []
    monkeypatch.setattr(say.st, "html", bodies.append)
    say.sentence(f"{texts.literal(TYPED)} is no W_K")
    assert f">{html.escape(TYPED)} is no W<sub>K</sub><" in bodies[0]
