"""The lesson `Masks`."""

from pages.shell.frame import show

show("masks")
