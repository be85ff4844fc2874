"""Local layers with a sliding window and global layers in turn: their reach, and what the cache holds."""

import functools
import operator
from typing import Any

import torch
from torch import Tensor

from attention import causal_mask
from attention.lab.newer import windows as lab
from pages.ask import blocks
from pages.draw import inputs, matrix, placing, say
from pages.draw.numbers import counted
from pages.draw.page import Page
from pages.model.course import Location
from pages.model.fields import specs
from pages.picture import Flow, Matrix, Passage, written
from pages.picture.traced import AxisNames, Operation, Traced, as_input, by_name

from .settings import NewerNumbers

LAYERS = 6
LOCAL = {"none": 0, "one": 1, "five": 5, "all": LAYERS}  # local layers before each global one
KINDS = specs(NewerNumbers)["layer_kinds"].options
GEMMA = {"window": 1024, "local": 5}  # Gemma 3; with 1B parameters a window of 512
TEXT = 32_768  # tokens
REACH = Operation(
    lambda mask, before: ((mask @ before) > 0).double(), "(({} @ {}) > 0) * 1.0", "({} · {} > 0)"
)


def draw(page: Page) -> blocks.Blocks:
    yield blocks.text("windows.intro")
    yield blocks.ask("windows_reach", _draw_asked, **facts())
    yield blocks.control(_kinds)
    yield blocks.picture(_picture)
    yield blocks.aside(_cache)
    yield blocks.way("windows.more", Location("cost", "cache"))


def _kinds(page: Page) -> None:
    page.choose("layer_kinds", KINDS, lambda kind: page.t(f"windows.{kind}"))


def _cache(page: Page) -> None:
    """What the cache of a model holds."""
    kept, full = gemma_cache()
    cost = {"kept": f"{kept:,}", "full": f"{full:,}", "share": f"{kept / full:.0%}"}
    say.markdown(page.t("windows.cost", tokens=f"{TEXT:,}", **cost, **facts()))


@functools.cache
def facts() -> dict[str, Any]:
    """The numbers of the question."""
    window, local = GEMMA.values()
    reach, product = f"{question_reach():,}", f"{window * local:,}"
    return {"window": f"{window:,}", "local": local, "sum": reach, "product": product}


def question_reach() -> int:
    """How many tokens the five local layers of the question reach."""
    window, local = GEMMA.values()
    return lab.tokens_reached(TEXT, [window] * local)


def gemma_cache() -> tuple[int, int]:
    """Keys in the cache of six layers for a long text, and of six global layers."""
    window, local = GEMMA.values()
    in_turn = lab.in_turn(local + 1, window, local)
    return lab.rows_kept(TEXT, in_turn), lab.rows_kept(TEXT, [None] * (local + 1))


def layers_of(page: Page) -> list[int | None]:
    own = page.own
    return lab.in_turn(LAYERS, own.window_r, LOCAL[own.layer_kinds])


def steps_of(page: Page) -> dict[str, Traced]:
    """The masks, the tokens in reach after each layer, and in how many layers the last one sees each key."""
    t, n, layers = page.t, page.own.window_n, layers_of(page)
    tokens = AxisNames(counted(n))

    def start(name: str, cells: Tensor) -> Traced:
        return as_input(name, "", cells.double(), tokens, tokens, title=t(f"program.{name}"))

    local, whole = start("local", lab.mask_of(n, page.own.window_r)), start("whole", causal_mask(n))
    reached = [as_input("reach_0", "", torch.eye(n).double(), tokens, tokens, title=t("program.start"))]
    masks = [whole if window is None else local for window in layers]
    for layer, mask in enumerate(masks, start=1):
        reach = Traced(REACH, (mask, reached[-1]), tokens, tokens, kind="plain")
        formula = f"(M_{layer} · R_{layer - 1} > 0)"
        reached.append(reach.called(f"reach_{layer}", f"R_{layer}", written=formula))
    attended = functools.reduce(operator.add, [mask[-1:] for mask in masks])
    look: dict[str, Any] = {"rows": AxisNames([""]), "kind": "plain", "written": "Σ M_l"}
    return by_name(local, whole, *reached, attended.called("attended", **look))


def _by_layer(page: Page, name: str, cells: Tensor) -> Matrix:
    """A mask with a row for each layer and a column for each token."""
    names = _names(page)
    title = page.t(f"windows.{name}")
    return matrix.of(name, title, cells, names, counted(cells.shape[-1]), col_axis=page.t("windows.position"))


def _names(page: Page) -> list[str]:
    """The layers with their numbers, local or global."""
    keys = ["windows.global" if window is None else "windows.local" for window in layers_of(page)]
    return [page.t(key, layer=layer) for layer, key in enumerate(keys, start=1)]


def _draw_asked(page: Page) -> None:
    """The keys that the last token attends to in each layer, with the learner's window."""
    attended = _by_layer(page, "attended", lab.attended(page.own.window_n, layers_of(page)))
    placing.draw(page, "windows_asked", [attended])


def _picture(page: Page) -> None:
    """By layer: the keys that the last token attends to, the tokens it can depend on, and the cache."""
    t, n, layers = page.t, page.own.window_n, layers_of(page)
    kept = [lab.rows_kept(n, [window]) for window in layers]
    texts = [f"n = {n}" if w is None else f"min({n}, {w}) = {k}" for w, k in zip(layers, kept, strict=True)]
    placing.draw(
        page,
        "windows",
        [
            inputs.slider(page, "window_n"),
            inputs.slider(page, "window_r"),
            _by_layer(page, "attended", lab.attended(n, layers)),
            _by_layer(page, "reached", lab.reach(n, layers)),
            Matrix(
                "kept",
                t("windows.kept"),
                _names(page),
                [""],
                [[str(count)] for count in kept],
                kind="text",
                recipe=written([[text] for text in texts], ["window_n", "window_r"], "all"),
            ),
        ],
        [Flow(["window_n", "window_r"]), Flow(["attended", "kept", "reached"])],
        fit=True,
        passages=[Passage("", [reading(page)])],
    )


def counts(page: Page) -> dict[str, int]:
    """What the layers keep and reach, and what as many global layers would keep."""
    n, layers = page.own.window_n, layers_of(page)
    reached, kept = lab.tokens_reached(n, layers), lab.rows_kept(n, layers)
    return {"layers": LAYERS, "n": n, "reached": reached, "kept": kept, "full": LAYERS * n}


def reading(page: Page) -> str:
    facts = counts(page)
    return page.t("windows.result" if facts["kept"] < facts["full"] else "windows.result_whole", **facts)
