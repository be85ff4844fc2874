"""attention.check: right functions pass, each mistake is named, whatever a function does is a finding."""

import functools
import math
import re
from dataclasses import FrozenInstanceError, fields, is_dataclass
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn
from torch.nn import functional as F

from attention import (
    AttentionError,
    check,
    flash_attention,
    multi_head_attention,
    online_softmax,
    scaled_dot_product_attention,
)
from attention.checking import words
from attention.checking.cases import all_cases, case_of, close
from attention.checking.mistakes import CODED, MISTAKES
from attention.checking.report import NO_MISTAKE, FailedCase
from attention.checking.runs import Inputs
from attention.checking.suspects import NAMES, OF_LAYERS, further, pairs, rows_of, shown, singles
from attention.checking.verdict import judge, kind_of

from .written import WRITTEN, always_causal, attend, fill, masked_softmax, simple, written

CASES = all_cases()
every_case = pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)


# ---- the cases


@every_case
def test_what_must_come_is_what_pytorch_gives_in_float64(case):
    double = (tensor.double() for tensor in (case.query, case.key, case.value))
    theirs = F.scaled_dot_product_attention(*double, attn_mask=case.mask, **case.options)
    theirs = theirs.nan_to_num() if case.empty_rows is not None else theirs  # NaN before PyTorch 2.5
    torch.testing.assert_close(case.output, theirs, rtol=0, atol=1e-12)


def outputs(name, case):
    """What the mistake makes of the case, in each way of writing it."""
    told = [shown(suspect, case) for suspect in singles() if suspect.names == (name,)]
    return [output for output in told if isinstance(output, torch.Tensor) and output.isfinite().any()]


# a mistake of the causal mask, and the same of every mask: where no other case has a mask, it is the first
CAUSAL_ALONE = (
    {"causal_ignored", "mask_forgotten"},
    {"causal_reversed", "inverted"},
    {"causal_reversed", "query_rows"},
)


@every_case
def test_each_mistake_leaves_its_own_trace(case):
    """No two mistakes give the same numbers in a case, except where scores are far apart or all are 0."""
    if case.name in ("large_scores", "far_below", "scale", "scale_zero", "long", "many_keys"):
        return
    exercises = [(name, output) for name in NAMES for output in outputs(name, case)]
    for at, (name, output) in enumerate(exercises):
        for other, its in exercises[at + 1 :]:
            same = name == other or {name, other} in CAUSAL_ALONE
            if not same and output.shape == its.shape:
                rows = slice(None) if output.shape != case.output.shape else rows_of(case, empty=False)
                of_empty_rows = {"nan_rows", "finite_mask"} & {name, other}
                assert of_empty_rows or not close(output[rows], its[rows], case.tolerance), (name, other)


@every_case
def test_sizes_differ_from_each_other_except_where_the_words_say_so(case):
    told, (q_len, head_dim), (kv_len, value_dim) = (
        words.CASES[case.name],
        case.query.shape[-2:],
        case.value.shape[-2:],
    )
    assert (q_len == kv_len) == ("as many queries as keys" in told)
    assert (q_len == head_dim == value_dim) == ("head_dim and value_dim as many" in told)
    if case.name != "square":
        leading = case.query.shape[:-2] if "heads as texts" not in told else case.query.shape[:1]
        sizes = [head_dim, value_dim, *{q_len, kv_len}, *leading]
        assert len(set(sizes)) == len(sizes)


def test_cases_are_named_once_and_have_words():
    assert [case.name for case in CASES] == list(words.CASES)


BEYOND = {*OF_LAYERS}  # made with X, a W, rotary positions or the joined heads


def test_every_mistake_of_the_catalogue_is_named_or_accounted_for():
    same_as = {name: one.same_as for name, one in MISTAKES.items() if one.same_as}
    assert set(words.MISTAKES) == set(MISTAKES) - set(same_as)
    assert set(MISTAKES) == set(NAMES) | set(same_as) | BEYOND | {"dropout_on"}
    assert set(same_as.values()) <= set(NAMES)
    assert {name for _, *names in WRITTEN.values() for name in names} == {*NAMES, "dropout_on"}


