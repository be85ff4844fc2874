"""The parts of the lesson: a run to its end, one that is stopped, two runs, and steps by hand."""

from collections import OrderedDict
from dataclasses import replace
from functools import partial

import pytest

from attention.lab.training import Options, distance_from_pattern
from attention.lab.training.model import sequences
from pages.draw.texts import Texts
from pages.lessons.train_a_head import optimiser, patterns, runs, scene, train, two_runs
from pages.lessons.train_a_head.settings import TASKS, TrainingNumbers
from pages.model import edits
from pages.model.link import to_query
from pages.model.settings import Settings
from pages.model.view import Place
from tests.support import screen
from tests.support.course import from_query
from tests.support.hour import sentence_to_keep
from tests.support.runs import until_done
from tests.support.screen import (
    LANGUAGES,
    bound,
    matrix,
    matrix_ids,
    open_link,
    open_page,
    said,
    unfolded,
    visit,
)
from tests.support.states import value_of, with_own

from .conftest import as_if_trained, page_of, trained

opened = partial(screen.opened, "train_a_head")
EN = Texts("en", "train_a_head")


def keys(app) -> set[str]:
    return {button.key for button in app.button if not button.disabled}


@pytest.fixture
def no_runs(monkeypatch):
    """As if nobody had trained anything."""
    monkeypatch.setattr(runs.RUNS, "_done", OrderedDict())
    monkeypatch.setattr(runs, "_measured", {})


def test_a_run_is_watched_to_its_end_and_a_link_shows_it_again(no_runs):
    app = opened("run")
    assert "train_step" not in matrix_ids(app)
    app.button(key="start-ran").click().run()
    until_done(app, "training")
    options = scene.options_of(TrainingNumbers())
    last = runs.RUNS.finished(options)[-1]
    assert f"Step {last.step} of 200:" in said(app) and f"{last.accuracy:.1%}" in said(app)
    words = scene.sequence_of(TrainingNumbers())
    assert matrix(app, "weights")["values"] == pytest.approx(
        [pytest.approx(row, abs=1e-3) for row in scene.weights(last.matrices, options, words)[0].tolist()]
    )
    now = visit(app)
    here = Place(part="run")
    again = open_link("train_a_head", to_query(now.state, now.view, here), dict(now.view.answers))
    assert matrix(again, "w_q") == matrix(app, "w_q") and "stop-ran" not in keys(again)
    assert set(to_query(now.state, now.view, Place())) == {"lang", "example", "ran"}


def test_a_run_is_stopped_and_what_was_done_stays(no_runs, monkeypatch):
    monkeypatch.setattr("pages.ask.runs.BREATH", 0.3)
    app = opened("run")
    app.button(key="start-ran").click().run()
    while not matrix_ids(app) >= {"w_q", "weights"}:
        app.run()
    assert "stop-ran" in keys(app)  # the run is seen while it goes on
    app.button(key="stop-ran").click().run()
    until_done(app, "training")
    run = runs.RUNS.finished(scene.options_of(TrainingNumbers()))
    assert not run and "start-ran" in keys(app) and "train_step" in matrix_ids(app)
    assert not value_of(visit(app).state, "ran")
    app.button(key="start-ran").click().run()
    assert "stop-ran" in keys(app)
    app.button(key="stop-ran").click().run()


@pytest.mark.parametrize("kept", [0, 6, 25])
def test_the_slider_shows_the_kept_step(trained_run, kept):
    app = opened("run", ran=True, train_step=trained_run.snapshots[kept].step)
    view = trained_run.snapshots[kept]
    now = scene.settings_of(view.matrices, trained_run.options, scene.sequence_of(TrainingNumbers()))
    assert matrix(app, "w_q")["values"] == [list(row) for row in now.w_q]
    (rule,) = {row["x"] for row in screen.chart_rows(app, 0) if row["kind"] == "cursor"}
    assert rule == view.step and EN("train.step").split("{")[0] in said(app)


def test_the_shown_step_is_opened_with_its_numbers_in_the_first_lesson(trained_run):
    app = opened("run", ran=True, train_step=trained_run.snapshots[10].step)
    (link,) = [one for one in app.main.get("page_link") if one.proto.page == "one_head"]
    query = dict(part.split("=", 1) for part in link.proto.query_string.split("&"))
    now = from_query({key: value.replace("%2C", ",") for key, value in query.items()})[0].core
    view = trained_run.snapshots[10]
    assert now == scene.settings_of(view.matrices, trained_run.options, scene.sequence_of(TrainingNumbers()))
    first = open_page("one_head", now)
    assert matrix(first, "weights")["values"] == matrix(app, "weights")["values"]


