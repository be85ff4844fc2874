"""Local layers with a sliding window and global layers in turn: their reach, and what the cache holds."""

from typing import Any

from attention.lab.newer import windows as lab
from pages.ask import links, questions
from pages.draw import inputs, live, matrix, placing, say
from pages.draw.numbers import counted
from pages.draw.page import Page
from pages.draw.picture import Flow, Matrix, Passage, written
from pages.model.course import Location
from pages.model.fields import specs

from .settings import NewerNumbers

LAYERS = 6
LOCAL = {"none": 0, "one": 1, "five": 5, "all": LAYERS}  # local layers before each global one
KINDS = specs(NewerNumbers)["layer_kinds"].options
GEMMA = {"window": 1024, "local": 5}  # Gemma 3
TEXT = 32_768  # tokens


@live.places
def draw(page: Page) -> None:
    t = page.t
    say.markdown(t("windows.intro"))
    window, local = GEMMA.values()
    facts: dict[str, Any] = {"window": f"{window:,}", "local": local, "sum": f"{question_reach():,}"}
    facts["product"] = f"{window * local:,}"
    if not questions.ask(page, "windows_reach", **facts):
        return
    page.choose("layer_kinds", KINDS, lambda kind: t(f"windows.{kind}"))
    live.picture(page, _picture)
    kept, full = gemma_cache()
    share = f"{kept / full:.0%}"
    say.markdown(
        t("windows.cost", tokens=f"{TEXT:,}", kept=f"{kept:,}", full=f"{full:,}", share=share, **facts)
    )
    links.to_place(Location("cost", "cache"), t("windows.more"), t.language)


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


def _picture(page: Page) -> None:
    """By layer: the keys that the last token attends to, the tokens it can depend on, and the cache."""
    t, n, layers = page.t, page.own.window_n, layers_of(page)
    names = [
        t("windows.global" if window is None else "windows.local", layer=layer + 1)
        for layer, window in enumerate(layers)
    ]
    look = {"col_axis": t("windows.position")}
    kept = [lab.rows_kept(n, [window]) for window in layers]
    texts = [f"n = {n}" if w is None else f"min({n}, {w}) = {k}" for w, k in zip(layers, kept, strict=True)]
    placing.draw(
        page,
        "windows",
        [
            inputs.slider(page, "window_n"),
            inputs.slider(page, "window_r"),
            matrix.of("attended", t("windows.attended"), lab.attended(n, layers), names, counted(n), **look),
            matrix.of("reached", t("windows.reached"), lab.reach(n, layers), names, counted(n), **look),
            Matrix(
                "kept",
                t("windows.kept"),
                names,
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


def reading(page: Page) -> str:
    own, layers = page.own, layers_of(page)
    return page.t(
        "windows.result",
        layers=LAYERS,
        n=own.window_n,
        reached=lab.tokens_reached(own.window_n, layers),
        kept=lab.rows_kept(own.window_n, layers),
        full=lab.rows_kept(own.window_n, [None] * LAYERS),
    )
