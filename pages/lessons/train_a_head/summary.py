"""The lesson's end: what the learner has done and seen here, and a question that needs all of it."""

from dataclasses import replace

from attention.lab.training import Options, Snapshot
from pages.ask import questions
from pages.ask.runs import at
from pages.draw import inputs, placing, steps
from pages.draw.numbers import apart
from pages.draw.page import Page
from pages.draw.results import size
from pages.model.settings import Numbers
from pages.picture import Flow

from . import optimiser, runs, scene, train, two_runs


def lines(page: Page) -> list[str]:
    """Sentences on the run and on M, if they are there; on the steps by hand; on zeros, once answered."""
    options = scene.options_of(page.own)
    run = train.run_of(page.own, options)
    lines = [_run_sentence(page, options, run[-1])] if run else []
    if page.own.turned:
        snapshot = at(run, page.own.train_step) if run else runs.start(options)
        lines.append(page.t("summary.two", difference=size(_difference(page, options, snapshot))))
    zeros = [page.t("summary.zeros")] if page.answer("train_zeros") else []
    return [*lines, *_by_hand(page), *zeros]


def _run_sentence(page: Page, options: Options, last: Snapshot) -> str:
    facts = {"before": f"{runs.start(options).accuracy:.1%}", "after": f"{last.accuracy:.1%}"}
    return page.t("summary.one", task=page.t(f"task.{options.task}"), step=last.step, **facts)


def _difference(page: Page, options: Options, snapshot: Snapshot) -> float:
    """By how much A changes when W_Q is multiplied by M and W_K by its inverse transposed."""
    words = scene.sequence_of(page.own)
    before, after = (
        scene.weights(matrices, options, words)
        for matrices in (snapshot.matrices, two_runs.turn(snapshot.matrices, options))
    )
    return (after - before).abs().max().item()


def _by_hand(page: Page) -> list[str]:
    """The loss before the learner's steps and after them."""
    _, options = optimiser.head_of(page.numbers, page.own)
    way = optimiser.moves(page, options)
    if len(way) < 2:
        return []
    before, after = (optimiser.evaluation_of(core, options).loss for core in (way[0], way[-1]))
    return [page.t("summary.three", count=len(way) - 1, before=apart(before), after=apart(after))]


def question(page: Page) -> None:
    """W_Q · 2 and W_K / 2: the matrices of the run's start, and after the answer the same with the change."""
    before = page.unfollowed(optimiser.beginning(page))
    w_q, w_k = before.settings.w_q, before.settings.w_k
    after = before.unfollowed(replace(before.settings, w_q=_times(w_q, 2.0), w_k=_times(w_k, 0.5)))

    def draw(variant: Page, name: str) -> None:
        computation = steps.of(variant)
        weights = [inputs.matrix(variant, name).to_read() for name in ("w_q", "w_k")]
        computed = [
            replace(computation[name], step_name=None) for name in ("query", "key", "scores", "weights")
        ]
        bands = [Flow(["w_q", "w_k", "query", "key"]), Flow(["scores", "weights"])]
        placing.draw(variant, name, [*weights, *computed], bands, sources=[computation.find])

    if questions.ask(page, "train_end", lambda: draw(before, "end")):
        draw(after, "end_changed")


def _times(matrix: Numbers, factor: float) -> Numbers:
    return tuple(tuple(factor * value for value in row) for row in matrix)
