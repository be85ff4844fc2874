"""Attention on the learner's numbers, tile by tile: what is held after each tile, and what was let go."""

import functools
import itertools
from dataclasses import replace

import streamlit as st
import torch

from attention import causal_mask
from attention.lab.flash.tiling import tile_of
from pages import picture, session
from pages.ask import blocks
from pages.draw import inputs, live, matrix, placing, say
from pages.draw.numbers import counted
from pages.draw.page import Page
from pages.model.fields import specs
from pages.picture import Flow, Matrix

from . import run
from .run import BothWays
from .settings import FlashNumbers

PACE = 1.0  # seconds a tile
SKIP_TOKENS, SKIP_BLOCK = 6, 2  # of the question on skipped tiles
OUTER = specs(FlashNumbers)["outer"].options


def draw(page: Page) -> blocks.Blocks:
    yield blocks.ask("flash_same", matrices=_numbers)
    yield blocks.control(_controls, follows="released")
    if page.look.playing:
        yield blocks.work(_play)
    else:
        yield blocks.picture(_picture)
        yield blocks.result(run.reading)
        yield blocks.aside(_more, follows="moved")
    yield blocks.ask("flash_skip", matrices=_mask, keep=True)


def _mask(page: Page) -> list[Matrix]:
    """The causal mask; once it is answered, the tiles that can be skipped are ringed."""
    names, causal = counted(SKIP_TOKENS), causal_mask(SKIP_TOKENS)
    columns = [range(at, at + SKIP_BLOCK) for at in range(0, SKIP_TOKENS, SKIP_BLOCK)]
    tiles = [list(itertools.product(*tile)) for tile in itertools.product(columns, repeat=2)]
    skipped = [cell for tile in tiles if not any(causal[cell] for cell in tile) for cell in tile]
    ringed = [] if page.answer("flash_skip") is None else skipped
    return [matrix.of("mask", page.t("mask.causal"), causal, names, names, ringed=ringed, **page.axes)]


def _numbers(page: Page) -> list[Matrix]:
    """How the scores are cut into tiles: none is computed yet, each cell bears the number of its tile."""
    trace, n = run.of(page).trace, len(page.tokens)
    numbers = [[str(tile_of(trace, r, c)) for c in range(n)] for r in range(n)]
    title = page.t("tiles.numbers")
    tiles = replace(_map(page, run.of(page), 0), values=numbers, recipe=None).looking(clickable=False)
    return [replace(tiles, title=title).looking(alt=title)]


# ---- from tile to tile


def _controls(page: Page) -> None:
    """Which loop is outside, and the way through the tiles."""
    t, count = page.t, len(run.of(page).trace.tiles)
    done = run.tiles_done(page)
    places = {"start": 0, "back": done - 1, "next": done + 1, "end": count}
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        page.choose("outer", OUTER, lambda name: t(f"outer.{name}"))
        for name in ("block_q", "block_k"):
            st.number_input(
                t(f"setting.{name}"),
                1,
                len(page.tokens),
                step=1,
                width=130,
                help=t(f"help.{name}"),
                **{"disabled": page.look.playing}
                | session.bind(name, min(getattr(page.own, name), len(page.tokens))),
            )
        if page.settings.num_heads > 1:
            page.choose("head", range(page.settings.num_heads), lambda head: str(head + 1))
        for name, place in places.items():
            useless = page.look.playing or not 0 <= place <= count or place == done
            st.button(
                t(f"tiles.{name}"),
                key=f"tile-{name}",
                help=t(f"tiles.{name}_help"),
                disabled=useless,
                on_click=session.set_view,
                kwargs={"tile": max(place, 0)},
            )
        playing = page.look.playing
        st.button(
            t("tiles.stop" if playing else "setting.playing"),
            key="tile-play",
            help=t("help.playing"),
            on_click=_start_or_stop,
            args=(page, playing),
        )


def _start_or_stop(page: Page, playing: bool) -> None:
    """Play begins again from the first tile where all are done."""
    over = run.tiles_done(page) == len(run.of(page).trace.tiles)
    first = {"tile": 0} if over and not playing else {}
    session.set_view(playing=not playing, **first)


