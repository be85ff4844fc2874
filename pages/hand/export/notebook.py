"""The computation as a Jupyter notebook (nbformat 4.5): text, formulas, code and heatmaps."""

import json

from pages.draw.page import Page

from . import script

# Colours as on the screen; the fonts are the first ones found that have Chinese characters.
DRAW = '''%matplotlib inline
import math

import matplotlib.pyplot as plt
from matplotlib import font_manager

known = {font.name for font in font_manager.fontManager.ttflist}
wanted = ["Noto Sans CJK SC", "Noto Sans CJK JP", "PingFang SC", "Microsoft YaHei", "SimHei", "DejaVu Sans"]
plt.rcParams["font.family"] = [name for name in wanted if name in known]


def heatmap(matrix, title, rows, columns=None, are_weights=False):
    """Draws a matrix, or a matrix for each head, with its numbers."""
    heads = matrix.reshape(-1, *matrix.shape[-2:])
    columns = columns or range(1, heads.shape[-1] + 1)
    figure, axes = plt.subplots(
        1, len(heads), squeeze=False, layout="constrained",
        figsize=(len(heads) * (1.5 + 0.6 * heads.shape[-1]), 1 + 0.5 * heads.shape[-2]),
    )
    finite = heads[~torch.isinf(heads)]
    bound = max(1e-9, float(finite.abs().max())) if finite.numel() else 1.0
    limits = dict(vmin=-bound, vmax=bound, cmap="PuOr_r")
    if are_weights:
        limits = dict(vmin=0, vmax=1, cmap="Purples")
    for number, (axis, values) in enumerate(zip(axes[0], heads), 1):
        axis.imshow(values.masked_fill(torch.isinf(values), 0), aspect="auto", **limits)
        axis.set_title(title if len(heads) == 1 else f"{title} {number}")
        axis.set_xticks(range(values.shape[1]), columns)
        axis.set_yticks(range(values.shape[0]), rows)
        for i, row in enumerate(values.tolist()):
            for j, value in enumerate(row):
                light = 0.6 * limits["vmax"] < abs(value) < math.inf
                text = f"{value:.2f}".replace("-inf", "−∞")
                axis.text(j, i, text, ha="center", va="center", color="white" if light else "black")
    plt.show()'''


def notebook(page: Page, link: str) -> str:
    cells = list(_cells(page, link))
    book = {
        "cells": [cell | {"id": f"cell-{number}"} for number, cell in enumerate(cells)],
        "metadata": {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
        },
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(book, ensure_ascii=False, indent=1)


def _text(*paragraphs: str) -> dict:
    return {"cell_type": "markdown", "metadata": {}, "source": "\n\n".join(paragraphs)}


def _code(*lines: str) -> dict:
    source = "\n".join(lines)
    return {"cell_type": "code", "metadata": {}, "source": source, "execution_count": None, "outputs": []}


def _cells(page: Page, link: str):
    t, program = page.t, script.of(page, "torch")
    back = [f"[{t('export.back')}]({link})"] if link else []
    yield _text(
        f"# {t('lesson.title')}", t("export.about", lesson=t("lesson.title")), *program.whole.notes, *back
    )
    yield _text(f"## {t('export.given')}")
    yield _code(program.begin(), *([program.functions()] if program.functions() else []))
    yield _code(*program.setup())
    yield _text(t("export.drawing"))
    yield _code(DRAW)
    for step, names in program.walk():
        yield _text(f"## {step.title}", f"$${step.latex}$$", step.why)
        code = [step.code] if step.code else []  # another step's may compute this one as well
        yield _code(*code, f'heatmap({step.name}, "{step.name}", {names})', step.name)
    if program.ending is not None:
        yield _text(f"## {program.ending.title}", program.ending.why)
        yield _code(program.ending.code)
    elif "weights" in {step.name for step, _ in program.walk()}:
        yield _text(f"## {t('export.check')}", t("export.check_why"))
        yield _code("weights.sum(dim=-1)")
