"""A call in another library's spelling raises the translation, and the translation computes the same."""

import inspect
import re
import typing

import pytest
import torch
from torch import nn
from torch.nn import functional as F

import attention
from attention import (
    AttentionError,
    MultiHeadAttention,
    SelfAttention,
    alibi_bias,
    block_diagonal_mask,
    causal_mask,
    flash_attention,
    multi_head_attention,
    padding_mask,
    prefix_mask,
    rotary_embedding,
    scaled_dot_product_attention,
    sinusoidal_encoding,
    sliding_window_mask,
    spelling,
)
from tests.attention.numbers import normal
from tests.support.tolerance import close

CODES = {
    "other_spelling",
    "mask_spelling",
    "argument_elsewhere",
    "needless_argument",
    "argument_without_effect",
}
BATCH, HEADS, Q_LEN, KV_LEN = 2, 3, 5, 7
NAMES = {name: getattr(attention, name) for name in attention.__all__} | {"torch": torch}
FULL = ("attn_mask", "attention_mask", "attn_bias", "attention_bias")
Q, K, V = normal(BATCH, HEADS, Q_LEN, 4), normal(BATCH, HEADS, KV_LEN, 4), normal(BATCH, HEADS, KV_LEN, 6)
SOME = normal(BATCH, HEADS, Q_LEN, KV_LEN, seed=3) > -0.5
NUMBERS = normal(Q_LEN, KV_LEN, seed=4)
PADDED = ~padding_mask([7, 4], KV_LEN)  # True = padding, as key_padding_mask
X, MEMORY = normal(BATCH, Q_LEN, 12), normal(BATCH, KV_LEN, 12, seed=1)
LAYER = nn.MultiheadAttention(12, HEADS, batch_first=True).double().eval()
OWN = MultiHeadAttention.from_torch(LAYER)


def refused(call, *args, **kwargs):
    with pytest.raises(AttentionError) as caught:
        call(*args, **kwargs)
    error = caught.value
    assert error.code in CODES and error.facts["here"] in error.fix
    assert ("True = may attend" in error.fix) == (error.code == "mask_spelling")
    masked = re.search(r"(^|, )mask=", error.facts["here"]) is not None
    assert masked == (error.code == "mask_spelling") or error.code == "argument_elsewhere"
    return error


def translated(call, own, theirs):
    """The result of the call as the error says to write it."""
    here = refused(call, *own, **theirs).facts["here"]
    arguments, _, result = here.partition("; ")
    trace = call(*own, **eval(f"dict({arguments})", NAMES | theirs))
    return trace, eval(result, {"trace": trace}) if result else None


