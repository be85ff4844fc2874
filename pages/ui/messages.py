"""What went wrong, said in the reader's language: what was expected, what came, how to mend it."""

from __future__ import annotations

import streamlit as st

from . import state
from .texts import Texts, literal

# Fields that the sidebar has a word for.
LABELLED = ("own_divisor", "packed", "padding", "prefix", "d_model", "d_k", "d_v")


def sentence(t: Texts, problem) -> str:
    """The sentence for a SettingsError; the learner's own words in it are shown as typed."""
    facts = {name: literal(str(value)[:60]) for name, value in problem.facts.items()}
    if problem.facts.get("name") in LABELLED:
        facts["name"] = t(f"sidebar.{problem.facts['name']}")
    return t(f"error.{problem.code}", **facts)


def show_problems(t: Texts) -> None:
    """Shows what went wrong since the last run, once. Nothing was lost: the last good state stays."""
    for problem in state.problems():
        st.warning(sentence(t, problem))
