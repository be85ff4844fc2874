"""The common look of all charts: type size, width, axes, colours, legends."""

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt

from pages.picture.data import ROUND

from .. import palette
from ..numbers import DIGITS

# The columns of a chart's table, and the specification that names them.
Chart = tuple[dict[str, list], dict]

HEIGHT = 180  # px of the drawing area: what moves a chart stays in the same window as the chart
HERO, SUPPORT = 260, 150  # px: the chart that a part is about, and one that belongs to it
TYPE = 15  # px
LABEL = 14.5  # px of a name at the end of a line
LONGEST = 130  # px of a line of a name at the end; where a name is longer, all names are above the chart
MOST_SPECS = 512  # specifications
QUIET: dict[str, Any] = {"tooltip": None, "aria": False}

LABELS = 40  # px that an upright axis keeps for its labels, so that charts above each other are aligned
CONFIG = {
    "view": {"stroke": None},
    "title": {"anchor": "start", "fontSize": TYPE + 1, "offset": 8},
    "axis": {
        "labelFontSize": TYPE,
        "titleFontSize": TYPE,
        "labelLimit": 0,
        "titleLimit": 0,
        "labelPadding": 6,
        "titlePadding": 6,
    },
    # The name of an upright axis lies over it and not next to it: so it can be longer than the chart is high.
    "axisY": {
        "minExtent": LABELS,
        "titleAngle": 0,
        "titleAlign": "left",
        "titleAnchor": "end",
        "titleBaseline": "bottom",
        "titleX": -LABELS,
        "titleY": -TYPE * 0.75,
    },
    "legend": {
        "title": None,
        "orient": "top",
        "direction": "horizontal",
        "labelFontSize": TYPE,
        "labelLimit": 0,
        "padding": 0,
        "offset": 2 * TYPE,  # over the name of the upright axis
        "symbolOpacity": 1,
        "symbolStrokeWidth": 3,
    },
    "text": {"fontSize": TYPE},
}
ENTRY = 38  # px of an entry of a legend next to its letters
BESIDE = 60  # px left of a legend: the room of the upright axis


@dataclass(frozen=True)
class Axis:
    """The name and the ends of an axis; without ends, it ends with the numbers.

    ticks: default to even steps or powers of ten. label: a Vega expression for a tick's text. whole: whole
    numbers only.
    """

    title: str
    ends: tuple[float, float] | None = None
    log: bool = False
    ticks: tuple[float, ...] = ()
    label: str = ""
    whole: bool = False

    def channel(self, *, stretched: bool = False) -> dict[str, Any]:
        """The properties of a channel of positions in Vega-Lite (see on_axes).

        stretched: a unit has the same length on both axes.
        """
        scale: dict[str, Any] = {"type": "log"} if self.log else {}
        if self.ends is not None:
            scale |= {"domain": list(self.ends), "nice": False}
            scale |= {} if self.log else {"zero": False}
        if stretched and self.ends is not None:
            scale["domain"] = [{"expr": f"{end} * width / height"} for end in self.ends]
        style: dict[str, Any] = {"tickCount": 4, "labelOverlap": True}
        if self.whole:
            style |= {"tickMinStep": 1, "format": "d"}
        ticks = self.ticks or (_powers(*self.ends) if self.log and self.ends else ())
        if ticks:
            style["values"] = list(ticks)
        if label := self.label or self._form(ticks or self.ends or ()):
            style["labelExpr"] = label
        return {"title": self.title, "scale": scale, "axis": style}

    def _form(self, values: Sequence[float]) -> str:
        """One form of a number for a whole axis: with powers of ten where it has long numbers, else plain."""
        sizes = [abs(value) for value in values if value]
        if sizes and (max(sizes) >= LONG or (self.log and min(sizes) <= SMALL) or max(sizes) < SMALL):
            return POWERS
        return "format(datum.value, '~g')" if self.log else ""

    def holds(self, value: float) -> bool:
        """Whether the number is on this axis."""
        low, high = self.ends or (-math.inf, math.inf)
        return low <= value <= high

    def spread(self, values: Sequence[float], gap: float) -> list[float]:
        """The values, moved until their distances are at least `gap` of the axis, and inside it."""
        low, high = map(self._scaled, self.ends or (min(values), max(values)))
        at = {i: (self._scaled(value) - low) / (high - low) for i, value in enumerate(values)}
        order = sorted(at, key=lambda i: at[i])
        for i, below in zip(order, [None, *order], strict=False):
            at[i] = max(at[i], 0.0 if below is None else at[below] + gap)
        for i, above in zip(reversed(order), [None, *reversed(order)], strict=False):
            at[i] = min(at[i], 1.0 if above is None else at[above] - gap)
        moved = [low + share * (high - low) for _, share in sorted(at.items())]
        return [10.0**value for value in moved] if self.log else moved

    def _scaled(self, value: float) -> float:
        return math.log10(max(value, 1e-300)) if self.log else value