def _play(page: Page) -> None:
    """A fragment that runs by itself and goes one tile on each time but the first."""
    runs = itertools.count()

    def frame() -> None:
        count = len(run.of(page).trace.tiles)
        if next(runs):
            done = min(run.tiles_done(replace(page, view=session.view())) + 1, count)
            session.set_view(tile=done, playing=done < count)
            if done == count:
                session.rerun()  # the whole page: its controls and the link know again where it is
        here = replace(page, view=session.view())
        _picture(here)
        say.result(run.reading(here))
        with blocks.for_readers("playing"):
            _more(here)

    live.fragment(frame, run_every=PACE)()


def _pick(page: Page, picked: dict) -> None:
    """A click on a score goes to its tile."""
    if picked.get("matrix") == "score_map":
        session.set_view(
            tile=tile_of(run.of(page).trace, int(picked["row"]), int(picked["col"])), playing=False
        )


# ---- the picture


def _picture(page: Page) -> None:
    """X, the scores with their tiles, and what is held for each query."""
    ways, done = run.of(page), run.tiles_done(page)
    held = "running_maximum", "rescale_factor", "running_sum", "partial_output"
    flow = Flow(["x", "score_map", *held])
    x = inputs.matrix(page, "x")
    if page.look.playing:  # the part's own fragment would take an edit in, without the toolbar and the link
        x = x.to_read()
    matrices = [x, _map(page, ways, done), *_state_matrices(page, ways, done)]
    placing.draw(page, "tiles", matrices, [flow], on_pick=functools.partial(_pick, page))


def _more(page: Page) -> None:
    """The result of all tiles, once they are done, and why the outer loop matters."""
    if run.tiles_done(page) == len(run.of(page).trace.tiles):
        say.sentence(run.verdict(page))
    say.markdown(page.t(f"outer.{page.own.outer}_why"))


def _map(page: Page, ways: BothWays, done: int) -> Matrix:
    """The scores: only the present tile has numbers, because no other scores are held."""
    t, tokens = page.t, list(page.tokens)
    state = ways.at(done)
    numbers = {"done": "✓", "to_come": "", "skipped": "–"}
    scores = run.texts(ways.plain.masked_scores)
    values = [
        [numbers.get(word, scores[r][c]) for c, word in enumerate(row)] for r, row in enumerate(state.status)
    ]
    sentences = [[t(f"status.{word}") for word in row] for row in state.status]
    cells = [(r, c, word) for r, row in enumerate(state.status) for c, word in enumerate(row)]
    tile = state.tile
    ringed = [] if tile is None else list(itertools.product(_range(tile.rows), _range(tile.columns)))
    return Matrix(
        "score_map",
        t("tiles.scores"),
        tokens,
        tokens,
        values,
        kind="text",
        masked=[(r, c) for r, c, word in cells if word == "skipped"],
        recipe=picture.written(sentences),
    ).looking(**page.axes, ringed=ringed, clickable=True, query_rows=True, alt=t("tiles.scores_alt"))


def _range(part: slice) -> range:
    return range(part.start, part.stop)


def _state_matrices(page: Page, ways: BothWays, done: int) -> list[Matrix]:
    """Maximum, factor, sum and output of every query; the rows of the present tile are ringed."""
    t, tokens, state = page.t, list(page.tokens), ways.at(done)
    rows = [] if state.tile is None or state.tile.skipped else _range(state.tile.rows)
    texts = run.arithmetic(ways, done)
    columns = {"running_maximum": state.maximum, "rescale_factor": state.factor, "running_sum": state.total}
    held = [
        matrix.of(
            name,
            t(f"tiles.{name}"),
            values[:, None],
            tokens,
            [""],
            kind="plain",
            ringed=[(r, 0) for r in rows],
            recipe=picture.written([[text] for text in texts[name]], ["score_map"], "row"),
            query_rows=True,
        )
        for name, values in columns.items()
    ]
    width = state.output.shape[-1]
    output = matrix.of(
        "partial_output",
        t("tiles.partial_output"),
        state.output,
        tokens,
        counted(width),
        ringed=list(itertools.product(rows, range(width))),
        recipe=picture.written(texts["partial_output"], ["rescale_factor", "running_sum"], "row"),
        bound=picture.nice_bound(torch.cat([ways.plain.value, state.output]).tolist()),
        query_rows=True,
    )
    return [*held, output]
