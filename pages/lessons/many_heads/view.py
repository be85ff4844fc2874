"""Heads in code: cut out of the wrong numbers by view alone, with a mask in their place, and as modules."""

from collections.abc import Callable
from typing import Any

import streamlit as st
import torch

from attention import AttentionTrace
from attention.lab.mistakes import forms
from pages.ask import blocks, questions
from pages.draw import arithmetic, inputs, matrix, placing, positions, say, steps
from pages.draw.numbers import share
from pages.draw.page import Page
from pages.draw.results import size
from pages.draw.texts import literal
from pages.model.compute import mask_of, needed, options_of, tensors_of
from pages.picture import Flow, Grid, Group, Matrix, Passage, difference, nice_bound, softmax_of

from . import code, scene

MOST_OPTIONS = 5
NOTE_TOKENS, NOTE_HEADS, NOTE_WIDTH = 4, 2, 4


def draw(page: Page) -> blocks.Blocks:
    yield blocks.aside(positions.without)
    topics: dict[str, Callable[[Page], blocks.Blocks]] = {
        "output": lambda page: _once_answered(page, *_comparison(page)),
        "origins": lambda page: _once_answered(page, blocks.figure(_origins)),
        "note": lambda page: _once_answered(page, blocks.figure(_note)),
        "accident": code.accident_asked,
        "divide": lambda page: iter([blocks.aside(code.draw_refusals)]),
        "modules": lambda page: iter([blocks.aside(code.draw_modules)]),
    }
    yield from blocks.topics(page, topics)


def _once_answered(page: Page, *then: blocks.PartBlock) -> blocks.Blocks:
    """The question about a view without transpose; after its answer these blocks."""
    if page.settings.num_heads == 1:
        yield blocks.control(scene.alone)
        return
    if len(page.settings.tokens) == 1:  # nothing can be in a wrong place, so there is nothing to ask
        yield blocks.text("view.one_token")
    else:
        yield blocks.asking("view", _ask)
        yield blocks.picture(_answered)
    yield from then


# ---- the question


def _ask(page: Page) -> bool:
    """Whose numbers are in the last head's first row? With several tokens never the numbers of the first."""
    settings, t = page.settings, page.t
    count, heads, last = len(settings.tokens), settings.num_heads, settings.num_heads - 1
    cells = forms.origins(count, heads, settings.head_dim, transpose=False)[..., 0]  # (heads, n, width)
    there = int(cells[last, 0, 0])
    offered = range(count) if count <= MOST_OPTIONS else sorted({0, there - 1, there, count - 1})
    options = {str(token + 1): literal(page.tokens[token]) for token in offered}
    reasons = {}
    for token in offered:
        why = t("because.view_there" if token == there else "because.view_other")
        places = t("because.view_places", places=_places(page, cells, token))
        reasons[str(token + 1)] = t.joined([why, places])
    facts: dict[str, Any] = {"token": literal(page.tokens[0]), "head": last + 1, "heads": heads, "n": count}
    facts |= {"answer": str(there + 1), "words": options, "reasons": reasons}
    return questions.ask(page, "view", lambda: _reading_order(page), **facts)


def _places(page: Page, cells: torch.Tensor, token: int) -> str:
    """Where a token's numbers end up: head and row, as people count them."""
    places = (cells[..., 0] == token).nonzero().tolist()
    named = (page.t("view.place", head=head + 1, row=row + 1) for head, row in places)
    return page.t.listed(named, apart=True)


def _answered(page: Page) -> None:
    _reading_order(page, answered=True)


def _reading_order(page: Page, *, answered: bool = False) -> None:
    """Q with its numbers counted in reading order: what a view cuts.

    answered: what it reads into the first row of the last head is ringed.
    """
    settings = page.settings
    columns = settings.num_heads * settings.head_dim
    order = [[str(row * columns + col + 1) for col in range(columns)] for row in range(len(settings.tokens))]
    matrix = Matrix(
        "order",
        "Q",
        list(page.tokens),
        scene.columns(settings.num_heads, settings.head_dim),
        order,
        kind="text",
    )
    if answered:
        cells = forms.origins(len(settings.tokens), settings.num_heads, settings.head_dim, transpose=False)[
            -1, 0
        ]
        matrix = matrix.looking(ringed=[tuple(cell) for cell in cells.tolist()])
    placing.draw(page, "order", [matrix])


# ---- where the numbers come from


def _origins(page: Page) -> None:
    """The heads of both ways; each cell says which row and column of Q it is."""
    with blocks.for_readers("origins"):
        say.markdown(page.t("view.origins"))
        st.code(page.t("view.code"), language="python")
    heads, width = page.settings.num_heads, page.settings.head_dim
    right, wrong = (
        _cells_of_heads(page, way, page.settings.tokens, heads, width) for way in ("split", "view")
    )
    placing.draw(
        page,
        "origins",
        [*right, *wrong],
        [
            Flow([Group([table.id for table in cut], page.t(f"view.{way}"))])
            for way, cut in (("split", right), ("view", wrong))
        ],
    )