@pytest.mark.parametrize("name", [name for name in NAMES if name in CODED])
def test_a_suspect_is_what_the_catalogue_computes(name):
    """On squares, the run of the catalogue and the suspect give the same numbers."""
    compared = 0
    for case in (case for case in CASES[:6] if case.query.shape == case.key.shape):
        tensors = [tensor.double() for tensor in (case.query, case.key, case.value)]
        sizes = [tensor.shape[-1] for tensor in tensors]
        w_q, w_k, w_v = torch.eye(sum(sizes), dtype=torch.float64).split(sizes, dim=1)
        mask, real = case.mask, None
        if name == "query_rows" and mask is not None:
            mask, real = (None, 2) if case.name == "padding" else (mask, None)
        elif mask is not None:
            mask = mask.expand(len(case.query), -1)
        start = Inputs(torch.cat(tensors, dim=-1), w_q, w_k, w_v, mask=mask, real=real)
        if MISTAKES[name].applies(start) and name != "by_sqrt_d_model":  # one head has no other d_model
            run = MISTAKES[name].run(start).head_output[0]
            exercises = outputs(name, case)
            if exercises:
                compared += 1
                assert any(close(run, output.double(), 1e-5) for output in exercises), case.name
    assert compared or name in ("by_sqrt_d_model", "mask_on_heads")


# ---- right functions


def by_blocks(query, key, value, attn_mask=None, scale=None):
    return flash_attention(query, key, value, block_q=2, block_k=2, mask=attn_mask, scale=scale).output


def online(query, key, value, mask=None):
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    scores = scores if mask is None else scores.masked_fill(~mask, -math.inf)
    weights = online_softmax(scores).weights
    return (weights if mask is None else weights.masked_fill(~mask, 0)) @ value, weights


def one_head_of_many(query, key, value, attn_mask=None):
    one = torch.eye(query.shape[-1], dtype=query.dtype)
    other = torch.eye(value.shape[-1], dtype=value.dtype)
    mask = (
        attn_mask if attn_mask is None or attn_mask.ndim < 4 else attn_mask.expand(*query.shape[:2], -1, -1)
    )
    mask = mask if mask is None or mask.ndim < 4 else mask[..., None, :, :]
    return multi_head_attention(query, key, value, w_q=one, w_k=one, w_v=other, mask=mask).output


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.gain = nn.Parameter(torch.ones(()))

    def forward(self, query, key, value, attn_mask=None):
        return attend(query, key, value, attn_mask) * self.gain.to(query.dtype)


def heads_only(q, k, v, attn_mask=None):
    """It takes four dimensions and no other number of them."""
    b, h, n, _ = q.shape
    return attend(q, k, v, attn_mask).reshape(b, h, n, v.shape[-1])


def weights_of(q, k):
    return torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1]), dim=-1)


def heads_inside(q, k, v):
    """(batch, length, heads, dim)."""
    scores = torch.einsum("bqhd,bkhd->bhqk", q, k) / math.sqrt(q.shape[-1])
    return torch.einsum("bhqk,bkhd->bqhd", torch.softmax(scores, dim=-1), v)


def sequence_first(q, k, v):
    return simple(*(tensor.transpose(0, 1) for tensor in (q, k, v))).transpose(0, 1)


def padded(query, key, value, key_padding_mask=None, *, meaning=lambda mask: ~mask):
    if key_padding_mask is None:
        return simple(query, key, value)
    return attend(query, key, value, meaning(key_padding_mask)[(slice(None), *[None] * (query.ndim - 2))])


def by_names(*, q, k, v, attention_mask=None, causal, softmax_scale=None):
    return F.scaled_dot_product_attention(q, k, v, attention_mask, is_causal=causal, scale=softmax_scale)


def arrays(query, key, value, attn_mask=None, is_causal=False):
    """With NumPy."""
    scores = query @ np.swapaxes(key, -1, -2) / np.sqrt(query.shape[-1])
    visible = np.tri(*scores.shape[-2:], dtype=bool) if is_causal else attn_mask
    scores = scores if visible is None else np.where(visible, scores, -np.inf)
    exps = np.exp(scores - np.maximum(scores.max(-1, keepdims=True), -1e30))
    return exps / np.maximum(exps.sum(-1, keepdims=True), 1e-30) @ value


