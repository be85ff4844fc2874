"""Positions hold in every lesson: the same numbers wherever the lab computes again."""

import pytest
import torch

from attention.lab.masks import masking, padding
from attention.lab.softmax import scores as softmax
from attention.lab.weights import changes
from pages.model import edits
from pages.model.compute import trace_of
from pages.model.settings import POSITIONS, Settings
from tests.support.screen import matrix, open_page, said

HEADS = edits.resize(Settings(), num_heads=2, d_k=3, d_v=2)


def set_to(kind: str, now: Settings = HEADS) -> Settings:
    return edits.with_choice(now, position=kind, mask="causal", slope_factor=40.0, first_position=2)


@pytest.mark.parametrize("kind", POSITIONS)
def test_the_first_page_equals_pytorch_and_shows_the_trace(kind):
    now = set_to(kind)
    app = open_page("one_head", now)
    assert "F.scaled_dot_product_attention of PyTorch: yes" in said(app)
    trace = trace_of(now)
    assert matrix(app, "output")["values"] == trace.output.tolist()
    view = {"sinusoidal": "x_p", "learned": "x_p", "rotary": "rotated_query", "alibi": "biased_scores"}
    if kind != "none":
        expected = {
            "x_p": trace.query_input,
            "rotated_query": trace.heads.query[0],
            "biased_scores": trace.heads.biased_scores,
        }[view[kind]]
        values = matrix(app, view[kind])["values"]
        assert values == (expected[0] if expected.ndim == 3 else expected).tolist()


def test_the_bias_goes_along_where_the_lab_computes_anew():
    now = edits.with_choice(set_to("alibi"), mask="none")
    head = trace_of(now).head(0)
    torch.testing.assert_close(masking.attend(head, None).weights, head.weights)
    torch.testing.assert_close(changes.with_value_row(head, 0, 1.0).weights, head.weights)
    torch.testing.assert_close(changes.with_shifted_scores(head, 3.0).weights, head.weights)
    draws = softmax.many_draws(head, 0.0, 0, 2)
    torch.testing.assert_close(draws.mean, head.weights)
    causal = torch.ones(3, 3).tril().bool()
    zero = masking.fully_masked_weights(head, causal)
    torch.testing.assert_close(zero["nan"], masking.attend(head, causal).weights)
    assert not padding.nan_rows(head, causal)[0].any()
