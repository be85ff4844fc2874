"""The lesson `Cost`."""

from pages.shell.frame import show

show("cost")