@pytest.mark.parametrize(
    ("theirs", "here"),
    [
        ({"is_causal": True}, "mask=causal_mask(5, 7)"),
        ({"attn_mask": SOME}, "mask=attn_mask"),
        ({"attn_mask": SOME.int()}, "mask=attn_mask.bool()"),
        ({"attn_mask": NUMBERS}, "bias=attn_mask"),
        ({"attn_mask": None, "is_causal": True}, "mask=causal_mask(5, 7)"),
        ({"attn_mask": SOME, "is_causal": True}, "mask=attn_mask & causal_mask(5, 7)"),
        ({"attn_mask": SOME, "key_padding_mask": PADDED},
         "mask=attn_mask & ~key_padding_mask[:, None, None, :]"),
        ({"key_padding_mask": PADDED}, "mask=~key_padding_mask[:, None, None, :]"),
        ({"attention_mask": (~PADDED).long()}, "mask=attention_mask.bool()[:, None, None, :]"),
        ({"attention_mask": (~PADDED).double()}, "mask=attention_mask.bool()[:, None, None, :]"),
        ({"attention_mask": SOME[:, 0]}, "mask=attention_mask[:, None, :, :]"),
        ({"attention_mask": NUMBERS[None, None]}, "bias=attention_mask"),
        ({"causal": True}, 'mask=causal_mask(5, 7, alignment="lower_right")'),
        ({"softmax_scale": 0.25}, "scale=softmax_scale"),
        ({"scaling": 0.25}, "scale=scaling"),
        ({"attn_mask": SOME.tolist()}, "mask=torch.tensor(attn_mask)"),
        ({"attn_mask": NUMBERS.numpy()}, "bias=torch.tensor(attn_mask)"),
        ({"attn_mask": NUMBERS.tolist()}, "bias=torch.tensor(attn_mask).to(torch.float64)"),
        ({"key_padding_mask": PADDED.numpy()}, "mask=~torch.tensor(key_padding_mask)[:, None, None, :]"),
        ({"key_padding_mask": PADDED.tolist()}, "mask=~torch.tensor(key_padding_mask)[:, None, None, :]"),
        ({"key_padding_mask": PADDED.int().tolist()},
         "mask=~torch.tensor(key_padding_mask).bool()[:, None, None, :]"),
        ({"key_mask": ~PADDED}, "mask=key_mask[:, None, None, :]"),
        ({"attn_bias": NUMBERS}, "bias=attn_bias"),
        ({"attention_bias": NUMBERS.round().int()}, "bias=attention_bias.to(torch.float64)"),
        ({"attn_bias": SOME}, "mask=attn_bias"),
        ({"window_size": (2, 1)}, 'mask=sliding_window_mask(5, 7, left=2, right=1, alignment="lower_right")'),
        ({"local_window_size": 1},
         "mask=sliding_window_mask(5, 7, left=local_window_size, right=local_window_size)"),
        ({"window_size": (-1, -1), "causal": True}, 'mask=causal_mask(5, 7, alignment="lower_right")'),
    ],
)  # fmt: skip
@pytest.mark.parametrize("tiled", [False, True])
def test_attention(theirs, here, tiled):
    mask = next((torch.as_tensor(theirs[name]) for name in FULL if theirs.get(name) is not None), None)
    mask = torch.ones(Q_LEN, KV_LEN, dtype=torch.bool) if mask is None else mask
    if "attention_mask" in theirs and mask.ndim < 4:
        mask = mask.bool()[:, None, None, :] if mask.ndim == 2 else mask[:, None]
    mask = mask.bool() if "attn_mask" in theirs and mask.dtype == torch.int32 else mask
    mask = mask if mask.dtype == torch.bool else mask.double()
    if {"key_padding_mask", "key_mask"} & set(theirs):
        mask = mask & ~PADDED[:, None, None, :]
    if "is_causal" in theirs:
        mask = mask & torch.ones(Q_LEN, KV_LEN, dtype=torch.bool).tril()
    if "causal" in theirs:
        mask = torch.ones(Q_LEN, KV_LEN, dtype=torch.bool).tril(KV_LEN - Q_LEN)
    if theirs.get("window_size") == (2, 1):
        mask = torch.ones(Q_LEN, KV_LEN, dtype=torch.bool).tril(KV_LEN - Q_LEN + 1).triu(KV_LEN - Q_LEN - 2)
    if "local_window_size" in theirs:
        mask = torch.ones(Q_LEN, KV_LEN, dtype=torch.bool).tril(1).triu(-1)
    scale = theirs.get("softmax_scale", theirs.get("scaling"))
    expected = F.scaled_dot_product_attention(Q, K, V, mask, scale=scale)

    def call(*tensors, **options):
        sizes = {"block_q": 2, "block_k": 3} if tiled else {}
        return (flash_attention if tiled else scaled_dot_product_attention)(*tensors, **sizes, **options)

    assert refused(call, Q, K, V, **theirs).facts["here"] == here
    close(translated(call, (Q, K, V), theirs)[0].output, expected)


