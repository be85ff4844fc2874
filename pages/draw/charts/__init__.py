"""Charts: a specification built once a shape and kept, and a table of numbers that comes on every run.

Scales are part of a specification, with round ends, so they hold still while a number is dragged.
"""

from .plane import Plot, curves
from .rows import bars, groups, heat, ranges
from .theme import HERO, SMALL, SUPPORT, Axis, Chart, log_reach, reach
