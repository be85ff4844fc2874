"""The end of the lesson: what was measured, and a question that needs all of it."""

from attention.lab.real_heads import pronouns, store
from pages.ui import questions
from pages.ui.numbers import short
from pages.ui.page import Page

from . import anecdote, explain, scene, which_head
from .settings import HEADS, LAYERS

OPTIONS = ("larger", "trials", "mean", "sharper")


def lines(page: Page) -> list[str]:
    """The heads with a job, the head of the anecdote, and how far the measures agree."""
    t, all_heads = page.t, LAYERS * HEADS
    previous, star = which_head.weight_on("previous"), anecdote.star()
    job = {
        "previous": scene.named(page, *which_head.best("previous")),
        "weight": short(previous.max().item()),
    }
    right = int(pronouns.verdicts().right[star])
    sentence = explain.shown(page)
    return [
        t("summary.one", count=which_head.over_half("first"), all=all_heads, **job),
        t(
            "summary.two",
            head=scene.named(page, *star),
            right=right,
            sentences=anecdote.MOST,
            all=all_heads,
            lucky=short(pronouns.mean_of(anecdote.luck()), 1),
        ),
        t(
            "summary.three",
            sentence=store.sentences()[sentence],
            layer=page.look.layer + 1,
            **explain.correlations(page),
        ),
    ]


def question(page: Page) -> None:
    weight = short(anecdote.weights_on("tired", "animal", anecdote.star()))
    questions.ask(page, "real_heads_end", OPTIONS, "trials", weight=weight)
