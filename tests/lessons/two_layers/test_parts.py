"""The parts of the lesson: runs to their end and stopped, four sequences, cuts, circuits, twenty seeds."""

from collections import OrderedDict
from dataclasses import replace
from functools import partial

import pytest
import torch

from attention.lab.two_layers import TwoLayersOptions, accuracy_of, circuit_ov, every, hand_made, held_out
from attention.lab.two_layers import train as run_to_end
from attention.lab.two_layers.by_hand import inputs
from pages.draw.page import Page
from pages.draw.texts import Texts
from pages.lessons.two_layers import apart, by_hand, one_layer, runs, train
from pages.lessons.two_layers.settings import CUTS
from pages.model import edits
from pages.model.link import to_query
from pages.model.settings import Settings
from pages.model.view import Place, View
from tests.support import screen
from tests.support.course import lesson
from tests.support.runs import until_done
from tests.support.screen import LANGUAGES, matrix, matrix_ids, open_link, said, visit
from tests.support.states import as_state, page_in, with_own
from tests.support.tolerance import close

from .conftest import short_run

opened = partial(screen.opened, "two_layers")
SEED = 83


def page_of(part: str, language: str = "en", **own) -> Page:
    """The page as a part gets it, without Streamlit."""
    return page_in("two_layers", part, with_own(Settings(), **own), View(language=language))


@pytest.fixture
def no_runs(monkeypatch):
    """As if nobody had trained anything."""
    for kind in (runs.RUNS, runs.ENDS):
        monkeypatch.setattr(kind, "_done", OrderedDict())


@pytest.fixture
def few_steps(monkeypatch):
    """The runs of the page end early."""
    monkeypatch.setattr(
        runs, "train", lambda options, step=None: run_to_end(replace(options, steps=60), step)
    )


@pytest.fixture
def end():
    """The last step of a short run."""
    return short_run(2, SEED, 60).last


def movable(app) -> bool:
    """Whether another step can be chosen."""
    return "two_step" in matrix_ids(app) and matrix(app, "two_step")["editable"]


@pytest.mark.parametrize(("part", "field"), [("train", "two_ran"), ("one_layer", "one_ran")])
def test_a_run_is_watched_to_its_end_and_a_link_shows_it_again(no_runs, few_steps, part, field):
    app = opened(part)
    assert not movable(app)
    if part == "train":
        assert matrix(app, "two_step")["values"] == [["0"]]  # a step is a whole number
    app.button(key=f"start-{field}").click().run()
    until_done(app, "two_layers")
    last = runs.RUNS.finished(TwoLayersOptions(2 if part == "train" else 1))[-1]
    assert f"Step {last.step}: " in said(app) and f"{last.accuracy:.1%}" in said(app)
    assert movable(app)
    state = visit(app)
    query, answers = to_query(state.state, state.view, Place(part=part)), dict(state.view.answers)
    again = open_link("two_layers", query, answers)
    assert matrix(again, "weights_1") == matrix(app, "weights_1")
    first = open_link("two_layers", query | {"twostep": "0"}, answers)
    assert "Step 0: " in said(first) and matrix(first, "weights_1") != matrix(app, "weights_1")


def test_the_summary_has_the_end_of_a_run_that_went_on_when_the_page_was_opened(no_runs, few_steps):
    query = to_query(with_own(Settings(), two_ran=True), View(), Place(part="apart"))
    app = open_link("two_layers", query, dict.fromkeys(lesson("two_layers").questions, "shown"))
    until_done(app, "two_layers")
    last = runs.RUNS.finished(TwoLayersOptions(2))[-1]
    assert f"got {last.accuracy:.1%} of the test answers right at step {last.step}" in said(app)


def test_a_run_that_is_stopped_keeps_its_steps(no_runs, monkeypatch):
    monkeypatch.setattr("pages.ask.runs.BREATH", 0.05)
    app = opened("train")
    app.button(key="start-two_ran").click().run()
    app.button(key="stop-two_ran").click().run()
    until_done(app, "two_layers")
    assert not runs.RUNS.finished(TwoLayersOptions(2))
    assert not app.button(key="start-two_ran").disabled


def test_when_the_time_is_up_the_same_button_goes_on_and_no_finished_run_is_made_again(no_runs, monkeypatch):
    monkeypatch.setattr("threading.excepthook", lambda args: None)
    made: list[int] = []

    def train(options, on_step=None):
        if on_step is None:
            return run_to_end(options)
        if len(made) == 3:
            made.append(-1)
            raise TimeoutError
        made.append(options.seed)
        return run_to_end(replace(options, steps=1), on_step)

    monkeypatch.setattr(runs, "train", train)
    app = opened("train")
    app.button(key="start-seeds_ran").click().run()
    until_done(app, "two_layers_seeds")
    button = app.button(key="start-seeds_ran")
    up = Texts("en")("training.time_up", button=button.label)
    assert up in [one.value for one in app.info] and len(runs.ends()) == 3
    button.click().run()
    until_done(app, "two_layers_seeds")
    assert sorted(made) == [-1, *runs.SEEDS] and len(runs.ends()) == 20
    assert up not in [one.value for one in app.info]


