"""A question is asked whatever the numbers are: about an example where they make no good question."""

from dataclasses import replace

import pytest

from pages.draw.texts import Texts
from pages.model import edits
from tests.support.questions import ASKED, Asked
from tests.support.screen import LANGUAGES, open_page, said, visit

CHANGES = {
    "zeros": lambda now: edits.fill(now, "x", "zeros"),
    "alike": lambda now: replace(now, x=(now.x[0],) * len(now.x)),
    "a fully masked row": lambda now: edits.with_choice(
        now, mask="custom", mask_2="none", blocked=frozenset((1, key) for key in range(len(now.tokens)))
    ),
}


@pytest.mark.parametrize(
    ("asked", "change"),
    [
        # Zeros distinguish the fewest options, and only where the right one follows from the numbers.
        pytest.param(
            asked,
            change,
            marks=() if change == "zeros" and asked.question.at_start else pytest.mark.slow,
            id=f"{asked}-{change}",
        )
        for asked in ASKED
        for change in CHANGES
    ],
)
def test_every_question_is_asked_whatever_the_numbers_are(asked: Asked, change: str):
    language = LANGUAGES[len(change) % 2]
    state = replace(asked.settings, core=CHANGES[change](asked.settings.core))
    app = open_page(asked.lesson, state, asked.view(language=language), asked.place)
    assert not app.exception and visit(app).state == state
    keys = [one.key or "" for one in app.button]
    assert any(key.startswith((f"guess-{asked.name}-", f"check-{asked.name}")) for key in keys)


@pytest.mark.exhaustive("name")
@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", ["symmetric", "swap", "value", "row", "ablation"])
def test_it_says_whose_numbers_the_question_is_about(name, language):
    asked = next(one for one in ASKED if one.name == name)
    sentence = Texts(language)("question.stands_in", example="|").split("|")[0].strip("“”")
    for change in (lambda now: now, CHANGES["zeros"]):
        state = replace(asked.settings, core=change(asked.settings.core))
        app = open_page(asked.lesson, state, asked.view(language=language), asked.place)
        assert (sentence in said(app)) == (state != asked.settings)