# in another layout, with other names or another result than PyTorch's → what the first line says of it
OTHERWISE = {
    "(batch, length, heads, dim)": (heads_inside, "in the layout (batch, length, heads, dim)"),
    "equal sizes": (
        lambda q, k, v: heads_inside(q, k, v.reshape(k.shape)),
        "Not tried: value_dim other than head_dim, attn_mask",
    ),
    "as many queries as keys": (
        lambda q, k, v: always_causal(q, k, v, columns=q.shape[-2]),
        "it equals causal attention in every case, aligned with the upper left corner. Not tried: kv_len",
    ),
    "a buffer of four dimensions": (
        lambda q, k, v: always_causal(q, k, v, columns=q.shape[-2])[(None,) * (4 - q.ndim)],
        "it equals causal attention in every case",
    ),
    "head_dim": (lambda q, k, v, d_k: simple(q, k, v), "Not tried: attn_mask"),
    "sequence first": (sequence_first, "in the layout (length, batch, ..., dim)"),
    "one text": (lambda q, k, v: simple(q, k.T.T, v) if q.ndim == 2 else q @ k, "3 dimensions, 4 dimensions"),
    "causal": (always_causal, "it equals causal attention in every case, aligned with the upper left corner"),
    "causal, with a cache": (
        lambda q, k, v: always_causal(q, k, v, corner=k.shape[-2] - q.shape[-2]).nan_to_num(),
        "aligned with the lower right corner",
    ),
    "(weights, output)": (lambda q, k, v: (weights_of(q, k), weights_of(q, k) @ v), ""),
    "(output, weights)": (lambda q, k, v: (weights_of(q, k) @ v, weights_of(q, k)), ""),
    "a dict": (lambda q, k, v: {"attn_weights": weights_of(q, k), "attn_output": simple(q, k, v)}, ""),
    "a record": (lambda q, k, v: SimpleNamespace(last_hidden_state=simple(q, k, v), attentions=None), ""),
    "another order": (lambda value, key, query: simple(query, key, value), ""),
    "names alone": (by_names, "Not tried: enable_gqa."),
    "padding, True = masked": (padded, "Not tried: attn_mask, scale"),
    "padding, True = visible": (functools.partial(padded, meaning=lambda mask: mask), "Not tried: attn_mask"),
    "a mask in each call": (lambda q, k, v, mask: attend(q, k, v, mask), "Not tried: scale, is_causal"),
    "a layout": (lambda q, k, v, layout="bhld": simple(q, k, v), "Not tried: layout, attn_mask"),
    "other inputs": (lambda xq, xk, xv, mask=None: attend(xq, xk, xv, mask), "Not tried: scale, is_causal"),
}


@pytest.mark.parametrize("name", OTHERWISE)
def test_a_right_function_passes_in_any_layout_by_any_names(name):
    function, told = OTHERWISE[name]
    report = check(function)
    assert report.ok is None and len(report.passed) > 3, str(report)
    assert told in str(report).splitlines()[0] and "Not tried: " in str(report).splitlines()[0]


@pytest.mark.slow
@pytest.mark.parametrize("result", ["dropout", "a dict"])
def test_the_layout_is_pytorch_s_where_nothing_says_otherwise(result):
    """Another layout has fewer cases, and so fewer failures."""

    def function(query, key, value, attn_mask=None):
        output = attend(query, key, value, attn_mask)
        return F.dropout(output) if result == "dropout" else {"sum": output}

    report = check(function)
    assert report.layout == "" and report.mistakes == (("dropout_on",) if result == "dropout" else ())


def test_a_large_negative_number_is_not_named_where_another_mask_is_wrong():
    """A row without keys has the same numbers with any number added to its scores."""
    report = check(written(weights_of=lambda scores, mask: torch.softmax(scores + 0.5 * (mask == 1), -1)))
    assert report.ok is False and not report.mistakes


@pytest.mark.parametrize("library", ["numpy", "jax"])
def test_arrays_of_other_libraries(library):
    pytest.importorskip(library)
    report = check(arrays if library == "numpy" else with_jax, arrays=library)
    # JAX's own function attends to all keys alike where all are masked
    assert report.mistakes == (("finite_mask",) if library == "jax" else ()), str(report)
    assert len(report.failed) == (library == "jax") and len(report.passed) > 10
    assert ("NumPy has no bfloat16" in str(report)) == (library == "numpy")
    assert check(lambda query, key, value: query @ query.mT @ value, arrays=library).ok is not True
    wrong = check(
        lambda query, key, value: arrays(query * query.shape[-1] ** 0.5, key, value), arrays="numpy"
    )
    assert wrong.mistakes == ("not_scaled",)


