"""The lesson `Two layers`."""

from pages.shell.frame import show

show("two_layers")
