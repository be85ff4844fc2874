"""The lesson `Real heads`."""

from pages.shell.frame import show

show("real_heads")
