"""The lesson `One head`."""

from pages.shell.frame import show

show("one_head")
