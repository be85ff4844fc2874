"""What went wrong, in the reader's language: what was expected, what was given, how to correct it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from pages import session
from pages.model.entries import SettingsError

from .page import Page
from .texts import Texts, literal, quoted

if TYPE_CHECKING:  # the core is imported when it is needed, not before the first page is drawn
    from attention import AttentionError


def sentence(t: Texts, problem: SettingsError) -> str:
    """The sentence for a SettingsError; the learner's own words in it are shown as typed."""
    facts = {name: literal(_fact(t, value)[:60]) for name, value in problem.facts.items()}
    label = t.section("setting").get(str(problem.facts.get("name")))
    if label is not None:
        facts["name"] = label
    return t(f"error.{problem.code}", **facts)


def _fact(t: Texts, value: object) -> str:
    if not isinstance(value, tuple):
        return str(value)
    words = all(isinstance(one, str) for one in value)
    return t.all_of(quoted(value)) if words else t.listed(value)


def translation(t: Texts, problem: AttentionError) -> str:
    """An error of the core in another language than its own, which is English: str(problem)."""
    from attention.errors import notation

    facts = {name: literal(str(notation(value))) for name, value in problem.facts.items()}
    return t(f"core.{problem.code}", argument=literal(problem.argument), **facts)


def show_problems(page: Page, *, of_votes: bool = False, key: str | None = None) -> bool:
    """Shows what went wrong since the last run, once. Nothing was lost: the last good state stays.

    key: of a container around it.
    """
    problems = session.take_problems(of_votes=of_votes)
    if problems:
        with st.container(key=key):
            for problem in problems:
                st.warning(sentence(page.t, problem))
    return bool(problems)