LEAST, LARGEST = 1e-12, 1e300  # smaller shares are due to rounding; no scale shows larger numbers
LONG, SMALL = 10_000, 0.001  # from these sizes on an axis has powers of ten


def _power_label() -> str:
    """A Vega expression for a tick: 10⁷, 2×10⁻⁵, and numbers without a power as they are."""
    power = "floor(log(abs(datum.value)) / LN10 + 1e-9)"
    digit = f"{list(DIGITS)}[{{}}]".format
    size = f"abs({power})"
    above = f"({power} < 0 ? '⁻' : '')"
    for place in (100, 10):
        above += f" + ({size} >= {place} ? {digit(f'floor({size} / {place}) % 10')} : '')"
    above += f" + {digit(f'{size} % 10')}"
    factor = f"format(datum.value / pow(10, {power}), '.3~g')"
    factor = f"({factor} == '1' ? '' : {factor} + '×')"
    plain = f"!datum.value || {power} == 0 || {power} == 1"
    return f"{plain} ? format(datum.value, '~g') : {factor} + '10' + {above}"


POWERS = _power_label()


def _powers(low: float, high: float) -> list[float]:
    """At most six powers of ten; on a short axis also their double and fivefold."""
    first, last = math.ceil(math.log10(low) - 1e-9), math.floor(math.log10(high) + 1e-9)
    if last - first > 1:
        return [10.0**power for power in range(first, last + 1, 1 + (last - first) // 6)]
    steps = [by * 10.0**power for power in range(first - 1, last + 1) for by in (1, 2, 5)]
    return [step for step in steps if low <= step <= high]


# Possible ends of an axis: close enough that at most a tenth of it is empty, and far enough apart that it
# mostly holds still while a number moves.
STEPS = (
    *(1, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.7, 1.8, 1.9, 2, 2.2, 2.4, 2.6, 2.8, 3, 3.3, 3.6, 3.9, 4.2, 4.6),
    *(5, 5.5, 6, 6.5, 7, 7.5, 8, 8.8, 9.5, 10),
)


def log_reach(values: Sequence[float]) -> tuple[float, float]:
    """The ends of a logarithmic axis with all the positive numbers, never equal."""
    positive = [value for value in values if 0 < value < math.inf]
    low, high = 1 / _end(1 / min(positive)), _end(max(positive))
    return low, max(high, 2 * low)


def reach(values: Sequence[float], *, still: bool = False) -> tuple[float, float]:
    """The ends of an axis from 0 or below with all the finite numbers.

    still: for dragged numbers: the axis ends further from them, and moves less often.
    """
    finite = [0.0, *(value for value in values if math.isfinite(value))]
    below, above = -min(finite), max(finite)
    least = LEAST * max(below, above)
    if not least:
        return 0.0, 1.0
    steps = ROUND if still else STEPS
    return -_end(below, steps) if below > least else 0.0, _end(above, steps) if above > least else 0.0


def _end(size: float, steps: Sequence[float] = STEPS) -> float:
    """The next of the steps."""
    power = 10.0 ** math.floor(math.log10(size))
    return min(next(power * step for step in steps if size <= power * step * (1 + 1e-12)), LARGEST)


def colours(names: tuple[str, ...], used: tuple[str, ...], **style: Any) -> alt.Color:
    """A colour a series, whose number is in the column; several have their names above the chart."""
    scale = alt.Scale(domain=list(range(len(used))), range=list(used))
    return alt.Color("series:N", scale=scale, legend=legend(names, **style))


def legend(names: tuple[str, ...], *, beside: int = BESIDE, **style: Any) -> alt.Legend | None:
    """The legend of several series, which begins so many px from the left."""
    if len(names) < 2:
        return None
    labels = json.dumps(list(names), ensure_ascii=False)
    return alt.Legend(labelExpr=f"{labels}[datum.value]", columns=_columns(names, beside), **style)


def series_colours(names: tuple[str, ...]) -> tuple[str, ...]:
    return palette.SERIES[: max(1, len(names))]


def inks(used: tuple[str, ...]) -> list[str]:
    """The colours of lines as colours of words."""
    return [palette.INKS.get(colour, colour) for colour in used]


def length(text: str, size: float = TYPE) -> float:
    """About how many px wide a text is."""
    return sum(size if letter > "⺀" else size * 0.47 for letter in text)


def in_lines(name: str) -> list[str]:
    """A name at the end of a line, in two lines if it is long and has several words."""
    first, *words = name.split(" ")
    while words and length(f"{first} {words[0]}", LABEL) <= LONGEST and length(name, LABEL) > LONGEST:
        first = f"{first} {words.pop(0)}"
    return [first, " ".join(words)] if words and length(name, LABEL) > LONGEST else [name]


def _columns(names: tuple[str, ...], beside: int) -> alt.ExprRef:
    """As many columns as there is room for: a Vega expression.

    It uses the container's width, since the width of the drawing area is known only after the layout of the
    legend. The latter is in the expression only so that Vega evaluates it again after a change.
    """
    sizes = [ENTRY + length(name) for name in names]
    choices = ""
    for count in range(len(names), 1, -1):
        needed = beside + sum(max(sizes[column::count]) for column in range(count))
        choices += f"containerSize()[0] + 0 * width >= {needed:.0f} ? {count} : "
    return alt.ExprRef(f"{choices}1")


def on_axes(spec: str, **channels: dict[str, Any]) -> dict:
    """The specification with the axes of the present numbers in its channels.

    Altair builds it without them: it takes 30 ms, which is too long for an axis that moves with a hand.
    """
    chart = json.loads(spec)
    for part in (chart, *chart.get("layer", ())):
        for name, channel in channels.items():
            there = part.get("encoding", {}).get(name, {})
            if there.get("type") == "quantitative":
                there |= channel
    return chart


def finished(chart: alt.TopLevelMixin, title: str, height: float) -> str:
    """The specification as JSON, to be cached with functools.lru_cache.

    A test validates the specifications of all parts with Vega-Lite's schema: validation here would take
    longer than everything else.
    """
    spec = chart.properties(data=alt.NamedData("source"), height=height).to_dict(validate=False)
    spec.pop("data")
    spec.pop("datasets", None)
    spec["config"] = CONFIG
    if title:
        spec["title"] = {"text": title, "limit": 0}  # Streamlit would cut it
    spec["usermeta"] = {"embedOptions": {"renderer": "svg"}}
    # The width is the container's, axes included. The height is that of the drawing area: Streamlit's own
    # choice, "fit", takes the room of axes and legend from it, until nothing is left.
    spec["autosize"] = {"type": "fit-x", "contains": "padding"}
    spec["padding"] = {"left": 2, "top": 4, "right": 10, "bottom": 6}
    return json.dumps(spec)
