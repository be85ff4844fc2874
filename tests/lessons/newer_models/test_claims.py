"""What the lesson's figures and sentences say, computed again with random numbers."""

import random
from dataclasses import replace
from functools import partial

import pytest
import torch

from pages.draw.positions import set_aside
from pages.draw.texts import Texts
from pages.lessons.newer_models import sink, summary, windows
from pages.model import edits
from pages.model.compute import trace_of
from tests.support import screen
from tests.support.random_settings import drawn
from tests.support.screen import matrix, said
from tests.support.states import as_state, start_of, with_own
from tests.support.tolerance import close

START = start_of("newer_models")
opened = partial(screen.opened, "newer_models")
SEEDS = range(3)


def numbers(app, name) -> torch.Tensor:
    """A matrix of the page, −∞ where it is masked."""
    rows = matrix(app, name)["values"]
    return torch.tensor([[float(value) for value in row] for row in rows], dtype=torch.float64)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("kind", sink.KINDS)
def test_the_rows_and_the_share_of_the_sink_follow_from_the_scores_on_the_screen(kind, seed):
    number = random.Random(seed).uniform(-3, 3)
    state = with_own(as_state(replace(drawn(seed), masked_score="-inf")), sink_kind=kind, sink=number)
    app = opened("sink", state)
    weights = numbers(app, "weights")
    trace = trace_of(set_aside(state.core), sink=None if kind == "none" else number * (kind == "learned"))
    close(weights, trace.head(0).weights, 1e-9)
    assert ("sink_weights" in screen.matrix_ids(app)) == (kind != "none")
    if kind != "none":
        close(weights.sum(-1) + numbers(app, "sink_weights")[:, 0], torch.ones(len(weights)).double(), 1e-9)
        assert "One more key and value of zeros" in said(app)


@pytest.mark.parametrize(("number", "text"), [(-50.0, "from 1 − "), (50.0, "×10⁻"), (1.0, "from 0.")])
def test_a_row_with_a_sink_never_sums_to_1_or_0(number, text):
    app = opened("sink", with_own(START, sink_kind="learned", sink=number))
    [line] = [line for line in said(app).splitlines() if "The sink has the rest" in line][:1]
    assert text in line and "0.000" not in line and "1.000" not in line


def test_a_reason_is_given_only_where_it_is_the_reason():
    narrow = edits.resize(START, d_k=1, d_v=1)
    text = said(opened("linear", with_own(narrow, sink_kind="none", layer_kinds="none", latent_rank=16)))
    assert "With a sink" not in text and "Without a sink" in text
    assert "no layer drops any" in text and "each layer reads rows" not in text and "can do so" not in text
    assert "no layer drops any" in said(opened("windows", with_own(START, layer_kinds="none")))
    text = said(opened("linear", with_own(START, sink_kind="learned", layer_kinds="all", latent_rank=1)))
    assert "With a sink of 1.00" in text and "only a local layer" in text
    assert "13 tokens, more than any one layer attends to" in text and "can do so" in text


@pytest.mark.parametrize("kind", windows.KINDS)
def test_reach_and_cache_are_those_of_the_layers(kind):
    app = opened("windows", with_own(START, layer_kinds=kind, window_n=11, window_r=4))
    layers = windows.lab.in_turn(windows.LAYERS, 4, windows.LOCAL[kind])
    assert matrix(app, "attended")["values"] == windows.lab.attended(11, layers).tolist()
    assert matrix(app, "reached")["values"] == windows.lab.reach(11, layers).tolist()
    assert sum(int(row[0]) for row in matrix(app, "kept")["values"]) == windows.lab.rows_kept(11, layers)
    assert {"none": 66, "one": 45, "five": 31, "all": 24}[kind] == windows.lab.rows_kept(11, layers)


def test_the_caches_of_models_are_said():
    assert windows.gemma_cache() == (5 * 1024 + 32_768, 6 * 32_768)
    assert "37,888 keys of 32,768 tokens instead of 196,608, which is 19%" in said(opened("windows"))
    assert "holds 576 numbers per token and layer, which is 1.8% of the 32,768" in said(opened("latent"))
    assert "equally many at n = 4" in said(opened("linear"))


@pytest.mark.parametrize("seed", SEEDS)
def test_the_scores_on_the_screen_are_the_same_in_both_orders_of_the_products(seed):
    states = [with_own(as_state(drawn(seed)), absorbed=on) for on in (False, True)]
    first, second = (numbers(opened("latent", state), "scores") for state in states)
    close(first, second, 1e-9)


def test_c_with_as_many_numbers_as_x_loses_nothing_and_with_one_it_loses_something():
    for rank, exact in ((4, True), (1, False)):
        text = said(opened("latent", with_own(START, latent_rank=rank)))
        assert ("are the same as yours but for rounding" in text) == exact
        assert ("differ from yours by" in text) != exact


def test_without_softmax_both_outputs_on_the_screen_are_the_same_and_with_it_the_weights_are_shown():
    for seed in SEEDS:
        app = opened("linear", with_own(as_state(drawn(seed)), with_softmax=False))
        close(numbers(app, "head_output"), numbers(app, "state_output"), 1e-9)
    app = opened("linear", with_own(START, with_softmax=True))
    assert (numbers(app, "head_output") - numbers(app, "state_output")).abs().max() > 0.1
    close(numbers(app, "weights").sum(-1), torch.ones(3).double())


@pytest.mark.parametrize("token", range(1, 5))
def test_the_state_after_a_token_is_the_sum_up_to_it(token):
    app = opened("linear", with_own(START, linear_token=token))
    head, at = trace_of(START).head(0), min(token, 3)
    close(numbers(app, "state_after"), head.key[:at].mT @ head.value[:at])
    causal = (head.query @ head.key.mT).tril() @ head.value
    close(numbers(app, "token_output"), causal[at - 1 : at])


def test_only_linear_attention_keeps_its_memory():
    t, (_, file) = Texts("en", "newer_models"), summary.memory(screen_page())
    grows = {name: file[t(f"option.newer_end_{name}")] for name in ("sink", "windows", "latent", "linear")}
    assert [name for name, kept in grows.items() if kept[0] == kept[-1]] == ["linear"]
    assert all(kept == sorted(set(kept)) for name, kept in grows.items() if name != "linear")


def screen_page():
    """What the chart reads of a page: its texts."""
    return type("TextsOnly", (), {"t": Texts("en", "newer_models")})()
