"""The lesson `Why √d_k`."""

from pages.ui.frame import show

show("why_scale")