def with_jax(query, key, value, mask=None, is_causal=False, scale=None):
    """JAX's own function, (batch, length, heads, dim)."""
    import jax

    return jax.nn.dot_product_attention(query, key, value, mask=mask, is_causal=is_causal, scale=scale)


def test_unknown_arrays_are_refused():
    with pytest.raises(AttentionError, match="numpy"):
        check(simple, arrays="pandas")


RIGHT = {
    "PyTorch": F.scaled_dot_product_attention,
    "the core": scaled_dot_product_attention,
    "FlashAttention": functools.partial(flash_attention, block_q=2, block_k=3),
    "FlashAttention, other blocks": by_blocks,
    "online softmax, with weights": online,
    "multi-head attention": one_head_of_many,
    "step by step": attend,
    "a module": Layer(),
    "four dimensions": heads_only,
    "any keyword": lambda query, key, value, **options: attend(query, key, value, **options),
}


@pytest.mark.parametrize("name", RIGHT)
def test_nothing_is_found_in_a_right_function(name):
    report = check(RIGHT[name])
    assert report.ok is (None if report.skipped else True) and not report.mistakes, str(report)
    assert len(report.passed) + sum(bool(case.name) for case in report.skipped) == len(CASES)


def test_pytorch_s_own_function_is_tried_in_every_case():
    report = check(F.scaled_dot_product_attention, device="cpu")
    assert [case.name for case in report.passed] == [case.name for case in CASES]
    assert str(report) == f"{len(CASES)} of {len(CASES)} cases are right."


# ---- wrong ones


# the mistake that is written → the remark that is made on it
BY_DESIGN = {"half_softmax": "precision"}
REMARKED = {name: (what, advice) for name, (_, what, advice) in words.REMARKS.items()}


@pytest.mark.exhaustive("first")
@pytest.mark.parametrize(("name", "first"), [(name, one[1]) for name, one in WRITTEN.items()])
def test_a_mistake_is_named(name, first):
    function, *mistakes = WRITTEN[name]
    report = check(function)
    mistakes = {BY_DESIGN.get(name, mistake) for mistake in mistakes}
    assert not report.ok and {*report.mistakes, *report.remarks} == mistakes, str(report)
    assert all((words.MISTAKES | REMARKED)[mistake][0] in str(report) for mistake in mistakes)


def test_the_smallest_case_that_shows_it_comes_first():
    result = check(WRITTEN["not_scaled"][0]).failed
    assert [case.name for case in result[:2]] == ["square", "rectangle"]
    assert "square" in str(check(WRITTEN["not_scaled"][0]))


@pytest.mark.parametrize("name", ["by √(size(1) · head_dim)", "softmax without dim"])
def test_what_explains_most_is_first_and_rows_without_keys_are_last(name):
    report = check(WRITTEN[name][0])
    assert report.mistakes == tuple(WRITTEN[name][1:])
    assert "Correct this first" not in str(report) and "same reason" not in str(report)


def test_what_is_wrong_in_most_cases_is_told_before_nan_rows():
    shift = lambda mask: 0 if mask is None else 1  # noqa: E731
    report = check(
        lambda q, k, v, attn_mask=None: WRITTEN["nan_rows"][0](q, k, v, attn_mask) + shift(attn_mask)
    )
    assert report.mistakes == ("nan_rows",)
    lines = str(report).splitlines()
    assert lines.index(NO_MISTAKE) < next(at for at, line in enumerate(lines) if "gets NaN" in line)


def test_a_number_that_half_precision_lacks_is_the_cause_of_its_error():
    report = check(written(weights_of=lambda scores, mask: torch.softmax(fill(scores, mask, -1e9), -1)))
    assert {case.name: case.mistakes for case in report.failed}["float16"] == ("finite_mask",)


def merged(query, key, value, back=lambda output: output.transpose(1, 2)):
    b, _, n, _ = query.shape
    return back(simple(query, key, value)).reshape(b, n, -1)


