"""The learner is the optimiser: all matrices by hand, the loss at once, gradients, and steps down them.

The head is the lesson's own: the learner's numbers in other lessons stay as they are.
"""

import functools
import math
import threading
from collections.abc import Callable
from dataclasses import replace

import streamlit as st
import torch
from torch import Tensor

from attention.lab.training import Evaluation, Options, descend, evaluate, fresh
from pages import picture, session
from pages.ask import blocks
from pages.draw import charts, inputs, matrix, placing, plots, say, winners
from pages.draw.charts import Axis, Chart, Plot
from pages.draw.numbers import apart, counted
from pages.draw.page import Page
from pages.model import edits
from pages.model.settings import Settings
from pages.model.state import State
from pages.picture import Matrix

from . import runs, scene, train
from .settings import TrainingNumbers

MOST_MOVES = 60  # of the learner, that are drawn


def draw(page: Page) -> blocks.Blocks:
    """A head whose training has begun, to be trained on by hand or by gradient descent; then the question."""
    yield blocks.aside(_task)
    yield blocks.figure(_by_hand)
    yield blocks.picture(_hand)
    yield blocks.ask("train_zeros", _zeros)
    yield blocks.picture(_slopes)


def _task(page: Page) -> None:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        train.choose_task(page)
        say.markdown(page.t(f"asks.{page.own.task}"), width="content")


def _with_zeros(page: Page) -> tuple[Page, Options]:
    """The head of the question: the start of the run, with zeros in W_Q and in W_K."""
    options = scene.options_of(page.own)
    matrices = fresh(options)
    matrices |= {name: torch.zeros_like(matrices[name]) for name in ("w_q", "w_k")}
    return page.unfollowed(scene.settings_of(matrices, options, scene.sequence_of(page.own))), options


def _zeros(page: Page) -> None:
    zeros, options = _with_zeros(page)
    scene.draw(zeros, "zeros", options.of)


def _slopes(page: Page) -> None:
    """The answer: the gradients of this head."""
    zeros, options = _with_zeros(page)
    slopes = gradients(page, evaluation_of(zeros.settings, options).gradients)
    weights = [inputs.matrix(zeros, name).to_read() for name in ("w_q", "w_k", "w_v")]
    placing.draw(zeros, "zeros_slopes", [*weights, *slopes[:3]])


# ---- the head


def beginning(page: Page) -> Settings:
    """The learner's run before its first step, as core settings."""
    options = scene.options_of(page.own)
    return scene.settings_of(fresh(options), options, scene.sequence_of(page.own))


def begun(own: TrainingNumbers, options: Options) -> Settings:
    """The learner's run after its first steps: from here on, each step of gradient descent can be seen."""
    return scene.settings_of(runs.begun(options).matrices, options, scene.sequence_of(own))


def head_of(state: State, own: TrainingNumbers) -> tuple[Settings, Options]:
    """The head that the learner changes, and its options; in older links it is among the core settings."""
    options = scene.options_of(own)
    by_hand = scene.of_numbers(own.hand, options, scene.sequence_of(own))
    if by_hand is not None:
        return by_hand, options
    of_core = scene.standing(state.core, own)
    return (begun(own, options), options) if of_core is None else (state.core, of_core)


def _take(edit: dict) -> Callable[[State], State]:
    """A number of a weight matrix that the learner has changed."""

    def change(state: State) -> State:
        own = state.of(TrainingNumbers)
        settings, options = head_of(state, own)
        after = edits.set_cell(settings, edit["matrix"], int(edit["row"]), int(edit["col"]), edit["value"])
        return state.having(replace(own, hand=scene.numbers_of(after, options)))

    return change


# ---- by hand


@functools.lru_cache(maxsize=256)
def evaluation_of(settings: Settings, options: Options) -> Evaluation:
    """Loss, accuracy and gradients of these settings."""
    return evaluate(scene.matrices_of(settings, options), options)


def step_from(settings: Settings, options: Options, rate: float) -> tuple[float, ...]:
    """The numbers after one step of gradient descent, as exact as a link is."""
    after = descend(scene.matrices_of(settings, options), options, rate)
    return scene.numbers_of(scene.settings_of(after, options, settings.tokens), options)


def _step(page: Page) -> None:
    settings, options = head_of(page.numbers, page.own)
    session.set_own(hand=step_from(settings, options, page.own.rate))


