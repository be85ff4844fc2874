"""A second run next to the first: what is the same is the task's, what differs is the seed's."""

import functools
import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import streamlit as st
from torch import Tensor

from attention.lab.training import (
    LEARNED,
    Options,
    Snapshot,
    TrainingRun,
    agreement,
    equivalent,
    well_conditioned,
)
from attention.lab.training.model import mask_of
from pages import picture, session
from pages.ask import blocks
from pages.draw import matrix, placing, say, steps
from pages.draw.numbers import apart, counted, short
from pages.draw.page import Page, distinct
from pages.draw.results import size
from pages.picture import Flow, Matrix

from . import runs, scene, train
from .runs import RUNS
from .settings import LAST, UNLIKE

COMPARED = ("w_q", "w_k", "product", "scores")
ASKED, SEEDS = "previous", (0, 1)  # the runs of the question
SEED_OF_M = 1


def draw(page: Page) -> blocks.Blocks:
    """The question; then both runs at the same step."""
    yield blocks.aside(_choices)
    yield blocks.ask("train_agree", _start)
    yield blocks.work(_runs)


def _choices(page: Page) -> None:
    t = page.t
    with st.container(horizontal=True, vertical_alignment="bottom"):
        train.choose_task(page)
        train.controls(page)
        look: dict[str, Any] = {
            "format_func": lambda name: t(f"unlike.{name}"),
            "help": t("help.unlike"),
            "width": 170,
        }
        bound = session.bind("unlike", page.own.unlike, _set_unlike)
        st.selectbox(t("setting.unlike"), UNLIKE, **look, **bound)


def _runs(page: Page) -> None:
    both = pair(page)
    if not RUNS.draw(functools.partial(_show, page, both), *both, asked=page.own.paired):
        first, other, _ = shown(page, both)
        with blocks.for_readers("compared"):
            compare(page, both, (first, other))
        page.toggle("turned")
        if page.own.turned:
            say.sentence(_turn_sentence(page, both[0], first.matrices))


def _set_unlike(name: object) -> None:
    """Another second run, which shows its last step."""
    session.set_own(unlike=name, train_step=LAST)


def _start(page: Page) -> None:
    """The two runs of the question before their training."""
    both = tuple(Options(ASKED, seed) for seed in SEEDS)
    words = scene.sequences(ASKED)[0]
    _figure(page, both, tuple(runs.start(options).matrices for options in both), [], words)


def pair(page: Page) -> tuple[Options, Options]:
    """The learner's run, and one that is unlike it in one thing."""
    first, unlike = scene.options_of(page.own), page.own.unlike
    if unlike == "seed":
        return first, replace(first, seed=first.seed + 1)
    other: dict[str, Any] = {unlike: not getattr(first, unlike)}
    return first, replace(first, **other)


def shown(page: Page, both: tuple[Options, Options]) -> tuple[Snapshot, Snapshot, bool]:
    """Both runs at the same step, and whether they are at work or not there yet."""
    job, asked = RUNS.job(*both), page.own.paired
    results = [RUNS.so_far(options, asked=True) if asked else () for options in both]
    at_work = (job is not None and not job.ended) or not all(results)
    pairs = zip(both, results, strict=True)
    first, other = (train.snapshot_of(page, *pair, at_work=at_work) for pair in pairs)
    return first, other, at_work


def _show(page: Page, both: tuple[Options, Options]) -> None:
    """The button; then both runs at the same step."""
    train.training(page, "two.start", both, "ran", "paired")
    first, other, at_work = shown(page, both)
    matrices = turn(first.matrices, both[0]) if page.own.turned else first.matrices
    slider = [] if at_work else [train.step_slider(page, both[0], first)]
    _figure(page, both, (matrices, other.matrices), slider, scene.sequence_of(page.own))


def turn(matrices: dict[str, Tensor], options: Options) -> dict[str, Tensor]:
    """W_Q · M and W_K · M⁻ᵀ in every head."""
    m = well_conditioned(options.head_dim, SEED_OF_M)
    for head in range(options.num_heads):
        matrices = equivalent(matrices, m, head, options)
    return matrices


# ---- the picture


