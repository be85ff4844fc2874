"""Links, plans and records that an earlier course has handed out open as they did.

`handed_out/` has some of each, with what they opened to in the course that made them, 7b2651de. A newer
field has its start. Do not make these files again: a new form is a new file.
"""

import json
from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from pathlib import Path

import pytest

from pages.model.progress import read, read_tab
from tests.support.course import COURSE, from_query

FOLDER = Path(__file__).parent / "handed_out"


def cases(kind: str):
    entries = json.loads((FOLDER / f"{kind}.json").read_text("utf-8"))
    return [pytest.param(entry["given"], entry["opens"], id=f"{kind}-{i}") for i, entry in enumerate(entries)]


def plain(value: object) -> object:
    """A record as JSON has it: its fields are a dictionary, and a mapping is a list of pairs."""
    if is_dataclass(value):
        return {one.name: plain(getattr(value, one.name)) for one in fields(value)}
    if isinstance(value, Mapping):
        return sorted([key, plain(one)] for key, one in value.items())
    if isinstance(value, frozenset):
        return sorted(map(plain, value))
    return list(map(plain, value)) if isinstance(value, (tuple, list)) else value


def known(now: object, before: object) -> object:
    """What there is now, without the fields that a record from before does not have."""
    if isinstance(now, dict) and isinstance(before, dict):
        return {name: known(now.get(name), before[name]) for name in before}
    if isinstance(now, list) and isinstance(before, list) and len(now) == len(before):
        return [known(*both) for both in zip(now, before, strict=True)]
    return now


def opened(query: dict[str, str]) -> dict[str, object]:
    """What a link opens: the settings, the records, the view, the place, and the problems."""
    state, view, place, problems = from_query(query)
    return {
        "core": plain(state.core),
        "own": plain({type(record).__name__: record for record in (*state.own, *view.own)}),
        "view": plain(replace(view, own=())),
        "place": plain(place),
        "problems": [problem.code for problem in problems],
    }


@pytest.mark.parametrize(("given", "opens"), [*cases("links"), *cases("plans")])
def test_a_link_opens_what_it_opened(given, opens):
    assert known(opened(given), opens) == opens


@pytest.mark.parametrize(("given", "opens"), cases("records"))
def test_a_record_has_what_it_had(given, opens):
    assert known(plain(read(given, COURSE)), opens) == opens


@pytest.mark.parametrize(("given", "opens"), cases("tabs"))
def test_a_tab_has_what_it_had(given, opens):
    assert known(plain(read_tab(given, COURSE)), opens) == opens
