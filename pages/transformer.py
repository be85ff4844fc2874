"""The lesson `A whole transformer`."""

from pages.shell.frame import show

show("transformer")