@pytest.mark.parametrize(
    ("values", "argument", "here"),
    [
        ((SOME,), "attn_mask", "mask=attn_mask"),
        ((NUMBERS,), "attn_mask", "bias=attn_mask"),
        ((None, 0.0, True), "attn_mask, dropout_p, is_causal", "mask=causal_mask(5, 7)"),
        ((SOME, 0.1), "attn_mask, dropout_p", "dropout_p=dropout_p, mask=attn_mask"),
        ((None, 0.1), "attn_mask, dropout_p", "dropout_p=dropout_p"),
        ((None, 0.0), "attn_mask, dropout_p", "attn_mask=None, dropout_p=0.0"),
    ],
)
def test_attention_by_position(values, argument, here):
    error = refused(scaled_dot_product_attention, Q, K, V, *values)
    assert (error.argument, error.facts["here"]) == (argument, here)
    assert error.facts["call"] == f"(query, key, value, {argument})"


@pytest.mark.parametrize("leading", [(), (BATCH,), (BATCH, HEADS)])
def test_a_padding_mask_for_any_number_of_dimensions(leading):
    query, key = normal(*leading, Q_LEN, 4), normal(*leading, KV_LEN, 4)
    padding = PADDED if leading else PADDED[1]
    trace, _ = translated(scaled_dot_product_attention, (query, key, key), {"key_padding_mask": padding})
    real = ~padding.reshape(*padding.shape[:-1], *[1] * (len(leading) or 1), KV_LEN)
    close(trace.output, F.scaled_dot_product_attention(query, key, key, real))


@pytest.mark.parametrize(
    "theirs",
    [
        {"key_padding_mask": PADDED},
        {"key_padding_mask": torch.zeros(BATCH, KV_LEN).double().masked_fill(PADDED, -torch.inf)},
        {"attn_mask": ~causal_mask(Q_LEN, KV_LEN)},
        {"attn_mask": ~causal_mask(Q_LEN, KV_LEN), "is_causal": True},
        {"attn_mask": NUMBERS},
        {"attn_mask": ~(SOME | causal_mask(Q_LEN, KV_LEN)).flatten(0, 1)},
        {"attn_mask": ~causal_mask(Q_LEN, KV_LEN), "key_padding_mask": PADDED},
        {"key_padding_mask": PADDED.numpy()},
        {"key_padding_mask": PADDED.tolist()},
        {"attn_mask": (~causal_mask(Q_LEN, KV_LEN)).numpy()},
        {"attn_mask": (~causal_mask(Q_LEN, KV_LEN)).tolist(), "key_padding_mask": PADDED.numpy()},
        {"need_weights": False, "attn_mask": ~causal_mask(Q_LEN, KV_LEN)},
        {"need_weights": True},
        {"need_weights": True, "average_attn_weights": False, "key_padding_mask": PADDED},
    ],
    ids=lambda theirs: "-".join(theirs),
)
@pytest.mark.parametrize("function", [False, True])
def test_pytorchs_layer(theirs, function):
    names = ("w_q", "w_k", "w_v", "w_o", "b_q", "b_k", "b_v", "b_o")
    weights = {name: getattr(OWN, name) for name in names}

    def call(*inputs, **options):
        return multi_head_attention(*inputs, **weights, num_heads=HEADS, **options)

    tensors = {
        name: value if isinstance(value, bool) else torch.as_tensor(value) for name, value in theirs.items()
    }
    output, weights_of_layer = LAYER(X, MEMORY, MEMORY, **tensors)
    if refused(call, X, MEMORY, **theirs).code == "needless_argument":
        trace = OWN(X, MEMORY)
        result = eval(refused(call, X, MEMORY, **theirs).facts["here"], {"trace": trace})
    else:
        trace, result = translated(call if function else OWN, (X, MEMORY, MEMORY), theirs)
    close(trace.output, output)
    if theirs.get("need_weights"):
        close(result, weights_of_layer)


def test_pytorchs_layer_by_position_and_by_its_names():
    error = refused(OWN, X, MEMORY, MEMORY, PADDED)
    assert error.facts["here"] == "mask=~key_padding_mask[:, None, :]"
    assert error.facts["call"] == "(query_input, key_input, value_input, key_padding_mask)"
    assert refused(OWN, X, MEMORY, MEMORY, causal_mask(Q_LEN, KV_LEN)).facts["here"] == "mask=mask"
    here = refused(OWN, query=X, key=MEMORY, value=MEMORY, is_causal=True).facts["here"]
    names = "query_input=query, key_input=key, value_input=value"
    assert here == f"{names}, mask=causal_mask(5, 7)"
    here = refused(OWN, inputs_q=X, inputs_k=MEMORY, causal=True).facts["here"]
    options = 'mask=causal_mask(5, 7, alignment="lower_right")'
    assert here == f"query_input=inputs_q, key_input=inputs_k, {options}"
    here = refused(OWN, hidden_states=X, attention_mask=PADDED[:, :Q_LEN].int()).facts["here"]
    assert here == "query_input=hidden_states, mask=attention_mask.bool()[:, None, :]"


