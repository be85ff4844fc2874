"""The lesson `Cost`."""

from pages.ui.frame import show

show("cost")
