"""Three common mistakes, each next to the right form with the same numbers."""

from dataclasses import replace
from typing import Any, NamedTuple

import torch

from attention import AttentionTrace, scaled_dot_product_attention
from attention.lab.mistakes import forms
from pages import picture
from pages.ask import blocks
from pages.draw import arithmetic, matrix, placing, positions, steps
from pages.draw.numbers import apart, counted
from pages.draw.page import Page
from pages.draw.results import EXACT, difference, size
from pages.model.compute import needed, tensors_of
from pages.picture import Arrow, Flow, Items, Matrix

from .predict import Prediction, blocks_of


class Projection(NamedTuple):
    """Q, K or V: its numbers, and their arithmetic with tokens as rows and as columns."""

    values: torch.Tensor
    recipe: dict
    turned: dict


def draw(page: Page) -> blocks.Blocks:
    """One mistake at a time."""
    controls = [blocks.control(_choose_form)] if page.topic.name == "columns" else []
    yield from blocks_of(page, _case, *controls)


def _case(page: Page) -> Prediction:
    return CASES[page.topic.name](positions.plainly(page).unfollowed())


def largest(differences: torch.Tensor) -> str:
    return difference(differences.abs().max().item())


# ---- AᵀV


def _transposed(page: Page) -> Prediction:
    """The same shape, and no error: but columns of A are no distributions."""
    t, computation = page.t, steps.of(page)
    head, value = computation.head, _head_value(page, computation)
    before = [computation["weights"], value]
    wrong, sums = forms.transposed_weights(head.weights, head.value), head.weights.sum(0)

    def figure() -> None:
        matrices = [*before, *_both_products(page, computation, value, wrong)]
        flows = [Flow(["weights", "value", "right", "sums"]), Flow(["transposed", "wrong"])]
        placing.draw(page, "transposed", matrices, flows, sources=[computation.find])

    def sentence() -> str:
        least, most = sums.min().item(), sums.max().item()
        alike = most - least < EXACT
        facts = {"least": apart(least, most), "most": apart(most, least)}
        text = t("said.columns_sum_alike" if alike else "said.columns_sum", **facts)
        return t.joined([text, t("said.transposed", difference=largest(wrong - head.output))])

    return Prediction(page, computation, before, figure, sentence)


def _both_products(page: Page, computation: steps.Steps, value: Matrix, wrong: torch.Tensor) -> list[Matrix]:
    """AV, the column sums of A, Aᵀ and AᵀV."""
    tokens, head = list(page.tokens), computation.head
    a, v = computation.symbol("A"), computation.symbol("V")
    recipe, recipe_wrong = (picture.product(left, "value", len(tokens)) for left in ("weights", "transposed"))
    turned = arithmetic.copies(a, tokens, tokens, head.weights.mT, lambda r, c: (c, r))
    sums, recipe_sums = [head.weights.sum(0).tolist()], picture.total("weights", "column")
    return [
        matrix.of("right", f"{a} · {v}", head.output, tokens, value.cols, recipe=recipe),
        Matrix("sums", page.t("mistakes.sums"), [""], tokens, sums, kind="plain", recipe=recipe_sums),
        matrix.of("transposed", f"{a}^T", head.weights.mT, tokens, tokens, kind="weights", recipe=turned),
        matrix.of("wrong", f"{a}^T · {v}", wrong, tokens, value.cols, recipe=recipe_wrong),
    ]


def _head_value(page: Page, computation: steps.Steps) -> Matrix:
    """V of the shown head only."""
    recipe = _projection(page, "v").recipe
    return matrix.of(
        "value", computation.symbol("V"), computation.head.value, list(page.tokens), recipe=recipe
    )


def _projection(page: Page, letter: str) -> Projection:
    """Q, K or V of the shown head and how it is made from X; both also transposed, with tokens as columns."""
    computation, all_weights = steps.of(page), tensors_of(page.settings)
    values = getattr(computation.head, {"q": "query", "k": "key", "v": "value"}[letter])
    start = computation.start(letter)
    columns = slice(start, start + values.shape[-1])
    weight, bias = needed(all_weights[f"w_{letter}"])[:, columns], all_weights[f"b_{letter}"]
    x = torch.tensor(page.settings.x, dtype=torch.float64)
    added = None if bias is None else bias[columns]
    return Projection(
        values,
        arithmetic.products(x, weight, values, added),
        arithmetic.products(weight.mT, x.mT, values.mT, None if added is None else added[:, None]),
    )


# ---- one projection for all three


def _one_projection(page: Page) -> Prediction:
    """With one W for all three, i's score for j is j's score for i."""
    t, computation, tokens = page.t, steps.of(page), list(page.tokens)
    weights = tensors_of(page.settings)
    start = page.head * page.settings.head_dim
    w = weights["w_q"][:, start : start + page.settings.head_dim]
    x = torch.tensor(page.settings.x, dtype=torch.float64)
    trace = forms.one_projection(x, w)
    scores, d_k = trace.scores, trace.query.shape[-1]
    look: dict[str, Any] = {"recipe": arithmetic.products(x, w, trace.query)}
    shared = matrix.of("shared", t("mistakes.shared"), trace.query, tokens, counted(d_k), **look)
    row = int(trace.query.norm(dim=-1).argmax())

    def figure() -> None:
        recipe = picture.product("shared", "shared", d_k, right_transposed=True)
        look = {"recipe": recipe, "ringed": [(row, row)]}
        divided: dict[str, Any] = {"recipe": picture.divide("one_scores", 1 / trace.scale, f"√{d_k}")}
        summed: dict[str, Any] = {"kind": "weights", "recipe": picture.softmax("one_scaled")}
        matrices = [
            shared,
            matrix.of("one_scores", t("mistakes.one", matrix="S"), scores, tokens, tokens, **look),
            matrix.of("one_scaled", t("mistakes.scaled"), trace.scaled_scores, tokens, tokens, **divided),
            matrix.of("one_weights", t("mistakes.one", matrix="A"), trace.weights, tokens, tokens, **summed),
            replace(computation["scores"], title=t("mistakes.three", matrix="S")),
            replace(computation["weights"], title=t("mistakes.three", matrix="A")),
        ]
        flows = [Flow(["shared", "one_scores", "one_scaled", "one_weights"]), Flow(["scores", "weights"])]
        placing.draw(page, "one_projection", matrices, flows, sources=[computation.find])

    def sentence() -> str:
        both = {"one": scores, "three": computation.head.scores}
        return t("said.one_projection", **{name: largest(each - each.mT) for name, each in both.items()})

    return Prediction(page, computation, [shared], figure, sentence, page.tokens[row])


