"""What is timed computes what it should, and limits hold."""

import pytest
import torch

from attention.lab.cost import benchmark
from attention.lab.cost.benchmark import FORMS, LENGTHS, WIDTH


def test_the_three_forms_of_attention_compute_the_same():
    with torch.no_grad():
        plain, tiled, fused = (benchmark.call_of(form, 200)() for form in FORMS[:3])
    torch.testing.assert_close(tiled, plain, atol=1e-5, rtol=1e-4)
    torch.testing.assert_close(fused[0, 0], plain, atol=1e-5, rtol=1e-4)


@pytest.mark.parametrize("form", FORMS)
def test_every_form_takes_n_vectors_to_n_vectors(form):
    with torch.no_grad():
        assert benchmark.call_of(form, 16)().numel() == 16 * WIDTH
    assert benchmark.seconds(form, 16) > 0


def test_counts_by_hand():
    assert [benchmark.multiply_adds(form, 2) for form in FORMS] == [512, 512, 512, 65536, 24576]


def test_a_slow_form_is_not_measured_at_greater_lengths(monkeypatch):
    asked = []

    def seconds(form, n):
        asked.append((form, n))
        return 2.0 if form == "lstm" else 0.1

    monkeypatch.setattr(benchmark, "seconds", seconds)
    measurement = list(benchmark.measurements())
    assert len(measurement) == len(FORMS) * len(LENGTHS)
    assert [n for form, n in asked if form == "lstm"] == [LENGTHS[0]]
    assert all(took is None for form, n, took in measurement if form == "lstm" and n > LENGTHS[0])


def test_the_score_matrices_have_a_limit(monkeypatch):
    monkeypatch.setattr(benchmark, "MEMORY_LIMIT", 1000)
    monkeypatch.setattr(benchmark, "seconds", lambda form, n: 0.1)
    assert all((took is None) == (form == "plain") for form, n, took in benchmark.measurements())
