"""Presses every control of these lessons, see every_control. They are spread over files for the workers."""

import pytest

from pages.model.view import LANGUAGES
from tests.browser.every_control import parts_of


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(("lesson", "part"), parts_of("masks"))
def test_every_control(press_every_control, lesson, part, language):
    press_every_control(lesson, part, language)
