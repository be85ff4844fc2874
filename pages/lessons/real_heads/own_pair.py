"""The statistics of “An anecdote” for a pair of sentences that the learner writes, with the same control."""

from typing import Any

import streamlit as st
import torch
from torch import Tensor

from attention.lab.real_heads import pronouns, store, toggles
from attention.lab.real_heads.texts import PAIRS, Trial
from pages.draw import placing, say
from pages.draw.numbers import short
from pages.draw.page import Page

from . import scene, texts, trials
from .settings import HEADS, LAYERS

ALL = LAYERS * HEADS
FIELDS = ("pronoun", "noun", "other_noun")
EXAMPLES = tuple(store.sentences()[trial.name] for trial in PAIRS[1])
# What is proposed: the first pronoun, and the first two words after an article, else the first two words.
PRONOUNS = ("it", "he", "she", "they", "him", "her", "them")
ARTICLES = ("the", "a", "an")


def draw(page: Page, head: trials.Head) -> None:
    """The two sentences and their words; then what all heads make of them."""
    t, own = page.t, page.own
    if not texts.MINILM.missing():
        say.markdown(f"##### {t('pair.title')}")
        say.markdown(t("pair.how"))
        with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
            for field, example in zip(("typed", "typed_other"), EXAMPLES, strict=True):
                texts.type_in(page, field, example)
    if not texts.explain_unread(page, "typed", "typed_other"):
        return
    if not (own.typed and own.typed_other):
        say.caption(t("pair.second"))
        return
    places = common(own.typed, own.typed_other)
    if len(places) < len(FIELDS):
        say.caption(t("pair.few"))
        return
    _choose_words(page, places)
    pair = pair_of(page)
    if pair is None:
        say.caption(t("pair.alike"))
        return
    _results(page, head, pair)


# ---- the words


def common(text: str, other: str) -> list[int]:
    """Where in the text are the words that both texts have, each at its first place."""
    tokens, others = texts.load(texts.name_of(text)).tokens, texts.load(texts.name_of(other)).tokens
    return [
        place
        for place, token in enumerate(tokens)
        if token in others and token not in toggles.SPECIAL and tokens.index(token) == place
    ]


def chosen(page: Page, places: list[int]) -> tuple[int, int, int]:
    """The places of the pronoun and the two nouns: those of the learner, else what is proposed."""
    tokens = texts.load(texts.name_of(page.own.typed)).tokens
    pronoun = next((place for place in places if tokens[place] in PRONOUNS), places[-1])
    others = (place for place in places if place != pronoun)
    likely = sorted(others, key=lambda at: (tokens[at] in ARTICLES, tokens[at - 1] not in ARTICLES))
    first, other = likely[:2]
    own = (getattr(page.own, field) for field in FIELDS)
    proposed = zip(own, (pronoun, first, other), strict=True)
    pronoun, first, other = (place if place in places else instead for place, instead in proposed)
    return pronoun, first, other


def pair_of(page: Page) -> tuple[Trial, Trial] | None:
    """Both sentences with their words; None where two of the words are the same."""
    own, tokens = page.own, texts.load(texts.name_of(page.own.typed)).tokens
    words = [tokens[place] for place in chosen(page, common(own.typed, own.typed_other))]
    if len(set(words)) < len(words):
        return None
    pronoun, first, other = words
    names = texts.name_of(own.typed), texts.name_of(own.typed_other)
    return Trial(names[0], pronoun, first, other), Trial(names[1], pronoun, other, first)


def _choose_words(page: Page, places: list[int]) -> None:
    names = texts.tokens_of(texts.name_of(page.own.typed))
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        for field, place in zip(FIELDS, chosen(page, places), strict=True):
            scene.select(page, field, places, names.__getitem__, 230, place)


# ---- what the heads make of them


def _results(page: Page, head: trials.Head, pair: tuple[Trial, Trial]) -> None:
    right, title = verdicts(pair).right, page.t("pair.matrix")
    look: dict[str, Any] = {"ringed": [head], "id": "own_pair", "clickable": False}
    placing.draw(page, "own_pair", [scene.of_heads(page, title, right / 2, 2, **look)])
    say.sentence(counts(page, head, pair))
    trials.draw_other_rows(page, head, pair[0], "own_column")
    say.sentence(selected(page, head, pair))
    trials.draw_table(page, "own_pair", pair, head)


def weights(trial: Trial) -> tuple[Tensor, Tensor]:
    """The weight of the pronoun on the right noun and on the wrong one, each (layers, heads)."""
    return pronouns.on_nouns(texts.load(trial.name), trial)


def verdicts(pair: tuple[Trial, Trial]) -> pronouns.Verdicts:
    return pronouns.Verdicts(torch.stack([right > wrong for right, wrong in map(weights, pair)])[None])


def counts(page: Page, head: trials.Head, pair: tuple[Trial, Trial]) -> str:
    """How many heads are right in both sentences, in neither, and give one noun more weight in both."""
    right = verdicts(pair).right
    numbers = {name: int((right == of).sum()) for name, of in (("both", 2), ("same", 1), ("neither", 0))}
    coins = {"quarter": ALL // 4, "half": ALL // 2}
    named = {"head": scene.head_name(page, *head), "right": int(right[head])}
    return page.t("pair.counts", all=ALL, **numbers, **coins, **named)


def selected(page: Page, head: trials.Head, pair: tuple[Trial, Trial]) -> str:
    """By how much the weight on a noun grows where it is the right one."""
    grown = pronouns.growth(*map(weights, pair))
    facts = {"mean": short(grown[head].item(), 4), "count": int((grown > 0).sum()), "all": ALL}
    return page.t("pair.selected", head=scene.head_name(page, *head), **facts)
