"""The lesson `Practice`."""

from pages.ui.frame import show

show("practice")
