"""The page of terms."""

from pages.shell.frame import show

show("terms")