def test_other_options_wait_for_the_button_and_show_their_last_step(no_runs, trained_run):
    as_if_trained(Options("previous", 3))
    app = unfolded(opened("run", ran=True, train_step=40), "train_options")
    bound(app, "number_input", "train_seed").set_value(3).run()
    state = visit(app).state
    assert value_of(state, "train_seed") == 3 and not value_of(state, "ran")  # it waits for the button
    assert "start-ran" in keys(app) and "stop-ran" not in keys(app)
    app.button(key="start-ran").click().run()
    assert "Step 200 of 200" in said(app)


def test_the_stop_shows_a_the_answers_and_the_loss_alone(trained_run):
    app = opened("train", ran=True, train_step=trained_run.snapshots[5].step)
    assert matrix_ids(app) == {"weights", "output", "train_step"}
    step = trained_run.snapshots[5]
    assert f"Step {step.step}: the loss is" in said(app) and f"{step.accuracy:.1%}" in said(app)


def test_the_task_of_the_stop_is_a_run_to_its_end_and_a_step_back_before_the_pattern(trained_run):
    steps = trained_run.snapshots[::5]
    shares = [1 - distance_from_pattern(one.matrices, trained_run.options) for one in steps]
    at_start, back = page_of("train"), page_of("train", ran=True, train_step=20)
    assert not train.task(at_start)
    for one, share in zip(steps, shares, strict=True):
        assert train.task(page_of("train", ran=True, train_step=one.step)) == (share < 0.5)
    assert not train.task(page_of("train", ran=True, train_step=20, train_seed=9998))
    assert "1.51" in sentence_to_keep(at_start)
    for share in (shares[0], shares[-1]):
        assert f"{share:.1%}" in sentence_to_keep(back)
    # A task with a number of heads that has no pattern says the losses alone.
    assert "%" not in sentence_to_keep(page_of("train", heads_other=True))


def test_another_second_run_shows_its_last_step(no_runs, trained_run):
    for options in (Options("previous", 1), Options("previous", scaling=False)):
        as_if_trained(options)
    app = opened("two_runs", ran=True, paired=True, train_step=40)
    assert "First run, step 40" in said(app)
    bound(app, "selectbox", "unlike").select("scaling").run()
    assert "First run, step 200" in said(app) and "Second run, step 200" in said(app)


