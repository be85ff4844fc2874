"""Latent attention: a short row for each token in place of keys and values; the products in either order."""

import functools
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import torch

from attention import MultiHeadTrace
from attention.lab.newer import latent as lab
from pages.ask import blocks
from pages.draw import inputs, matrix, placing, positions, steps
from pages.draw.numbers import counted
from pages.draw.page import Page
from pages.draw.results import difference, size
from pages.model.compute import tensors_of
from pages.model.course import Location
from pages.picture import Arrow, Flow, Grid, GridRows, Items, Passage
from pages.picture.traced import AxisNames, Traced, as_input, by_name, inputs_of

HEADS, HEAD_DIM, RANK, ROTARY = 128, 128, 512, 64  # DeepSeek-V3


def draw(page: Page) -> blocks.Blocks:
    yield blocks.text("latent.intro")
    yield blocks.aside(positions.without)
    yield blocks.ask("latent_cache", _draw_asked, **facts())
    yield blocks.control(Page.toggle, "absorbed")
    yield blocks.picture(_picture)
    yield blocks.text("latent.cost", **facts())
    yield blocks.way("latent.more", Location("cost", "cache"))


def facts() -> dict[str, Any]:
    """The numbers of the question."""
    full, latent = lab.numbers_of_heads(HEADS, HEAD_DIM, HEAD_DIM), lab.numbers_of_latent(RANK, ROTARY)
    return {
        "heads": HEADS,
        "head_dim": HEAD_DIM,
        "rank": RANK,
        "rotary": ROTARY,
        "full": f"{full:,}",
        "latent": latent,
        "both": f"{2 * latent:,}",
        "keys": f"{full // 2:,}",
        "share": f"{latent / full:.1%}",
    }


def plain(page: Page) -> Page:
    """The page without positions and without the biases of Q, K and V."""
    page = positions.plainly(page)
    return replace(page, settings=replace(page.settings, b_q=None, b_k=None, b_v=None, b_o=None))


def rank_of(page: Page) -> int:
    return min(page.own.latent_rank, page.settings.d_model)


def low_rank(page: Page) -> lab.Latent:
    """The matrices for all heads. page: a plain one."""
    tensors = tensors_of(page.settings)
    return lab.compressed(tensors["w_k"], tensors["w_v"], rank_of(page))


def steps_of(c: steps.Steps, low: lab.Latent) -> dict[str, Traced]:
    """Each step of the shown head by its name, in both orders of the products. c: of a plain page."""
    c = c.of_head
    x, query, symbol = c.numbers["x"], c.numbers["query"], c.symbol
    short_row = AxisNames(counted(low.down.shape[-1]))
    up_k, up_v = (
        up[:, slice(*inputs.block(c.settings, c.page.head, letter))]
        for letter, up in (("k", low.up_k), ("v", low.up_v))
    )
    w_d = as_input("w_d", "W_D", low.down, x.cols, short_row)
    w_uk = as_input("w_uk", "W_{UK}", up_k, short_row, query.cols)
    w_uv = as_input("w_uv", "W_{UV}", up_v, short_row, AxisNames(counted(up_v.shape[-1])))
    latent = (x @ w_d).called("latent", "c", id="c")
    key = (latent @ w_uk).called("key", symbol("K"), id="latent_key")
    value = (latent @ w_uv).called("value", symbol("V"))
    scores = (query @ key.T).called("scores", symbol("S"))
    turned = (query @ w_uk.T).called("absorbed_query")
    absorbed = (turned @ latent.T).called("absorbed_scores", id="scores", title=symbol("S"))
    scaled = steps.scaled(c, scores)
    masked = steps.masked(c, scaled)
    weights = masked.softmax().called("weights", symbol("A"))
    output = (weights @ value).called("output", symbol("O"))
    other = (weights @ latent @ w_uv).called("absorbed_output")
    return by_name(
        query, latent, key, value, scores, turned, absorbed, scaled, masked, weights, output, other
    )


def off_in_products(made: Mapping[str, Traced]) -> float:
    """How far the two orders differ, in the scores and in the output."""
    pairs = [(made[name].value, made[f"absorbed_{name}"].value) for name in ("scores", "output")]
    return max((plain - absorbed).abs().max().item() for plain, absorbed in pairs)


def off_in_rows(low: lab.Latent, trace: MultiHeadTrace) -> float:
    """How far keys and values from c are, in all heads, from those of the learner's matrices."""
    c = trace.query_input @ low.down
    return torch.cat((c @ low.up_k - trace.key, c @ low.up_v - trace.value), dim=-1).abs().max().item()


def _draw_asked(page: Page) -> None:
    """X, and the keys and values that a cache holds without latent attention."""
    computation = steps.of(plain(page))
    drawn = [inputs.matrix(page, "x"), computation["key"], computation["value"]]
    placing.draw(page, "latent_asked", drawn, sources=[computation.find])


def _picture(page: Page) -> None:
    of_page, page, t = page, plain(page), page.t
    computation, low = steps.of(page), low_rank(page)
    symbol = computation.symbol
    made = steps_of(computation, low)
    numbers, shown = made | inputs_of(made.values()), functools.partial(matrix.number, page)
    matrices = [
        inputs.matrix(page, "x"),
        inputs.slider(page, "latent_rank"),
        shown(numbers["w_d"]),
        shown(numbers["latent"], subtitle=numbers["latent"].formula),
        shown(numbers["w_uk"], subtitle=t("latent.up")),
        shown(numbers["query"]),
    ]
    if page.own.absorbed:
        subtitle = t("latent.in_place", matrix=symbol("Q"))
        matrices += [shown(numbers["absorbed_query"], subtitle=subtitle), shown(numbers["absorbed_scores"])]
        grid: GridRows = [[None, "w_d"], ["x", "c"]]
        way: Items = ["query", Arrow("· W_{UK}^T"), "w_uk", "absorbed_query", Arrow("· c^T"), "scores"]
    else:
        matrices += [shown(numbers["key"], subtitle=numbers["key"].formula), shown(numbers["scores"])]
        grid = [[None, "w_d", "w_uk"], ["x", "c", "latent_key"]]
        way = ["query", Arrow(f"· {symbol('K')}^T"), "scores"]
    placing.draw(
        of_page,
        "latent",
        matrices,
        [Flow(["latent_rank"]), Grid(grid), Flow(way)],
        fit=True,
        passages=[Passage("", reading(page, made, off_in_rows(low, computation.trace)))],
        sources=[computation.find],
    )


def reading(page: Page, made: Mapping[str, Traced], lost: float) -> list[str]:
    """What the cache holds, and that both orders give the same. page: a plain one; lost: see off_in_rows."""
    t, settings = page.t, page.settings
    full = lab.numbers_of_heads(settings.kv_heads, settings.head_dim, settings.value_dim)
    facts = {"rank": lab.numbers_of_latent(rank_of(page)), "full": full}
    off = difference(lost)
    return [
        t("latent.result_same" if off == "0" else "latent.result", **facts, difference=off),
        t("latent.equal", difference=size(off_in_products(made))),
    ]
