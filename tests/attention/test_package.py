"""What the package is made of: its names, its imports, and source lines a screen can show."""

import dataclasses
import inspect
import os
import re
import subprocess
import sys
from operator import attrgetter
from pkgutil import walk_packages

import pytest
import torch

import attention
from attention import lab, multi_head_attention, scaled_dot_product_attention

COMPUTED = [
    "scores",
    "scaled_scores",
    "softcapped_scores",
    "biased_scores",
    "masked_scores",
    "weights",
    "dropped_weights",
    "output",
]
PROJECTED = [
    "query",
    "key",
    "value",
    "query_heads",
    "key_heads",
    "value_heads",
    "head_output",
    "concatenated",
    "output",
]


def lines_of(function, name):
    lines = inspect.getsource(function).splitlines()
    return [line.strip() for line in lines if line.strip().startswith(f"{name} = ")]


@pytest.mark.parametrize("name", COMPUTED)
def test_a_step_of_attention_is_one_line(name):
    assert len(lines_of(scaled_dot_product_attention, name)) == 1


@pytest.mark.parametrize("name", PROJECTED)
def test_a_step_of_multi_head_attention_is_one_line(name):
    assert len(lines_of(multi_head_attention, name)) == 1


@pytest.mark.parametrize("function", [scaled_dot_product_attention, multi_head_attention])
def test_a_line_is_whole(function):
    for name in {*COMPUTED, *PROJECTED}:
        for line in lines_of(function, name):
            compile(line, name, "exec")


def test_every_computed_step_is_in_the_list_of_lines():
    ones = torch.ones(2, 2)
    trace = scaled_dot_product_attention(ones, ones, ones, bias=ones, softcap=1.0, dropout_p=0.5)
    assert [step.name for step in trace.steps()] == ["query", "key", "value", *COMPUTED]


def test_every_public_name_is_there_and_explained():
    assert sorted(attention.__all__) == attention.__all__
    assert all(getattr(attention, name).__doc__ for name in attention.__all__)


PUBLIC = [getattr(attention, name) for name in attention.__all__]
METHODS = [public.forward for public in PUBLIC if hasattr(public, "forward")]
CALLED = [public for public in PUBLIC if inspect.isfunction(public) or hasattr(public, "forward")]


@pytest.mark.parametrize("called", [*CALLED, *METHODS], ids=lambda called: called.__qualname__)
def test_every_argument_is_named_in_the_signature(called):
    kinds = {parameter.kind for parameter in inspect.signature(called).parameters.values()}
    assert kinds <= {inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY}


