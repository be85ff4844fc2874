"""The lesson's end: what the learner has seen, and where the numbers of a block are."""

from attention.lab.transformer import best_loss, spread_by_depth
from pages.ask import links, questions
from pages.draw import say
from pages.draw.numbers import apart, share
from pages.draw.page import Page
from pages.draw.texts import Texts
from pages.model.course import Location

from . import scene
from .runs import RUNS
from .what_for import spread_text


def lines(page: Page) -> list[str]:
    """What the model says after the sentence, how far training gets, and rows that become alike."""
    own = page.own
    probabilities = scene.trace_of(own).probabilities[-1]
    most = int(probabilities.argmax())
    facts = {"words": scene.sentence(page, own.words), "word": scene.word(page, most)}
    followed = page.t("summary.one", p=share(probabilities[most].item(), 3), **facts)
    run = RUNS.finished(scene.options_of(own)) if own.model_ran else ()
    best = apart(best_loss())
    training = page.t("summary.two_open", best=best)
    if run:
        training = page.t("summary.two", first=apart(run[0].loss), last=apart(run[-1].loss), best=best)
    pure, streams = spread_by_depth(own.model_seed), spread_by_depth(own.model_seed, residual=True)
    depth = page.t("summary.three", pure=spread_text(page.t, pure[-1]), streams=apart(streams[-1]))
    return [followed, training, depth]


SIZES = {
    **dict.fromkeys(("W_Q", "W_K", "W_V", "W_O"), ("d × d", 1)),
    "W_1": ("d × 4d", 4),
    "W_2": ("4d × d", 4),
}


def question(page: Page) -> None:
    """Next to the sizes of the matrices; after the answer with their numbers, and a way to what they cost."""
    columns = [page.t(f"column.{name}") for name in ("matrix", "size", "numbers")]
    sizes = [(name, size) for name, (size, _) in SIZES.items()]
    if questions.ask(page, "model_end", lambda: say.table(columns[:2], sizes)):
        counted = [(name, size, f"{count}d²".removeprefix("1")) for name, (size, count) in SIZES.items()]
        say.table(columns, counted)
        say.markdown(page.t("end.cost"), width="content")
        title = Texts(page.t.language, "cost")("lesson.title")
        links.to_place(Location("cost", ""), title, page.t.language)
