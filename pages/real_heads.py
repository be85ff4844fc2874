"""The lesson `Real heads`."""

from pages.ui.frame import show

show("real_heads")
