"""The lesson `Cross-attention` without a browser: its figures and its claims."""

import re
from dataclasses import replace
from functools import partial

import pytest
import torch

from attention import causal_mask, padding_mask
from pages.draw.page import Page
from pages.draw.texts import Texts
from pages.lessons.cross_attention import LESSON, predict, translation
from pages.model import edits
from pages.model.compute import cross_trace_of
from pages.model.view import View
from tests.support import screen
from tests.support.example_states import CATS, ONE, TWELVE
from tests.support.screen import bound, matrix, said, visit
from tests.support.states import page_in

START = edits.example_start("translation")
SENTENCE = edits.example_start("tired_translation")
CASES = {
    "start": START,
    "cats": CATS,
    "one token": ONE,
    "padding": edits.with_choice(START, cross_mask="padding", source_padding=3),
    "longer source": edits.set_source(
        edits.with_choice(CATS, cross_mask="causal"), "a b c d e f g h i j k l"
    ),
    "more queries than keys": edits.set_source(
        edits.with_choice(TWELVE, cross_mask="causal", alignment="lower_right"), "a b"
    ),
    "two heads, biases": edits.set_biases(edits.resize(CATS, num_heads=2, d_k=3, d_v=1), True),
    "shared keys": edits.resize(CATS, num_heads=4, num_kv_heads=2),
}
SQUARES = ("scores", "scaled_scores", "masked_scores", "weights")
T = Texts("en", "cross_attention")
opened = partial(screen.opened, "cross_attention")


def page_of(settings, part="picture", head=0) -> Page:
    return page_in("cross_attention", part, settings, View(head=head))


@pytest.mark.parametrize("case", CASES)
def test_the_picture_shows_the_core_s_numbers(case):
    now = CASES[case]
    app, trace = opened("picture", now), cross_trace_of(now)
    head = trace.head(0)
    expected = {name: getattr(trace, name) for name in ("query", "key", "value", "output")}
    expected |= {name: getattr(head, name) for name in SQUARES}
    for name, tensor in expected.items():
        numbers = matrix(app, name)
        values = torch.tensor([[float(v) for v in row] for row in numbers["values"]], dtype=torch.float64)
        tensor = tensor[:, numbers["offset"] : numbers["offset"] + values.shape[1]]
        torch.testing.assert_close(values, tensor, rtol=0, atol=0)
    assert len(matrix(app, "weights")["rows"]) == len(now.tokens)
    assert len(matrix(app, "weights")["cols"]) == len(now.source)
    assert named_y(app) == ["y"]  # with several heads the output was called Y as well


@pytest.mark.parametrize("name", ["cats", "translation", "tired_translation"])
def test_the_examples_by_hand_read_as_translations(name):
    now = edits.example_start(name)
    weights = cross_trace_of(now).head(0).weights
    meant = {"cats": [0, 1, 2], "translation": [3, 0, 1, 1, 2], "tired_translation": [4, 0, 1, 2]}
    assert weights.argmax(-1).tolist() == meant[name]
    assert weights.max(-1).values.min() > 0.7
    assert T(f"by_hand.{name}") in said(opened("picture", now))
    others = [edits.set_cell(now, matrix, 0, 0, 0.5) for matrix in ("y", "w_q", "w_k", "w_v")]
    others.append(edits.with_choice(now, scaling="own", own_divisor=-1.0))
    others.append(edits.with_choice(now, cross_mask="padding", source_padding=1))
    for other in others:  # W is no multiple of the identity then, or a word attends to another one
        assert T(f"by_hand.{name}") not in said(opened("picture", other))


@pytest.mark.parametrize("language", screen.LANGUAGES)
def test_the_lesson_begins_with_what_a_translator_needs(language):
    """Above the picture, where there is room; what a decoder is given is below, whatever the numbers."""
    t = Texts(language, "cross_attention")
    app = screen.open_page("cross_attention", START, View(language=language))
    assert LESSON.part(None).name == "picture"
    assert t("lesson.lead") in [one.value for one in app.markdown] and t("cross.decoder") in said(app)
    assert t("cross.decoder") in said(opened("picture", CASES["padding"], language=language))