def test_merged_heads_are_said_and_compared():
    report = check(merged)
    assert report.ok is None and report.remarks == ("merged_heads",) and report.passed
    report = check(functools.partial(merged, back=lambda output: output))
    assert report.mistakes == ("view_join",), str(report)


def of_numpy(query, key, value):
    scores = query @ key.T / np.sqrt(key.shape[1])
    exps = np.exp(scores - np.max(scores, axis=1, keepdims=True))
    return exps / exps.sum(axis=1, keepdims=True) @ value


@pytest.mark.parametrize("function", [of_numpy, lambda q, k, v: arrays(q, k, v)])
def test_a_function_of_numpy_is_told_how_to_be_checked(function):
    assert 'check(fn, arrays="numpy")' in str(check(function)).splitlines()[1]
    assert check(function, arrays="numpy").hint == check(simple).hint == ""


@pytest.mark.parametrize("name", words.MISTAKES)
def test_advice_for_numpy_is_in_numpy(name):
    if name not in OF_LAYERS and name != "dropout_on":
        advice = words.in_numpy(words.MISTAKES[name][1])
        assert not re.search(r"torch\.|math\.|dim=|masked_fill|\.transpose\(|repeat_interleave", advice), (
            advice
        )


def raising(query, key, value):
    raise KeyError("head")


def nothing(query, key, value):
    return None


def too_flat(query, key, value, attn_mask=None):
    return attend(query, key, value, attn_mask).mean(-1)


def single(query, key, value, attn_mask=None):
    tensors = (tensor.float() for tensor in (query, key, value))
    return attend(*tensors, attn_mask)


def in_place(query, key, value, attn_mask=None):
    query /= math.sqrt(query.shape[-1])
    return attend(query * math.sqrt(query.shape[-1]), key, value, attn_mask)


def nan(query, key, value, attn_mask=None):
    return attend(query, key, value, attn_mask) * math.nan


def detached(query, key, value, attn_mask=None):
    return attend(query.detach(), key, value, attn_mask)


KINDS = {
    "gradient": detached,
    "exception": raising,
    "no_tensor": nothing,
    "shape": too_flat,
    "dtype": single,
    "changed": in_place,
    "not_finite": nan,
    "numbers": lambda query, key, value: attend(query, key, value) + 1,
}


@pytest.mark.parametrize("kind", KINDS)
def test_whatever_a_function_does_is_a_finding(kind):
    """Numbers that are right in no reading, and exceptions, may be due to how the function is called."""
    report = check(KINDS[kind])
    assert not report.mistakes and report.ok is not True
    if kind in ("exception", "shape", "numbers"):
        assert not report.compared and not report.failed and str(report).startswith("Not compared")
        report = check(KINDS[kind], reading="(..., length, dim)")
        assert "none of the known mistakes" in str(report)
    assert kind in {case.kind for case in report.failed} and report.ok is False
    if kind in ("gradient", "dtype", "changed"):
        assert "The numbers are right, but:" in str(report)
    if kind == "exception":
        assert "KeyError: 'head'" in report.failed[0].error and report.failed[0].got is None


RETURNED = {
    "nothing": None,
    "a list": [[1.0, 2.0]],
    "an empty tuple": (),
    "sparse": torch.eye(2).to_sparse(),
    "meta": torch.ones(2, 2, device="meta"),
    "complex": torch.eye(2, dtype=torch.complex64),
    "integers": torch.eye(2, dtype=torch.int64),
    "booleans": torch.eye(2, dtype=torch.bool),
    "a number": torch.tensor(1.0),
}


@pytest.mark.filterwarnings("ignore:Casting complex")
@pytest.mark.parametrize("name", RETURNED)
def test_whatever_a_function_returns_is_a_finding(name):
    report = check(lambda query, key, value: RETURNED[name])
    assert not report.ok and not report.passed
    assert "Wrong" in str(report) or str(report).startswith("Not compared")


