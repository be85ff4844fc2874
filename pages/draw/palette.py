"""The colours, each with one meaning on every page; all are safe for colour-blind eyes.

Charts have two colours for each mark, and the browser uses the colour for its light or dark theme. Tests
measure the contrast with the ground, and the differences between lines for colour-blind eyes.
"""

import math
from collections.abc import Sequence

# Signed numbers: blue below 0, orange above, centred on 0.
DIVERGING = ("#2166ac", "#67a9cf", "#d1e5f0", "#f7f7f7", "#fee0b6", "#f1a340", "#b35806")
DARK_DIVERGING = ("#8cc8f5", "#3f86bd", "#24506f", "#2c2f36", "#6b4719", "#b9741f", "#ffbe6b")
STRETCH = 6  # of the signed scale, as in picture/colours.js
# Attention weights: 0 to 1, always the whole range.
SEQUENTIAL = ("#fcfbfd", "#dadaeb", "#9e9ac8", "#6a51a3", "#3f007d")
MASKED = "#6b7079"
HIGHLIGHT = "#d6006e"

# Of marks in charts, on light and on dark ground: weights and signed numbers have the colours of their
# matrices; magenta is what is followed now, and nothing else.
MARKS = {
    "weights": ("#6a51a3", "#a18cdc"),
    "above": ("#b35806", "#ffbe6b"),
    "below": ("#2166ac", "#8cc8f5"),
    "others": (MASKED, "#8d929b"),
    "followed": (HIGHLIGHT, "#ff5fa8"),
}
# Lines of one chart: the first is the one without help. As lines on light ground, as words there, and as both
# on dark ground. Up to five lines are named at their ends; more have a legend.
LINES = (
    ("#d55e00", "#b34f00", "#ff9a4d"),
    ("#0080c0", "#0068a0", "#4fb3ee"),
    ("#00936a", "#007a57", "#2fc796"),
    ("#b8639c", "#954a80", "#e08cc6"),
    ("#4d4d4d", "#4d4d4d", "#e6e0d4"),
    ("#8a74c9", "#6a56ad", "#b3a2f0"),
    ("#a07c00", "#7a5f00", "#e3bf45"),
    ("#5b8c00", "#4a7200", "#9ccc4a"),
    ("#a0522d", "#8a4524", "#d99a78"),
)


def signed_share(value: float) -> float:
    """The place of a number between −1 and 1 on a picture's signed scale with the bound 1."""
    return math.asinh(STRETCH * value) / math.asinh(STRETCH)


def _mixed(stops: Sequence[str], share: float) -> str:
    """The colour at a share between 0 and 1 of the way along the stops."""
    place = share * (len(stops) - 1)
    low = min(int(place), len(stops) - 2)
    start, end = ([int(stop[i : i + 2], 16) for i in (1, 3, 5)] for stop in stops[low : low + 2])
    parts = (round(a + (b - a) * (place - low)) for a, b in zip(start, end, strict=True))
    return "#" + "".join(f"{part:02x}" for part in parts)


def signed_shades(count: int) -> tuple[str, ...]:
    """The signed scale in equal steps of `signed_share`, from −1 to 1, for either ground."""
    shares = [i / (count - 1) for i in range(count)]
    return tuple(themed(_mixed(DIVERGING, share), _mixed(DARK_DIVERGING, share)) for share in shares)


def themed(light: str, dark: str) -> str:
    """A colour for either ground, as CSS has it; a saved chart gets the first (picture/printed_charts.js)."""
    return f"light-dark({light}, {dark})"


WEIGHTS, ABOVE, BELOW, OTHERS, FOLLOWED = (themed(*pair) for pair in MARKS.values())
SERIES = tuple(themed(line, dark) for line, _, dark in LINES)
INKS = {themed(line, dark): themed(ink, dark) for line, ink, dark in LINES}
