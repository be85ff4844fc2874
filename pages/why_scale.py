"""The lesson `Why √d_k`."""

from pages.shell.frame import show

show("why_scale")
