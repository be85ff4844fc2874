"""Three usual mistakes, each beside the right form with the same numbers."""

from dataclasses import replace

import torch

from attention import scaled_dot_product_attention
from attention.lab.mistakes import forms
from pages.model.compute import tensors_of
from pages.ui import figure, picture, positions, say, steps, topics
from pages.ui.numbers import short
from pages.ui.page import Page
from pages.ui.picture import Arrow, Flow, Matrix
from pages.ui.questions import ask
from pages.ui.results import size

TOPICS = ("transposed", "one_projection", "columns")


def draw(page: Page) -> None:
    """One mistake at a time."""
    page = positions.without(page)
    page = page.unfollowed()
    {"transposed": _transposed, "one_projection": _one_projection, "columns": _columns}[
        topics.choose(page, TOPICS)
    ](page)


def _numbers(count: int) -> list[str]:
    return [str(i + 1) for i in range(count)]


# ---- AᵀV


def _transposed(page: Page) -> None:
    """The same shape, and no error: but columns of A are no distributions."""
    t, found = page.t, steps.of(page)
    head, value = found.head, _shown_value(page, found)
    options = {name: t(f"option.transposed_{name}") for name in ("column", "one", "row")}

    def asked() -> None:
        figure.draw(page, "a", [found.weights(), value])

    if not ask(page, "transposed", options, "column", picture=asked):
        return
    wrong, sums = forms.transposed_weights(head.weights, head.value), head.weights.sum(0)
    matrices = [found.weights(), value, *_both_products(page, found, value, wrong)]
    flows = [Flow(["weights", "value", "right", "sums"]), Flow(["transposed", "wrong"])]
    figure.draw(page, "transposed", matrices, flows)
    say.sentence(
        t(
            "said.transposed",
            least=short(sums.min().item()),
            most=short(sums.max().item()),
            difference=short((wrong - head.output).abs().max().item()),
        )
    )


def _both_products(page: Page, found: steps.Steps, value: Matrix, wrong: torch.Tensor) -> list[Matrix]:
    """AV, the column sums of A, Aᵀ and AᵀV."""
    tokens, head = list(page.tokens), found.head
    a, v = found.symbol("A"), found.symbol("V")
    right = steps.signed("right", f"{a} · {v}", head.output, tokens, value.cols)
    sums = Matrix(
        id="sums",
        title=page.t("mistakes.sums"),
        rows=[""],
        cols=tokens,
        values=[head.weights.sum(0).tolist()],
        kind="plain",
        made=picture.total("weights", "column"),
    )
    return [
        replace(right, made=picture.product("weights", "value", len(tokens))),
        sums,
        steps.weights("transposed", f"{a}^T", head.weights.mT, tokens, tokens),
        replace(
            steps.signed("wrong", f"{a}^T · {v}", wrong, tokens, value.cols),
            made=picture.product("transposed", "value", len(tokens)),
        ),
    ]


def _shown_value(page: Page, found: steps.Steps) -> Matrix:
    """V of the shown head only."""
    tensor = found.head.value
    return steps.signed("value", found.symbol("V"), tensor, list(page.tokens), _numbers(tensor.shape[-1]))


# ---- one projection for all three


def _one_projection(page: Page) -> None:
    """With one W for all three, i's score for j is j's score for i."""
    t, found, tokens = page.t, steps.of(page), list(page.tokens)
    weights = tensors_of(page.now)
    start = page.head * page.now.head_dim
    w = weights["w_q"][:, start : start + page.now.head_dim]
    x = torch.tensor(page.now.x, dtype=torch.float64)
    one = forms.one_projection(x, w)
    scores = one.scores
    shared = steps.signed("shared", t("mistakes.shared"), one.query, tokens, _numbers(one.query.shape[-1]))
    longest = page.tokens[one.query.norm(dim=-1).argmax().item()]
    options = {name: t(f"option.one_projection_{name}") for name in ("itself", "other", "depends")}
    if not ask(
        page,
        "one_projection",
        options,
        "itself",
        picture=lambda: figure.draw(page, "ask_one_projection", [shared]),
        token=longest,
    ):
        return
    matrices = [
        shared,
        replace(
            steps.signed("one_scores", t("mistakes.one", matrix="S"), scores, tokens, tokens),
            made=picture.product("shared", "shared", one.query.shape[-1], right_transposed=True),
        ),
        steps.weights("one_weights", t("mistakes.one", matrix="A"), one.weights, tokens, tokens),
        replace(found.scores(), title=t("mistakes.three", matrix="S"), made=None),
        replace(found.weights(), title=t("mistakes.three", matrix="A"), made=None),
    ]
    figure.draw(
        page,
        "one_projection",
        matrices,
        [Flow(["shared", "one_scores", "one_weights"]), Flow(["scores", "weights"])],
    )
    say.sentence(
        t(
            "said.one_projection",
            one=size((scores - scores.mT).abs().max().item()),
            three=short((found.head.scores - found.head.scores.mT).abs().max().item()),
        )
    )


