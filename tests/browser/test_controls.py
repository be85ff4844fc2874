"""Presses the controls of every lesson, see every_control."""

import itertools

import pytest

from pages.model.languages import LANGUAGES
from tests.support.course import LESSONS, REFERENCE

# The languages take turns.
CASES = list(zip((*LESSONS, *REFERENCE), itertools.cycle(LANGUAGES), strict=False))


@pytest.mark.parametrize(("lesson", "language"), CASES)
def test_every_control(press_every_control, lesson, language):
    press_every_control(lesson, language)


def test_the_picture_on_a_phone(press_every_control):
    press_every_control("one_head", "zh", phone=True)
