"""Presses the controls of every lesson, see every_control."""

import pytest

from pages.lessons import LESSONS, REFERENCE
from pages.model.languages import LANGUAGES

# The languages take turns.
CASES = [(name, LANGUAGES[i % 2]) for i, name in enumerate((*LESSONS, *REFERENCE))]


@pytest.mark.parametrize(("lesson", "language"), CASES)
def test_every_control(press_every_control, lesson, language):
    press_every_control(lesson, language)


def test_the_picture_on_a_phone(press_every_control):
    press_every_control("one_head", "zh", phone=True)
