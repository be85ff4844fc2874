"""The computation of a part for files: the softmax of a row in one pass, and attention tile by tile."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor

from pages.draw import inputs, matrix, steps
from pages.draw.numbers import counted
from pages.draw.page import Page
from pages.hand.export.program import Ending, Program, ProgramStep, note_of, of_numbers, questions_of
from pages.picture import PanelStep
from pages.picture.traced import AxisNames, as_input, latex_of

from . import row, run

LIBRARIES = (
    {"lib": "torch", "along": "dim=-1, keepdim=True", "bool": "torch.bool"},
    {"lib": "np", "along": "axis=-1, keepdims=True", "bool": "bool"},
)
KINDS = {"weights": "weights", "output": "signed"}
HELD = ("running_maximum", "rescale_factor", "running_sum")
# Step → its formula. s_j: the scores of a block of keys; in a row, where no Σ is needed, one score.
FORMULAS = {
    "running_maximum": "m_j = max(m_{j−1}, s_j)",
    "rescale_factor": "f_j = exp(m_{j−1} − m_j)",
    "running_sum": "ℓ_j = f_j · ℓ_{j−1} + Σ exp(s_j − m_j)",
    "weights": "p_j = exp(s_j − m) / ℓ",
    "output": "O_j = (f_j · ℓ_{j−1} · O_{j−1} + exp(s_j − m_j) · V_j) / ℓ_j",
}
PASS = """\
# One pass over the scores, which keeps the largest score so far and the sum so far.
running_maximum, rescale_factor, running_sum = ({lib}.zeros_like(scores) for _ in range(3))
maximum, total = -math.inf, 0.0
for j, score in enumerate(scores[0].tolist()):
    largest = max(maximum, score)
    factor = math.exp(maximum - largest)
    maximum, total = largest, factor * total + math.exp(score - largest)
    running_maximum[0, j], rescale_factor[0, j], running_sum[0, j] = maximum, factor, total"""
WEIGHTS = "weights = {lib}.exp(scores - maximum) / total"
START = """\
mask = {lib}.ones(({n}, {n}), dtype={bool})  # every key is visible
# Tile by tile. The whole matrix of scores above is only for the comparison at the end.
query_blocks = [slice(at, at + {block_q}) for at in range(0, {n}, {block_q})]
key_blocks = [slice(at, at + {block_k}) for at in range(0, {n}, {block_k})]
# The factor of a skipped tile stays 1.
running_maximum, running_sum, rescale_factor = ({lib}.ones(({n}, len(key_blocks))) for _ in range(3))
maximum, total = {lib}.full(({n}, 1), -{lib}.inf), {lib}.zeros(({n}, 1))
output = {lib}.zeros(({n}, {d_v}))
"""
LOOPS = {
    "keys": "for j, columns in enumerate(key_blocks):\n    for rows in query_blocks:",
    "queries": "for rows in query_blocks:\n    for j, columns in enumerate(key_blocks):",
}
TILE = """
        if mask[rows, columns].any():  # a tile that is masked throughout is skipped
            tile = query[rows] @ key[columns].T{scaling}{biasing}
            tile = {lib}.where(mask[rows, columns], tile, -{lib}.inf)
            largest = {lib}.maximum(maximum[rows], {lib}.amax(tile, {along}))
            shift = {lib}.where({lib}.isinf(largest), 0, largest)  # −∞: the row has no visible key yet
            factor, exps = {lib}.exp(maximum[rows] - shift), {lib}.exp(tile - shift)
            kept = factor * total[rows]
            maximum[rows], total[rows] = largest, kept + exps.sum({along})
            divisor = {lib}.where(total[rows] == 0, 1, total[rows])
            output[rows] = (kept * output[rows] + exps @ value[columns]) / divisor
            rescale_factor[rows, j] = factor[:, 0]
        running_maximum[rows, j], running_sum[rows, j] = maximum[rows, 0], total[rows, 0]"""


def program(page: Page) -> Program | None:
    """The computation of the page's part; None where it is that of the settings."""
    make = {"row": _row, "tiles": _tiles}.get(page.part.name)
    return make and make(page)