# ---- tokens as rows, tokens as columns


def _columns(page: Page) -> Prediction:
    """The same numbers with tokens as rows and as columns; the softmax goes along the keys in both."""
    t, computation = page.t, steps.of(page)
    head = computation.head
    right = scaled_dot_product_attention(head.query, head.key, head.value)
    columns = forms.in_columns(head.query.mT, head.key.mT, head.value.mT)
    tokens, title = list(page.tokens), t("mistakes.columns_scores")
    look: dict[str, Any] = {"recipe": _scores_down(head, columns), **_turned_axes(page)}
    down = matrix.of("scores", title, columns.scores, tokens, tokens, **look)

    def figure() -> None:
        if page.look.tokens_as == "rows":
            _in_rows(page, right)
        else:
            _in_columns(page, right, columns)

    def sentence() -> str:
        wrong = forms.in_columns(head.query.mT, head.key.mT, head.value.mT, softmax_over="queries")
        same = size((columns.output.mT - right.output).abs().max().item())
        return t("said.columns", same=same, wrong=largest(wrong.output.mT - right.output))

    return Prediction(page, computation, [down], figure, sentence)


def _choose_form(page: Page) -> None:
    page.choose("tokens_as", ("rows", "columns"), lambda name: page.t(f"tokens_as.{name}"))


def _turned_axes(page: Page) -> dict[str, str]:
    """A column for each query, a row for each key."""
    return {"row_axis": page.t("axis.key"), "col_axis": page.t("axis.query")}


def _scores_down(head: AttentionTrace, columns: forms.Columns) -> dict:
    return arithmetic.products(head.key, head.query.mT, columns.scores, root=head.query.shape[-1])


def _in_rows(page: Page, trace: AttentionTrace) -> None:
    """Q · Kᵀ / √d_k, the softmax along each row, A · V."""
    tokens, d_k, d_v = list(page.tokens), counted(trace.query.shape[-1]), counted(trace.value.shape[-1])
    summed, mixed = picture.softmax("scaled"), picture.product("weights", "value", len(tokens))
    q, k, v = (_projection(page, letter) for letter in "qkv")
    divided = arithmetic.products(q.values, k.values.mT, trace.scaled_scores, root=q.values.shape[-1])
    scores: dict[str, Any] = {"recipe": divided, **page.axes}
    matrices = [
        matrix.of("q", "Q", q.values, tokens, d_k, recipe=q.recipe),
        matrix.of("k_t", "K^T", k.values.mT, d_k, tokens, recipe=k.turned),
        matrix.of("scaled", "Q · K^T / √d_k", trace.scaled_scores, tokens, tokens, **scores),
        matrix.of("weights", "A", trace.weights, tokens, tokens, kind="weights", recipe=summed, **page.axes),
        matrix.of("value", "V", v.values, tokens, d_v, recipe=v.recipe),
        matrix.of("output", "O = A · V", trace.output, tokens, d_v, recipe=mixed),
    ]
    flow: Items = ["scaled", Arrow(page.t("mistakes.along_rows")), "weights"]
    placing.draw(page, "form", matrices, [Flow(["q", "k_t", *flow]), Flow(["value", "output"])])


def _in_columns(page: Page, trace: AttentionTrace, columns: forms.Columns) -> None:
    """Kᵀ · Q / √d_k, the softmax down each column, V · A."""
    tokens, d_k, d_v = list(page.tokens), counted(trace.query.shape[-1]), counted(trace.value.shape[-1])
    summed, mixed = picture.softmax("scaled", "column"), picture.product("value", "weights", len(tokens))
    axes = _turned_axes(page)
    q, k, v = (_projection(page, letter) for letter in "qkv")
    scores: dict[str, Any] = {"recipe": _scores_down(trace, columns), **axes}
    matrices = [
        matrix.of("k_t", "K^T", k.values, tokens, d_k, recipe=k.recipe),
        matrix.of("q", "Q", q.values.mT, d_k, tokens, recipe=q.turned),
        matrix.of("scaled", "K^T · Q / √d_k", columns.scores, tokens, tokens, **scores),
        matrix.of("weights", "A", columns.weights, tokens, tokens, kind="weights", recipe=summed, **axes),
        matrix.of("value", "V", v.values.mT, d_v, tokens, recipe=v.turned),
        matrix.of("output", "O = V · A", columns.output, d_v, tokens, recipe=mixed),
    ]
    flow: Items = ["scaled", Arrow(page.t("mistakes.down_columns")), "weights"]
    placing.draw(page, "form", matrices, [Flow(["k_t", "q", *flow]), Flow(["value", "output"])])


CASES = {"transposed": _transposed, "one_projection": _one_projection, "columns": _columns}
