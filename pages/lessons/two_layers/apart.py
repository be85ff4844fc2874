"""A trained model taken apart: paths from layer 1 to layer 2 that are cut, and its circuits as tables."""

from typing import Any

import streamlit as st
import torch
from torch import Tensor

from attention.lab.two_layers import (
    LENGTH,
    LETTERS,
    TwoLayersSnapshot,
    accuracy_of,
    circuit_ov,
    circuit_qk,
    composed_qk,
    composition_scores,
    held_out,
    unrelated,
)
from attention.lab.two_layers.measures import sources as rows_of_stream
from attention.lab.two_layers.measures import w_ov, w_qk
from pages import picture
from pages.ask import blocks
from pages.draw import matrix, placing, say
from pages.draw.numbers import counted, short
from pages.draw.page import Page
from pages.picture import Flow, Matrix

from . import scene, train
from .runs import RUNS
from .settings import CUTS

QUESTION = "two_cut"


def draw(page: Page) -> blocks.Blocks:
    """The question; then the run of the part before, with its paths and circuits."""
    options = train.options_of(page)
    yield blocks.ask(QUESTION)
    yield blocks.aside(scene.choose)  # before a class the cuts have its room
    yield blocks.control(_cuts)
    yield blocks.run(_paths, RUNS, options, asked=page.own.two_ran)
    if not RUNS.goes_on(options, asked=page.own.two_ran):
        yield blocks.text("circuit.intro")
        yield blocks.control(_rows)
        yield blocks.picture(_circuits)
        yield blocks.said(circuit_reading)
        yield blocks.text("circuit.limits")


def _cuts(page: Page) -> None:
    with st.container(horizontal=True):
        for name in CUTS:
            page.toggle(f"cut_{name}")


def shown(page: Page) -> tuple[TwoLayersSnapshot, bool]:
    options = train.options_of(page)
    return scene.shown_step(page, options, RUNS.so_far(options, asked=page.own.two_ran))


def cut_of(page: Page) -> tuple[str, ...]:
    """What layer 2 computes without the output of layer 1."""
    return tuple(name for name in CUTS if getattr(page.own, f"cut_{name}"))


# ---- the paths


def _paths(page: Page) -> None:
    """A and the probabilities with the cut, its accuracy, and what each cut does."""
    snapshot, still = shown(page)
    scene.train_run(page, "train.start", "two_ran", (train.options_of(page),))
    trace = scene.trace_at(snapshot, scene.tokens_of(page), cut_of(page))
    scene.draw_run(page, "apart", trace, [scene.step_slider(page, snapshot)] if still else [])
    say.result(reading(page, snapshot))
    with blocks.for_readers("paths"):
        header = [page.t(f"column.{name}") for name in ("path", "cut", "composition")]
        say.table(header, paths(page, snapshot))
        say.caption(page.t("apart.scores", unrelated=short(unrelated())))


def reading(page: Page, snapshot: TwoLayersSnapshot) -> str:
    """The accuracy with the cut, and without it."""
    cut, facts = cut_of(page), {"step": snapshot.step, "whole": _accuracy(snapshot, ())}
    if not cut:
        return page.t("apart.whole", **facts)
    names = page.t.listed(page.t(f"cut.{name}") for name in cut)
    return page.t("apart.cut", names=names, accuracy=_accuracy(snapshot, cut), **facts)


def paths(page: Page, snapshot: TwoLayersSnapshot) -> list[list[str]]:
    """For queries, keys and values: the accuracy with this cut alone, and the composition score."""
    scores = composition_scores(snapshot.matrices)
    rows = [[page.t(f"path.{name}"), _accuracy(snapshot, (name,)), short(scores[name])] for name in CUTS]
    return [*rows, [page.t("path.all"), _accuracy(snapshot, CUTS), "–"]]


def _accuracy(snapshot: TwoLayersSnapshot, cut: tuple[str, ...]) -> str:
    return f"{accuracy_of(snapshot.matrices, held_out(), cut):.1%}"


# ---- the circuits


def _rows(page: Page) -> None:
    page.choose("circuit_of", ("letters", "places"), lambda name: page.t(f"circuit.{name}"))


def _circuits(page: Page) -> None:
    matrices, sources = circuits(page, shown(page)[0])
    bands = [Flow(["qk_1", "qk_2"]), Flow(["composed"]), Flow(["ov_1", "ov_2"])]
    placing.draw(page, "circuits", matrices, bands, sources=[sources.get])


def _part(page: Page) -> tuple[slice, list[str]]:
    """The rows of letters, or those of places, with their names."""
    if page.own.circuit_of == "letters":
        return slice(0, len(LETTERS)), list(LETTERS)
    return slice(len(LETTERS), len(LETTERS) + LENGTH), counted(LENGTH)


def circuits(page: Page, snapshot: TwoLayersSnapshot) -> tuple[list[Matrix], dict[str, Matrix]]:
    """The tables of the circuits, and the matrices that they are products of."""
    part, names = _part(page)
    matrices = snapshot.matrices
    stream = rows_of_stream(matrices)[part]
    through, unembedding = stream @ w_ov(matrices, 1), matrices["unembedding"].mT
    factors = {
        "qk_1": (stream @ w_qk(matrices, 1), stream),
        "qk_2": (stream @ w_qk(matrices, 2), stream),
        "composed": (stream @ w_qk(matrices, 2), through),
        "ov_1": (through, unembedding),
        "ov_2": (stream @ w_ov(matrices, 2), unembedding),
    }
    tables, sources = [], dict[str, Matrix]()
    for name, (left, right) in factors.items():
        columns = list(LETTERS) if name.startswith("ov") else names
        for side, tensor, rows in (("left", left, names), ("right", right, columns)):
            sources[f"{name}_{side}"] = matrix.of(f"{name}_{side}", page.t(f"circuit.{side}"), tensor, rows)
        recipe = picture.product(f"{name}_left", f"{name}_right", left.shape[-1], right_transposed=True)
        look: dict[str, Any] = {"recipe": recipe, "subtitle": page.t(f"circuit.{name}_about")}
        look |= {f"{axis}_axis": page.t(f"circuit.{name}_{axis}s") for axis in ("row", "col")}
        tables.append(matrix.of(name, page.t(f"circuit.{name}"), left @ right.mT, names, columns, **look))
    return tables, sources


def same(table: Tensor) -> int:
    """In how many rows the largest number is on the diagonal."""
    return int((table.argmax(-1) == torch.arange(len(table))).sum())


def before(table: Tensor) -> int:
    """For how many places after the first the place before has the largest number up to the place itself."""
    return sum(int(row[: place + 1].argmax()) == place - 1 for place, row in enumerate(table) if place)


def circuit_reading(page: Page) -> str:
    """Which rows have their largest number where the model by hand has it."""
    (snapshot, _), size = shown(page), len(LETTERS)
    matrices = snapshot.matrices
    facts = {
        "before": before(circuit_qk(matrices, 1)[size:, size:]),
        "places": LENGTH - 1,
        "matched": same(composed_qk(matrices)[:size, :size]),
        "first": same(circuit_ov(matrices, 1)[:size]),
        "second": same(circuit_ov(matrices, 2)[:size]),
        "lowered": same(-circuit_ov(matrices, 2)[:size]),
        "letters": size,
    }
    return page.t("circuit.reading", step=snapshot.step, **facts)
