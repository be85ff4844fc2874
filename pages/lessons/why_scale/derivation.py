"""Why the variance is d_k: the derivation under the assumptions that the learner has set."""

import functools
import math

from attention.lab.scaling import variance as theory
from attention.lab.scaling.variance import Sample
from pages.draw.numbers import short
from pages.draw.page import Page

_key_spread = functools.lru_cache(maxsize=128)(theory.key_spread)


def derivation(page: Page, sample: Sample) -> list[str]:
    """Its steps, each with what becomes of it where an assumption is dropped."""
    t, d_k = page.t, page.own.sample_d_k
    inside = t("derive.inside_on" if sample.inside == 0 else "derive.inside_off", inside=f"{sample.inside:g}")
    case = t(f"derive.{page.own.sample_case}", kappa=f"{_kurtosis(sample):.4g}")
    mean = t("derive.mean_on") if sample.mean == 0 else _mean_sentence(page, sample, d_k)
    variance = t("derive.variance_on" if sample.variance == 1 else "derive.variance_off")
    start = [f"##### {t('title.derivation')}", t("derive.sum")]
    return [*start, inside, case, mean, variance, *_result(page, sample)]


def _kurtosis(sample: Sample) -> float:
    """Of the standardised entries, which mix a common part with their own (see variance.theory_variance)."""
    r, kurtosis = sample.inside, theory.KURTOSIS[sample.kind]
    return kurtosis * (r**2 + (1 - r) ** 2) + 6 * r * (1 - r)


def _mean_sentence(page: Page, sample: Sample, d_k: int) -> str:
    """A mean moves all scores alike, and also makes one query's scores differ more from key to key."""
    spread = _key_spread(sample, d_k, 2000)
    without = theory.typical_key_spread(Sample(variance=sample.variance, inside=sample.inside), d_k)
    return page.t(
        "derive.mean_off",
        width=d_k,
        shift=short(d_k * sample.mean**2),
        typical=short(theory.typical_key_spread(sample, d_k)),
        without=short(without),
        measured=short(spread.deviation),
    )


def _result(page: Page, sample: Sample) -> list[str]:
    """What comes of it, with the present numbers."""
    single, two = (theory.theory_variance(sample, d_k) for d_k in (1, 2))
    mean, between = theory.theory_mean(sample, 1), two / 2 - single
    facts = {"slope": _tex(single), "mean": _factor(mean), "between": _factor(between)}
    if abs(between) > 1e-9:
        d_k = page.own.sample_d_k
        ratio = short(theory.theory_variance(sample, d_k) / d_k)
        parts = [page.t("derive.quadratic", **facts, width=d_k, ratio=ratio)]
    else:
        parts = [page.t("derive.fair" if math.isclose(single, 1) else "derive.unfair", **facts)]
    if mean:
        parts.append(page.t("derive.shifted", **facts))
    return parts


def _tex(value: float) -> str:
    mantissa, _, exponent = f"{value:.5g}".partition("e")
    return rf"{mantissa}\times 10^{{{int(exponent)}}}" if exponent else mantissa


def _factor(value: float) -> str:
    """Before a symbol: 1 is not written."""
    return {"1": "", "-1": "-"}.get(_tex(value), _tex(value))
