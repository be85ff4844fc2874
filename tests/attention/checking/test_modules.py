"""attention.check of modules X → Y: compared on their own weights, or tested for their properties."""

import math

import pytest
import torch
from torch import nn
from torch.nn import functional as F

from attention import AttentionError, MultiHeadAttention, SelfAttention, causal_mask, check
from attention.checking import words
from attention.checking.modules import EQUIVARIANT
from attention.checking.suspects import OF_LAYERS
from attention.layer_names import heads_of

from .public import Fused, Llama, Separate, within_heads

WIDTH, HEADS = 12, 3
ROOT = math.sqrt(WIDTH // HEADS)
SEPARATE = ("q_proj", "k_proj", "v_proj", "o_proj")
RASCHKA = ("W_query", "W_key", "W_value", "out_proj")
WRITTEN_OUT = ("to_q", "to_k", "to_v", "to_out")


def cut(x, heads):
    return x.unflatten(-1, (heads, -1)).transpose(1, 2)


def viewed(x, heads):
    return x.reshape(x.shape[0], heads, x.shape[1], -1)


class Written(nn.Module):
    """Multi-head attention as it is commonly written; the arguments say what is otherwise."""

    def __init__(
        self,
        names=SEPARATE,
        *,
        bias=True,
        causal=False,
        kv_heads=HEADS,
        split=cut,
        join=lambda heads: heads.transpose(1, 2).flatten(2),
        root=ROOT,
        out=True,
        value=True,
        dropout=0.0,
        spoil=lambda x: x,
    ):
        super().__init__()
        torch.manual_seed(0)
        self.num_heads, self.names = HEADS, names
        self.steps = causal, split, join, root, out, value, kv_heads, spoil
        self.dropout = nn.Dropout(dropout)
        narrow = WIDTH // HEADS * kv_heads
        widths = (3 * WIDTH, WIDTH) if len(names) == 2 else (WIDTH, narrow, narrow, WIDTH)
        for name, width in zip(names, widths, strict=True):
            setattr(self, name, nn.Linear(WIDTH, width, bias=bias))

    def forward(self, x):
        causal, split, join, root, out, value, kv_heads, spoil = self.steps
        *inputs, output = (getattr(self, name) for name in self.names)
        projected = inputs[0](x).chunk(3, dim=-1) if len(inputs) == 1 else [layer(x) for layer in inputs]
        q, k, v = (split(p, n) for p, n in zip(projected, (HEADS, kv_heads, kv_heads), strict=True))
        v = v if value else split(x, HEADS)
        k, v = (t.repeat_interleave(HEADS // kv_heads, dim=1) for t in (k, v))
        scores = spoil(q @ k.transpose(-2, -1) / root)
        if causal:
            scores = scores.masked_fill(torch.ones(scores.shape[-2:]).tril() == 0, -math.inf)
        joined = join(self.dropout(torch.softmax(scores, dim=-1)) @ v)
        return output(joined) if out else joined


class Parameters(nn.Module):
    """One head whose weights are parameters, multiplied on the right; it returns (weights, output)."""

    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        for name in RASCHKA[:3]:
            setattr(self, name, nn.Parameter(torch.randn(WIDTH, 5)))
        self.num_heads = 1

    def forward(self, x):
        q, k, v = (x @ getattr(self, name) for name in RASCHKA[:3])
        weights = torch.softmax(q @ k.mT / math.sqrt(5), dim=-1)
        return weights, weights @ v


class InProj(nn.Module):
    """in_proj_weight as nn.MultiheadAttention keeps it, in a module of another class."""

    def __init__(self, *, bias=True, out="layer", heads=HEADS, root=ROOT, **attributes):
        super().__init__()
        torch.manual_seed(0)
        self.sizes, self.in_proj_bias = (heads, root), None
        for name, value in attributes.items():
            setattr(self, name, value)
        self.in_proj_weight = nn.Parameter(torch.randn(3 * WIDTH, WIDTH) / 3)
        if bias:
            self.in_proj_bias = nn.Parameter(torch.randn(3 * WIDTH))
        if out == "layer":
            self.out_proj = nn.Linear(WIDTH, WIDTH, bias=bias)
        elif out == "matrix":
            self.out_proj_weight = nn.Parameter(torch.randn(WIDTH, WIDTH) / 3)

    def forward(self, x):
        heads, root = self.sizes
        projected = F.linear(x, self.in_proj_weight, self.in_proj_bias).chunk(3, dim=-1)
        q, k, v = (cut(part, heads) for part in projected)
        joined = (torch.softmax(q @ k.mT / root, dim=-1) @ v).transpose(1, 2).flatten(2)
        if hasattr(self, "out_proj"):
            return self.out_proj(joined)
        return F.linear(joined, self.out_proj_weight) if hasattr(self, "out_proj_weight") else joined


class Rows(nn.Module):
    """One head whose weights are parameters, (out, in), as F.linear has them."""

    def __init__(self, width, names=RASCHKA[:3], root=None):
        super().__init__()
        torch.manual_seed(0)
        self.names, self.root = names, root or math.sqrt(width)
        for name in names:
            setattr(self, name, nn.Parameter(torch.randn(width, WIDTH) / 3))

    def forward(self, x):
        q, k, v = (F.linear(x, getattr(self, name)) for name in self.names)
        return torch.softmax(q @ k.mT / self.root, dim=-1) @ v


# matrices that are parameters, (out, in), as F.linear has them: right ones
OUT_IN = {
    "in_proj_weight": InProj(num_heads=HEADS),
    "in_proj_weight, no biases": InProj(bias=False, num_heads=HEADS),
    "in_proj_weight, other attributes": InProj(embed_dim=WIDTH, head_dim=WIDTH // HEADS),
    "in_proj_weight, no attributes": InProj(),
    "out_proj_weight": InProj(bias=False, out="matrix", num_heads=HEADS),
    "in_proj_weight alone": InProj(bias=False, out="", heads=1, root=math.sqrt(WIDTH)),
    "in_proj_weight and its bias alone": InProj(out="", heads=1, root=math.sqrt(WIDTH)),
    "square": Rows(WIDTH),
    "fewer rows than columns": Rows(5),
    "more rows than columns": Rows(20, ("w_q", "w_k", "w_v")),
}


@pytest.mark.parametrize("name", OUT_IN)
def test_a_matrix_that_is_a_parameter_may_be_used_by_linear(name):
    report = check(OUT_IN[name].eval())
    assert report.ok is True and len(report.passed) == 2, str(report)


@pytest.mark.exhaustive
@pytest.mark.parametrize("module", [InProj(root=1), InProj(root=1, out="", bias=False), Rows(5, root=1)])
def test_the_orientation_of_a_wrong_module_is_found_too(module):
    assert check(module.eval()).mistakes == ("not_scaled",)


class Convolved(nn.Module):
    """c_attn and c_proj as GPT-2's Conv1D: (in, out), used by a function without a loop over heads."""

    class Conv1D(nn.Module):
        def __init__(self, width, out):
            super().__init__()
            self.weight, self.bias = nn.Parameter(torch.randn(width, out) / 3), nn.Parameter(torch.randn(out))

        def forward(self, x):
            return x @ self.weight + self.bias

    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.c_attn, self.c_proj, self.n_head = (
            self.Conv1D(WIDTH, 3 * WIDTH),
            self.Conv1D(WIDTH, WIDTH),
            HEADS,
        )

    def forward(self, x):
        q, k, v = (cut(part, HEADS) for part in self.c_attn(x).chunk(3, dim=-1))
        output = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.c_proj(output.transpose(1, 2).flatten(2))


class Layered(nn.Module):
    def __init__(self, change=lambda x: x, width=WIDTH):
        super().__init__()
        torch.manual_seed(0)
        self.mix, self.change = nn.Linear(width, 7), change

    def forward(self, x):
        return self.change(self.mix(x))


RIGHT = {
    "separate projections": Written(),
    "without biases": Written(WRITTEN_OUT, bias=False),
    "W_query": Written(RASCHKA),
    "W_query as parameters": Parameters(),
    "one matrix": Written(("qkv", "proj")),
    "to_qkv": Written(("to_qkv", "to_out"), bias=False),
    "c_attn": Written(("c_attn", "c_proj")),
    "Conv1D": Convolved(),
    "causal": Written(causal=True),
    "one key/value head": Written(kv_heads=1),
    "nn.MultiheadAttention": nn.MultiheadAttention(WIDTH, HEADS, batch_first=True),
    "sequence first": nn.MultiheadAttention(WIDTH, HEADS),
}


@pytest.mark.parametrize("name", RIGHT)
def test_a_right_module_passes_on_its_own_weights(name):
    report = check(RIGHT[name].eval())
    first = str(report).splitlines()[0]
    assert report.ok is (None if report.skipped else True) and len(report.passed) == 2, str(report)
    assert ("causal attention in every case" in first) == (name in ("causal", "Conv1D"))
    assert ("(length, batch, dim)" in first) == (name == "sequence first")
    assert ("batch_first=True" in str(report)) == (name == "sequence first")
    assert ("Not tried: key_padding_mask, attn_mask, is_causal." in first) == bool(report.skipped)


def test_a_mask_of_a_module_is_said_not_to_be_tried_whatever_its_name_is():
    class Masked(Written):
        def forward(self, x, src_mask=None):
            return super().forward(x)

    report = check(Masked())
    assert report.ok is None and str(report).splitlines()[0].endswith("Not tried: src_mask.")


class Packed(nn.Module):
    """One matrix for all heads and fewer key/value heads."""

    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.n_head, self.n_kv_head, self.qkv, self.proj = 4, 1, nn.Linear(6, 4 * 6), nn.Linear(16, 6)

    def forward(self, x):
        q, k, v = self.qkv(x).split([16, 4, 4], dim=-1)
        q, k, v = cut(q, 4), k[:, None], v[:, None]
        return self.proj((torch.softmax(q @ k.mT / 2, -1) @ v).transpose(1, 2).flatten(2))


RIGHT["one matrix, one key/value head"] = Packed()


@pytest.mark.parametrize("name", RIGHT)
@pytest.mark.parametrize("saved", [False, True])
def test_the_matrices_of_a_layer_are_copied_by_their_names(name, saved):
    """A state_dict says the same, but for the number of heads."""
    layer = RIGHT[name].eval()
    heads = {"num_heads": heads_of(layer)}
    if name in ("one matrix", "to_qkv", "one matrix, one key/value head"):
        with pytest.raises(AttentionError, match="qkv h d"):  # a state_dict does not say it
            MultiHeadAttention.from_torch(layer.state_dict(), **heads)
        heads["order"] = "qkv h d"
    if name == "one matrix, one key/value head":
        heads["num_kv_heads"] = 1
    own = (
        MultiHeadAttention.from_torch(layer.state_dict(), **heads)
        if saved
        else MultiHeadAttention.from_torch(layer)
    )
    batch_first = name != "sequence first"
    x = torch.randn(2, 5, own.w_q.shape[0], generator=torch.Generator().manual_seed(0))
    mask = causal_mask(5) if name in ("causal", "Conv1D") else None
    if isinstance(layer, nn.MultiheadAttention):
        inputs = x if batch_first else x.transpose(0, 1)
        expected = layer(inputs, inputs, inputs)[0]
        expected = expected if batch_first else expected.transpose(0, 1)
    else:
        expected = layer(x)
        expected = expected[1] if isinstance(expected, tuple) else expected
    torch.testing.assert_close(own(x, mask=mask).output, expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("layer", [Fused(), Separate(split=within_heads)])
def test_columns_in_another_order_are_copied_as_the_layer_uses_them(layer):
    x = torch.randn(2, 5, WIDTH, generator=torch.Generator().manual_seed(0))
    own = MultiHeadAttention.from_torch(layer)
    torch.testing.assert_close(own(x).output, layer(x), rtol=1e-4, atol=1e-5)


def test_a_layer_of_one_head_is_copied_to_self_attention():
    x = torch.randn(2, 5, WIDTH, generator=torch.Generator().manual_seed(0))
    for layer in (Rows(5, ("w_q", "w_k", "w_v")), Rows(WIDTH)):
        torch.testing.assert_close(SelfAttention.from_torch(layer)(x).output, layer(x), rtol=1e-4, atol=1e-5)
    with pytest.raises(AttentionError, match=r"MultiHeadAttention\.from_torch"):
        SelfAttention.from_torch(Written())


def test_linear_layers_are_taken_as_they_are():
    layer = Written()
    named = dict(zip(("w_q", "w_k", "w_v", "w_o"), (getattr(layer, name) for name in SEPARATE), strict=True))
    own = MultiHeadAttention.from_matrices(**named, num_heads=HEADS)
    x = torch.randn(2, 5, WIDTH, generator=torch.Generator().manual_seed(0))
    torch.testing.assert_close(own(x).output, layer(x), rtol=1e-4, atol=1e-5)
    head = SelfAttention.from_matrices(w_q=layer.q_proj, w_k=layer.k_proj, w_v=layer.v_proj)
    torch.testing.assert_close(head(x).query, layer.q_proj(x))


OTHERS = {
    "mixed.weight, dense.bias2": {"mixed.weight": torch.ones(9, 3), "dense.bias2": torch.ones(3)},
    "q_norm.weight": Written().state_dict() | {"q_norm.weight": torch.ones(4)},
    "1.q_proj.weight": {f"{i}.{name}": t for i in range(2) for name, t in Written().state_dict().items()},
    "dict": {},
}


@pytest.mark.parametrize("names", OTHERS)
def test_a_layer_with_other_names_is_refused_and_they_are_named(names):
    with pytest.raises(AttentionError, match=names) as caught:
        MultiHeadAttention.from_torch(OTHERS[names], num_heads=1)
    assert caught.value.code == "not_a_layer"
    with pytest.raises(AttentionError, match="num_heads"):
        MultiHeadAttention.from_torch(Written().state_dict())


WRONG = {
    "split by a view": (Written(split=viewed), "view_split"),
    "joined by a view": (Written(join=lambda heads: heads.reshape(heads.shape[0], -1, WIDTH)), "view_join"),
    "split and joined by a view": (
        Written(split=viewed, join=lambda heads: heads.reshape(heads.shape[0], -1, WIDTH)),
        *("view_split", "view_join"),
    ),
    "the width of all heads": (Written(root=math.sqrt(WIDTH)), "by_sqrt_d_model"),
    "not scaled, and causal": (Written(root=1, causal=True), "not_scaled"),
    "without W_O": (Written(out=False), "no_w_o"),
    "X for V": (Written(bias=False, value=False), "unprojected"),
    "dropout": (Written(dropout=0.2), "dropout_on"),
    "not transposed": (
        Written(split=lambda x, heads: x.unflatten(-1, (heads, -1)), join=lambda heads: heads.flatten(2)),
        "over_heads",
    ),
    "values rotated": (Llama(turn_value=True), "rotated_values"),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_mistake_of_a_module_is_named(name):
    module, *mistakes = WRONG[name]
    report = check(module)
    assert report.ok is False and set(report.mistakes) == set(mistakes), str(report)
    assert all(words.MISTAKES[mistake][0] in str(report) for mistake in mistakes)


def test_a_module_of_which_no_reading_is_confirmed_is_not_compared():
    """Its numbers are compared in the reading that the caller says."""
    module = Written(spoil=torch.sin)
    report = check(module)
    assert report.ok is None and not report.compared and not report.mistakes and not report.failed
    assert report.facts and str(report).startswith("Not compared") and "reading=" in str(report)
    said = check(module, reading="3 heads; without rotary positions")
    assert said.ok is False and said.compared and not said.mistakes
    with pytest.raises(AttentionError, match="3 heads"):
        check(module, reading="4 heads")


def test_each_mistake_of_modules_alone_has_code_that_makes_it():
    assert {*OF_LAYERS} <= {name for _, *names in WRONG.values() for name in names}


class Context(Layered):
    def forward(self, x, context):
        return self.mix(x) + self.mix(context).mean(1, keepdim=True)


def later(x):
    return x + x.roll(-1, dims=1)


def with_key_of_its_own():
    torch.manual_seed(0)
    return nn.MultiheadAttention(WIDTH, HEADS, batch_first=True, add_bias_kv=True).eval()


PROPERTIES = {
    "sequence first": (nn.TransformerEncoderLayer(WIDTH, HEADS).eval(), "Not causal: each", EQUIVARIANT),
    "query, key and value, with a key of its own": (with_key_of_its_own(), "Not causal: each", EQUIVARIANT),
    "a context": (Context(), "Not causal: each", EQUIVARIANT),
    "each token alone": (Layered(), "Causal: no output", EQUIVARIANT),
    "all tokens": (Layered(lambda x: x + x.mean(1, keepdim=True)), "Not causal", EQUIVARIANT),
    "a sum so far": (Layered(lambda x: x.cumsum(1)), "Causal: no output", "Order: the outputs depend"),
    "the next token": (
        Layered(later),
        "Partly causal: token 1 changes the output of token 0",
        "Order: the outputs",
    ),
    "another text": (Layered(lambda x: x + x.mean(0)), "changes with another text"),
    "dropout": (Layered(F.dropout), "dropout is on"),
    "no tokens": (Layered(lambda x: x.sum()), "its result has the shape ()"),
    "an error": (Layered(lambda x: x @ x.mT.mT[0, :, :1]), "RuntimeError"),
}


@pytest.mark.parametrize("name", PROPERTIES)
def test_any_other_module_is_tested_for_its_properties(name):
    module, *sentences = PROPERTIES[name]
    report = check(module)
    assert all(sentence in str(report) for sentence in sentences), str(report)
    assert report.ok is (None if report.facts and len(sentences) > 1 else False)
    if report.ok is None:
        assert "compared with nothing" in str(report).splitlines()[0] and "Batch: the output" in str(report)
