"""The lesson `Order`."""

from pages.shell.frame import show

show("order")
