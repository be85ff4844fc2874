"""The lesson `Softmax` without a browser: its questions and its buttons."""

import random
import re
from functools import partial
from types import SimpleNamespace

import pytest
import torch

from pages.draw.numbers import short
from pages.draw.texts import Texts
from pages.lessons.softmax import bars, jacobian
from pages.lessons.softmax.settings import SoftmaxNumbers
from pages.model.fields import specs
from pages.model.scores import Scores
from pages.model.settings import Settings
from pages.model.view import Place, View
from tests.support import questions, screen
from tests.support.example_states import TWELVE
from tests.support.screen import LANGUAGES, open_page, pictures, said, shown, visit
from tests.support.states import value_of, with_own

START = Settings()
ASKED = [asked for asked in questions.ASKED if asked.lesson == "softmax" and asked.name != "softmax_end"]
opened = partial(screen.opened, "softmax")


def matrices(app) -> list[dict]:
    return [one for picture in pictures(app) for one in picture["matrices"]]


def test_the_chosen_head_is_marked():
    app = opened("axes", TWELVE, head=7)
    assert [one["id"] for one in matrices(app) if one["chosen"]] == ["head_weights_8"]


# ---- questions


@pytest.mark.parametrize("asked", ASKED, ids=str)
def test_the_numbers_to_think_with_stand_in_the_question_and_nothing_else_is_drawn(asked):
    drawn, *ends = pictures(opened(asked.part, topic=asked.place.topic, answers=asked.view().answers))
    assert [m["id"] for end in ends for m in end["matrices"]] == ["end_scores"] * len(ends)
    names = {m["id"] for m in drawn["matrices"]}
    assert names <= {"logits", "weights", "masked_scores"} and names
    assert not any(m["editable"] for m in drawn["matrices"])


def test_one_of_the_guesses_is_the_softmax_and_all_read_differently():
    exact = torch.softmax(torch.tensor(bars.QUESTION_SCORES, dtype=torch.float64), -1).tolist()
    read = {
        name: [short(weight) for weight in guess(bars.QUESTION_SCORES)]
        for name, guess in bars.GUESSES.items()
    }
    assert [name for name, weights in read.items() if weights == list(map(short, exact))] == ["exps"]
    assert len(set(map(tuple, read.values()))) == len(read)
    assert read["shares"] == ["0.65", "0.32", "0.03"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_weights_are_guessed_before_any_is_shown(language):
    app = opened("bars", answers=(), language=language)
    assert [one["id"] for one in matrices(app)] == ["logits"]
    assert "0.659" not in said(app)
    app.button(key="guess-soft_three-shares").click().run()
    t = Texts(language, "softmax")
    assert t.listed(["0.66", "0.24", "0.10"]) in said(app) and t.listed(["7.39", "2.72", "1.11"]) in said(app)
    assert "weights" in {one["id"] for one in matrices(app)}


def test_no_question_is_spoilt_by_what_stands_beside_it():
    """The Jacobian's formula and the line of code with the axis appear only after the answers."""
    jacobian = opened("jacobian", answers=shown("softmax", but="soft_raise"))
    assert r"\partial p_i" not in said(jacobian)
    axes = opened("axes", answers=shown("softmax", but="soft_axis"))
    assert not axes.code
    for language in LANGUAGES:
        asked = Texts(language, "softmax")("ask.soft_axis")
        assert not any(phrase in asked for phrase in ("each column", "down", "沿着每一列", "每一列"))


def test_with_one_key_there_is_nothing_to_ask():
    one = with_own(START, logits=(3.0,))
    for part in ("temperature", "jacobian"):
        app = opened(part, one, answers=())
        assert not [button for button in app.button if (button.key or "").startswith("guess-")]


# ---- one entry of the Jacobian, derived


def is_said(tex: str, value: float) -> bool:
    """Whether a number in a formula is this one, rounded: to four decimals or more, or to one digit."""
    read, small = float(tex.replace(r"\times 10^{", "e").rstrip("}")), "^{" in tex
    return (read > 0) is (value > 0) and abs(read - value) <= (abs(value) / 2 if small else 5.1e-5)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_numbers_of_the_derivation_are_those_of_the_entry(language):
    draw, powers = random.Random(0), False
    for _ in range(60):
        logits = tuple(draw.uniform(-8, 8) for _ in range(draw.randint(2, 10)))
        row, col = (draw.randrange(len(logits)) for _ in range(2))
        page = SimpleNamespace(
            t=Texts(language, "softmax"), scores=Scores(logits), place=Place(cell=("jacobian", row, col))
        )
        text, s = jacobian.derivation(page), torch.tensor(logits, dtype=torch.float64)
        exact = torch.autograd.functional.jacobian(lambda one: torch.softmax(one, -1), s)[row, col].item()
        p = torch.softmax(s, -1)
        assert rf"\partial p_{{{row + 1}}}}}{{\partial s_{{{col + 1}}}}}" in text
        *_, product, entry = text.split("$")[-2].split(r"\approx ")
        assert is_said(entry, exact)
        factors = re.split(r"\\,\(1-|\\cdot (?!10)", product.rstrip(")"))
        wanted = (p[row], p[row]) if row == col else (-p[row], p[col])
        assert all(is_said(tex, one.item()) for tex, one in zip(factors, wanted, strict=True))
        powers |= "^{" in entry
    assert powers


def test_the_entry_that_was_clicked_is_derived_and_without_one_the_chosen_scores_own():
    for cell, place in ((None, (2, 2)), (("jacobian", 0, 1), (1, 2)), (("jacobian", 0, 7), (2, 2))):
        now = with_own(START, score=1)
        app = open_page("softmax", now, View(answers=shown("softmax")), Place(part="jacobian", cell=cell))
        row, col = place
        assert rf"\partial p_{{{row}}}}}{{\partial s_{{{col}}}}}" in said(app)


# ---- buttons


def test_buttons_change_the_scores_and_the_seed_which_begins_again_after_the_last():
    three, (_, last) = (2.0, 1.0, 0.1), specs(SoftmaxNumbers)["dropout_seed"].range(SoftmaxNumbers())
    results = {"add": (*three, 0.0), "remove": three, "tie": (2.0, 1.0, 2.0), "note": three}
    app = opened("bars")
    for name, logits in results.items():
        app.button(f"scores-{name}").click().run()
        assert value_of(visit(app).state, "logits") == logits
    assert app.button("scores-note").disabled
    app = opened("dropout", with_own(START, dropout_seed=last))
    for seed in (0, 1):
        app.button("redraw").click().run()
        assert value_of(visit(app).state, "dropout_seed") == seed
