"""The lesson `Train a head`."""

from pages.shell.frame import show

show("train_a_head")
