"""The lesson `Practice`."""

from pages.shell.frame import show

show("practice")
