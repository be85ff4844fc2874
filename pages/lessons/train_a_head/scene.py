"""What the parts share: the task, its sequences, and a head in training as the settings of a picture."""

import functools
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor

from attention import AttentionTrace
from attention.lab.training import TASKS, Options, Task, trace_of
from attention.lab.training.model import shapes_of
from pages import session
from pages.draw import choices, inputs, placing, steps, whole
from pages.draw.numbers import counted
from pages.draw.page import Page, distinct
from pages.model import settings as s
from pages.model.settings import Settings
from pages.picture import Arrow, Flow, Matrix

from .settings import SEQUENCES, TrainingNumbers

PLACES = 4  # decimals of a matrix in the picture: so its link is short
EXACT = 17
MATRICES = ("w_q", "w_k", "w_v", "w_o")
Letters = tuple[str, ...]


def options_of(own: TrainingNumbers) -> Options:
    """The run that the learner has chosen."""
    task = TASKS[own.task]
    return Options(
        own.task,
        own.train_seed,
        num_heads=(3 - task.heads) if own.heads_other else task.heads,
        positions=task.positions != own.positions_other,
        scaling=not own.unscaled,
        causal=task.causal != own.causal_other,
    )


@functools.cache
def sequences(task: str) -> tuple[Letters, ...]:
    """Five test sequences of a task: no run is trained on them."""
    batch = TASKS[task].batch(8 * SEQUENCES, 0, test=True)
    results = dict.fromkeys(map(TASKS[task].words, batch.tokens))
    return tuple(results)[:SEQUENCES]


def sequence_of(own: TrainingNumbers) -> Letters:
    """The sequence in the picture."""
    return sequences(own.task)[own.sequence]


def width_of(options: Options) -> int:
    """The width of X on the page: that of a token's vector, or what W_O needs for the answers."""
    answers = len(options.of.answers) if options.num_heads > 1 else 0
    return max(options.embed_dim, answers)


def settings_of(
    matrices: dict[str, Tensor], options: Options, words: Letters, places: int = PLACES
) -> Settings:
    """A head in training as core settings, on one sequence.

    A single head has no W_O here, and the lessons compute without it then. Several heads have as many columns
    in W_O as there are answers. Zeros make X and W_O equally wide, as the settings have them.
    """
    x = options.of.inputs(torch.tensor(options.of.numbers(words)), options.positions)
    width, inside = width_of(options), options.num_heads * options.value_dim
    sizes = {name: (width, len(matrices[name][0])) for name in ("w_q", "w_k", "w_v")}
    sizes |= {"x": (len(words), width), "w_o": (inside, width)}
    start = {"x": x, "w_o": x.new_zeros(inside, 0)} | matrices
    rows: dict[str, Any] = {name: _rows(_padded(start[name], *size), places) for name, size in sizes.items()}
    return s.normalised(
        Settings(
            tokens=tuple(words),
            **rows,
            num_heads=options.num_heads,
            d_k=options.head_dim,
            d_v=options.value_dim,
            scaling="sqrt_d_k" if options.scaling else "none",
            mask="causal" if options.causal else "none",
        )
    )


def _padded(matrix: Tensor, rows: int, cols: int) -> Tensor:
    return torch.nn.functional.pad(matrix, (0, cols - len(matrix[0]), 0, rows - len(matrix)))


def _rows(matrix: Tensor, places: int) -> s.Numbers:
    return tuple(tuple(round(value, places) + 0.0 for value in row) for row in matrix.tolist())


def matrices_of(settings: Settings, options: Options) -> dict[str, Tensor]:
    """The matrices that the core trains: without the rows and columns that only make them wider."""
    names = MATRICES if settings.num_heads > 1 else MATRICES[:3]
    matrices = {name: torch.tensor(getattr(settings, name), dtype=torch.float64) for name in names}
    matrices |= {name: matrices[name][: options.embed_dim] for name in MATRICES[:3]}
    if "w_o" in matrices:
        matrices["w_o"] = matrices["w_o"][:, : len(options.of.answers)]
    return matrices


