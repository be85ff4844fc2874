"""The page of terms."""

from pages.ui.frame import show

show("terms")
