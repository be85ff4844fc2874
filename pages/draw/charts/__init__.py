"""Charts: a specification, built once for each shape, and a table of numbers, made on every run.

Scales are part of the specification, with round ends, so they hold still while a number is dragged.
"""

from .plane import Plot, curves
from .rows import bars, groups, heat, ranges
from .theme import HERO, SMALL, SUPPORT, Axis, Chart, log_reach, reach
