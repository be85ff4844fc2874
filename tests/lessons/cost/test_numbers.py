"""The numbers of the lesson on cost: as the lab counts them, and as counted by hand."""

import pytest

from attention.lab.cost.steps import MODELS
from pages.lessons.cost import cache, paths, steps, words
from pages.lessons.cost.settings import CostNumbers
from pages.model import edits
from pages.model.settings import Settings
from pages.model.state import State
from pages.model.view import Place, View
from tests.support.screen import LANGUAGES, matrix, open_page, opened, said
from tests.support.states import with_own

START = Settings()


def text_of(part: str, now: Settings | State = START, language: str = "en") -> str:
    """What the part says once its questions are answered."""
    return said(opened("cost", part, now, language=language))


@pytest.mark.parametrize(
    ("n", "factor", "words_of"),
    [
        (64, "4", "recurrent layer mixes positions with"),
        (256, "256", "equally many"),
        (1024, "4", "self-attention mixes positions"),
    ],
)
def test_the_sentence_says_which_layer_mixes_with_less_work(n, factor, words_of):
    """2n²d against nd² with d = 512: the quotient is n / 256."""
    text = text_of("compare", with_own(START, cost_n=n))
    assert words_of in text
    assert factor in text.split(words_of)[1][:60]


def test_the_table_has_the_counts_worked_by_hand():
    """n = 64, d = 512, k = 3, r = 8: 2n²d, nd², knd² and 2nrd multiply–adds."""
    app, text = opened("cost", "compare"), text_of("compare")
    assert matrix(app, "cost_n")["slider"] and matrix(app, "cost_d")["slider"]
    for work in (2 * 64 * 64 * 512, 64 * 512**2, 3 * 64 * 512**2, 2 * 64 * 8 * 512):
        assert words.count(work) in text


@pytest.mark.parametrize("language", LANGUAGES)
def test_paths_are_those_of_the_lab(language):
    ways = paths.routes(CostNumbers())
    assert [len(way) - 1 for way in ways.values()] == [1, 16, 3, 3]
    text = text_of("paths", language=language)
    assert "16" in text and all(way[-1] == 15 for way in ways.values())


def test_steps_are_counted_on_the_learners_sizes():
    """Three tokens, width 4, one head: 48 for each projection, 36 for the scores and for A·V."""
    text = text_of("steps")
    assert "216" in text and "n = 6," in text
    assert steps.crossing(START) == 6
    assert steps.crossing(edits.resize(START, num_heads=2)) == 8  # with W_O: n = 2d


def test_adding_a_token_is_counted():
    longer = edits.add_token(START)
    assert steps.sizes_of(longer).n == 4
    assert "320" in text_of("steps", longer)  # 3 · 64 + 2 · 64


def test_the_masks_step_is_there_only_with_a_mask():
    for alone in ("none", "causal"):  # a second mask counts only with a first one
        assert "| mask |" not in text_of("steps", edits.with_choice(START, mask_2=alone))
    assert "| mask |" in text_of("steps", edits.with_choice(START, mask="causal"))


def test_caches_by_hand():
    small, large = (cache.model_of(name) for name in cache.QUESTION_MODELS)
    assert cache.size_of(small, 1, 1) == 512 * 1024 > cache.size_of(large, 1, 1) == 320 * 1024
    assert cache.size_of(large, 1, 1, "all") == 8 * cache.size_of(large, 1, 1)


def test_every_model_stands_in_the_table_with_its_source_and_fits_the_chart():
    text = text_of("cache")
    assert "1.25 GiB" in text
    for model in MODELS:
        assert model.name in text and model.source in text
        for kind in cache.KINDS:
            assert cache.TICKS[0] <= cache.size_of(model, 1, 1, kind)
            assert cache.size_of(model, 131_072, 1024, kind) <= cache.TICKS[-1]


def test_counts_and_sizes_are_read_easily():
    counts = {0: "0", 12.5: "12.5", 4096: "4,096", 4_194_304: "4.19×10⁶"}
    sizes = {96: "96 B", 1023: "1,023 B", 1024: "1 KiB", 1280 * 2**20: "1.25 GiB"}
    assert [*map(words.count, counts)] == [*counts.values()]
    assert [*map(words.size, sizes)] == [*sizes.values()]


@pytest.mark.parametrize(("n", "language"), [(16, "en"), (256, "zh"), (2048, "en")])
def test_the_sentence_counts_the_projections_too(n, language):
    """2n²d + 4nd² against 2nd² with d = 512, which leaves self-attention the dearer at every length."""
    text = text_of("compare", with_own(START, cost_n=n), language)
    for work in (2 * n * n * 512 + 4 * n * 512**2, 2 * n * 512**2):
        assert words.count(work) in text


def test_a_factor_that_is_not_1_does_not_read_like_1():
    text = text_of("compare", with_own(START, cost_n=8193, cost_d=16_384))
    assert "1.0001 times" in text


def test_twice_as_many_tokens_are_asked_for_and_then_in_the_table():
    """Four times as many multiply–adds where the tokens count twice, counted again with twice as many."""
    asked = said(open_page("cost", START, View(), Place(part="steps")))
    told = text_of("steps")
    assert steps.doubling(START) == ["× 2", "× 2", "× 2", "× 4", "–", "–", "× 4"]
    assert "| 36 | ? |" in asked and "| 36 | × 4 |" in told and "×" not in asked.split("| --- |")[-1]


def test_the_cache_that_is_asked_for_is_not_in_sight():
    asked = said(open_page("cost", START, View(), Place(part="cache")))
    assert "| **Llama 2 7B** | 32 | 32 | 32 | 128 | 512 KiB |" in asked
    assert "| **Llama 2 70B** | 80 | 64 | 8 | 128 | ? |" in asked and "320 KiB" not in asked
