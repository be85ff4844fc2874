"""Attention without softmax: the products in either order, and one token after another."""

from collections.abc import Mapping
from typing import Any

import torch

from attention import AttentionTrace, causal_mask
from attention.lab.newer import linear as lab
from pages.ask import blocks
from pages.draw import arithmetic, inputs, matrix, placing, positions, steps
from pages.draw.numbers import counted
from pages.draw.page import Page
from pages.draw.results import difference, size
from pages.model.course import Location
from pages.picture import Arrow, Flow, Grid, Matrix, Passage, add, product, written
from pages.picture.traced import AxisNames, Traced, as_input, by_name


def draw(page: Page) -> blocks.Blocks:
    yield blocks.text("linear.intro")
    yield blocks.aside(positions.without)
    yield blocks.ask("linear_state", _draw_state)
    yield blocks.control(Page.toggle, "with_softmax")
    yield blocks.picture(_orders)
    yield blocks.text("linear.recurrent")
    yield blocks.picture(_one_token)
    yield blocks.text("linear.cost")
    yield blocks.way("linear.more", Location("cost", "steps"))


def head_of(page: Page) -> AttentionTrace:
    """Q, K and V of the shown head; its scores are taken before scaling and mask."""
    return steps.of(positions.plainly(page)).head


def token_of(page: Page) -> int:
    """The token of the recurrent form, counted from 0."""
    return min(page.own.linear_token, len(page.tokens)) - 1


def steps_of(page: Page, c: steps.Steps) -> dict[str, Traced]:
    """Each step of the shown head by its name: the products in either order, and one token's own."""
    t, at, softmaxed = page.t, token_of(page), page.own.with_softmax
    tokens, numbers = AxisNames(c.queries), c.of_head.numbers
    query, key, value = (numbers[name] for name in ("query", "key", "value"))
    turned = key.T.shown_as("key_t")
    scores = (query @ turned).called("scores", c.symbol("S"), known=c.head.scores)
    weights = [scores.softmax().called("weights", c.symbol("A"))] if softmaxed else []
    mixing = weights[0] if softmaxed else scores
    factor = f"softmax({scores.formula})" if softmaxed else scores.formula
    look: dict[str, Any] = {"title": t("linear.left"), "written": f"{factor} · {value.symbol}"}
    output = (mixing @ value).called("output", id="head_output", **look)
    state = (turned @ value).called("key_value", id="state")
    other = (query @ state).called("state_output", title=t("linear.right"))
    causal = as_input(
        "causal", "M", causal_mask(len(tokens)).double(), tokens, tokens, title=t("mask.causal")
    )
    formula = f"(M ⊙ {scores.formula}) · {value.symbol}"
    masked = ((scores * causal) @ value).called("causal_output", written=formula)
    sofar = (key[: at + 1].T @ value[: at + 1]).called("token_state", written="Σ k_j^T · v_j")
    own = (query[at : at + 1] @ sofar).called("token_output", written="q_i · Σ k_j^T · v_j")
    return by_name(query, key, value, scores, *weights, output, state, other, masked, sofar, own)


def _shown(page: Page, made: Mapping[str, Traced]) -> dict[str, Matrix]:
    """Q, Kᵀ and V of the shown head."""
    key = made["key"]
    turned = key.T.shown_as("key_t")
    cells = arithmetic.copies(
        key.symbol, key.rows.names, key.cols.names, turned.value, lambda row, col: (col, row)
    )
    return {
        "query": matrix.number(page, made["query"], query_rows=False),
        "key_t": matrix.number(page, turned, recipe=cells),
        "value": matrix.number(page, made["value"]),
    }


def _find(page: Page) -> placing.Find:
    return steps.of(positions.plainly(page)).find


def _made(page: Page) -> dict[str, Traced]:
    """The steps as a picture names them."""
    computation = steps.of(positions.plainly(page))
    return steps_of(page, computation)


def _draw_state(page: Page) -> None:
    """The factors of KᵀV."""
    shown = _shown(page, _made(page))
    placing.draw(page, "linear_asked", [shown["key_t"], shown["value"]], sources=[_find(page)])


