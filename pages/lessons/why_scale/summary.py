"""The lesson's end: what was seen, with the learner's own numbers, and a question that needs all of it."""

import functools
import math
from typing import Any

import torch

from attention.lab.scaling import products as lab
from attention.lab.scaling.variance import Sample, theory_variance
from pages.ask import questions
from pages.draw import plots, positions
from pages.draw.numbers import share, short
from pages.draw.page import Page

from . import densities
from .shared import sample_of
from .spread import concentrations
from .yours import largest_move

COMPARED = ("none", "sqrt_d_k")
# The question: entries of variance 4, four heads in a model of width 256.
VARIANCE, D_K, D_MODEL = 4.0, 64, 256


def lines(page: Page) -> list[str]:
    """Three sentences."""
    t, settings = page.t, page.settings
    d_k = page.own.sample_d_k
    sample = sample_of(page.own)
    exact = theory_variance(sample, d_k)
    result = concentrations(d_k, page.own.sample_seed)
    plain = positions.plainly(page)  # as in the part “Your numbers”
    tops = {name: share(result[name].largest.median, 3) for name in COMPARED}
    return [
        t(f"summary.one{_terms(sample, d_k)}", width=d_k, variance=short(exact), scaled=short(exact / d_k)),
        t("summary.two", root=short(math.sqrt(d_k)), **tops),
        largest_move(plain, "summary.three", "summary.three_none", width=settings.head_dim),
    ]


def _terms(sample: Sample, d_k: int) -> str:
    """Whether the variance is that of d_k terms, or their covariances come on top of it."""
    alone = d_k * theory_variance(sample, 1)
    return "" if math.isclose(theory_variance(sample, d_k), alone, abs_tol=1e-9) else "_correlated"


def question(page: Page) -> None:
    """The deviation of scaled scores whose entries are too large: it needs the sum, σ⁴, and √d_k."""
    deviation = math.sqrt(theory_variance(Sample(variance=VARIANCE), D_K))
    divided = {"root": deviation / math.sqrt(D_MODEL), "right": deviation / math.sqrt(D_K)}
    values = {"one": 1.0, **divided, "all": deviation}
    options = {name: f"{value:g}" for name, value in values.items()}
    facts: dict[str, Any] = {
        "variance": f"{VARIANCE:g}",
        "width": D_K,
        "d_model": D_MODEL,
        "heads": D_MODEL // D_K,
    }
    facts["deviation"] = f"{deviation:g}"
    chart, file = densities.both(page, Sample(variance=VARIANCE), D_K, _products())

    def picture() -> None:
        plots.ghost(page, "why_scale_end", [chart])

    if questions.ask(page, "why_scale_end", picture, words=options, **facts):
        plots.draw(page, "products", [chart], file, heading=False)


@functools.lru_cache(maxsize=1)
def _products() -> torch.Tensor:
    sample = Sample(variance=VARIANCE)
    return lab.products(lab.noise(sample.kind, D_K, sample.pairs, sample.seed), sample)
