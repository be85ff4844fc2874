"""The lesson's end: what was seen, with the learner's own run, and a question that needs all of it."""

from attention.lab.training import Options
from pages.ui import questions
from pages.ui.numbers import apart
from pages.ui.page import Page
from pages.ui.results import size

from . import runs, scene, train, two_runs

OPTIONS = ("only", "weights", "loss", "nothing")


def lines(page: Page) -> list[str]:
    """Three sentences: of the run if there is one, of W_Q and W_K, and of a step by hand."""
    t, options = page.t, scene.options_of(page.own)
    begun, found = train.start(options), runs.found(options)
    facts = {"task": t(f"task.{options.task}"), "before": f"{begun.accuracy:.1%}"}
    if found:
        last = found[-1]
        one = t("summary.one", **facts, after=f"{last.accuracy:.1%}", step=last.step)
    else:
        one = t("summary.one_before", **facts)
    return [
        one,
        t("summary.two", difference=size(_difference(page, options))),
        t("summary.three", loss=apart(begun.loss)),
    ]


def _difference(page: Page, options: Options) -> float:
    """By how much A moves when W_Q is multiplied by M and W_K by its inverse transposed."""
    matrices, words = train.start(options).matrices, scene.chosen(page.own)
    after = two_runs.turned(matrices, options)
    moved = scene.weights(after, options, words) - scene.weights(matrices, options, words)
    return moved.abs().max().item()


def question(page: Page) -> None:
    questions.ask(page, "train_end", OPTIONS, "only")
