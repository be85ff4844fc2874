"""The lesson `Many heads`."""

from pages.shell.frame import show

show("many_heads")
