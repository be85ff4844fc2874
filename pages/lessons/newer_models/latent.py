"""Latent attention: a short row for each token in place of keys and values; the products in either order."""

from dataclasses import replace
from typing import Any

import torch
from torch import Tensor

from attention.lab.newer import latent as lab
from pages.ask import links, questions
from pages.draw import inputs, live, matrix, placing, positions, say, steps
from pages.draw.numbers import counted
from pages.draw.page import Page
from pages.draw.picture import Arrow, Flow, Grid, GridRows, Items, Passage, product
from pages.draw.results import difference, size
from pages.model.compute import tensors_of
from pages.model.course import Location

HEADS, HEAD_DIM, RANK, ROTARY = 128, 128, 512, 64  # DeepSeek-V3


@live.places
def draw(page: Page) -> None:
    t = page.t
    say.markdown(t("latent.intro"))
    page = positions.without(page)
    if not questions.ask(page, "latent_cache", lambda: _draw_asked(page), **facts()):
        return
    page.toggle("absorbed")
    live.picture(page, _picture)
    say.markdown(t("latent.cost", **facts()))
    links.to_place(Location("cost", "cache"), t("latent.more"), t.language)


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


def latent_of(page: Page) -> tuple[lab.Latent, Tensor]:
    """The matrices for all heads, and c for each token. page: a plain one."""
    tensors = tensors_of(page.settings)
    latent = lab.compressed(tensors["w_k"], tensors["w_v"], rank_of(page))
    return latent, steps.of(page).trace.query_input @ latent.down


def of_head(page: Page, latent: lab.Latent) -> tuple[Tensor, Tensor]:
    """The up-projections of the shown head's keys and values."""
    blocks = {letter: slice(*inputs.block(page.settings, page.head, letter)) for letter in "kv"}
    return latent.up_k[:, blocks["k"]], latent.up_v[:, blocks["v"]]


def off_in_products(page: Page) -> float:
    """How far the two orders differ, in the scores and in the output. page: a plain one."""
    (latent, c), head = latent_of(page), steps.of(page).head
    up_k, up_v = of_head(page, latent)
    scores = lab.scores_absorbed(head.query, c, up_k) - lab.scores_from_keys(head.query, c, up_k)
    output = lab.output_absorbed(head.weights, c, up_v) - lab.output_from_values(head.weights, c, up_v)
    return max(scores.abs().max().item(), output.abs().max().item())


def off_in_rows(page: Page) -> float:
    """How far keys and values from c are from those of the learner's matrices. page: a plain one."""
    (latent, c), trace = latent_of(page), steps.of(page).trace
    return torch.cat((c @ latent.up_k - trace.key, c @ latent.up_v - trace.value), dim=-1).abs().max().item()


def _draw_asked(page: Page) -> None:
    """X, and the keys and values that a cache holds without latent attention."""
    computation = steps.of(plain(page))
    drawn = [inputs.matrix(page, "x"), computation["key"], computation["value"]]
    placing.draw(page, "latent_asked", drawn, sources=[computation.find])


def _picture(page: Page) -> None:
    of_page, page = page, plain(page)
    computation, (latent, c) = steps.of(page), latent_of(page)
    head, (up_k, _) = computation.head, of_head(page, latent)
    rank, width = up_k.shape
    names, short_row, columns = list(page.tokens), counted(rank), counted(width)
    d_model, start = page.settings.d_model, computation.start("q")
    key, query = computation.symbol("K"), computation.symbol("Q")
    projected = product("x", "w_q", d_model, col_start=start)
    matrices = [
        inputs.matrix(page, "x"),
        inputs.slider(page, "latent_rank"),
        matrix.of("w_d", "W_D", latent.down, inputs.dimensions(page.settings), short_row),
        matrix.of("c", "c", c, names, short_row, subtitle="X · W_D", recipe=product("x", "w_d", d_model)),
        matrix.of("w_uk", "W_{UK}", up_k, short_row, columns, subtitle=page.t("latent.up")),
        matrix.by_query(page, "query", query, head.query, columns, recipe=projected),
    ]
    if page.own.absorbed:
        turned = head.query @ up_k.mT
        recipe = product("query", "w_uk", width, right_transposed=True)
        look = {"subtitle": page.t("latent.in_place", matrix=query), "recipe": recipe}
        matrices.append(
            matrix.by_query(page, "absorbed_query", f"{query} W_{{UK}}^T", turned, short_row, **look)
        )
        scores, made = turned @ c.mT, product("absorbed_query", "c", rank, right_transposed=True)
        grid: GridRows = [[None, "w_d"], ["x", "c"]]
        way: Items = ["query", Arrow("· W_{UK}^T"), "w_uk", "absorbed_query", Arrow("· c^T"), "scores"]
    else:
        keys = c @ up_k
        look = {"subtitle": "c · W_{UK}", "recipe": product("c", "w_uk", rank)}
        matrices.append(matrix.of("latent_key", key, keys, names, columns, **look))
        scores, made = head.query @ keys.mT, product("query", "latent_key", width, right_transposed=True)
        grid = [[None, "w_d", "w_uk"], ["x", "c", "latent_key"]]
        way = ["query", Arrow(f"· {key}^T"), "scores"]
    matrices.append(matrix.square(page, "scores", computation.symbol("S"), scores, recipe=made))
    placing.draw(
        of_page,
        "latent",
        matrices,
        [Flow(["latent_rank"]), Grid(grid), Flow(way)],
        fit=True,
        passages=[Passage("", reading(page))],
        sources=[computation.find],
    )


def reading(page: Page) -> list[str]:
    """What the cache holds, and that both orders give the same. page: a plain one."""
    t, settings = page.t, page.settings
    full = lab.numbers_of_heads(settings.kv_heads, settings.head_dim, settings.value_dim)
    facts = {"rank": lab.numbers_of_latent(rank_of(page)), "full": full}
    off = difference(off_in_rows(page))
    return [
        t("latent.result_same" if off == "0" else "latent.result", **facts, difference=off),
        t("latent.equal", difference=size(off_in_products(page))),
    ]
