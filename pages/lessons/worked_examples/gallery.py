"""Examples made by hand so that their weights can be read: each small, with a sentence, and ready to open."""

import streamlit as st

from pages.ask import blocks, links
from pages.draw import matrix, placing, say, steps
from pages.draw.page import Page, named
from pages.model.compute import needed, trace_of
from pages.model.edits import example_start
from pages.model.examples import in_language
from pages.model.settings import Settings
from pages.model.view import Place
from pages.picture import Matrix, softmax_of

EXAMPLES = ("previous", "same_word", "bank", "it", "uniform", "one_hot", "causal_copy", "induction")
COLUMNS = 2


def draw(page: Page) -> blocks.Blocks:
    yield blocks.text("gallery.why")
    for start in range(0, len(EXAMPLES), COLUMNS):
        yield blocks.figure(_cards, *EXAMPLES[start : start + COLUMNS])


def _cards(page: Page, *names: str) -> None:
    """Examples side by side, each with its attention weights."""
    for column, name in zip(st.columns(COLUMNS), names, strict=True):
        with column, st.container(border=True, key=f"example-{name}"):
            _card(page, name)


def _card(page: Page, name: str) -> None:
    t, own = page.t, in_language(name, page.t.language)
    settings = example_start(own)
    say.markdown(f"##### {t(f'example.{own}')}\n\n{t(f'gallery.{name}')}")
    placing.draw(page, name, weights(page, settings))
    lesson = "many_heads" if settings.num_heads > 1 else "one_head"
    links.to_lesson(lesson, t(f"gallery.open_{lesson}"), Place(), settings)


def weights(page: Page, settings: Settings) -> list[Matrix]:
    """The attention weights of each head."""
    trace = trace_of(settings)
    names = list(named(page.t, settings.tokens))
    several = settings.num_heads > 1
    return [
        matrix.of(
            f"weights_{head + 1}",
            f"A_{head + 1}" if several else "A",
            trace.heads.weights[head],
            names,
            names,
            kind="weights",
            masked=steps.hidden(trace.head(head).mask),
            recipe=softmax_of(needed(trace.heads.masked_scores)[head].tolist()),
            **page.axes,
        )
        for head in range(settings.num_heads)
    ]
