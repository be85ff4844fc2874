"""The lesson `Masks`."""

from pages.ui.frame import show

show("masks")