def test_a_layer_of_one_input():
    own = SelfAttention(12).double()
    assert refused(own, X, causal_mask(Q_LEN)).facts["here"] == "mask=mask"
    assert refused(own, X, causal_mask(Q_LEN).numpy()).facts["here"] == "mask=torch.tensor(mask)"
    assert refused(own, X, X, X).facts["here"] == "key=x, value=x"
    here = refused(own, X, MEMORY, MEMORY, PADDED).facts["here"]
    assert here == "MultiHeadAttention(...)(x, key, value, mask=~key_padding_mask[:, None, :])"
    for module, dropout in ((own, 0.1), (SelfAttention(12, dropout_p=0.5), 0.0)):
        assert refused(module, X, dropout=dropout).facts["here"] == "SelfAttention(..., dropout_p=dropout)"
    assert refused(own, X, X, X, attn_mask=~causal_mask(Q_LEN)).facts["here"] == "mask=~attn_mask"
    assert refused(own, X, is_causal=True).facts["here"] == "mask=causal_mask(5, 5)"


@pytest.mark.parametrize(
    ("call", "fix"),
    [
        (lambda: scaled_dot_product_attention(Q, K, V, attn_mask=None, is_causal=False),
         "Leave attn_mask, is_causal out: the result is the same without attn_mask=None, is_causal=False."),
        (lambda: flash_attention(Q, K, V, block_q=2, block_k=2, dropout_p=0.0),
         "Leave dropout_p out: the result is the same without dropout_p=0.0."),
        (lambda: flash_attention(Q, K, V, block_q=2, block_k=2, window_size=(-1, -1)),
         "Leave window_size out: the result is the same without window_size=(-1, -1)."),
        (lambda: OWN(X, need_weights=False),
         "Leave need_weights out: the result is the same without need_weights=False."),
        (lambda: OWN(X, output_attentions=True),
         "Leave output_attentions out: this core always has trace.heads.weights."),
        (lambda: OWN(X, need_weights=True, output_attentions=False),
         "Leave need_weights, output_attentions out: this core always has trace.heads.weights.mean(-3)."),
    ],
)  # fmt: skip
def test_why_an_argument_is_left_out(call, fix):
    assert refused(call).fix == fix


@pytest.mark.parametrize(
    ("values", "theirs", "here"),
    [
        ((SOME, 0.1), {}, "query, key, value, mask=attn_mask, dropout_p=dropout_p"),
        ((NUMBERS, 0.1, True), {},
         "query, key, value, bias=attn_mask, mask=causal_mask(5, 7), dropout_p=dropout_p"),
        ((), {"dropout": 0.1, "scale": 0.5}, "query, key, value, scale=scale, dropout_p=dropout"),
        ((), {"softcap": 3.0}, "query, key, value, softcap=softcap"),
        ((), {"return_attn_probs": True}, "query, key, value"),
    ],
)  # fmt: skip
def test_what_a_function_lacks_is_where_the_error_says(values, theirs, here):
    error = refused(flash_attention, Q, K, V, *values, block_q=2, block_k=3, **theirs)
    names = dict(zip(("attn_mask", "dropout_p", "is_causal"), values, strict=False)) | theirs
    assert error.facts["here"].removesuffix(".weights") == f"scaled_dot_product_attention({here})"
    eval(error.facts["here"], NAMES | {"query": Q, "key": K, "value": V} | names)


# ---- every name that any function translates

