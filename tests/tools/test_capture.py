"""The model itself, where the packages of tests/tools/capture_requirements.txt are installed."""

from pathlib import Path

import pytest
import torch

from attention import AttentionError
from attention.lab import capture
from attention.lab.real_heads.explain import rank_correlation
from attention.lab.real_heads.store import DATA, explained, load
from attention.lab.real_heads.texts import COMPARED, TEXTS
from attention.lab.real_heads.toggles import traces_of
from tests.tools import capture as files

needs_the_model = pytest.mark.skipif(
    bool(capture.missing()), reason=f"not installed: {', '.join(capture.missing())}"
)


def same(result, kept):
    """Equal, the tensors to the precision of float16."""
    if isinstance(result, torch.Tensor):
        assert result.dtype == kept.dtype
        torch.testing.assert_close(result.double(), kept.double(), rtol=2**-10, atol=1e-7)
    elif isinstance(result, dict):
        assert set(result) == set(kept)
        for name in result:
            same(result[name], kept[name])
    elif isinstance(result, (list, tuple)):
        assert len(result) == len(kept)
        for one, other in zip(result, kept, strict=True):
            same(one, other)
    else:
        assert result == pytest.approx(kept)


@needs_the_model
def test_the_shipped_files_are_what_the_model_computes():
    for name, content in files.written().items():
        same(content, torch.load(DATA / f"{name}.pt", weights_only=True))


@needs_the_model
def test_any_text_can_be_captured_and_the_core_agrees_with_the_model():
    sentence = capture.capture("Any text at all, typed by a learner.")
    assert sentence.tokens[:4] == ("[CLS]", "any", "text", "at")
    assert sentence.query.dtype == torch.float64
    torch.testing.assert_close(traces_of(sentence).weights, sentence.model_weights)


@needs_the_model
def test_a_captured_text_is_like_a_loaded_one():
    result, kept = capture.capture(TEXTS["tired"]), load("tired")
    assert (result.text, result.tokens) == (kept.text, kept.tokens)
    torch.testing.assert_close(result.value, kept.value, rtol=2**-10, atol=1e-7)


@needs_the_model
def test_a_text_that_is_too_long_is_said():
    with pytest.raises(AttentionError) as caught:
        capture.capture("word " * capture.MOST_TOKENS)
    assert caught.value.code == "out_of_range"
    assert caught.value.facts["maximum"] == capture.MOST_TOKENS


@needs_the_model
def test_what_tokens_count_for_can_be_asked_of_any_pair_of_texts():
    result, kept = files.explain(TEXTS["tired"], COMPARED["tired"]), explained()["tired"]
    assert result.tokens == kept.tokens
    assert rank_correlation(result.leave_one_out, kept.leave_one_out) == pytest.approx(1)
    assert files.explain("The same.", "The same.").similarity == pytest.approx(1)


@needs_the_model
def test_gradient_times_input_by_finite_differences():
    """What the similarity gains, for each token, where its row of X grows by a small share of itself."""
    text, other = TEXTS["hungry"], COMPARED["hungry"]
    _, model = capture.model()
    step, rows = 1e-5, torch.ones(len(load("hungry").tokens), 1, dtype=torch.float64)

    def scaled(module, start, x):
        return x * rows if x.shape[1] == len(rows) else x

    hook = model.embeddings.register_forward_hook(scaled)
    result = files.explain(text, other).gradient_times_input
    slopes = []
    for token in range(len(rows)):
        values = []
        for by in (step, -step):
            rows[token] = 1 + by
            values.append(files.explain(text, other).similarity)
        rows[token] = 1
        slopes.append((values[0] - values[1]) / (2 * step))
    hook.remove()
    torch.testing.assert_close(result, torch.tensor(slopes, dtype=torch.float64), rtol=1e-4, atol=1e-8)


def test_the_requirements_name_every_package_that_is_needed():
    text = Path(files.__file__).with_name("capture_requirements.txt").read_text("utf-8")
    pinned = [line.partition("==")[0].replace("-", "_") for line in text.splitlines() if "==" in line]
    assert set(capture.NEEDED) < set(pinned)