def test_what_a_function_does_not_take_is_in_the_first_line_and_ok_is_none():
    report = check(lambda query, key, value: attend(query, key, value))
    first = str(report).splitlines()[0]
    assert report.ok is None and first.endswith("Not tried: attn_mask, scale, is_causal, enable_gqa.")
    assert "the function has no argument enable_gqa: grouped_heads" in str(report)
    assert str(report).count("no argument attn_mask") == 1
    report = check(lambda query, key, value: attend(query, key, value) if query.ndim == 2 else 1 / 0)
    assert report.ok is False and {case.name for case in report.failed} == {"batch", "heads"}
    report = check(lambda query, key, value: attend(query, key.T.mT, value) if query.ndim == 2 else key @ key)
    first = str(report).splitlines()[0]
    assert report.ok is None and first.endswith("enable_gqa, 3 dimensions, 4 dimensions.")


def test_it_is_called_with_the_keywords_that_are_documented():
    calls = []

    def watched(query, key, value, **options):
        calls.append(frozenset(options))
        return attend(query, key, value, **options)

    check(watched)
    assert set(calls) == {
        frozenset(),
        *map(frozenset, (["attn_mask"], ["is_causal"], ["scale"], ["enable_gqa"])),
    }
    assert all(f"{name}=" in check.__doc__ for name in ("attn_mask", "is_causal", "scale", "enable_gqa"))


def test_a_failed_case_has_all_that_shows_it_again():
    report = check(WRITTEN["query_rows"][0])
    case = report.failed[0]
    assert isinstance(case, FailedCase) and case.mistake == "query_rows" and case.name == "mask"
    again = WRITTEN["query_rows"][0](case.query, case.key, case.value, attn_mask=case.mask, **case.options)
    torch.testing.assert_close(again, case.got, equal_nan=True)
    right = F.scaled_dot_product_attention(case.query, case.key, case.value, attn_mask=case.mask)
    torch.testing.assert_close(case.expected, right)
    for name in ("query", "key", "value", "mask", "expected", "got"):
        assert name in str(report)


def test_a_report_is_frozen_and_reads_the_same_wherever_it_is_shown():
    report = check(attend)
    assert is_dataclass(report) and [field.name for field in fields(report)] == [
        "passed",
        "failed",
        "skipped",
        "layout",
        "always",
        "facts",
        "arrays",
        "hint",
        "masks",
        "remarks",
        "compared",
        "tried",
    ]
    assert repr(report) == str(report)
    with pytest.raises(FrozenInstanceError):
        report.passed = ()


def test_what_is_no_function_is_refused():
    with pytest.raises(AttentionError, match="without calling it") as refused:
        check(torch.ones(2))
    assert refused.value.code == "not_callable" and refused.value.facts == {"type": "Tensor"}


# ---- results alone


@settings(max_examples=20)
@given(st.floats(-0.9, 0.9), st.sampled_from([case.name for case in CASES[:6]]))
def test_rounding_is_no_mistake(share, name):
    case = case_of(name)
    assert judge(case, case.output + share * case.tolerance) is None
    assert kind_of(case, case.output + 10 * case.tolerance * (1 if share >= 0 else -1)) == "numbers"


def test_numbers_of_no_known_mistake_are_wrong():
    case = case_of("square")
    assert judge(case, case.output + 10 * case.tolerance) == ("numbers", (), False)


@settings(max_examples=10)
@given(st.integers(0, 2**16))
def test_a_right_function_stays_right_whatever_it_is_scaled_by(seed):
    """Scores shifted by a constant in each row have the same weights: no case takes that for a mistake."""
    shift = torch.rand((), generator=torch.Generator().manual_seed(seed)).item()
    report = check(written(weights_of=lambda scores, mask: masked_softmax(scores + shift, mask)))
    assert not report.failed and not report.remarks and report.passed


def test_another_mistake_is_recognised_beside_nan_rows():
    case = case_of("fully_masked")
    got = outputs("by_d_k", case)[0].clone()
    got[case.empty_rows] = math.nan
    assert judge(case, got) == ("not_finite", ("by_d_k",), False)


def test_what_fits_no_mistake_is_told_soon():
    """Each two mistakes are tried with few cases: most are refuted by the first, which is small."""

    def unknown(query, key, value, attn_mask=None, is_causal=False, scale=None, enable_gqa=False):
        options = {"is_causal": is_causal, "scale": scale, "enable_gqa": enable_gqa}
        return 1.3 * attend(query, key, value, attn_mask, **options) + 0.1

    shown.cache_clear()
    assert check(unknown).mistakes == ()
    assert shown.cache_info().misses < 2 * (len(pairs()) + len(CASES) * len(further()))
