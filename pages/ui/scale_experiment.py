"""The part `experiment` of the lesson `Why √d_k`: pairs are drawn, the claim is held against theory."""

from __future__ import annotations

import math

import streamlit as st
import torch

from . import edits, lesson, scale_charts, scale_facts, state
from . import settings as s
from .numbers import short
from .scale_facts import SIZES, Measured, Sample, theory_mean, theory_variance
from .scale_scene import choose_seed, drag_d_k, figure, worked
from .sidebar import bound
from .step_view import is_narrow
from .texts import Texts

FROM, TO = 4, 64  # the widths of the first question


@st.cache_data(max_entries=400, show_spinner=False)  # up to 0.4 MB each; one experiment has 300 at most
def _dots(sample: Sample, d_k: int, chunk: int) -> torch.Tensor:
    return scale_facts.dots(sample, d_k, chunk)


class Experiment:
    """draw() and live() for the present settings."""

    def __init__(self, t: Texts):
        self.t, self.now = t, state.settings()
        self.sample, self.d_k = scale_facts.sample_of(self.now), self.now.sample_d_k

    # ---- what is on the screen

    def draw(self) -> None:
        self._controls()
        if not self._ask_factor() or not self._ask_same():
            return
        left, right = st.columns([3, 2], gap="large")
        with right:
            self._derivation()
        with left:
            products = self._products()
            points = [scale_facts.measured(d_k, products[d_k]) for d_k in SIZES]
            self._variances(points)
        drag_d_k(self.t, lambda: Experiment(self.t).live())
        self._histograms(products[self.d_k])
        st.markdown(self.t("note.experiment"))

    def live(self) -> dict:
        """The new numbers while d_k is dragged: of the first chunk of pairs, all come when the hand rests."""
        products = scale_facts.dots(self.sample, self.d_k, 0)
        charts = {"products": self._bars(products), "variances": {"d": self._places()}}
        return {"charts": charts, "texts": {"measured": self._sentence(products)}}

    # ---- settings and questions

    def _controls(self) -> None:
        t, now = self.t, self.now
        with st.container(horizontal=True, vertical_alignment="bottom"):
            st.segmented_control(
                t("page.sample"),
                s.CHOICES["sample"],
                required=True,
                format_func=lambda name: t(f"choice.{name}"),
                **bound("sample", now.sample, where="_page"),
            )
            low, high = s.COUNTS["sample_pairs"]
            pairs = bound("sample_pairs", now.sample_pairs, where="_page")
            st.number_input(t("page.sample_pairs"), low, high, step=1000, width=150, **pairs)
            choose_seed(t, now)

    def _ask_factor(self) -> bool:
        fair = Sample()
        growth = math.sqrt(theory_variance(fair, TO) / theory_variance(fair, FROM))
        options = {str(factor): str(factor) for factor in (2, 4, 16)}
        facts = {"low": FROM, "high": TO, "ratio": TO // FROM}
        return lesson.ask(self.t, self.now, "factor", options, f"{growth:.0f}", **facts)

    def _ask_same(self) -> bool:
        """Asked of those who set k = q."""
        if self.now.sample_case != "same":
            return True
        means = {"zero": 0.0, "root": math.sqrt(TO), "width": float(TO)}
        truth = theory_mean(Sample(correlation=1.0), TO)
        answer = min(means, key=lambda option: abs(means[option] - truth))
        options = {option: f"{mean:g}" for option, mean in means.items()}
        return lesson.ask(self.t, self.now, "same", options, answer, width=TO, root=options["root"])

    # ---- the derivation and its switches

    def _derivation(self) -> None:
        t, now = self.t, self.now
        st.markdown(f"#### {t('title.derivation')}\n\n{t('derive.sum')}")
        st.toggle(t("page.independent"), **bound("fair_case", now.sample_case == "independent", _independent))
        if now.sample_case != "independent":
            self._case()
        st.markdown(t(f"derive.{now.sample_case}", kappa=f"{scale_facts.FOURTH[now.sample]:g}"))
        self._moment("mean", now.sample_mean == 0, edits_to=(0.0, 1.0))
        self._moment("variance", now.sample_variance == 1, edits_to=(1.0, 2.0))
        st.markdown(self._result())

    def _case(self) -> None:
        t, now = self.t, self.now
        with st.container(horizontal=True, vertical_alignment="bottom"):
            st.segmented_control(
                t("page.case"),
                ("correlated", "same"),
                required=True,
                label_visibility="collapsed",
                format_func=lambda name: t(f"choice.{name}"),
                **bound("sample_case", now.sample_case, where="_page"),
            )
            if now.sample_case == "correlated":
                self._number("sample_correlation")

    def _moment(self, name: str, fair: bool, edits_to: tuple[float, float]) -> None:
        """The switch for one assumption about the entries; off, its number can be set."""
        field, (on, off) = f"sample_{name}", edits_to

        def change(now: s.Settings, value: object) -> s.Settings:
            return edits.with_choice(now, **{field: on if value else off})

        st.toggle(self.t(f"page.fair_{name}"), **bound(f"fair_{name}", fair, change))
        if not fair:
            self._number(field)
        st.markdown(self.t(f"derive.{name}_on" if fair else f"derive.{name}_off"))

    def _number(self, field: str) -> None:
        low, high = s.NUMBERS[field]
        number = bound(field, float(getattr(self.now, field)), where="_page")
        st.number_input(self.t(f"page.{field}"), low, high, step=0.1, format="%g", width=150, **number)

    def _result(self) -> str:
        """What comes of it, with the present numbers."""
        slope, mean = theory_variance(self.sample, 1), theory_mean(self.sample, 1)
        facts = {"slope": _tex(slope), "mean": _factor(mean)}
        parts = [self.t("derive.fair" if abs(slope - 1) < 1e-9 else "derive.unfair", **facts)]
        if mean:
            parts.append(self.t("derive.shifted", **facts))
        return "\n\n".join(parts)

    # ---- measuring

    def _products(self) -> dict[int, torch.Tensor]:
        """q·k for every pair, for each d_k of the chart and the chosen one."""
        sizes = sorted({*SIZES, self.d_k})
        jobs = [
            (self.sample, d_k, chunk)
            for d_k in sizes
            for chunk in range(len(scale_facts.chunks(self.sample, d_k)))
        ]
        parts: dict[int, list[torch.Tensor]] = {d_k: [] for d_k in sizes}
        for (_, d_k, _), products in zip(jobs, worked(self.t, jobs, _dots), strict=True):
            parts[d_k].append(products)
        return {d_k: torch.cat(products) for d_k, products in parts.items()}

    def _places(self) -> list[float]:
        """Where the rows of the chart of variances lie: the chosen d_k, the ends of both lines, points."""
        return [float(d_k) for d_k in (self.d_k, *(SIZES[0], SIZES[-1]) * 2, *SIZES)]

    def _variances(self, points: list[Measured]) -> None:
        t, ends = self.t, (SIZES[0], SIZES[-1])
        theory = [theory_variance(self.sample, d_k) for d_k in ends]
        values = [*theory, *ends, *(p.variance for p in points), *(p.variance + p.error for p in points)]
        positive = [value for value in values if value > 0]
        domain = (min(positive) * 0.6, max(positive) * 1.7)
        lines = [math.nan, *map(_or_nothing, theory), *map(float, ends)]
        ratios = [line / d_k for line, d_k in zip(lines[1:], (*ends, *ends), strict=True)]
        nothing = [math.nan] * 5
        low = [max(p.variance - p.error, domain[0]) for p in points]
        data = {
            "i": list(range(5 + len(points))),
            "kind": ["chosen", *["line"] * 4, *["point"] * len(points)],
            "series": [0, 0, 0, 1, 1, *[0] * len(points)],
            "d": self._places(),
            "y": lines + [_or_nothing(p.variance) for p in points],
            "low": nothing + low,
            "high": nothing + [p.variance + p.error for p in points],
            "ratio": [math.nan, *ratios] + [p.variance / p.d_k for p in points],
            "ratio_low": nothing + [(p.variance - p.error) / p.d_k for p in points],
            "ratio_high": nothing + [(p.variance + p.error) / p.d_k for p in points],
            "said": [""] * 5 + [f"d_k = {p.d_k}: {short(p.variance)} ± {short(p.error)}" for p in points],
        }
        top = 1.25 * max(1.2, *data["ratio_high"][5:], *ratios[:1] if ratios[0] == ratios[0] else ())
        words = tuple(t(f"axis.{name}") for name in ("sample_d_k", "variance", "ratio"))
        words += (t("series.theory"), t("series.claim"))
        spec = scale_charts.variances(_rounded(domain), _rounded((top,))[0], words, narrow=is_narrow())
        figure(t, "variances", data, spec, self._file(points))
        inside = scale_facts.within(points, self.sample, 3)
        st.markdown(t("page.within", inside=inside, all=len(points), pairs=self.sample.pairs))

    def _file(self, points: list[Measured]) -> dict[str, list]:
        columns = {
            "d_k": [p.d_k for p in points],
            "mean": [p.mean for p in points],
            "variance": [p.variance for p in points],
            "error": [p.error for p in points],
            "theory": [theory_variance(self.sample, p.d_k) for p in points],
        }
        return {self.t(f"column.{name}"): values for name, values in columns.items()}

    # ---- the histogram at one d_k

    def _bars(self, products: torch.Tensor) -> dict[str, list]:
        """Both histograms: the same pairs, all numbers divided by √d_k in the second."""
        edges = scale_facts.bins(self.sample, self.d_k)
        heights, root = scale_facts.shares(products, edges), math.sqrt(self.d_k)
        scaled = [edge / root for edge in edges]
        return {
            "i": list(range(2 * len(heights))),
            "panel": [0] * len(heights) + [1] * len(heights),
            "x0": edges[:-1] + scaled[:-1],
            "x1": edges[1:] + scaled[1:],
            "y": heights * 2,
        }

    def _histograms(self, products: torch.Tensor) -> None:
        t, data = self.t, self._bars(products)
        top = 1.15 * max(data["y"])
        words = tuple(t(f"axis.{name}") for name in ("pairs", "before", "after"))
        domain = (min(data["x0"]), max(data["x1"]))
        spec = scale_charts.histograms(_rounded(domain), _rounded((top, top)), words, narrow=is_narrow())
        columns = {t(f"column.{name}"): data[name] for name in ("x0", "x1")} | {t("column.pairs"): data["y"]}
        before, after = t("column.before"), t("column.after")
        panels = {t("column.which"): [after if panel else before for panel in data["panel"]]}
        figure(t, "products", data, spec, panels | columns)
        lesson.say("measured", self._sentence(products))

    def _sentence(self, products: torch.Tensor) -> str:
        point = scale_facts.measured(self.d_k, products)
        root = math.sqrt(self.d_k)
        return self.t(
            "page.measured",
            d_k=self.d_k,
            count=len(products),
            mean=short(point.mean),
            variance=short(point.variance),
            theory=short(theory_variance(self.sample, self.d_k)),
            root=short(root),
            scaled_mean=short(point.mean / root),
            scaled=short(point.variance / self.d_k),
        )


def _independent(now: s.Settings, on: object) -> s.Settings:
    return edits.with_choice(now, sample_case="independent" if on else "correlated")


def _tex(value: float) -> str:
    mantissa, _, exponent = f"{value:.5g}".partition("e")
    return rf"{mantissa}\cdot 10^{{{int(exponent)}}}" if exponent else mantissa


def _factor(value: float) -> str:
    """Before a symbol: 1 is not written."""
    return {"1": "", "-1": "-"}.get(_tex(value), _tex(value))


def _or_nothing(value: float) -> float:
    """What a log axis can show; a variance of 0 is drawn as nothing."""
    return value if value > 0 else math.nan


def _rounded(domain: tuple[float, ...]) -> tuple[float, ...]:
    """Three digits: specs are kept, one a domain."""
    return tuple(float(f"{value:.3g}") for value in domain)
