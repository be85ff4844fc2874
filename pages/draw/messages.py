"""Problems in the reader's language: the expected value, the entry, the correction."""

from __future__ import annotations

from types import ModuleType
from typing import TYPE_CHECKING

from pages import session
from pages.model.entries import SettingsError

from .page import Page
from .texts import Texts, literal, quoted

if TYPE_CHECKING:  # pages are drawn before the core is imported
    from streamlit.delta_generator import DeltaGenerator

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
    words = all(isinstance(word, str) for word in value)
    return t.all_of(quoted(value)) if words else t.listed(value)


def translation(t: Texts, problem: AttentionError) -> str:
    """An error of the core in another language than its own, which is English: str(problem)."""
    from attention.errors import notation

    facts = {name: literal(str(notation(value))) for name, value in problem.facts.items()}
    return t(f"core.{problem.code}", argument=literal(problem.argument), **facts)


def show_problems(page: Page, box: DeltaGenerator | ModuleType, *, of_votes: bool = False) -> bool:
    """Shows the problems since the last run, once. The last good state stays."""
    problems = session.take_problems(of_votes=of_votes)
    for problem in problems:
        box.warning(sentence(page.t, problem))
    return bool(problems)