@pytest.mark.parametrize(("task", "steps"), [("previous", 200), ("count", 400)])
def test_the_slider_has_the_steps_of_the_training(task, steps, no_runs):
    as_if_trained(Options(task))
    app = opened("train", task=task, ran=True, train_step=steps // 2 + 3)
    slider = matrix(app, "train_step")
    assert (slider["low"], slider["high"], slider["step"]) == (0, steps, steps // 50)
    assert slider["values"] == [[steps // 2]] and slider["title"] == EN("train.shown", most=steps)


def test_the_summary_lists_only_what_was_done(trained_run):
    zeros, m = EN("summary.zeros"), EN("summary.two").split("{")[0]
    text = said(opened("optimiser"))
    assert zeros in text and m not in text and "Before training" not in text and "By hand you" not in text
    text = said(opened("optimiser", ran=True, turned=True))
    assert m in text and f"after step 200 it was {trained_run.last.accuracy:.1%}" in text
    app = opened("optimiser")
    app.button(key="step").click().run()
    assert "By hand you changed the loss" in said(app) and "(changes: 1)" in said(app)
    assert visit(app).state.of(TrainingNumbers).hand
    app.selectbox(key="set_task").select("first").run()
    assert visit(app).state.of(TrainingNumbers).hand == ()  # another task begins at its own start


def test_two_runs_draw_masked_cells_as_masked():
    run = trained(Options("previous", causal=True, steps=1))
    page = page_of("two_runs")
    matrices = two_runs._weights(page, 1, run.options, run.last.matrices, scene.sequences("previous")[0])
    assert matrices.masked == [(row, col) for row in range(6) for col in range(row + 1, 6)]


@pytest.mark.parametrize(
    "own", [{"task": "both", "heads_other": True}, {"task": "reverse", "causal_other": True}]
)
def test_before_a_training_that_cannot_succeed_the_question_is_withheld(own):
    app = opened("train", answers=(), **own)
    assert EN("missing.train_dark") in said(app) and "start-ran" in keys(app)
    assert not [one for one in app.button if (one.key or "").startswith("guess-train_dark")]


def test_the_words_of_the_page_are_explained_on_it(trained_run):
    text = said(opened("run", ran=True))
    for name in ("answer", "adam"):
        assert EN(f"terms.{name}") in text
    assert EN("terms.loss", count=256) in text and EN("terms.mask") not in text
    assert EN("terms.mask") in said(opened("run", task="bracket"))


@pytest.mark.parametrize("language", LANGUAGES)
def test_another_task_asks_its_own_question(language):
    asked = opened("train", answers=(), language=language)
    assert {cell for row in matrix(asked, "unknown")["values"] for cell in row} == {"?"}
    answers = (("train_dark", patterns.option("previous", "before")),)
    app = unfolded(opened("train", answers=answers, language=language), "train_others")
    assert "start-ran" in keys(app) and app.success
    app.selectbox(key="set_task").select("reverse").run()
    assert "start-ran" not in keys(app) and not app.success
    app.button(key="guess-train_dark-" + patterns.option("reverse", "mirror")).click().run()
    assert app.success and "start-ran" in keys(app)


def test_two_runs_are_compared_and_m_moves_nothing_that_follows(trained_run):
    app = opened("two_runs", ran=True, paired=True)
    until_done(app, "training")
    other = runs.RUNS.finished(Options("previous", 1))
    assert other and EN("column.cosine") in said(app)
    before = {name: matrix(app, name)["values"] for name in ("w_q_1", "weights_1", "product_1")}
    app.toggle(key="set_turned").set_value(True).run()
    after = {name: matrix(app, name)["values"] for name in before}
    assert after["w_q_1"] != before["w_q_1"]
    for name in ("weights_1", "product_1"):
        for one, two in zip(before[name], after[name], strict=True):
            assert two == pytest.approx(one, abs=1e-9)


def by_hand(app, name: str) -> list[list[float]]:
    """The numbers of a matrix of the head that the learner changes; the questions below draw others."""
    matrices = (one for data in screen.pictures(app) for one in data["matrices"])
    return next(one["values"] for one in matrices if one["id"] == name)


def test_the_head_is_the_lesson_s_own_and_the_learners_numbers_stay():
    mine = edits.set_cell(Settings(), "w_q", 0, 0, 7.0)
    app = opened("optimiser", mine)
    options = scene.options_of(TrainingNumbers())
    begun = optimiser.begun(TrainingNumbers(), options)
    assert by_hand(app, "w_q") == [list(row) for row in begun.w_q]
    app.button(key="step").click().run()
    own = visit(app).state.of(TrainingNumbers)
    assert visit(app).state.core == mine
    assert own.hand == optimiser.step_from(begun, options, 5.0)
    assert by_hand(app, "w_q") == [list(row) for row in optimiser.head_of(visit(app).state, own)[0].w_q]
    query = to_query(visit(app).state, visit(app).view, Place(part="optimiser"))
    assert from_query(query)[0] == visit(app).state
    app.button(key="load_start").click().run()
    assert by_hand(app, "w_q") == [list(row) for row in begun.w_q]


def test_a_dragged_number_changes_the_head_and_its_loss():
    app = opened("optimiser")
    taker = next(filter(None, (one.taker for one in visit(app).inbox.pictures.values())))
    before = visit(app).state
    after = taker({"matrix": "w_q", "row": 1, "col": 2, "value": 3.5})(before)
    head, options = optimiser.head_of(after, after.of(TrainingNumbers))
    start, _ = optimiser.head_of(before, TrainingNumbers())
    assert (
        head == replace(start, w_q=edits.set_cell(start, "w_q", 1, 2, 3.5).w_q) and after.core == before.core
    )
    assert optimiser.evaluation_of(head, options).loss != optimiser.evaluation_of(start, options).loss


@pytest.mark.exhaustive
@pytest.mark.parametrize("task", TASKS)
def test_ten_steps_of_gradient_descent_are_a_visible_win(task):
    """The loss falls by a quarter or more, with the step size that the page begins with."""
    own = TrainingNumbers(task=task)
    options = scene.options_of(own)
    losses = optimiser.descent(optimiser.begun(own, options), options, own.rate).losses(10)
    assert losses[-1] < 0.76 * losses[0]


def test_numbers_of_another_head_leave_the_start():
    for own in (TrainingNumbers(hand=numbers) for numbers in ((), (1.0,), (0.5,) * 1024)):
        assert optimiser.head_of(with_own(Settings()), own)[0] == optimiser.begun(own, scene.options_of(own))


def test_steps_by_hand_are_counted_beside_gradient_descent():
    app = opened("optimiser", answers=())
    for _ in range(2):
        app.button(key="step").click().run()
    assert "Changes so far: 2." in said(app) and "the same loss" in said(app)
    own, options = TrainingNumbers(), scene.options_of(TrainingNumbers())
    alone = optimiser.descent(optimiser.begun(own, options), options, 5.0).losses(2)
    rows = [row for row in screen.chart_rows(app, 0) if row["kind"] == "measured" and row["series"] == 1]
    assert [row["y"] for row in rows] == alone
    app.toggle(key="set_slopes").set_value(True).run()
    head, _ = optimiser.head_of(visit(app).state, visit(app).state.of(TrainingNumbers))
    result = optimiser.evaluation_of(head, options).gradients
    assert matrix(app, "gradient_q")["values"] == result["w_q"].tolist()
    for _ in range(3):
        app.button(key="undo").click().run()
    assert not visit(app).state.own


def test_an_older_link_to_numbers_by_hand_is_read_and_says_that_nothing_is_counted():
    own = TrainingNumbers(task="both")
    options = scene.options_of(own)
    now = scene.settings_of(trained(Options("both", steps=3)).last.matrices, options, scene.sequence_of(own))
    app = opened("optimiser", with_own(now, task="both"))
    assert EN("hand.unknown") in said(app) and "w_o" in matrix_ids(app)
    assert by_hand(app, "w_q") == [list(row) for row in now.w_q]


@pytest.mark.parametrize("error", [RuntimeError, TimeoutError])
def test_a_run_that_fails_or_whose_time_is_up_says_so_and_can_be_begun_again(no_runs, monkeypatch, error):
    monkeypatch.setattr("threading.excepthook", lambda args: None)

    def broken(options, on_step):
        raise error

    monkeypatch.setattr(runs, "train", broken)
    app = opened("train")
    app.button(key="start-ran").click().run()
    until_done(app, "training")
    failed, up = EN("training.failed"), EN("training.time_up", button=EN("train.start"))
    told = [one.value for one in [*app.warning, *app.info] if one.value in (failed, up)]
    assert told == [failed if error is RuntimeError else up] and "start-ran" in keys(app)


@pytest.mark.parametrize("language", LANGUAGES)
def test_two_heads_are_chosen_by_their_thumbnails_and_answer_in_the_reader_s_language(language):
    app = opened("train", task="both", language=language, head=1)
    chosen = {one["id"]: one["chosen"] for data in screen.pictures(app) for one in data["matrices"]}
    assert chosen["head_weights_2"] and not chosen["head_weights_1"]
    yes = Texts(language, "train_a_head")("answer.yes")
    assert matrix(app, "output")["cols"][1] == yes


@pytest.mark.parametrize(
    ("task", "answer", "ringed"),
    [
        ("previous", "before_1", True),
        ("previous", "own_1", True),
        ("previous", "shown", True),
        ("count", "mean_6", False),
    ],
)
def test_once_the_question_is_answered_the_cells_that_solve_the_task_are_ringed(
    trained_run, task, answer, ringed
):
    """Whatever the answer was. The first token has nothing to answer; cells all alike are not ringed."""
    app = opened("train", ran=True, task=task, answers=(("train_dark", answer),))
    cells = [[row, row - 1] for row in range(1, 6)] if ringed else []
    assert [list(cell) for cell in matrix(app, "weights")["ringed"]] == cells
    assert (EN("train.rings") in said(app)) == ringed


def test_before_the_training_the_chance_level_is_drawn():
    """Whatever is answered always, it is right as often as it is asked for in the test sequences."""
    options = scene.options_of(TrainingNumbers())
    batch = sequences(options.task, options.seed, True)
    shares = [(batch.answers[batch.asked] == answer).double().mean().item() for answer in range(5)]
    rows = screen.chart_rows(opened("run"), 1)
    assert [row["y"] for row in rows if row["kind"] == "dashed"] == pytest.approx([max(shares)] * 2)
    assert len([row for row in rows if row["kind"] == "line"]) == 1  # the start
