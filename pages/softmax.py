"""The lesson `Softmax`."""

from pages.ui.frame import show

show("softmax")
