"""What went wrong, said in the reader's language: what was expected, what came, how to mend it."""

from __future__ import annotations

import streamlit as st

from . import state
from .texts import Texts, literal


def sentence(t: Texts, problem) -> str:
    """The sentence for a SettingsError; the learner's own words in it are shown as typed."""
    facts = {name: literal(str(value)[:60]) for name, value in problem.facts.items()}
    return t(f"error.{problem.code}", **facts)


def show_problems(t: Texts) -> None:
    """Shows what went wrong since the last run, once. Nothing was lost: the last good state stays."""
    for problem in state.problems():
        st.warning(sentence(t, problem))