def _cells_of_heads(page: Page, way: str, tokens: tuple[str, ...], heads: int, width: int) -> list[Matrix]:
    """The heads' rows and columns of Q, one way; ringed is what belongs elsewhere."""
    n = len(tokens)
    cells = forms.origins(n, heads, width, transpose=way == "split")
    wrong = (cells != forms.origins(n, heads, width, transpose=True)).any(dim=-1)
    return [
        Matrix(
            f"{way}_{head + 1}",
            f"Q_{head + 1}",
            [f"{row + 1} {token}" for row, token in enumerate(tokens)],
            [f"{head + 1}.{column + 1}" for column in range(width)],
            [[f"{token + 1}, {column + 1}" for token, column in row] for row in cells[head].tolist()],
            kind="text",
        ).looking(
            ringed=[tuple(place) for place in wrong[head].nonzero().tolist()],
            alt=page.t(f"view.alt_{way}", head=head + 1),
        )
        for head in range(heads)
    ]


# ---- what it does


def wrong_split(page: Page) -> tuple[AttentionTrace, torch.Tensor]:
    """The heads and the output with heads cut by view alone."""
    settings = page.settings
    options = options_of(settings)
    return forms.multi_head_with_view_split(
        torch.tensor(settings.x, dtype=torch.float64),
        **tensors_of(settings),
        num_heads=settings.num_heads,
        mask=mask_of(settings),
        scale=options["scale"],
        masked_score=options["masked_score"],
    )


def _comparison(page: Page) -> blocks.Blocks:
    """Weights and output, both ways, next to X."""
    if page.settings.kv_heads == page.settings.num_heads:
        yield blocks.picture(_both)
    else:
        yield blocks.info("view.grouped")
        yield blocks.control(scene.own_kv)


def _both(page: Page) -> None:
    """Weights of the shown head and output, both ways."""
    t, page = page.t, positions.plainly(page)
    computation = steps.of(page)
    heads, output = wrong_split(page)
    weights = heads.weights
    matrices = [
        inputs.matrix(page, "x"),
        *_weights(page, computation, heads),
        *_outputs(page, computation, heads.output.reshape(len(page.tokens), -1), output),
    ]
    off = (computation.trace.output - output).abs().max().item()
    key = "view.off" if off > 1e-9 * max(1.0, output.abs().max().item()) else "view.by_chance"
    sums = (weights.sum(-1) - computation.trace.heads.weights.sum(-1)).abs().max().item()
    placing.draw(
        page,
        "wrong",
        matrices,
        [Grid([[table.id for table in matrices[:3]]]), Flow([table.id for table in matrices[3:]])],
        fit=True,
        sources=[computation.find],
        passages=[Passage("", [t(key, difference=share(off, 4), sums=size(sums))])],
    )


def _weights(page: Page, computation: steps.Steps, wrong: AttentionTrace) -> list[Matrix]:
    """The shown head's attention weights, both ways."""
    t, head = page.t, page.head
    return [
        matrix.of(
            f"weights_{name}",
            t(f"view.weights_{name}", head=head + 1),
            heads.weights[head],
            computation.queries,
            computation.keys,
            kind="weights",
            masked=computation.masked,
            query_rows=True,
            recipe=softmax_of(needed(heads.masked_scores)[head].tolist()),
        )
        for name, heads in (("right", computation.trace.heads), ("view", wrong))
    ]


def _outputs(page: Page, computation: steps.Steps, joined: torch.Tensor, wrong: torch.Tensor) -> list[Matrix]:
    """Z both ways; joined: the heads of the wrong way, side by side."""
    t, right, weights = page.t, computation.trace.output, tensors_of(page.settings)
    recipe = computation["output"].recipe
    recipe_wrong = arithmetic.products(joined, needed(weights["w_o"]), wrong, weights["b_o"])
    cols = [str(i + 1) for i in range(right.shape[-1])]
    look: dict[str, Any] = {"bound": nice_bound([*right.tolist(), *wrong.tolist()]), "query_rows": True}
    return [
        matrix.of("right", t("view.right"), right, computation.queries, cols, recipe=recipe, **look),
        matrix.of("wrong", t("view.wrong"), wrong, computation.queries, cols, recipe=recipe_wrong, **look),
        matrix.of(
            "difference",
            t("view.difference"),
            right - wrong,
            computation.queries,
            cols,
            recipe=difference("right", "wrong"),
            **look,
        ),
    ]


# ---- the lecture note


def _note(page: Page) -> None:
    """What a lecture note says of its worked case, and what comes when it is run with seeded numbers."""
    t = page.t
    shape, same = note_result()
    rows = [
        ("heads", t("note.heads_said"), t("note.heads_is", difference=size(same))),
        ("tokens", t("note.tokens_said"), t("note.tokens_is")),
        ("output", "(1, 4, 8)", str(shape)),
    ]
    heads = [t("note.what"), t("note.said"), t("note.is")]
    with blocks.for_readers("note"):
        say.markdown(t("note.why"))
        say.table(heads, [(t(f"note.{key}"), a, b) for key, a, b in rows])
        say.markdown(t("note.origins"))
    tokens = (t("note.token"),) * NOTE_TOKENS
    cut = _cells_of_heads(page, "view", tokens, NOTE_HEADS, NOTE_WIDTH)
    placing.draw(page, "note", cut)


def note_result() -> tuple[tuple[int, ...], float]:
    """The shape of the note's output, and how far its two “heads” are apart."""
    generator = torch.Generator().manual_seed(0)
    columns = NOTE_HEADS * NOTE_WIDTH
    x, *weights = (
        torch.randn(*shape, dtype=torch.float64, generator=generator)
        for shape in ((NOTE_TOKENS, columns), *((columns, columns),) * 4)
    )
    w_q, w_k, w_v, w_o = weights
    note = forms.note_multi_head(x, w_q, w_k, w_v, w_o, NOTE_HEADS)
    return tuple(note.output.shape), (note.heads[0] - note.heads[1]).abs().max().item()
