"""The first page."""

from pages.shell.frame import show

show("start")
