"""Attention without softmax: the products in either order, and one token after another."""

from typing import Any

import torch
from torch import Tensor

from attention import AttentionTrace, causal_mask
from attention.lab.newer import linear as lab
from pages.ask import links, questions
from pages.draw import arithmetic, inputs, live, matrix, placing, positions, say, steps
from pages.draw.numbers import counted
from pages.draw.page import Page
from pages.draw.picture import Arrow, Flow, Grid, Matrix, Passage, add, product, softmax, written
from pages.draw.results import difference, size
from pages.model.course import Location


@live.places
def draw(page: Page) -> None:
    t = page.t
    say.markdown(t("linear.intro"))
    page = positions.without(page)
    if not questions.ask(page, "linear_state", lambda: _draw_state(page)):
        return
    page.toggle("with_softmax")
    live.picture(page, _orders)
    say.markdown(t("linear.recurrent"))
    live.picture(page, _one_token)
    say.markdown(t("linear.cost"))
    links.to_place(Location("cost", "steps"), t("linear.more"), t.language)


def head_of(page: Page) -> AttentionTrace:
    """Q, K and V of the shown head; its scores are taken before scaling and mask."""
    return steps.of(positions.plainly(page)).head


def outputs(page: Page) -> tuple[Tensor, Tensor]:
    """The output with the scores first, through a softmax if it is switched on, and with KᵀV first."""
    head = head_of(page)
    qkv = head.query, head.key, head.value
    state_first = lab.state_first(*qkv)
    if not page.own.with_softmax:
        return lab.scores_first(*qkv), state_first
    return torch.softmax(head.scores, dim=-1) @ head.value, state_first


def token_of(page: Page) -> int:
    """The token of the recurrent form, counted from 0."""
    return min(page.own.linear_token, len(page.tokens)) - 1


def _inputs(page: Page) -> dict[str, Matrix]:
    """Q, Kᵀ and V of the shown head."""
    computation, head, names = steps.of(positions.plainly(page)), head_of(page), list(page.tokens)
    d_k, d_v = counted(head.query.shape[-1]), counted(head.value.shape[-1])
    key = computation.symbol("K")
    turned = arithmetic.copies(key, names, d_k, head.key.mT, lambda row, col: (col, row))
    made = {letter: _projected(computation, letter) for letter in "qv"}
    return {
        "query": matrix.of("query", computation.symbol("Q"), head.query, names, d_k, recipe=made["q"]),
        "key_t": matrix.of("key_t", f"{key}^T", head.key.mT, d_k, names, recipe=turned),
        "value": matrix.of("value", computation.symbol("V"), head.value, names, d_v, recipe=made["v"]),
    }


def _projected(computation: steps.Steps, letter: str) -> dict:
    """How the shown head's columns of Q, K or V are computed from X."""
    start, width = computation.start(letter), computation.settings.d_model
    return product("x", f"w_{letter}", width, col_start=start, bias=computation.offset(letter))


def _find(page: Page) -> placing.Find:
    return steps.of(positions.plainly(page)).find


def _draw_state(page: Page) -> None:
    """The factors of KᵀV."""
    shown = _inputs(page)
    placing.draw(page, "linear_asked", [shown["key_t"], shown["value"]], sources=[_find(page)])


def _orders(page: Page) -> None:
    """The product of Q, Kᵀ and V, from the left and from the right."""
    shown, head, (output, other) = _inputs(page), head_of(page), outputs(page)
    computation, n, width = steps.of(positions.plainly(page)), *head.key.shape
    columns, softmaxed = counted(head.value.shape[-1]), page.own.with_softmax
    symbols = {letter: computation.symbol(letter) for letter in "QKVA"}
    product_of_keys = f"{symbols['K']}^T {symbols['V']}"
    scores = matrix.square(page, "scores", computation.symbol("S"), head.scores)
    matrices = [*shown.values(), scores.having(recipe=product("query", "key_t", width))]
    if softmaxed:
        weights = torch.softmax(head.scores, dim=-1)
        look: dict[str, Any] = {"kind": "weights", "recipe": softmax("scores")}
        matrices.append(matrix.square(page, "weights", symbols["A"], weights, **look))
    mixing = "weights" if softmaxed else "scores"
    state = head.key.mT @ head.value
    titles = page.t("linear.left"), page.t("linear.right")
    matrices += [
        matrix.by_query(page, "head_output", titles[0], output, columns, recipe=product(mixing, "value", n)),
        matrix.of(
            "state", product_of_keys, state, counted(width), columns, recipe=product("key_t", "value", n)
        ),
        matrix.by_query(
            page, "state_output", titles[1], other, columns, recipe=product("query", "state", width)
        ),
    ]
    between = ["weights"] if softmaxed else []
    upper: list[str | None] = ["x", "key_t", *(None for _ in between), "value", "state"]
    placing.draw(
        page,
        "linear",
        [inputs.matrix(page, "x"), *matrices],
        [Grid([upper, ["query", "scores", *between, "head_output", "state_output"]])],
        fit=True,
        passages=[Passage("", reading(page))],
        sources=[_find(page)],
    )


def reading(page: Page) -> list[str]:
    """How far the two orders differ, and what each costs."""
    t, head, (output, other) = page.t, head_of(page), outputs(page)
    n, (d_k, d_v) = len(page.tokens), (head.key.shape[-1], head.value.shape[-1])
    scores, state = lab.multiply_adds(n, d_k, d_v)
    crossing = f"{2 * d_k * d_v / (d_k + d_v):.3g}"
    counts = {"scores": f"{scores:,}", "state": f"{state:,}", "crossing": crossing, "n": n}
    off = (output - other).abs().max().item()
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