# ---- one layer


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_four_sequences_have_the_right_answers_and_the_wrong_ones_are_ringed(language):
    page = page_of("one_layer", language, two_seed=SEED)
    matrices, (y, z) = one_layer.four(page, runs.start(TwoLayersOptions(1, SEED)))
    sequences, right, model = (each.values for each in matrices)
    following = {tuple(sequence[:5]): sequence[5] for sequence in every().tolist()}
    expected = ["abcdef"[following[tuple(map("abcdef".index, sequence))]] for sequence in sequences]
    assert [row[0] for row in right] == expected == [y, y, z, z]
    assert matrices[2].look.ringed == [(i, 0) for i in range(4) if model[i] != right[i]] != []


# ---- twenty seeds


def test_the_seeds_are_counted(end):
    page, last = page_of("train", two_seed=3), end
    assert train.reading(page, {}) == Texts("en", "two_layers")("seeds.none", all=20)
    text = train.reading(page, {3: last})
    assert text.startswith("Of 1 run, ") and "runs" not in text
    kinds = train.dots(page, {3: last, 4: last})[0]["kind"]
    assert kinds.count("dot") == 2 and kinds.count("ring") == 1


# ---- taken apart


def test_a_cut_and_its_accuracy_are_said(end):
    page, last = page_of("apart", cut_key=True, cut_value=True), end
    expected = accuracy_of(last.matrices, held_out(), ("key", "value"))
    text = apart.reading(page, last)
    assert f"{expected:.1%}" in text and "keys, values" in text
    rows = apart.paths(page, last)
    assert [row[1] for row in rows[:3]] == [
        f"{accuracy_of(last.matrices, held_out(), (name,)):.1%}" for name in CUTS
    ]
    assert "Nothing is cut" in apart.reading(page_of("apart"), last)


def test_where_a_table_is_largest_is_counted():
    table = torch.eye(4)
    assert apart.same(table) == 4 and apart.before(table) == 0
    assert apart.before(table.roll(-1, 1)) == 3 and apart.same(table.roll(-1, 1)) == 0


@pytest.mark.parametrize("of", ["letters", "places"])
def test_a_circuit_is_the_product_that_it_says(end, of):
    tables, sources = apart.circuits(page_of("apart", circuit_of=of), end)
    for table in tables:
        left, right = (torch.tensor(sources[f"{table.id}_{side}"].values) for side in ("left", "right"))
        assert torch.allclose(torch.tensor(table.values), left @ right.mT)
    rows = slice(0, 6) if of == "letters" else slice(6, 14)
    shown = {table.id: torch.tensor(table.values, dtype=torch.float64) for table in tables}
    for layer in (1, 2):
        close(shown[f"ov_{layer}"], circuit_ov(end.matrices, layer)[rows])


# ---- by hand


def by_hand_page(settings: Settings, language: str = "en") -> Page:
    return page_in("two_layers", "by_hand", as_state(settings), View(language=language))


def test_the_numbers_by_hand_are_those_of_the_lab():
    start, weights = edits.example_start("copy_before"), hand_made().layers[0]
    for name in by_hand.WEIGHTS:
        assert torch.equal(torch.tensor(getattr(start, name), dtype=torch.float64), weights[name])
    assert torch.equal(torch.tensor(start.x, dtype=torch.float64), inputs(start.tokens))
    first, second = by_hand.layers(by_hand_page(start))
    expected = hand_made().run(inputs(start.tokens))
    close(first.trace.output, expected[0].output)
    close(second.trace.query_input + second.trace.output, expected[2])


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_number_of_layer_1_is_changed_and_layer_2_follows(language):
    start = edits.example_start("copy_before")
    page = by_hand_page(start, language)
    lines = by_hand.reading(page, *by_hand.layers(page))
    assert "“E”" in lines[0] and "“E”" in lines[2]
    page = by_hand_page(edits.set_block(start, "w_q", 5, 1, [[-8.0]]), language)  # as the text proposes
    after = by_hand.reading(page, *by_hand.layers(page))
    assert "“D”" in after[0] and len({*lines, *after}) == 5  # the last token's row of layer 1 is as before
    assert by_hand.layers(page)[1].head.weights[-1, 2] < 0.34


def test_numbers_of_other_sizes_are_left_aside():
    first = by_hand.first_layer(by_hand_page(Settings())).settings
    assert first == edits.example_start("copy_before")


def test_numbers_that_cannot_be_dragged_are_not_said_to_be():
    for example, may_drag in (("copy_before", True), ("cats", False)):
        app = screen.opened("two_layers", "by_hand", edits.example_start(example))
        x = matrix(app, "x")
        assert ("Drag a number of X" in said(app)) == may_drag == x["editable"]
