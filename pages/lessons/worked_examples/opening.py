"""A worked example as settings, so that it opens in the first lesson."""

import itertools
import math
from dataclasses import replace
from typing import Any

from attention.lab.worked_examples.audit import USUAL, Convention, audit
from attention.lab.worked_examples.document import INPUTS, Document
from pages.ask import links
from pages.draw.numbers import counted
from pages.draw.page import Page
from pages.model.matrices import MAX_TOKENS, MAX_WIDTH
from pages.model.settings import Settings, normalised
from pages.model.view import Place

OpeningRows = list[list[float]]


def link(page: Page, settings: Settings | None) -> None:
    """A link that opens these settings in the first lesson; undo there brings the learner's own back."""
    if settings is not None:
        links.to_lesson("one_head", page.t("audit.open"), Place(), settings)


def settings_of(document: Document, convention: Convention = USUAL) -> Settings | None:
    """The settings whose computation is the document's; None where it gives too little, or is too wide.

    Where Q, K and V or the scores are given, X holds them side by side and each W picks its columns.
    """
    settings = _usual(document)
    if settings is None or not convention.name:
        return settings
    if convention.divisor is not None:
        settings = replace(settings, scaling="own", own_divisor=convention.divisor)
    return normalised(replace(settings, mask="causal" if convention.causal else settings.mask))


def _usual(document: Document) -> Settings | None:
    """The settings with the scaling by √dₖ, or with the document's own scaled scores."""
    exact = {name: tensor.tolist() for name, tensor in audit(document).exact.items()}
    if all(name in document.inputs for name in INPUTS):
        x, w = exact["x"], {name: exact[name] for name in ("w_q", "w_k", "w_v")}
        return _settings(document, x, w, None)
    if "query" in exact and "key" in exact:
        query, key, divisor = exact["query"], exact["key"], None
    elif "scaled_scores" in exact:
        query, divisor = exact["scaled_scores"], 1.0
        key = _unit(len(query[0]))
    else:
        return None
    return _side_by_side(document, query, key, exact.get("value", _unit(len(key))), divisor)


def _side_by_side(
    document: Document, query: OpeningRows, key: OpeningRows, value: OpeningRows, divisor: float | None
) -> Settings | None:
    n = len(key)
    if len(query) > n:
        return None
    query = query + [[0.0] * len(query[0])] * (n - len(query))
    parts = (query, key) if value == key else (query, key, value)
    x = [list(itertools.chain(*rows)) for rows in zip(*parts, strict=True)]
    width, starts = len(x[0]), (0, len(query[0]), len(x[0]) - len(value[0]))
    w = {
        name: [[float(row == start + col) for col in range(len(part[0]))] for row in range(width)]
        for name, part, start in zip(("w_q", "w_k", "w_v"), (query, key, value), starts, strict=True)
    }
    return _settings(document, x, w, divisor)


def _settings(
    document: Document, x: OpeningRows, w: dict[str, OpeningRows], divisor: float | None
) -> Settings | None:
    if len(x) > MAX_TOKENS or len(x[0]) > MAX_WIDTH:
        return None
    tokens = document.tokens or tuple(counted(len(x)))
    frozen: dict[str, Any] = {name: tuple(map(tuple, rows)) for name, rows in (w | {"x": x}).items()}
    settings = replace(Settings(), tokens=tokens, d_k=len(w["w_q"][0]), d_v=len(w["w_v"][0]), **frozen)
    if divisor is not None and not math.isclose(divisor, math.sqrt(settings.head_dim)):
        settings = replace(settings, scaling="own", own_divisor=divisor)
    if settings.d_k == settings.d_v == settings.d_model:
        settings = replace(settings, d_k=None, d_v=None)
    return normalised(settings)


def _unit(n: int) -> OpeningRows:
    return [[float(i == j) for j in range(n)] for i in range(n)]
