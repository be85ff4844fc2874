"""The lesson `Many heads`."""

from pages.ui.frame import show

show("many_heads")
