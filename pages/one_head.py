"""The lesson `One head`."""

from pages.ui.frame import show

show("one_head")
