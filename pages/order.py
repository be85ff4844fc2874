"""The lesson `Order`."""

from pages.ui.frame import show

show("order")
