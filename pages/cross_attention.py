"""The lesson `Cross-attention`."""

from pages.shell.frame import show

show("cross_attention")
