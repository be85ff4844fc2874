"""The learner is the optimiser: all matrices by hand, the loss at once, gradients, and steps down them."""

import functools
import threading

import streamlit as st
import torch
from torch import Tensor

from attention.lab.training import Evaluation, Options, descend, evaluate, fresh
from pages import session
from pages.ask import questions
from pages.draw import inputs, matrix, picture, plots, say, winners
from pages.draw.charts import Axis, Chart, Plot
from pages.draw.numbers import apart, counted
from pages.draw.page import Page
from pages.draw.picture import Matrix
from pages.model import edits
from pages.model.settings import Settings

from . import runs, scene, train

MOST_MOVES = 60  # of the learner, that are drawn
LOADED = "training"  # how the page calls what is loaded


def draw(page: Page) -> None:
    """The question with its head; then a head to be changed by hand or by a step of gradient descent."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        train.choose_task(page)
        say.markdown(page.t(f"asks.{page.own.task}"), width="content")
    zeros = functools.partial(_zeros, page)
    if not questions.ask(page, "train_zeros", zeros):
        return
    options = scene.standing(page.now, page.own)
    if options is None:
        _offer(page)
    else:
        _by_hand(page, options)


def _zeros(page: Page) -> None:
    """The head of the question: the start of the run, with zeros in W_Q and in W_K."""
    options = scene.options_of(page.own)
    matrices = fresh(options)
    matrices |= {name: torch.zeros_like(matrices[name]) for name in ("w_q", "w_k")}
    variant = page.unfollowed(scene.settings_of(matrices, options, scene.sequence_of(page.own)))
    scene.draw(variant, "zeros", options.of)


# ---- the start


def beginning(page: Page) -> Settings:
    """The learner's run before its first step, as core settings."""
    options = scene.options_of(page.own)
    return scene.settings_of(fresh(options), options, scene.sequence_of(page.own))


def _load(page: Page) -> None:
    """Puts the start of the run in the place of the learner's numbers."""
    start = beginning(page)
    st.button(
        page.t("hand.load"),
        key="load_start",
        on_click=session.load,
        args=(lambda now: start, LOADED),
        help=page.t("hand.load_help"),
        disabled=not session.is_allowed(lambda now: start),
    )


def _offer(page: Page) -> None:
    """The learner's numbers are no head for the task: what one looks like, and the way to it."""
    start, options = beginning(page), scene.options_of(page.own)
    with st.container(horizontal=True, vertical_alignment="center"):
        say.markdown(page.t("hand.others"), width="content")
        _load(page)
    at = runs.start(options)
    say.sentence(page.t("hand.now", loss=apart(at.loss), accuracy=f"{at.accuracy:.1%}"))
    scene.draw(page.unfollowed(start), "start", options.of)


# ---- by hand


@functools.lru_cache(maxsize=256)
def evaluation_of(now: Settings, options: Options) -> Evaluation:
    """Loss, accuracy and gradients of these settings."""
    return evaluate(scene.matrices_of(now, options), options)


def step_from(now: Settings, options: Options, rate: float) -> Settings:
    """The settings after one step of gradient descent, as exact as a link is. Raises SettingsError."""
    after = scene.settings_of(descend(scene.matrices_of(now, options), options, rate), options, now.tokens)
    for name in scene.MATRICES[: 3 + (now.num_heads > 1)]:
        now = edits.set_block(now, name, 0, 0, getattr(after, name))
    return now


def _by_hand(page: Page, options: Options) -> None:
    now, own, t = page.now, page.own, page.t
    with st.container(horizontal=True, vertical_alignment="bottom"):
        page.button(
            t("hand.step"), "step", lambda now: step_from(now, options, own.rate), help=t("hand.step_help")
        )
        page.number("rate", where="_page", width=130)
        page.toggle("slopes")
        _load(page)
    result = evaluation_of(now, options)
    now_is = t("hand.now", loss=apart(result.loss), accuracy=f"{result.accuracy:.1%}")
    way = moves(page, options)
    own_losses = [evaluation_of(core, options).loss for core in way]
    alone = descent(way[0], options, own.rate).losses(len(way) - 1) if way else []
    with st.container(key="loss_now"):  # as high as two lines, so that no number moves for a longer sentence
        say.sentence(t.joined([now_is, _sentence(page, own_losses, alone)]))
    if way:
        both = [_chart(page, own_losses, alone)]
        plots.draw(page, "by_hand", both, _file(page, own_losses, alone), heading=False)
    slopes = gradients(page, result.gradients) if own.slopes else []
    scene.draw(page.unfollowed(), "hand", options.of, editable=True, slopes=slopes)


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
    """The learner's way from the start that was loaded last, with it; empty where it is not known."""
    cores = [state.core for state in (*session.visit().history.past, session.state())]
    heads = [core for core in cores if scene.standing(core, page.own) == options]
    first = _numbers(scene.settings_of(fresh(options), options, page.now.tokens))
    begun = [i for i, core in enumerate(heads) if _numbers(core) == first]
    way = [heads[begun[-1]]] if begun else []
    for core in heads[begun[-1] + 1 :] if begun else ():
        if _numbers(core) != _numbers(way[-1]):
            way.append(core)
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
    changes = Axis(page.t("axis.moves"), (0, max(5, len(own) - 1)), whole=True)
    names = [page.t(f"series.{name}") for name in ("own", "alone")]
    plot = Plot(changes, train.log_axis(page.t("axis.loss"), (own, alone)), names, height=train.HEIGHT)
    for series, losses in enumerate((own, alone)):
        plot.curve("measured", range(len(losses)), losses, series)
    return plot.chart()


def _file(page: Page, own: list[float], alone: list[float]) -> dict[str, list]:
    columns: dict[str, list] = {"moves": list(range(len(own))), "own": own, "alone": alone}
    return {page.t(f"column.{name}"): values for name, values in columns.items()}