# The contract: public names, their parameters in order, and defaults. Test suites of others rely on it.
OPTIONS = "mask=None, bias=None, scale=None, softcap=None"
CONTRACT = {
    "scaled_dot_product_attention": f"query, key, value, *, {OPTIONS}, sinks=None, enable_gqa=False, "
    "masked_score=-inf, dropout_p=0.0, generator=None",
    "multi_head_attention": "query_input, key_input=None, value_input=None, *, w_q, w_k, w_v, w_o=None, "
    "b_q=None, b_k=None, b_v=None, b_o=None, num_heads=1, num_kv_heads=None, qk_norm=False, g_q=None, "
    f"g_k=None, rotate=None, {OPTIONS}, sinks=None, enable_gqa=None, masked_score=-inf, "
    "dropout_p=0.0, generator=None",
    "causal_mask": "q_len, kv_len=None, *, alignment='upper_left', device=None",
    "sliding_window_mask": "q_len, kv_len=None, *, left, right, alignment='upper_left', device=None",
    "prefix_mask": "q_len, kv_len=None, *, prefix, device=None",
    "padding_mask": "lengths, kv_len, *, device=None",
    "block_diagonal_mask": "lengths, kv_lengths=None, *, device=None",
    "sinusoidal_encoding": "length, dim, *, base=10000.0, dtype=None, device=None",
    "rotary_embedding": "x, *, positions=None, base=10000.0, interleaved=False, rotary_dim=None",
    "alibi_bias": "num_heads, q_len, kv_len, *, alignment=None, dtype=None, device=None",
    "flash_attention": "query, key, value, *, block_q, block_k, mask=None, bias=None, scale=None, "
    "outer='keys'",
    "online_softmax": "scores",
    "layer_norm": "x, *, gain=None, bias=None, eps=1e-05",
    "feed_forward": "x, *, w_1, w_2, b_1=None, b_2=None, activation='gelu'",
    "transformer_block": "x, *, w_q, w_k, w_v, w_o=None, b_q=None, b_k=None, b_v=None, b_o=None, "
    "num_heads=1, mask=None, bias=None, scale=None, rotate=None, w_1=None, w_2=None, b_1=None, b_2=None, "
    "activation='gelu', norm='before', gain_1=None, bias_1=None, gain_2=None, bias_2=None, eps=1e-05, "
    "residual=True",
    "show": "trace, *, tokens=None, key_tokens=None",
    "check": "fn, *, arrays='torch', device=None, reading=None",
    "SelfAttention": "embed_dim, head_dim=None, value_dim=None, *, bias=False, qk_norm=False, dropout_p=0.0, "
    "dtype=None, device=None",
    "SelfAttention.forward": f"self, x, *, {OPTIONS}, masked_score=-inf, generator=None",
    "SelfAttention.from_matrices": "*, w_q, w_k, w_v, b_q=None, b_k=None, b_v=None, qk_norm=False, g_q=None, "
    "g_k=None, dropout_p=0.0",
    "MultiHeadAttention": "embed_dim, num_heads, *, num_kv_heads=None, head_dim=None, value_dim=None, "
    "key_input_dim=None, value_input_dim=None, output_dim=None, bias=False, qk_norm=False, dropout_p=0.0, "
    "dtype=None, device=None",
    "MultiHeadAttention.forward": f"self, query_input, key_input=None, value_input=None, *, {OPTIONS}, "
    "masked_score=-inf, generator=None",
    "MultiHeadAttention.from_matrices": "*, w_q, w_k, w_v, w_o=None, b_q=None, b_k=None, b_v=None, b_o=None, "
    "qk_norm=False, g_q=None, g_k=None, num_heads=1, num_kv_heads=None, dropout_p=0.0",
    "MultiHeadAttention.from_torch": "module, *, num_heads=None, num_kv_heads=None, order=None",
    "AttentionTrace.steps": "self",
    "AttentionTrace.head": "self, index",
    "MultiHeadTrace.steps": "self",
    "MultiHeadTrace.head": "self, index",
    "LayerNormTrace.steps": "self",
    "FeedForwardTrace.steps": "self",
    "BlockTrace.steps": "self",
}
# Fields, in the order in which they are computed.
FIELDS = {
    "AttentionTrace": "query key value scores scale scaled_scores softcapped_scores bias biased_scores mask "
    "masked_scores sinks weights sink_weights dropped_weights output logsumexp",
    "MultiHeadTrace": "query_input key_input value_input query key value normalized_query normalized_key "
    "rotated_query rotated_key heads concatenated output",
    "LayerNormTrace": "x mean centred variance normalized scaled output",
    "FeedForwardTrace": "x hidden activated output",
    "BlockTrace": "x norm_1 attention attention_stream norm_2 feed_forward feed_forward_stream output",
    "FlashTrace": "block_q block_k scale tiles output logsumexp",
    "FlashTile": "rows columns running_maximum running_sum rescale_factor partial_output skipped",
}


@pytest.mark.parametrize("name", CONTRACT)
def test_a_public_function_has_the_parameters_of_the_contract(name):
    signature = inspect.signature(attrgetter(name)(attention))
    plain = [one.replace(annotation=one.empty) for one in signature.parameters.values()]
    assert str(inspect.Signature(plain)) == f"({CONTRACT[name]})"


@pytest.mark.parametrize("name", FIELDS)
def test_a_trace_has_the_fields_of_the_contract_and_is_frozen(name):
    trace = getattr(attention, name)
    assert [field.name for field in dataclasses.fields(trace)] == FIELDS[name].split()
    assert trace.__dataclass_params__.frozen


def test_every_public_function_is_in_the_contract():
    public = {name for name in attention.__all__ if name in CONTRACT or name in FIELDS}
    assert set(attention.__all__) - public == {"AttentionError", "OnlineSoftmax", "Step"}
    assert issubclass(attention.AttentionError, ValueError)


def test_what_is_imported_by_whom():
    """The core needs PyTorch alone, a check nothing of the lab, training no compiler."""
    code = """
import sys, torch
before = set(sys.modules)
import attention
added = {name.split(".")[0] for name in set(sys.modules) - before}
print(sorted(added - set(sys.stdlib_module_names)), {"streamlit", "pandas", "altair"} & set(sys.modules))
attention.check(torch.nn.functional.scaled_dot_product_attention)
print(any(name.startswith("attention.lab") for name in sys.modules))
from attention.lab.training import Options, train
train(Options(steps=2))
print({"torch._dynamo", "sympy"} & set(sys.modules))
"""
    env = os.environ | {"OMP_NUM_THREADS": "1"}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=env)
    assert done.stdout.splitlines() == ["['attention'] set()", "False", "set()"]


def test_the_lab_says_what_is_where():
    """Its list names every package and, below it, every module in it, and nothing else."""
    named, package = [], ""
    for indent, name in re.findall(r"^( {4})?(\w+) {2,}\S.*$", lab.__doc__, re.M):
        package = package if indent else name
        named.append(f"{package}.{name}" if indent else name)
    result = walk_packages(lab.__path__, "attention.lab.")
    assert sorted(named) == sorted(module.name.removeprefix("attention.lab.") for module in result)
