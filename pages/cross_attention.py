"""The lesson `Cross-attention`."""

from pages.ui.frame import show

show("cross_attention")
