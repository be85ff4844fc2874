"""The picture that a fresh server shows while PyTorch is imported: it is what the core makes."""

import math

import pytest
import streamlit as st

from pages.draw import start
from pages.model import core
from tests.support.screen import LANGUAGES, matrix_ids, open_link, pictures
from tests.tools.start_picture import LESSON, file_text, picture_now

COMMAND = "python -m tests.tools.start_picture"


@pytest.fixture
def opened_early(monkeypatch):
    """opened_early(query) opens the lesson's page, and the core does not come."""

    def open_early(**query: str):
        with monkeypatch.context() as fresh:
            fresh.setattr(core, "is_ready", lambda: False)
            fresh.setattr(core, "load", st.stop)
            return open_link(LESSON, query)

    return open_early


def differences(kept: object, now: object, place: str = "") -> list[str]:
    """Where two texts, numbers, lists or tables differ, numbers by more than rounding."""
    if type(kept) is not type(now):
        return [f"{place}: {kept!r}, now {now!r}"]
    if isinstance(kept, dict) and kept.keys() == now.keys():
        return [one for key in kept for one in differences(kept[key], now[key], f"{place}.{key}")]
    if isinstance(kept, list) and len(kept) == len(now):
        pairs = enumerate(zip(kept, now, strict=True))
        return [one for i, pair in pairs for one in differences(*pair, f"{place}[{i}]")]
    same = math.isclose(kept, now, rel_tol=1e-12, abs_tol=1e-12) if isinstance(kept, float) else kept == now
    return [] if same else [f"{place}: {kept!r}, now {now!r}"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_shipped_picture_is_what_the_core_makes_now(language):
    kept = start.fields_of(LESSON, language)
    assert differences(kept, picture_now(language)) == [], f"run {COMMAND}"
    assert start.path_of(LESSON, language).read_text("utf-8") == file_text(kept), f"run {COMMAND}"


def test_another_digit_a_missing_matrix_and_another_text_are_differences():
    now = {"values": [[1.0, 2.0]], "title": "Q"}
    assert not differences({"values": [[1.0, 2.0 + 1e-13]], "title": "Q"}, now)
    assert len(differences({"values": [[1.0, 2.0 + 1e-11]], "title": "K"}, now)) == 2
    assert differences({"values": [[1.0]], "title": "Q"}, now) and differences({"title": "Q"}, now)


@pytest.mark.parametrize("language", LANGUAGES)
def test_it_is_drawn_as_the_computed_one_is_and_says_why_no_edit_is_answered(opened_early, language):
    [early], [computed] = map(pictures, (opened_early(lang=language), open_link(LESSON, {"lang": language})))
    differing = {field for field in computed if differences(early[field], computed[field])}
    assert differing == {"note", "starting", "passages", "texts", "visit", "direct"}
    assert early["note"] and early["starting"] and not computed["note"] and not computed["starting"]
    assert computed["direct"] and not early["direct"]
    texts = early["texts"]
    assert {key for key in texts if texts[key] != computed["texts"][key]} == {"offline"}
    assert computed["passages"] and not early["passages"]  # checks that were made elsewhere


@pytest.mark.parametrize(
    "more",
    [
        *({"x": "1-4_9"}, {"mask": "causal"}, {"heads": "2"}, {"example": "cats"}, {"row": "2"}),
        *({"head": "2"}, {"step": "scores"}, {"present": "on"}),
    ],
    ids=lambda more: next(iter(more)),
)
def test_what_a_link_says_is_not_shown_before_it_is_computed(opened_early, more):
    app = opened_early(lang="en", **({"example": "tired"} | more))
    assert not app.warning
    assert "output" not in matrix_ids(app) and "x" in matrix_ids(app)


def test_the_link_to_the_start_shows_the_start(opened_early):
    assert "output" in matrix_ids(opened_early(lang="en", example="tired"))
