"""What the lesson says of attention as an explanation, beside gradients and leaving a token out."""

import pytest
import torch

from attention import multi_head_attention
from attention.lab.real_heads import explain as lab
from attention.lab.real_heads import store
from pages.lessons.real_heads import explain, explain_yours, sizes
from pages.lessons.real_heads.settings import LAYERS
from tests.apps import matrix, opened, said
from tests.states import as_state

from .conftest import page_of


def test_only_the_norm_is_0_for_a_value_of_zeros():
    generator = torch.Generator().manual_seed(1)
    x, w_q, w_k = (torch.randn(4, 3, generator=generator, dtype=torch.float64) for _ in range(3))
    w_q, w_k = w_q[:3], w_k[:3]
    x[2, 2], x[:, 2] = 0.0, torch.tensor([1.0, -0.5, 0.0, 2.0])
    w_v = torch.tensor([[0.0, 0.0], [0.0, 0.0], [1.0, 0.5]], dtype=torch.float64)  # the value of row 2 is 0
    assert multi_head_attention(x, w_q=w_q, w_k=w_k, w_v=w_v).value[2].abs().max() == 0
    found = lab.attributions(x, {"w_q": w_q, "w_k": w_k, "w_v": w_v}, row=0)
    assert found.norms[2] == 0
    assert found.weights[2] > 0 and found.leave_one_out[2].abs() > 1e-6
    assert found.gradient_times_input[2].abs() > 1e-6


@pytest.mark.parametrize("name", list(store.explained()))
@pytest.mark.parametrize("layer", range(LAYERS))
def test_what_comes_nearest_to_leaving_out(name, layer):
    page = page_of("explain", sentence=name, layer=layer)
    found = explain.measured(page)
    size = {one: values.abs() for one, values in found.items()}

    def spearman(one, other):
        ranks = [torch.stack([(v > w).sum() + ((v == w).sum() + 1) / 2 for w in v]) for v in (one, other)]
        return torch.corrcoef(torch.stack([-ranks[0], -ranks[1]]).double())[0, 1].item()

    values = {one: spearman(size[one], size["left_out"]) for one in ("weight", "norm", "gradient")}
    holds = sizes.nearest(found)
    (marked,) = [one for one, does in holds.items() if does]
    assert values[marked] == max(values.values())
    assert explain.correlations(page)[marked] in (f"{values[marked]:.2f}", f"−{-values[marked]:.2f}")


def test_the_measures_are_those_of_the_model_and_add_up_to_1():
    app = opened("real_heads", "explain", sentence="rich", layer=2)
    given, shown = store.explained()["rich"], matrix(app, "measures")["values"]
    assert all(sum(map(abs, row)) == pytest.approx(1) for row in shown)
    for row, values in ((2, given.gradient_times_input), (3, given.leave_one_out)):
        assert shown[row] == pytest.approx((values / values.abs().sum()).tolist())


def test_a_sentence_that_was_not_explained_gives_way_to_one_that_was():
    page = page_of("explain", sentence="heavy")
    assert explain.shown(page) == "tired"
    assert "The animal was tired" in said(opened("real_heads", "explain", sentence="heavy"))


def test_nothing_is_put_first_where_all_are_alike():
    zeros = torch.zeros(3)
    assert sizes.top(torch.ones(3)) is None and sizes.top(torch.tensor([1.0, -2.0, 0.0])) == 1
    assert sizes.share(zeros).tolist() == [0, 0, 0]
    assert not any(sizes.nearest(dict.fromkeys(sizes.MEASURES, zeros)).values())


def test_a_click_on_a_row_explains_it():
    app = opened("real_heads", "explain_yours", row=0)
    found = explain_yours.measures(as_state(None).core, 0)
    shares = found["weight"] / found["weight"].sum()
    assert matrix(app, "measures")["values"][0] == pytest.approx(shares.tolist())


@pytest.mark.parametrize("language", ["en", "zh"])
def test_two_measures_are_named_only_where_no_others_agree_as_much(language):
    page = page_of("explain", language)
    one, other = torch.tensor([1.0, 2.0, 3.0, 4.0]), torch.tensor([1.0, 2.0, 4.0, 3.0])
    found = {"weight": one, "norm": one, "gradient": other, "left_out": one.flip(0)}
    tokens, t = ("a", "b", "c", "d"), page.t
    most, least = sizes.said(page, found, tokens)[-2:]
    names = {"one": t("measure.weight"), "other": t("measure.norm")}
    assert most == t("explain.most", value="1.00", **names)
    assert least == t("explain.least_several", count=2, all=6, value="−1.00")
    alike = dict.fromkeys(sizes.MEASURES, one)
    assert len(sizes.said(page, alike, tokens)) == 1  # all agree: no two of them most or least