# ---- tokens as rows, tokens as columns


def _columns(page: Page) -> None:
    """The same numbers with tokens as rows and as columns; the softmax goes along the keys in both."""
    t, found = page.t, steps.of(page)
    head = found.head
    right = scaled_dot_product_attention(head.query, head.key, head.value)
    columns = forms.in_columns(head.query.mT, head.key.mT, head.value.mT)
    tokens = list(page.tokens)
    down = replace(
        steps.signed("scores", t("mistakes.columns_scores"), columns.scores, tokens, tokens),
        **_axes(page, "columns"),
    )
    options = {name: t(f"option.columns_{name}") for name in ("down", "across")}
    if not ask(page, "columns", options, "down", picture=lambda: figure.draw(page, "ask_columns", [down])):
        return
    page.choose("tokens_as", ("rows", "columns"), lambda name: t(f"tokens_as.{name}"))
    if page.look.tokens_as == "rows":
        _in_rows(page, right)
    else:
        _in_columns(page, right, columns)
    wrong = forms.in_columns(head.query.mT, head.key.mT, head.value.mT, softmax_over="queries")
    say.sentence(
        t(
            "said.columns",
            same=size((columns.output.mT - right.output).abs().max().item()),
            wrong=short((wrong.output.mT - right.output).abs().max().item()),
        )
    )


def _axes(page: Page, form: str) -> dict[str, str]:
    query, key = page.t("axis.query"), page.t("axis.key")
    return {"row_axis": query, "col_axis": key} if form == "rows" else {"row_axis": key, "col_axis": query}


def _in_rows(page: Page, trace) -> None:
    """Q · Kᵀ / √d_k, the softmax along each row, A · V."""
    tokens, d_k, d_v = list(page.tokens), trace.query.shape[-1], trace.value.shape[-1]
    axes = _axes(page, "rows")
    matrices = [
        steps.signed("q", "Q", trace.query, tokens, _numbers(d_k)),
        steps.signed("k_t", "K^T", trace.key.mT, _numbers(d_k), tokens),
        replace(steps.signed("scaled", "Q · K^T / √d_k", trace.scaled_scores, tokens, tokens), **axes),
        replace(
            steps.weights("weights", "A", trace.weights, tokens, tokens),
            made=picture.softmax("scaled"),
            **axes,
        ),
        steps.signed("value", "V", trace.value, tokens, _numbers(d_v)),
        replace(
            steps.signed("output", "O = A · V", trace.output, tokens, _numbers(d_v)),
            made=picture.product("weights", "value", len(tokens)),
        ),
    ]
    flow = ["scaled", Arrow(page.t("mistakes.along_rows")), "weights"]
    figure.draw(page, "form", matrices, [Flow(["q", "k_t", *flow]), Flow(["value", "output"])])


def _in_columns(page: Page, trace, columns: forms.Columns) -> None:
    """Kᵀ · Q / √d_k, the softmax down each column, V · A."""
    tokens, d_k, d_v = list(page.tokens), trace.query.shape[-1], trace.value.shape[-1]
    axes = _axes(page, "columns")
    matrices = [
        steps.signed("k_t", "K^T", trace.key, tokens, _numbers(d_k)),
        steps.signed("q", "Q", trace.query.mT, _numbers(d_k), tokens),
        replace(steps.signed("scaled", "K^T · Q / √d_k", columns.scores, tokens, tokens), **axes),
        replace(
            steps.weights("weights", "A", columns.weights, tokens, tokens),
            made=picture.softmax("scaled", "column"),
            **axes,
        ),
        steps.signed("value", "V", trace.value.mT, _numbers(d_v), tokens),
        replace(
            steps.signed("output", "O = V · A", columns.output, _numbers(d_v), tokens),
            made=picture.product("value", "weights", len(tokens)),
        ),
    ]
    flow = ["scaled", Arrow(page.t("mistakes.down_columns")), "weights"]
    figure.draw(page, "form", matrices, [Flow(["k_t", "q", *flow]), Flow(["value", "output"])])
