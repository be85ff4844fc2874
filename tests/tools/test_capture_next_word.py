"""The causal model through the core, compared with transformers and tokenizers, and with the shipped file.

As for tests/tools/test_capture.py, `.ci/run` installs the packages and runs these tests.
"""

import itertools
import random
from importlib.util import find_spec

import pytest
import torch
from torch import Tensor

from attention.lab.real_heads import causal_file, causal_store
from attention.lab.real_heads.causal import run
from tests.support.programs import missing
from tests.tools.capture_next_word import written
from tests.tools.test_capture import HARD

LETTERS = "abc ABC'’-_.,!?\n\t 019½²ⅷ我é\u0301ßñЖ🙂\u200d\u00a0"
pytestmark = pytest.mark.models


@pytest.fixture(scope="module")
def reader():
    for package in (*causal_file.PACKAGES, "tokenizers", "transformers"):
        if find_spec(package) is None:
            missing(f"{package} is not installed: see tests/tools/capture_requirements.txt")
    return causal_file.load()


def test_a_text_has_the_tokens_that_the_library_makes_of_it(reader):
    from tokenizers import Tokenizer, models, pre_tokenizers

    other = Tokenizer(models.BPE(vocab=reader.pairs.numbers, merges=[*reader.pairs.merges]))
    digits, pieces = pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(False)
    other.pre_tokenizer = pre_tokenizers.Sequence([digits, pieces])
    chance = random.Random(1)
    drawn = ["".join(chance.choices(LETTERS, k=chance.randint(1, 60))) for _ in range(1000)]
    for text in (*HARD, causal_store.SHIPPED, *drawn):
        assert reader.pairs.encode(text) == other.encode(text).ids, text
        assert reader.pairs.decode(reader.pairs.encode(text)) == text


def halves(weight: Tensor, heads: int) -> Tensor:
    """w_q or w_k as transformers has them: a pair that is rotated is half the width apart."""
    return weight.T.unflatten(0, (heads, -1, 2)).transpose(1, 2).flatten(0, 2)


def test_the_core_computes_what_transformers_computes(reader):
    from transformers import LlamaConfig, LlamaForCausalLM

    model = reader.model
    words, width = model.embedding.shape
    config = LlamaConfig(
        vocab_size=words,
        hidden_size=width,
        intermediate_size=model.layers[0].w_up.shape[1],
        num_hidden_layers=len(model.layers),
        num_attention_heads=model.heads,
        num_key_value_heads=model.kv_heads,
        rms_norm_eps=model.eps,
        rope_parameters={"rope_type": "default", "rope_theta": model.base},
        tie_word_embeddings=True,
        attn_implementation="eager",
    )
    other = LlamaForCausalLM(config).eval()
    state = {"model.embed_tokens.weight": model.embedding, "model.norm.weight": model.gain}
    state["lm_head.weight"] = model.embedding
    for number, layer in enumerate(model.layers):
        own = {
            "input_layernorm": layer.gain_1,
            "self_attn.q_proj": halves(layer.w_q, model.heads),
            "self_attn.k_proj": halves(layer.w_k, model.kv_heads),
            "self_attn.v_proj": layer.w_v.T,
            "self_attn.o_proj": layer.w_o.T,
            "post_attention_layernorm": layer.gain_2,
            "mlp.gate_proj": layer.w_gate.T,
            "mlp.up_proj": layer.w_up.T,
            "mlp.down_proj": layer.w_down.T,
        }
        state |= {f"model.layers.{number}.{name}.weight": weight for name, weight in own.items()}
    other.load_state_dict(state)
    ids = reader.ids("When Mary and John went to the store, John gave a bottle of milk to")
    with torch.no_grad():
        result = other(input_ids=ids[None], output_attentions=True)
    trace = run(model, ids)
    torch.testing.assert_close(trace.logits, result.logits[0, -1], atol=2e-3, rtol=1e-3)
    for layer, weights in zip(trace.heads, result.attentions, strict=True):
        torch.testing.assert_close(layer.heads.weights, weights[0], atol=1e-3, rtol=1e-3)


def test_the_shipped_file_is_what_the_model_computes(reader):
    shipped, content = torch.load(causal_store.FILE, weights_only=True), written(reader)
    assert content.keys() == shipped.keys()
    for name in ("text", "tokens", "words", "numbers"):
        assert content[name] == shipped[name]
    for name in causal_store.PARTS:
        assert content[name].keys() == shipped[name].keys()
        for layer in content[name]:
            torch.testing.assert_close(content[name][layer], shipped[name][layer], atol=1e-2, rtol=1e-2)
    rest, kept = content["without"], shipped["without"]
    assert [*itertools.chain(*rest["first"])] == [*itertools.chain(*kept["first"])]
    for part, other in ((content, shipped), (rest, kept)):
        torch.testing.assert_close(part["probabilities"], other["probabilities"], atol=1e-3, rtol=1e-2)
    torch.testing.assert_close(content["weights"], shipped["weights"], atol=2e-3, rtol=1e-2)
