"""The lesson `FlashAttention`."""

from pages.shell.frame import show

show("flash_attention")