WEIGHTS_OF_HEADS = {name: normal(12, 12) for name in ("w_q", "w_k", "w_v")} | {"num_heads": HEADS}
CALLS = {  # each function, with the arguments that it needs
    "scaled_dot_product_attention": (scaled_dot_product_attention, {"query": Q, "key": K, "value": V}),
    "flash_attention": (flash_attention, {"query": Q, "key": K, "value": V, "block_q": 2, "block_k": 3}),
    "multi_head_attention": (multi_head_attention, {"query_input": X, "key_input": X} | WEIGHTS_OF_HEADS),
    "AttentionModule.attend": (MultiHeadAttention(12, HEADS).double(), {"query_input": X}),
    "SelfAttention.forward": (SelfAttention(12).double(), {"x": X}),
    "SelfAttention.__init__": (SelfAttention, {"embed_dim": 12}),
    "MultiHeadAttention.__init__": (MultiHeadAttention, {"embed_dim": 12, "num_heads": HEADS}),
    "causal_mask": (causal_mask, {"q_len": 5}),
    "prefix_mask": (prefix_mask, {"q_len": 5, "prefix": 2}),
    "sliding_window_mask": (sliding_window_mask, {"q_len": 5, "left": 1, "right": 1}),
    "padding_mask": (padding_mask, {"lengths": [2, 3], "kv_len": 5}),
    "block_diagonal_mask": (block_diagonal_mask, {"lengths": [2, 3]}),
    "sinusoidal_encoding": (sinusoidal_encoding, {"length": 5, "dim": 4}),
    "rotary_embedding": (rotary_embedding, {"x": X}),
    "alibi_bias": (alibi_bias, {"num_heads": 2, "q_len": 3, "kv_len": 3}),
}
OF_OWN = {  # an own argument: a value that its translation may have
    "scale": 0.5, "softcap": 3.0, "dropout_p": 0.1, "enable_gqa": 3, "masked_score": -1e9,
    "generator": torch.Generator(), "qk_norm": True, "bias": True, "head_dim": 4, "num_kv_heads": HEADS,
    "key_input_dim": 5, "value_input_dim": 5, "base": 9.0, "positions": torch.arange(5), "left, right": 2,
    "kv_lengths": [3, 4], "key_input": X + 1, "value_input": X + 1, "key": X + 1, "value": X + 1, "": True,
}  # fmt: skip


def value_of(name, own, arguments):
    if name in spelling.CAUSAL + spelling.WEIGHTS:
        return True
    if name == "cu_seqlens":
        return torch.tensor([0, 2, 5])
    if name in spelling.WINDOWS:
        return 2
    if name == own and name in spelling.MASKS:
        query = arguments.get("query", X)
        key = arguments.get("key", query)
        full = torch.ones(query.shape[-2], key.shape[-2], dtype=torch.bool)
        return full[0].expand(BATCH, -1) if name in (*spelling.PADDING, "attention_mask") else full
    return arguments.get(own, OF_OWN.get(own))


def test_every_function_is_called():
    assert set(CALLS) == set(spelling.FOREIGN)


@pytest.mark.parametrize("place", CALLS)
def test_every_translation_has_only_arguments_of_the_function(place):
    for name in sorted(spelling.FOREIGN[place]):
        follow(place, name)


def follow(place, name):
    """The translation is accepted; or the function that has the argument is named, and accepts it."""
    call, arguments = CALLS[place]
    own = spelling.FOREIGN[place][name].partition("=")[0]
    value = value_of(name, own, arguments)
    assert value is not None, own
    rest = {known: given for known, given in arguments.items() if known not in own.split(", ")}
    error = refused(call, **rest, **{name: value})
    here = error.facts["here"]
    if error.code == "needless_argument":
        call(**rest)
    elif error.code == "argument_elsewhere":
        made = {"MultiHeadAttention(...)": "MultiHeadAttention(12, 3).double()", "...": "12"}
        for pattern, code in made.items():
            here = here.replace(pattern, code)
        here = here.replace("MultiHeadAttention(12, dr", "MultiHeadAttention(12, 3, dr")
        here = here.replace("MultiHeadAttention(12, qk", "MultiHeadAttention(12, 3, qk")
        eval(here, NAMES | arguments | {name: value})
    else:
        call(**rest | eval(f"dict({here.partition('; ')[0]})", NAMES | {name: value}))
    neutral = refused(call, **rest, **{name: None})
    assert neutral.code != "argument_elsewhere"


