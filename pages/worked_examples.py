"""The lesson `Worked examples`."""

from pages.shell.frame import show

show("worked_examples")
