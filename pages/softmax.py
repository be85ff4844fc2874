"""The lesson `Softmax`."""

from pages.shell.frame import show

show("softmax")