def numbers_of(settings: Settings, options: Options) -> tuple[float, ...]:
    """All numbers of a head in training, matrix by matrix."""
    matrices = matrices_of(settings, options).values()
    return tuple(number for matrix in matrices for number in matrix.flatten().tolist())


def of_numbers(numbers: Sequence[float], options: Options, words: Letters) -> Settings | None:
    """The head with these numbers; None where the head of the options has another size."""
    shapes = shapes_of(options)
    sizes = [rows * cols for rows, cols in shapes.values()]
    if len(numbers) != sum(sizes):
        return None
    parts = torch.tensor(numbers, dtype=torch.float64).split(sizes)
    matrices = {name: part.view(shape) for (name, shape), part in zip(shapes.items(), parts, strict=True)}
    return settings_of(matrices, options, words)


@functools.lru_cache(maxsize=512)
def standing(settings: Settings, own: TrainingNumbers) -> Options | None:
    """The options with which these settings are a head for the task; None where they are not one."""
    task = TASKS[own.task]
    if len(settings.tokens) != task.length or not set(settings.tokens) <= set(task.letters):
        return None
    options = options_of(own)
    options = replace(
        options,
        num_heads=min(settings.num_heads, 4),
        positions=settings.d_model == len(task.letters) + task.length,
        scaling=settings.scaling == "sqrt_d_k",
        causal=settings.mask == "causal",
        head_dim=settings.head_dim,
    )
    zeros = {name: torch.zeros(shape, dtype=torch.float64) for name, shape in shapes_of(options).items()}
    same = settings_of(zeros, options, settings.tokens)
    numbers = {name: getattr(same, name) for name in MATRICES}
    fits = s.shapes(settings) == s.shapes(same) and replace(settings, **numbers, **_unseen(same)) == same
    return options if fits else None


def _unseen(same: Settings) -> dict[str, Any]:
    """Fields that do not matter to a head in training, as in `same`."""
    used = {"tokens", "x", *MATRICES, "num_heads", "num_kv_heads", "d_k", "d_v", "scaling", "mask"}
    used |= {"mask_2", "position", "b_q", "b_k", "b_v", "b_o"}
    return {name: getattr(same, name) for name in same.__dataclass_fields__ if name not in used}


# ---- the picture


def columns(task: Task, d_model: int) -> list[str]:
    """What the columns of X say: which letter, and with positions which place."""
    places = counted(task.length) if d_model >= len(task.letters) + task.length else []
    names = [*task.letters, *places]
    return [*names, *[""] * (d_model - len(names))]


def answer_text(page: Page, answer: str) -> str:
    """An answer in the reader's language."""
    return page.t(f"answer.{answer}") if answer in ("yes", "no") else answer


def answers_of(task: Task, words: Letters) -> list[tuple[int, int]]:
    """The cells of the output that should be the largest of their rows."""
    right = task.right_answers(words)
    return [(row, task.answers.index(answer)) for row, answer in enumerate(right) if answer is not None]