# ---- claims that did not hold


def test_no_output_of_several_heads_is_called_y():
    for part in ("overview", "split", "ablation", "two"):
        app = screen.opened("many_heads", part)
        assert named_y(app) == [] and not re.search(r"\bY\b", screen.said(app))


def named_y(app) -> list[str]:
    """The matrices of the page with the title Y, or a row of that name."""
    matrices = [one for picture in screen.pictures(app) for one in picture["matrices"]]
    return [one["id"] for one in matrices if "Y" in (one["title"], one["symbol"], *one["rows"])]


@pytest.mark.parametrize("language", screen.LANGUAGES)
def test_the_texts_write_the_weight_matrices_as_the_picture_does(language):
    t = Texts(language, "cross_attention")
    titles = {one["title"] for one in screen.pictures(opened("picture"))[0]["matrices"]}
    assert {"W_Q", "W_K", "W_V"} <= titles
    texts = [
        text
        for name in ("cross", "by_hand", "because", "translation", "end")
        for text in t.section(name).values()
    ]
    assert "W_Q" in "".join(texts) and "W^" not in "".join(texts)


# ---- predictions


def test_a_mask_tells_the_places_of_y_apart():
    now = replace(CASES["padding"], source_padding=1)
    assert predict.order_answer(cross_trace_of(now), cross_trace_of(predict.swap_source(now))) != "same"


def test_the_tokens_of_y_are_typed_and_their_mask_is_chosen():
    app = opened("picture")
    now = edits.set_source(visit(app).settings, "I saw")
    bound(app, "text_input", "source").set_value("I saw").run()
    assert visit(app).settings == now
    bound(app, "selectbox", "cross_mask").select("causal").run()
    assert visit(app).settings == edits.with_choice(now, cross_mask="causal")


def test_tokens_of_y_change_places_by_a_button_and_undo_takes_it_back():
    app = opened("predict", topic="order")
    app.button("swap_source").click().run()
    now = visit(app).settings
    assert now == predict.swap_source(SENTENCE)
    assert (now.source[:2], now.y[:2]) == (SENTENCE.source[1::-1], SENTENCE.y[1::-1])
    app.button("undo").click().run()
    assert visit(app).settings == SENTENCE


# ---- masks


@pytest.mark.parametrize("real", [3, 4])
def test_a_translator_s_masks(real):
    """ask.cross_causal: before the decoder's mask is asked for, only padding is masked, if there is any."""
    page, visible = page_of(START, "translation"), padding_mask([real], 4)
    for causal in (False, True):
        view = {m.id: m.values for m in translation.attentions(page, real, causal=causal)}
        assert view["mask_encoder"] == visible.expand(4, 4).tolist()
        assert view["mask_cross"] == visible.expand(5, 4).tolist()
        assert view["mask_decoder"] == (causal_mask(5) if causal else torch.ones(5, 5).bool()).tolist()


@pytest.mark.parametrize("case", ["start", "two heads, biases"])
def test_counted_from_the_lower_right_the_new_queries_have_the_weights_of_the_whole(case):
    app = opened("alignment", CASES[case])
    rows = matrix(app, "lower_right")["values"]
    assert rows == [pytest.approx(row) for row in matrix(app, "whole")["values"][-len(rows) :]]


def test_what_is_said_of_the_two_alignments():
    upper = torch.nn.functional.scaled_dot_product_attention
    query, key = torch.randn(2, 4).double(), torch.randn(5, 4).double()
    causal = upper(query, key, key, is_causal=True)
    torch.testing.assert_close(causal, upper(query, key, key, attn_mask=causal_mask(2, 5)))
    assert not causal_mask(5, 3, alignment="lower_right")[:2].any()
    assert causal_mask(5, 3).any(-1).all()


# ---- the end


def test_the_end_s_lines_have_the_learner_s_numbers():
    text = said(opened("alignment"))
    assert T("summary.one", n=4, m=5) in text and T("summary.three", n=4) in text