def _orders(page: Page) -> None:
    """The product of Q, Kᵀ and V, from the left and from the right."""
    made = _made(page)
    between = ["weights"] if page.own.with_softmax else []
    matrices = [
        *_shown(page, made).values(),
        *(
            matrix.number(page, made[name])
            for name in ("scores", *between, "output", "key_value", "state_output")
        ),
    ]
    upper: list[str | None] = ["x", "key_t", *(None for _ in between), "value", "state"]
    placing.draw(
        page,
        "linear",
        [inputs.matrix(page, "x"), *matrices],
        [Grid([upper, ["query", "scores", *between, "head_output", "state_output"]])],
        fit=True,
        passages=[Passage("", reading(page, made))],
        sources=[_find(page)],
    )


def reading(page: Page, made: Mapping[str, Traced]) -> list[str]:
    """How far the two orders differ, and what each costs."""
    t, n, d_k, d_v = page.t, *made["key"].value.shape, len(made["value"].cols)
    scores, state = lab.multiply_adds(n, d_k, d_v)
    crossing = f"{2 * d_k * d_v / (d_k + d_v):.3g}"
    counts = {"scores": f"{scores:,}", "state": f"{state:,}", "crossing": crossing, "n": n}
    off = (made["output"].value - made["state_output"].value).abs().max().item()
    if page.own.with_softmax:
        result = t("linear.apart", difference=difference(off))
    else:
        result = t("linear.equal", difference=size(off))
    return [result, t("linear.counts", **counts)]


def _one_token(page: Page) -> None:
    """The recurrent form at the learner's token: the state before it, what it adds, and its output."""
    t, head, at = page.t, head_of(page), token_of(page)
    computation = steps.of(positions.plainly(page))
    key, value, query = head.key, head.value, head.query[at : at + 1]
    states, output = lab.recurrent(head.query, key, value)
    rows, columns = counted(key.shape[-1]), counted(value.shape[-1])
    before = states[at - 1] if at else torch.zeros_like(states[0])
    added = key[at][:, None] * value[at]
    if at:
        texts = arithmetic.products(key[:at].mT, value[:at], before)
    else:
        texts = written([["0"] * len(columns)] * len(rows))
    names = [page.tokens[at]]
    turned = arithmetic.copies(computation.symbol("Q"), page.tokens, rows, query, lambda row, col: (at, col))
    placing.draw(
        page,
        "linear_token",
        [
            inputs.slider(page, "linear_token"),
            matrix.of("state_before", t("linear.before"), before, rows, columns, recipe=texts),
            matrix.of(
                "added",
                "k^T v",
                added,
                rows,
                columns,
                recipe=arithmetic.products(key[at][:, None], value[at][None], added),
            ),
            matrix.of(
                "state_after",
                t("linear.after"),
                states[at],
                rows,
                columns,
                recipe=add("state_before", "added"),
            ),
            matrix.of("token_query", "q", query, names, rows, recipe=turned),
            matrix.of(
                "token_output",
                "o",
                output[at : at + 1],
                names,
                columns,
                recipe=product("token_query", "state_after", len(rows)),
            ),
        ],
        [
            Flow(["linear_token"]),
            Flow(["state_before", Arrow("+"), "added", Arrow("="), "state_after"]),
            Flow(["token_query", Arrow(f"· {t('linear.state')} ="), "token_output"]),
        ],
        passages=[Passage(t("linear.by_token"), [token_reading(page)])],
    )


def token_reading(page: Page) -> str:
    """What the state holds after the token, and that its output is that of the causal scores."""
    head, at = head_of(page), token_of(page)
    output = lab.recurrent(head.query, head.key, head.value).output
    causal = (head.scores * causal_mask(len(page.tokens))) @ head.value
    off, held = (output - causal).abs().max().item(), head.key.shape[-1] * head.value.shape[-1]
    return page.t("linear.token", token=page.tokens[at], at=at + 1, size=held, difference=size(off))
