"""The end of the lesson: what the parts that were done have shown, and a question that needs all of it."""

from attention.lab.real_heads import pronouns
from attention.lab.real_heads.texts import PAIRS
from pages.ask import questions
from pages.draw import placing, say
from pages.draw.numbers import apart, short
from pages.draw.page import Page

from . import anecdote, explain, next_word, scene, trials, which_head, without_a_head
from .settings import HEADS, LAYERS

ALL = LAYERS * HEADS


def lines(page: Page) -> list[str]:
    """A sentence for each part in which the learner has answered."""
    done = {
        "real_first": _first,
        "real_off": lambda page: page.t("summary.off", **next_word.facts(page)),
        "real_trials": _trials,
        "real_agree": _agree,
        "real_without": lambda page: page.t("summary.without", all=ALL, **without_a_head.facts()),
        "real_zero": lambda page: page.t("summary.zero"),
    }
    return [line(page) for question, line in done.items() if page.answer(question)]


def _first(page: Page) -> str:
    previous, norms = which_head.weight_on("previous"), which_head.of_first()
    job = scene.head_name(page, *which_head.best("previous"))
    facts = {"previous": job, "weight": apart(previous.max().item(), 1.0), "mean": norms["mean"]}
    return page.t("summary.one", count=which_head.over_half("first"), all=ALL, **facts)


def _trials(page: Page) -> str:
    head, verdicts = anecdote.head(page), pronouns.verdicts()
    same = int((verdicts.same_noun == len(PAIRS)).sum())
    facts = {"right": int(verdicts.right[head]), "sentences": anecdote.MOST, "all": ALL, "same": same}
    return page.t("summary.two", head=scene.head_name(page, *head), half=anecdote.MOST // 2, **facts)


def _agree(page: Page) -> str:
    return page.t("summary.three", **explain.counts(), **explain.means(), **explain.spread())


def question(page: Page) -> None:
    star = anecdote.star()
    weight = short(anecdote.weights_on("tired", "animal", star))

    def picture() -> None:
        placing.draw(page, "end", [scene.large(page, "tired", star)], fit=True)

    if questions.ask(page, "real_heads_end", picture, weight=weight):
        say.result(trials.against_a_coin(page, star))
        trials.luck(page, star)
