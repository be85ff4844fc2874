"""The lesson `Worked examples`."""

from pages.ui.frame import show

show("worked_examples")
