"""The whole model on the screen: its lines of code, its numbers to change, its next words, its training."""

import itertools
import math
from dataclasses import replace
from typing import ClassVar

import pytest
import torch
from torch.nn import functional as F
from torch.utils.flop_counter import FlopCounterMode

from attention import causal_mask
from attention.lab.transformer import SENTENCES, best_loss, continued, model_trace, shaped, trained_model
from attention.lab.transformer.plain import plain_model
from pages.lessons.transformer import scene, the_model, what_for
from pages.lessons.transformer.runs import RUNS
from pages.lessons.transformer.settings import STAGES, ModelNumbers
from pages.model.entries import SettingsError
from pages.model.state import State
from tests.support.screen import bound, opened, pictures, said, unfolded, visit
from tests.support.tolerance import close

FORMS = [
    dict(zip(("norm", "residual", "forward", "model_heads"), form, strict=True))
    for form in itertools.product(("before", "after", "none"), (True, False), (True, False), (1, 2))
]


def own_of(app) -> ModelNumbers:
    return visit(app).state.of(ModelNumbers)


@pytest.mark.parametrize("form", FORMS, ids=lambda form: "-".join(map(str, form.values())))
def test_every_line_of_code_gives_its_matrix(form):
    """All lines one after the other, from the matrices alone, as a learner would run them."""
    own = ModelNumbers(**form, head_shown=form["model_heads"])
    model = scene.ModelPicture(_Texts(), own, scene.matrices_of(own), scene.trace_of(own))
    names = {
        name: torch.tensor(entry.values, dtype=torch.float64)
        for name, entry in model.matrices.items()
        if entry.editing
    }
    names |= {"math": math, "torch": torch, "F": F, "mask": causal_mask(len(own.words))}
    names["one_hot"] = torch.tensor(model.matrices["one_hot"].values, dtype=torch.float64)
    outputs = scene.trace_of(own).blocks[0].attention.heads.output
    names |= {f"head_output_{head}": output for head, output in enumerate(outputs, start=1)}
    for name, entry in model.matrices.items():
        if entry.step_name is not None:
            exec(model.panel(name).code, names)
            close(names[name], torch.tensor(entry.values, dtype=torch.float64), 1e-9)


class _Texts:
    """A page of which the matrices need the texts and the axes alone."""

    axes: ClassVar = {}

    def t(self, key, **facts):
        return key


def test_a_changed_number_changes_the_prediction_and_leaves_the_learners_other_numbers():
    state = State()
    before = scene.trace_of(state.of(ModelNumbers)).probabilities
    after = scene.take({"matrix": "w_u", "row": 0, "col": 2, "value": 9.0})(state)
    own = after.of(ModelNumbers)
    assert after.core == state.core and len(own.changed) == sum(m.numel() for m in trained_model().values())
    assert scene.matrices_of(own)["w_u"][0, 2] == 9.0
    assert not torch.allclose(before, scene.trace_of(own).probabilities)
    app = opened("transformer", "the_model", after)
    [cell] = [m["values"][0][2] for m in pictures(app)[0]["matrices"] if m["id"] == "w_u"]
    assert cell == 9.0
    unfolded(app, "model_switches").button(key="model_reset").click().run()
    assert own_of(app) == ModelNumbers()
    app.button(key="undo").click().run()
    assert own_of(app) == own


def test_the_whole_picture_has_the_rows_of_e_for_the_words_and_changes_them():
    state = State().having(ModelNumbers(words=(0, 2, 3, 7)))
    app = opened("transformer", "the_model", state)
    [shown] = [m for m in pictures(app)[0]["matrices"] if m["id"] == "embedded"]
    close(shown["values"], trained_model()["e"][[0, 2, 3, 7]].tolist())
    assert shown["editable"] and "e" not in {m["id"] for m in pictures(app)[0]["matrices"]}
    after = scene.take({"matrix": "embedded", "row": 3, "col": 1, "value": 5.0})(state).of(ModelNumbers)
    expected = trained_model()["e"]
    expected[7, 1] = 5.0
    close(scene.matrices_of(after)["e"], expected)
    with pytest.raises(SettingsError):
        scene.take({"matrix": "embedded", "row": 4, "col": 1, "value": 5.0})(state)


def test_numbers_for_another_size_of_model_are_not_used():
    own = ModelNumbers(changed=(1.0,) * 7)
    assert torch.equal(scene.matrices_of(own)["e"], trained_model()["e"])
    assert set(scene.matrices_of(replace(own, blocks=3))) > set(trained_model())


