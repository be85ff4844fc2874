"""The page for teachers."""

from pages.ui.frame import show

show("for_teachers")