@pytest.mark.parametrize(
    ("make", "theirs", "expected"),
    [
        (causal_mask, {"sz": 3}, causal_mask(3)),
        (causal_mask, {"seq_len": 3}, causal_mask(3)),
        (prefix_mask, {"q_len": 3, "prefix_len": 2}, prefix_mask(3, prefix=2)),
        (sliding_window_mask, {"q_len": 9, "window_size": (2, 1)}, sliding_window_mask(9, left=2, right=1)),
        (sliding_window_mask, {"q_len": 9, "window_size": (2, -1)},
         sliding_window_mask(9, left=2, right=None)),
        (sliding_window_mask, {"q_len": 9, "sliding_window": 3}, sliding_window_mask(9, left=2, right=0)),
        (padding_mask, {"lengths": [2, 3], "maxlen": 4}, padding_mask([2, 3], 4)),
        (block_diagonal_mask, {"cu_seqlens": torch.tensor([0, 2, 5])}, block_diagonal_mask([2, 3])),
        (block_diagonal_mask, {"q_seqlen": [2], "kv_seqlen": [3]}, block_diagonal_mask([2], [3])),
        (sinusoidal_encoding, {"seq_len": 3, "d_model": 4}, sinusoidal_encoding(3, 4)),
        (rotary_embedding, {"x": X, "position_ids": torch.arange(5), "rope_theta": 9.0},
         rotary_embedding(X, base=9.0)),
        (alibi_bias, {"n_heads": 2, "q_len": 3, "kv_len": 3}, alibi_bias(2, 3, 3)),
    ],
)  # fmt: skip
def test_masks_and_positions(make, theirs, expected):
    here = refused(make, **theirs).facts["here"]
    known = {name: value for name, value in theirs.items() if name in inspect.signature(make).parameters}
    assert make(**known, **eval(f"dict({here})", theirs)).equal(expected)


def test_a_new_layer():
    here = refused(MultiHeadAttention, 12, 3, dropout=0.1, kdim=5, vdim=7, batch_first=True).facts["here"]
    assert here == "dropout_p=dropout, key_input_dim=kdim, value_input_dim=vdim"
    assert refused(MultiHeadAttention, 12, 3, 0.1).facts["here"] == "dropout_p=dropout"
    assert "(batch, q_len, embed_dim)" in refused(MultiHeadAttention, 12, 3, batch_first=True).fix


def test_any_other_wrong_name_is_pythons_own_error():
    for call in (
        lambda: scaled_dot_product_attention(Q, K, V, banana=1),
        lambda: scaled_dot_product_attention(Q, K, V, None, 0.0, True, 1.0),
        lambda: scaled_dot_product_attention(Q, K),
        lambda: causal_mask(3, 3, "upper_left"),
        lambda: SelfAttention(12, 12, 12, 12),
    ):
        with pytest.raises(TypeError):
            call()


@pytest.mark.parametrize("value", [Q, [1], "x", object(), float("nan"), K > 0])
@pytest.mark.parametrize("name", ["attn_mask", "is_causal", "key_padding_mask", "attention_mask", "q"])
def test_any_value_in_another_spelling_is_answered(name, value):
    for query in (Q, Q[0, 0, 0, 0], None, "q"):
        refused(scaled_dot_product_attention, query, K, V, **{name: value})


@pytest.mark.parametrize("name", ["scaled_dot_product_attention", "multi_head_attention", "causal_mask"])
def test_a_function_keeps_its_own_signature(name):
    function = getattr(attention, name)
    assert "other" not in str(inspect.signature(function)) and function.__name__ == name
    assert typing.get_type_hints(function)["return"] is not None
    assert re.match(rf"def {name}\(", inspect.getsource(function).partition("\n")[2])