def test_words_are_taken_and_drawn_one_after_the_other():
    app = opened("transformer", "the_model", words=(0,), top_k=1)
    for length in (2, 3, 4):
        app.button(key="model_draw").click().run()
        assert len(own_of(app).words) == length
    assert own_of(app).words in {sentence[:-1] for sentence in SENTENCES}  # the most probable is a sentence
    assert app.button(key="model_most").disabled and not app.exception
    app.button(key="model_again").click().run()
    assert own_of(app).words == (0,) and own_of(app).chance == 1
    own = replace(own_of(app), model_temperature=2.0, top_k=3)
    logits = scene.trace_of(own).logits[-1]
    close(the_model.next_probabilities(own), shaped(logits, 2.0, 3))
    assert continued(the_model.next_probabilities(own), own.chance, 1) in logits.topk(3).indices.tolist()


def test_every_stage_has_its_matrices():
    inside = {
        "all": "embedded w_q weights w_1 probabilities",
        "embedding": "one_hot e p x",
        "attention": "w_q weights w_o",
        "forward": "w_1 activated w_2",
        "prediction": "w_u logits probabilities",
    }
    assert set(inside) == set(STAGES)
    for stage, names in inside.items():
        app = opened("transformer", "the_model", stage=stage, model_heads=2)
        assert {*names.split()} <= {matrix["id"] for matrix in pictures(app)[0]["matrices"]}


def test_the_end_of_the_model_is_next_to_each_block():
    for block in (1, 2, 3):
        app = opened("transformer", "the_model", blocks=3, block=block)
        [shown] = [m for m in pictures(app)[0]["matrices"] if m["id"] == "probabilities"]
        close(shown["values"], scene.trace_of(own_of(app)).probabilities.tolist())


def test_the_code_is_said_to_be_the_model_where_it_is():
    for form in FORMS:
        own = ModelNumbers(**form)
        gives = plain_model(scene.matrices_of(own), torch.tensor(own.words), own.model_heads)
        assert scene.is_plain(own) == torch.allclose(gives, scene.trace_of(own).probabilities)
    for form in (FORMS[1], FORMS[2]):
        app = unfolded(opened("transformer", "the_model", **form), "model_code")
        assert ("gives the same probabilities" in said(app)) == scene.is_plain(ModelNumbers(**form))


def test_the_sentences_of_the_training_are_named_before_the_question():
    app = opened("transformer", "train_model")
    assert "“a sheep rests”" in said(app) and "“two deer rest”" in said(app)
    assert round(best_loss(), 2) == round((math.log(2) + math.log(3)) / 4, 2) == 0.45


def test_a_row_changes_first_where_rows_meet():
    changes = the_model.changes(ModelNumbers())
    assert changes["x"] == changes["query"] == 0 and min(changes["scores"], changes["logits"]) > 0.1


def test_a_training_is_made_once_and_its_numbers_can_be_taken():
    app = opened("transformer", "train_model", model_ran=True, model_seed=5)
    for job in visit(app).memory.get("train_model", {}).values():  # none where another test has made the run
        assert job.wait(50)
    app.run()
    run = RUNS.finished(scene.options_of(own_of(app)))
    assert run and run[-1].right == 1 and not app.exception
    app.button(key="take_numbers").click().run()
    rounded = [round(number, 2) for number in scene.numbers_of(run[-1].matrices)]
    assert list(own_of(app).changed) == rounded and visit(app).places["transformer"].part == "the_model"


def test_rows_become_alike_for_every_seed_that_the_page_offers():
    for seed in (17, 404, 9999):
        spreads = what_for.spreads(seed)
        assert spreads["pure"][-1] < 1e-6 < 1e-3 < spreads["residual"][-1]


@pytest.mark.exhaustive
@pytest.mark.parametrize("own", [ModelNumbers(words=(0, 2), blocks=3, model_heads=2), ModelNumbers()])
def test_the_work_is_that_of_the_products(own):
    """As PyTorch counts it, two operations for a multiply–add; and where the question says."""
    with FlopCounterMode(display=False) as counter:
        model_trace(scene.matrices_of(own), torch.tensor(own.words), scene.options_of(own))
    counts = what_for.counts(own)
    assert sum(work for _, work in counts.values()) == counter.get_total_flops() / 2
    numbers = sum(matrix.numel() for matrix in scene.matrices_of(own).values())
    assert sum(count for count, _ in counts.values()) == numbers
    for d in (1, 3, 768):
        assert 12 * (6 * d) * d**2 == 2 * (6 * d) ** 2 * d and 6 * 768 == 4608


def test_a_block_or_a_head_that_the_model_no_longer_has_is_its_last():
    app = opened("transformer", "the_model", blocks=3, block=3, model_heads=2, head_shown=2)
    unfolded(app, "model_switches")
    for field in ("blocks", "model_heads"):
        bound(app, "button_group", f"{field}_page").set_value(1).run()
        assert not app.exception
    assert "weights" in {matrix["id"] for matrix in pictures(app)[0]["matrices"]}
    after = scene.take({"matrix": "w_q", "row": 0, "col": 0, "value": 2.0})(visit(app).state)
    assert scene.matrices_of(after.of(ModelNumbers))["w_q_1"][0, 0] == 2.0
