"""The lesson `Train a head`."""

from pages.ui.frame import show

show("train_a_head")
