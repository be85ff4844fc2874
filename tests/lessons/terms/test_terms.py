"""The page of terms: all of them in both languages, found by a search, with links that work."""

import re
from dataclasses import replace
from urllib.parse import parse_qs

import pytest

from pages.draw import glossary
from pages.draw.glossary import HERE, TERMS, heading, matching, similar
from pages.draw.steps import NAMES
from pages.draw.texts import Texts, table
from pages.model.compute import one_mask
from pages.model.edits import example_start, set_cell
from pages.model.settings import Settings
from pages.model.view import View
from tests.support.course import COURSE, from_query
from tests.support.screen import LANGUAGES, bound, open_page, pictures, said, visit
from tests.support.states import looking, value_of


def keys(terms):
    return [term.key for term in terms]


def test_both_languages_have_a_name_and_a_sentence_for_every_term():
    expected = [f"{section}.{term.key}" for section in ("name", "says") for term in TERMS]
    for language in LANGUAGES:
        texts = [key for key in table(language, HERE) if not key.startswith("also.")]
        assert sorted(texts) == sorted(expected)
        assert {key.removeprefix("also.") for key in table(language, HERE)} - {*texts} <= {*keys(TERMS)}
        assert all(text.strip() for text in table(language, HERE).values())


def test_both_languages_say_the_same_symbols():
    for term in TERMS:
        en, zh = (table(language, HERE)[f"says.{term.key}"] for language in LANGUAGES)
        symbols = r"W_[QKVO]|d_(?:model|k|v)|log₂ n|√d_k|−∞|m_ij|\d{4}"
        assert set(re.findall(symbols, en)) == set(re.findall(symbols, zh)), term.key


def test_a_term_is_seen_live_where_it_says():
    assert [term.key for term in TERMS if COURSE.treating("terms", term.key) is None] == []
    assert {term.step for term in TERMS} <= {None, *NAMES}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("KV cache", "kv_cache"),
        ("缓存", "kv_cache"),
        ("填充", "padding"),
        ("雅可比", "jacobian"),
        ("SLIDING", "window"),
        ("词元（token）", "token"),
        ("  probability   distribution ", "weights"),
        ("概率分布", "weights"),
        ("W_O", "output_projection"),
        ("where X comes from", "embedding"),
        ("GPT", "decoder"),
        ("BERT", "encoder"),
        ("可解释性", "weights"),
    ],
)
def test_the_search_finds_a_term_in_either_language(text, expected):
    assert expected in keys(matching(text))
    assert len(matching(text)) < len(TERMS)


@pytest.mark.parametrize(
    ("text", "first"),
    [
        *(
            ("RNN", "recurrent"),
            ("LSTM", "recurrent"),
            ("CNN", "convolutional"),
            ("convolution", "convolutional"),
        ),
        *(("嵌入", "embedding"), ("词向量", "embedding"), ("word vector", "embedding"), ("单词", "token")),
        *(("attention is all you need", "transformer"), ("Transformer", "transformer")),
        *(("为什么用三个矩阵", "three_matrices"), ("长距离", "long_range"), ("long-range", "long_range")),
        *(
            ("并行", "parallel"),
            ("动态权重", "dynamic_weights"),
            ("复杂度", "complexity"),
            ("O(n²)", "complexity"),
        ),
        *(("加权求和", "weighted_sum"), ("线性变换", "linear"), ("缩放点积", "scaled_dot_product")),
        *(("query", "query"), ("值", "value"), ("头", "head"), ("softmax", "softmax"), ("归一化", "softmax")),
    ],
)
def test_the_term_of_this_name_comes_first(text, first):
    assert keys(matching(text))[0] == first


def test_an_empty_search_finds_all_and_nonsense_nothing():
    assert matching("") == matching("   ") == list(TERMS)
    assert matching("no such term anywhere") == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("softmx", "softmax"),
        ("sotfmax", "softmax"),
        ("caussal mask", "causal"),
        ("KV cahce", "kv_cache"),
        ("雅克比", "jacobian"),
        ("填冲", "padding"),
        ("注意利", "attention"),
        ("多头注意里", "multi_head"),
    ],
)
def test_a_small_mistake_in_the_spelling_finds_the_term(text, expected):
    assert matching(text) == []
    assert expected in keys(similar(text))
    assert len(similar(text)) < 15


def test_what_is_like_no_name_finds_nothing():
    for text in ("no such term anywhere", "banana", "xyz", "猫", "今天天气"):
        assert similar(text) == []


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(("text", "said_of_it"), [("softmx", "similar"), ("banana", "nothing")])
def test_a_search_without_a_result_says_so_and_leads_back(text, said_of_it, language):
    app = open_page("terms", view=looking(language=language, search=text))
    assert Texts(language, "terms")(f"terms.{said_of_it}", entry=text) in said(app)
    assert len(app.main.get("page_link")) == len(similar(text))
    app.button("all_terms").click().run()
    assert value_of(visit(app).view, "search") == "" and bound(app, "text_input", "search").value == ""
    assert len(app.main.get("page_link")) == len(TERMS)


def test_a_heading_names_both_languages_the_readers_first():
    by_key = dict(zip(keys(TERMS), TERMS, strict=True))
    assert heading(by_key["score"], "en") == "score · 分数"
    assert heading(by_key["score"], "zh") == "分数 · score"
    assert heading(by_key["softmax"], "zh") == "softmax"
    assert (
        heading(by_key["token"], "zh") == "词元（token）"
        and heading(by_key["argmax"], "en") == "argmax (one-hot)"
    )


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_page_lists_all_terms(language):
    app = open_page("terms", view=View(language=language))
    assert not app.exception and not app.warning
    text = said(app)
    for term in TERMS:
        assert heading(term, language) in text
        assert glossary.sentence(term, language) in text
    assert len(app.main.get("page_link")) == len(TERMS)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_search_is_kept_in_the_link(language):
    app = open_page("terms", view=View(language=language))
    app.text_input(key="set_search").set_value("causal  mask").run()
    assert not app.exception
    assert value_of(visit(app).view, "search") == "causal mask"
    view = matching("causal mask")
    assert len(app.main.get("page_link")) == len(view) < len(TERMS)
    again = open_page("terms", view=looking(language=language, search="causal mask"))
    assert len(again.main.get("page_link")) == len(view)
    count = Texts(language, "terms")("terms.count", count=len(view), all=len(TERMS))
    assert count in said(again)


def test_a_mask_is_drawn_as_the_core_makes_it():
    app = open_page("terms", view=looking(search="mask"))
    drawn = {m["id"]: m["values"] for picture in pictures(app) for m in picture["matrices"]}
    start = example_start("masks")
    kinds = {term.mask for term in TERMS if term.mask}
    assert set(drawn) == kinds
    for kind, values in drawn.items():
        assert values == one_mask(start, kind).tolist()
    assert len({str(values) for values in drawn.values()}) == len(drawn)


def test_a_link_keeps_the_learners_numbers_and_names_the_place():
    now = set_cell(Settings(), "x", 0, 0, 7.0)
    numbers = matching("scaled score")
    app = open_page("terms", now, looking(search="scaled score"))
    for term, element in zip(numbers, app.main.get("page_link"), strict=True):
        query = {key: values[-1] for key, values in parse_qs(element.proto.query_string).items()}
        state, view, place, problems = from_query(query)
        assert not problems
        assert (state.core, value_of(view, "search")) == (now, "")
        there = COURSE.treating("terms", term.key).place
        assert place == replace(there, step=term.step)