def _steps(
    page: Page,
    numbers: Mapping[str, Tensor],
    rows: Sequence[str],
    cols: Sequence[str],
    codes: Mapping[str, str],
    **words: Any,
) -> list[ProgramStep]:
    """codes: step → its code with {lib}, which may compute other steps as well; words: placeholders of it."""
    t, tiles = page.t, page.part.name == "tiles"
    steps = []
    for name, values in numbers.items():
        code, numpy = (codes.get(name, "").format(**words, **library) for library in LIBRARIES)
        formula = FORMULAS[name] if tiles else FORMULAS[name].replace("Σ ", "")
        panel = PanelStep(
            name, t(f"program.{name}"), formula, t(f"program_why.{name}"), code, latex_of(formula)
        )
        axes = page.axes if tiles and name in HELD else {}
        shown = matrix.of(name, panel.title, values, rows, cols, kind=KINDS.get(name, "plain"), **axes)
        steps.append(ProgramStep(panel, shown, numpy, "output" if name == "output" else "weights"))
    return steps


def _ending(page: Page, check: str) -> Ending:
    return Ending(page.t("program.check"), page.t(f"program.check_{page.part.name}"), check)


def _row(page: Page) -> Program:
    one_pass, cols = row.one_pass(page.scores.logits), counted(len(page.scores.logits))
    numbers = {name: getattr(one_pass, name)[None] for name in row.LINES}
    lines = _steps(page, numbers, [""], cols, {HELD[0]: PASS, "weights": WEIGHTS})
    check = "print(torch.allclose(torch.softmax(scores, dim=-1), weights))"
    matrices, facts = {"scores": inputs.number(page, "logits")}, {page.t("program.start"): "m₀ = −∞, ℓ₀ = 0"}
    return Program((), matrices, lines, facts, questions_of(page), _ending(page, check))


# ---- tiles


def _tiles(page: Page) -> Program:
    """From Q, K and V of the shown head: positions, which change Q and K, are in them already."""
    t, own, ways = page.t, page.own, run.of(page)
    c = steps.of(replace(page, settings=replace(page.settings, masked_score="-inf"))).of_head
    head, trace, n = ways.plain, ways.trace, len(c.queries)
    queries, keys = AxisNames(c.queries, "query"), AxisNames(c.keys, "key")
    d_k, d_v = (AxisNames(counted(cells.shape[-1])) for cells in (head.query, head.value))
    query = as_input("query", c.compared("Q"), head.query, queries, d_k)
    letter = "{" + c.compared("K").replace("_", "}_") if c.several else ""  # it gets ^T behind its prime
    key = as_input("key", c.compared("K"), head.key, keys, d_k, letter=letter)
    value = as_input("value", c.symbol("V"), head.value, keys, d_v)
    scores = (query @ key.T).called("scores", c.symbol("S"))
    numbers = [scores, value, steps.scaled(c, scores)]
    if head.bias is not None:
        bias = as_input("bias", "B", head.bias, queries, keys)
        numbers.append((numbers[-1] + bias).called("biased_scores", scores.symbol))
    if head.mask is not None:
        numbers.append(steps.masked(c, numbers[-1]))
    matrices, lines = of_numbers(c.page, numbers, lambda name: (name, ""), c)
    matrices = {name: shown if shown.kind == "mask" else shown.to_edit() for name, shown in matrices.items()}
    size = trace.block_k
    ends = [(at + 1, min(at + size, n)) for at in range(0, n, size)]
    blocks = [str(first) if first == last else f"{first}–{last}" for first, last in ends]
    held = {name: torch.ones((n, len(blocks)), dtype=torch.float64) for name in HELD}
    for tile in trace.tiles:
        for name, values in held.items():
            values[tile.rows, tile.columns.start // size] = getattr(tile, name)
    words: dict[str, Any] = {"block_q": trace.block_q, "block_k": size, "n": n, "d_v": len(d_v)}
    words["scaling"] = c.scalar.code and f" / {c.scalar.code}"
    words["biasing"] = "" if head.bias is None else " + bias[rows, columns]"
    start = START if head.mask is None else START.partition("\n")[2]
    code = f"{start}{LOOPS[own.outer]}{TILE}"
    lines += _steps(page, held, c.queries, blocks, {HELD[0]: code}, **words)
    lines += _steps(page, {"output": trace.output}, c.queries, d_v.names, {})
    facts = {t("setting.head"): str(page.head + 1)} if c.several else {}
    facts |= {t("setting.outer"): t(f"outer.{own.outer}")}
    facts |= {t(f"setting.{name}"): str(getattr(trace, name)) for name in ("block_q", "block_k")}
    facts |= {t("program.start"): t("program.start_tiles")}
    weights = numbers[-1].softmax().called("weights")
    check = f"{weights.line('torch')}\nprint(torch.allclose({(weights @ value).code('torch')}, output))"
    ending = _ending(page, check)
    return Program(c.queries, matrices, lines, facts, questions_of(page), ending, note=note_of(c))