def _figure(
    page: Page,
    both: tuple[Options, ...],
    of: tuple[dict, ...],
    slider: Sequence[Matrix],
    words: scene.Letters,
) -> None:
    """A of both; below it W_Q, W_K and their product, a line for each run."""
    weights = [_weights(page, i + 1, options, of[i], words) for i, options in enumerate(both)]
    lines = [_line(page, i + 1, options, of[i]) for i, options in enumerate(both)]
    rows = [row for row in (slider, weights, *lines) if row]
    matrices = [matrix for row in rows for matrix in row]
    placing.draw(page, "pair", matrices, [Flow([matrix.id for matrix in row]) for row in rows], fit=True)


def _head(page: Page, options: Options) -> int:
    return min(page.view.head, options.num_heads - 1)


def _weights(
    page: Page, number: int, options: Options, matrices: dict[str, Tensor], words: scene.Letters
) -> Matrix:
    """A of the shown head; of the second run with a prime."""
    tokens, trace = list(distinct(words)), scene.heads_of(matrices, options, words).head(_head(page, options))
    values, recipe = trace.weights, picture.softmax_of(trace.masked_scores.tolist())
    look = {"kind": "weights", "masked": steps.hidden(mask_of(options)), "query_rows": True, "recipe": recipe}
    look |= page.axes
    return matrix.of(f"weights_{number}", "A" + "′" * (number - 1), values, tokens, tokens, **look)


def _line(page: Page, number: int, options: Options, matrices: dict[str, Tensor]) -> list[Matrix]:
    """W_Q, W_K and their product in the shown head; of the second run with a prime."""
    prime, head = "′" * (number - 1), _head(page, options)
    columns = slice(head * options.head_dim, (head + 1) * options.head_dim)
    w_q, w_k = matrices["w_q"][:, columns], matrices["w_k"][:, columns]
    inside, across = scene.columns(options.of, options.embed_dim), counted(options.head_dim)
    recipe = picture.product(f"w_q_{number}", f"w_k_{number}", options.head_dim, right_transposed=True)
    title = f"W_Q{prime} · W_K{prime}^T"
    return [
        matrix.of(f"w_q_{number}", f"W_Q{prime}", w_q, inside, across),
        matrix.of(f"w_k_{number}", f"W_K{prime}", w_k, inside, across),
        matrix.of(f"product_{number}", title, w_q @ w_k.mT, inside, inside, recipe=recipe),
    ]


# ---- what is said


def compare(page: Page, both: tuple[Options, Options], at: tuple[Snapshot, Snapshot]) -> None:
    """How near the matrices of both are, and how near their A, on the test sequences of the first."""
    t = page.t
    facts = {f"{name}_{i}": value for i, result in enumerate(at, 1) for name, value in _facts(result).items()}
    say.sentence(t("two.steps", **facts))
    shares = agreement(*(TrainingRun(options, (result,)) for options, result in zip(both, at, strict=True)))
    if shares is None:
        return  # the runs are of different tasks
    if not math.isnan(shares.product):
        rows = [(t(f"compared.{name}"), short(getattr(shares, name))) for name in COMPARED]
        say.table([t("column.compared"), t("column.cosine")], rows)
    rows_agree = t("two.rows", share=f"{shares.weights:.1%}", same=f"{shares.darkest:.1%}")
    differ = shares.darkest < LEARNED and min(result.accuracy for result in at) >= LEARNED
    say.sentence(t.joined([rows_agree, *([t("two.differ")] if differ else [])]))


def _facts(snapshot: Snapshot) -> dict[str, Any]:
    return {"step": snapshot.step, "loss": apart(snapshot.loss), "accuracy": f"{snapshot.accuracy:.1%}"}


def _turn_sentence(page: Page, options: Options, matrices: dict[str, Tensor]) -> str:
    """How much W_Q and W_K have moved, and by how much A, which stays."""
    after, words = turn(matrices, options), scene.sequence_of(page.own)
    moved = max((after[name] - matrices[name]).abs().max().item() for name in ("w_q", "w_k"))
    weights = scene.weights(after, options, words) - scene.weights(matrices, options, words)
    return page.t("two.turned", moved=short(moved), difference=size(weights.abs().max().item()))