def figure_of(
    page: Page,
    task: Task,
    *,
    editable: bool = False,
    slopes: Sequence[Matrix] = (),
    lead: bool = False,
    alone: bool = False,
    right: Sequence[tuple[int, int]] = (),
) -> tuple[list[Matrix], list[Flow]]:
    """The computation from X to the output, whose columns are the answers; the right ones are ringed.

    editable: the weight matrices, which are then first; A and the answers are in a picture alone. slopes:
    their gradients, in a line with them. lead: A and the answers are first, and large. alone: nothing else is
    drawn. right: the cells of A that solve the task, ringed.
    """
    computation = steps.of(page)
    names = ["x", *MATRICES[: 3 + computation.several]]
    numbers = [_input(page, task, name, editable=editable and name != "x") for name in names]
    output = computation["output"]
    columns = [
        *(answer_text(page, answer) for answer in task.answers),
        *[""] * (len(output.cols) - len(task.answers)),
    ]
    ringed = answers_of(task, tuple(page.settings.tokens))
    computed = {name: computation[name] for name in ("query", "key", "value", "scores", "weights")}
    if computation.several:
        computed |= {name: computation[name] for name in ("head_output", "concatenated")}
    computed["output"] = replace(output, cols=columns).looking(ringed=ringed)
    computed["weights"] = computation["weights"].looking(ringed=right)
    matrices = [replace(matrix, step_name=None) for matrix in computed.values()]
    if alone:
        band = [whole.heads_band(computation)] if computation.several else []
        small = computation.thumbnails() if computation.several else []
        ends = [matrix for matrix in matrices if matrix.id in ("weights", "output")]
        return [*ends, *small], [Flow(["weights", Arrow("· V"), "output"]), *band]
    last = "head_output" if computation.several else "output"
    way, projections = Flow(["x", "scores", "weights", last]), ["query", "key", "value"]
    beside = [slope.id for slope in slopes] or projections
    if lead:
        answers = [] if computation.several else [last]
        layout = [Flow(["weights", *answers]), Flow(["scores", "value"]), Flow(["query", "key"]), Flow(["x"])]
        layout += [Flow(["head_output"] if computation.several else []), Flow(names[1:4])]
    elif editable:
        matrices = [matrix for matrix in matrices if matrix.id not in ("weights", "output")]
        way = Flow([name for name in ("x", "scores", last) if name != "output"])
        layout = [Flow([*names[1:4], *beside]), way]
    else:
        layout = [way, Flow([*names[1:4], *beside])]
    if slopes:
        layout.append(Flow(projections))
    if computation.several:
        matrices += computation.thumbnails()
        layout.append(whole.heads_band(computation))
    layout = [band for band in layout if band.items]
    return [*numbers, *slopes, *matrices], layout


def draw(
    variant: Page,
    name: str,
    task: Task,
    *,
    fit: bool = True,
    on_edit: session.Taker | None = None,
    **look: Any,
) -> None:
    """The picture of a head in training; look: see figure_of."""
    matrices, layout = figure_of(variant, task, **look)
    more: dict[str, Any] = {"fit": fit, "sources": [steps.of(variant).find], "on_edit": on_edit}
    placing.draw(variant, name, matrices, layout, on_pick=choices.choose_head, **more)


def _input(page: Page, task: Task, name: str, *, editable: bool) -> Matrix:
    matrix = inputs.matrix(page, name).to_edit(grow=None, menu=())
    if name == "x":
        matrix = replace(matrix, cols=columns(task, page.settings.d_model))
    elif name != "w_o":
        matrix = replace(matrix, rows=columns(task, page.settings.d_model))
    return matrix if editable else matrix.to_read()


# ---- the examples


def examples(page: Page) -> tuple[list[Matrix], list[Flow]]:
    """Five test sequences of the task with the answer of each token; none where nothing is asked."""
    task, words = TASKS[page.own.task], sequences(page.own.task)
    right = [
        ["·" if answer is None else answer_text(page, answer) for answer in task.right_answers(each)]
        for each in words
    ]
    rows, cols = counted(len(words)), counted(task.length)
    text: dict[str, Any] = {"rows": rows, "cols": cols, "kind": "text"}
    matrices = [
        Matrix(id="examples", title=page.t("scene.examples"), values=[list(each) for each in words], **text),
        Matrix(id="answers", title=page.t("scene.answers"), values=right, **text),
    ]
    return matrices, [Flow(["examples", Arrow(""), "answers"])]


def unknown(page: Page) -> Matrix:
    """A of the first test sequence, of which no weight is known yet."""
    names = list(distinct(sequence_of(page.own)))
    cells = [["?"] * len(names)] * len(names)
    return Matrix("unknown", "A", names, names, cells, kind="text").looking(**page.axes)


def heads_of(matrices: dict[str, Tensor], options: Options, words: Letters) -> AttentionTrace:
    """The attention of every head to these letters."""
    return trace_of(matrices, torch.tensor(options.of.numbers(words)), options).heads


def weights(matrices: dict[str, Tensor], options: Options, words: Letters) -> Tensor:
    """A of every head (heads, n, n)."""
    return heads_of(matrices, options, words).weights
