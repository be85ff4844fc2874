"""The head that a part draws, at the step that it shows, for files. No file waits for a training."""

from dataclasses import replace

from attention.lab.training import Evaluation, Options, Snapshot
from pages.draw.numbers import apart
from pages.draw.page import Page
from pages.hand.export.program import Program, of_variant
from pages.model.settings import Settings

from . import optimiser, patterns, scene, train, two_runs


def program(page: Page) -> Program | None:
    """The head of the page's part, of two runs the learner's own; None before the answer to its question."""
    part, own = page.part.name, page.own
    if part == "optimiser":
        by_hand, options = optimiser.head_of(page.numbers, own)
        return _program(page, by_hand, options, optimiser.evaluation_of(by_hand, options))
    options, paired = scene.options_of(own), part == "two_runs"
    answer = page.answer("train_agree") if paired else patterns.of_task(page).answer(patterns.QUESTION)
    if answer is None and (paired or (part == "train" and patterns.right_pattern(page) is not None)):
        return None
    snapshot = two_runs.shown(page, two_runs.pair(page))[0] if paired else train.of_run(page, options)[1]
    matrices = two_runs.turn(snapshot.matrices, options) if paired and own.turned else snapshot.matrices
    places = scene.EXACT if paired else scene.PLACES  # as in the picture
    settings = scene.settings_of(matrices, options, scene.sequence_of(own), places)
    return _program(page, settings, options, snapshot)


def _program(page: Page, settings: Settings, options: Options, at: Snapshot | Evaluation) -> Program | None:
    t, names = page.t, tuple(scene.columns(options.of, settings.d_model))
    facts = {"loss": apart(at.loss), "accuracy": f"{at.accuracy:.1%}"}
    state = t("train.at", step=at.step, **facts) if isinstance(at, Snapshot) else t("hand.now", **facts)
    answers = t.listed(scene.answer_text(page, answer) for answer in options.of.answers)
    about = t.joined([t(f"asks.{options.task}"), state, t("program.answers", answers=answers)])
    return of_variant(page, replace(settings, dimensions=names), about)
