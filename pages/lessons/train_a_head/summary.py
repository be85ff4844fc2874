"""The lesson's end: what the learner has done and seen here, and a question that needs all of it."""

from attention.lab.training import Options, Snapshot
from pages.ask import questions
from pages.draw.numbers import apart
from pages.draw.page import Page
from pages.draw.results import size

from . import optimiser, runs, scene, train, two_runs


def lines(page: Page) -> list[str]:
    """Of the run, if there is one; of M, if it is on; of the steps by hand; and of zeros, once answered."""
    options = scene.options_of(page.own)
    run = train.trained(page.own, options)
    lines = [_run(page, options, run[-1])] if run else []
    if page.own.turned:
        shown = runs.at(run, page.own.train_step) if run else runs.start(options)
        lines.append(page.t("summary.two", difference=size(_difference(page, options, shown))))
    zeros = [page.t("summary.zeros")] if page.answer("train_zeros") else []
    return [*lines, *_by_hand(page), *zeros]


def _run(page: Page, options: Options, last: Snapshot) -> str:
    facts = {"before": f"{runs.start(options).accuracy:.1%}", "after": f"{last.accuracy:.1%}"}
    return page.t("summary.one", task=page.t(f"task.{options.task}"), step=last.step, **facts)


def _difference(page: Page, options: Options, shown: Snapshot) -> float:
    """By how much A changes when W_Q is multiplied by M and W_K by its inverse transposed."""
    words = scene.chosen(page.own)
    before, after = (
        scene.weights(matrices, options, words)
        for matrices in (shown.matrices, two_runs.turned(shown.matrices, options))
    )
    return (after - before).abs().max().item()


def _by_hand(page: Page) -> list[str]:
    """The loss before the learner's steps and after them."""
    options = scene.standing(page.now, page.own)
    way = [] if options is None else optimiser.moves(page, options)
    if len(way) < 2:
        return []
    before, after = (optimiser.judged(core, options).loss for core in (way[0], way[-1]))
    return [page.t("summary.three", count=len(way) - 1, before=apart(before), after=apart(after))]


def question(page: Page) -> None:
    questions.ask(page, "train_end")
