"""What the lesson says of attention as an explanation, compared with gradients and leaving a token out."""

import pytest
import torch

from attention import multi_head_attention
from attention.lab.real_heads import explain as lab
from attention.lab.real_heads import store
from pages.lessons.real_heads import explain, explain_yours, sizes
from pages.lessons.real_heads.settings import LAYERS
from pages.model.compute import trace_of
from tests.support.screen import matrix, opened, said
from tests.support.states import as_state

from .conftest import page_of


def test_only_the_norm_is_0_for_a_value_of_zeros():
    generator = torch.Generator().manual_seed(1)
    x, w_q, w_k = (torch.randn(4, 3, generator=generator, dtype=torch.float64) for _ in range(3))
    w_q, w_k = w_q[:3], w_k[:3]
    x[2, 2], x[:, 2] = 0.0, torch.tensor([1.0, -0.5, 0.0, 2.0])
    w_v = torch.tensor([[0.0, 0.0], [0.0, 0.0], [1.0, 0.5]], dtype=torch.float64)  # the value of row 2 is 0
    assert multi_head_attention(x, w_q=w_q, w_k=w_k, w_v=w_v).value[2].abs().max() == 0
    attribution = lab.attributions(x, {"w_q": w_q, "w_k": w_k, "w_v": w_v}, row=0)
    assert attribution.norms[2] == 0
    assert attribution.weights[2] > 0 and attribution.leave_one_out[2].abs() > 1e-6
    assert attribution.gradient_times_input[2].abs() > 1e-6


def spearman(one, other) -> float:
    """Of absolute values; equal ones share the mean of their ranks."""
    sizes = [[abs(value) for value in values] for values in (one, other)]
    ranks = [[sum(v > w for w in each) + (each.count(v) + 1) / 2 for v in each] for each in sizes]
    return torch.corrcoef(torch.tensor(ranks, dtype=torch.float64))[0, 1].item()


def correlations(words_only: bool = False) -> dict[str, list[float]]:
    """Of each measure with leaving out, in every sentence and layer."""
    results = {"weight": [], "norm": [], "gradient": []}
    for name, start in store.explained().items():
        one = store.load(name)
        kept = slice(1, -1) if words_only else slice(None)
        for layer in range(LAYERS):
            column = one.model_weights[layer].mean(-2)
            sizes = {"weight": column.mean(0), "norm": (column * one.value[layer].norm(dim=-1)).mean(0)}
            sizes["gradient"] = start.gradient_times_input
            for measure, values in sizes.items():
                left_out = start.leave_one_out[kept].tolist()
                results[measure].append(spearman(values[kept].tolist(), left_out))
    return results


def test_what_comes_nearest_to_leaving_out_on_average():
    correlation = correlations()
    means = {name: sum(values) / 36 for name, values in correlation.items()}
    assert explain.nearest() == max(means, key=means.get) == "gradient"
    text = said(opened("real_heads", "explain"))
    words = correlations(words_only=True)
    for name, values in correlation.items():
        best = sum(values[i] == max(each[i] for each in correlation.values()) for i in range(36))
        cells = [means[name], min(values), max(values), best, sum(words[name]) / 36]
        row = " | ".join(
            str(one) if isinstance(one, int) else f"{one:.2f}".replace("-", "−") for one in cells
        )
        assert f"| {row} |" in text


def test_how_little_a_sentence_can_show_is_said():
    counts = [len(one.tokens) for one in store.explained().values()]
    errors = [f"{1 / (n - 1) ** 0.5:.2f}" for n in (max(counts), min(counts))]
    text = said(opened("real_heads", "explain"))
    assert f"{min(counts)} to {max(counts)} tokens" in text and f"here {errors[0]} to {errors[1]}" in text


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_measures_are_defined_before_the_question(language):
    t = page_of("explain", language).t
    app = opened("real_heads", "explain", answers=(), language=language)
    lines = said(app)
    for name in explain.MEASURES:
        assert f"**{t(f'measure.{name}')}**" in lines and t(f"define.{name}") in lines
        assert lines.index(t(f"define.{name}")) < lines.index(t("ask.real_agree").split("{")[0])
    assert len(matrix(app, "measures")["values"]) == 1  # only what is to be predicted


def test_masking_for_one_query_is_not_called_leaving_out():
    app = opened("real_heads", "explain", topic="yours")
    assert list(explain_yours.measures(as_state(None).core, 0))[-1] == "masked_out"
    t = page_of("explain").t
    assert f"**{t('measure.masked_out')}**" in said(app) and f"**{t('measure.left_out')}**" not in said(app)


def test_the_measures_are_those_of_the_model_and_add_up_to_1():
    app = opened("real_heads", "explain", sentence="rich", layer=2)
    start, numbers = store.explained()["rich"], matrix(app, "measures")["values"]
    assert all(sum(map(abs, row)) == pytest.approx(1) for row in numbers)
    for row, values in ((2, start.gradient_times_input), (3, start.leave_one_out)):
        assert numbers[row] == pytest.approx((values / values.abs().sum()).tolist())


def test_a_sentence_that_was_not_explained_gives_way_to_one_that_was():
    page = page_of("explain", sentence="heavy")
    assert explain.sentence_name(page) == "tired"
    assert "The animal was tired" in said(opened("real_heads", "explain", sentence="heavy"))


def test_no_token_is_put_first_where_others_read_alike():
    page = page_of("explain")
    first, *others = (torch.tensor(row) for row in ([1.0, -2.0, 0.0], [2.0, 2.001, 1.0], [0.0, 0.0, 0.0]))
    measures = dict(zip(explain.MEASURES, (first, *others, first), strict=True))
    line, t = sizes.sentences(page, measures, ("a", "b", "c"))[0], page.t
    assert t("explain.first", measure=t("measure.weight"), name="b") in line
    assert t("explain.first_tie", measure=t("measure.norm"), names="“a” and “b”") in line
    assert t("measure.gradient") not in line and t("explain.all_agree") not in line
    assert sizes.share(others[1]).tolist() == [0, 0, 0]


def test_a_click_on_a_row_explains_it():
    weights = trace_of(as_state(None).core).head(0).weights[1]
    measured = matrix(opened("real_heads", "explain", topic="yours", row=1), "measures")["values"]
    assert measured[0] == pytest.approx(weights.tolist())


@pytest.mark.parametrize("language", ["en", "zh"])
def test_two_measures_are_named_only_where_no_others_agree_as_much(language):
    page = page_of("explain", language)
    one, other = torch.tensor([1.0, 2.0, 3.0, 4.0]), torch.tensor([1.0, 2.0, 4.0, 3.0])
    results = {"weight": one, "norm": one, "gradient": other, "left_out": one.flip(0)}
    tokens, t = ("a", "b", "c", "d"), page.t
    most, least = sizes.sentences(page, results, tokens)[-2:]
    names = {"one": t("measure.weight"), "other": t("measure.norm")}
    assert most == t("explain.most", value="1.00", **names)
    assert least == t("explain.least_tie", count=2, all=6, value="−1.00")
    alike = dict.fromkeys(explain.MEASURES, one)
    assert len(sizes.sentences(page, alike, tokens)) == 1  # all agree: no two of them most or least
