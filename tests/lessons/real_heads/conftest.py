from dataclasses import replace
from types import SimpleNamespace

import pytest

from attention.lab.real_heads import store
from attention.lab.real_heads.minilm import MiniLM
from pages.draw.page import Page
from pages.lessons.real_heads import loading, scene, texts
from pages.model.settings import Settings
from tests.attention.numbers import normal
from tests.support.states import looking, page_in, with_own


def page_of(
    part: str, language: str = "en", *, layer: int = 5, head_of_layer: int = 0, believed: int = 0, **own
) -> Page:
    """The page as a part gets it, without Streamlit."""
    view = looking(language=language, layer=layer, head_of_layer=head_of_layer, believed=believed)
    return page_in("real_heads", part, with_own(Settings(), **own), view)


class SmallTokenizer:
    """Tokens are words, and every new word gets the next id."""

    def __init__(self):
        self.words = ["[CLS]", "[SEP]"]

    def encode(self, text: str) -> SimpleNamespace:
        words = ["[CLS]", *text.lower().split(), "[SEP]"]
        self.words += [word for word in dict.fromkeys(words) if word not in self.words]
        return SimpleNamespace(ids=[self.words.index(word) for word in words])

    def id_to_token(self, number: int) -> str:
        return self.words[number]


def small_model(step=lambda: None) -> MiniLM:
    """A model of the same form whose rows have 8 numbers, drawn at random."""
    width, columns = 8, store.HEADS * store.HEAD_DIM
    shapes = {
        "w_q": (width, columns),
        "w_k": (width, columns),
        "w_v": (width, columns),
        "w_o": (columns, width),
    }
    layers = []
    for layer in range(store.LAYERS):
        step()
        layers.append({name: normal(*shape, seed=layer) for name, shape in shapes.items()})
    step()
    rows = normal(2, width)
    norm = {"gain": rows[0], "bias": rows[1]}
    return MiniLM(SmallTokenizer(), normal(1000, width).float(), normal(64, width), norm, tuple(layers))


@pytest.fixture
def installed(monkeypatch):
    """As if the packages of a small model were installed, and nobody had loaded it."""
    model = replace(texts.MINILM, name="small", packages=(), load=small_model)
    monkeypatch.setattr(texts, "MINILM", model)
    texts._read.cache_clear()
    texts._results.clear()
    scene._trace_of.cache_clear()
    yield model
    loading._loaded.pop("small", None)
    texts._read.cache_clear()
    texts._results.clear()
    scene._trace_of.cache_clear()


@pytest.fixture
def loaded(installed):
    """The same after somebody has loaded it."""
    installed.keep()
    return installed
