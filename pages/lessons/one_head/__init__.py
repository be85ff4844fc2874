"""The lesson on single-head attention: the whole computation in one picture."""

from pages.ui import toolbar
from pages.ui.page import Lesson, Part

LESSON = Lesson("one_head", (Part("picture", edits=("inputs",), switches=toolbar.ALL, tall=True),))