def _by_hand(page: Page) -> None:
    settings, options = head_of(page.numbers, page.own)
    own, t = page.own, page.t
    first = runs.begun(options)
    with blocks.for_readers("begun"):
        say.markdown(
            t("hand.begun" if first.step else "hand.untrained", n=first.step, loss=apart(first.loss))
        )
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.button(
            t("hand.step"), key="step", type="primary", help=t("hand.step_help"), on_click=_step, args=(page,)
        )
        page.number("rate", where="_page", width=130)
        page.toggle("slopes")
        first_steps = {"hand": scene.numbers_of(begun(own, options), options)}
        page.set_button(t("hand.load"), "load_start", first_steps, help=t("hand.load_help"))
    result = evaluation_of(settings, options)
    now_is = t("hand.now", loss=apart(result.loss), accuracy=f"{result.accuracy:.1%}")
    way = moves(page, options)
    own_losses = [evaluation_of(core, options).loss for core in way]
    alone = descent(way[0], options, own.rate).losses(len(way) - 1) if way else []
    with st.container(key="loss_now"):  # as high as two lines, so that no number moves for a longer sentence
        say.sentence(t.joined([now_is, _sentence(page, own_losses, alone)]))
    left, right = st.columns([2, 3], gap="medium")
    with left:
        if way:
            both = [_chart(page, own_losses, alone)]
            plots.draw(page, "by_hand", both, _file(page, own_losses, alone), heading=False)
    with right:
        scene.draw(page.unfollowed(settings), "by_hand", options.of, fit=False, alone=True, on_edit=_take)


def _hand(page: Page) -> None:
    """All matrices of the head, to be changed; its gradients, if they are asked for."""
    settings, options = head_of(page.numbers, page.own)
    slopes = gradients(page, evaluation_of(settings, options).gradients) if page.own.slopes else []
    scene.draw(page.unfollowed(settings), "hand", options.of, editable=True, slopes=slopes, on_edit=_take)


def gradients(page: Page, of_loss: dict[str, Tensor]) -> list[Matrix]:
    """The gradient of the loss with respect to each matrix; a cell of it lights the matrix’s cell."""
    return [
        matrix.of(
            f"gradient_{name[-1]}",
            f"∂L/∂{inputs.SYMBOLS[name]}",
            gradient,
            counted(len(gradient)),
            counted(len(gradient[0])),
            recipe=picture.same(name),
            alt=page.t("hand.gradient", matrix=inputs.SYMBOLS[name]),
        )
        for name, gradient in of_loss.items()
    ]


# ---- by hand against gradient descent


def moves(page: Page, options: Options) -> list[Settings]:
    """The learner's way from the start of the last time, with it; empty where it is not known."""
    heads = [
        head
        for state in (*session.visit().history.past, session.state())
        for head, of in (head_of(state, state.of(TrainingNumbers)),)
        if of == options
    ]
    first = _numbers(begun(page.own, options))
    starts = [i for i, head in enumerate(heads) if _numbers(head) == first]
    way = [heads[starts[-1]]] if starts else []
    for head in heads[starts[-1] + 1 :] if starts else ():
        if _numbers(head) != _numbers(way[-1]):
            way.append(head)
    return way[: MOST_MOVES + 1]


def _numbers(core: Settings) -> tuple:
    return tuple(getattr(core, name) for name in scene.MATRICES)


class Descent:
    """Gradient descent from these settings: the losses, as far as they were asked for."""

    def __init__(self, start: Settings, options: Options, rate: float):
        self._matrices, self._options, self._rate = scene.matrices_of(start, options), options, rate
        self._losses = [evaluation_of(start, options).loss]
        self._lock = threading.Lock()

    def losses(self, steps: int) -> list[float]:
        """Before the first step, and after each."""
        with self._lock:
            while len(self._losses) <= steps:
                self._matrices = descend(self._matrices, self._options, self._rate)
                self._losses.append(evaluate(self._matrices, self._options).loss)
            return self._losses[: steps + 1]


descent = functools.lru_cache(maxsize=16)(Descent)


def _sentence(page: Page, own: list[float], alone: list[float]) -> str:
    """How far the learner has come, and as many steps of gradient descent."""
    t, count = page.t, len(own) - 1
    if count < 1:
        return t("hand.first" if own else "hand.unknown")
    facts = {"count": count, "start": apart(own[0]), "own": apart(own[-1]), "alone": apart(alone[-1])}
    return t(f"hand.{which(own[-1], alone[-1])}", **facts, rate=f"{page.own.rate:g}")


def which(own: float, alone: float) -> str:
    """Who has come further, if it can be read. Steps that are too large may end in no number at all."""
    first = winners.winner([own, alone], [apart(own), apart(alone)], least=True)
    return "alike" if first is None else ("further", "behind")[first]


def _chart(page: Page, own: list[float], alone: list[float]) -> Chart:
    changes = Axis(page.t("axis.moves"), (0, max(10, len(own) - 1)), whole=True)
    ends = charts.reach([min(loss, train.MOST) for loss in (*own, *alone) if math.isfinite(loss)])
    names = [page.t(f"series.{name}") for name in ("own", "alone")]
    plot = Plot(changes, Axis(page.t("axis.loss"), ends), names, height=train.TALL)
    for series, losses in enumerate((own, alone)):
        plot.curve("measured", range(len(losses)), losses, series)
    return plot.chart()


def _file(page: Page, own: list[float], alone: list[float]) -> dict[str, list]:
    columns: dict[str, list] = {"moves": list(range(len(own))), "own": own, "alone": alone}
    return {page.t(f"column.{name}"): values for name, values in columns.items()}
