"""The lesson `What newer models change`."""

from pages.shell.frame import show

show("newer_models")
