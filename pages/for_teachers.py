"""The page for teachers."""

from pages.shell.frame import show

show("for_teachers")
