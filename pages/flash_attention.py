"""The lesson `FlashAttention`."""

from pages.ui.frame import show

show("flash_attention")
