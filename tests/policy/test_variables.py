"""A variable is named by what it holds: words that only point at something are no names."""

import ast

import pytest

from tests.support.programs import ROOT

POINTING = {"one", "now", "that", "found", "given"}
# The rooms in which no variable has such a name.
ROOMS = ("attention",)


def variables(source: str) -> set[tuple[int, str]]:
    """What a program binds: variables, parameters, attributes; each with its line."""
    results = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Store):
            results.add((node.lineno, node.id if isinstance(node, ast.Name) else node.attr))
        elif isinstance(node, ast.arg):
            results.add((node.lineno, node.arg))
    return results


def refused(source: str) -> list[tuple[int, str]]:
    return sorted(binding for binding in variables(source) if binding[1] in POINTING)


def test_each_kind_of_variable_is_read():
    for source in ("one = 1", "def f(now): ...", "lambda that: 0", "[0 for found in x]", "self.given = 1"):
        assert refused(source), source
    assert refused("one_head = 1; print(now)") == []


@pytest.mark.parametrize("room", ROOMS)
def test_no_variable_only_points(room):
    files = sorted((ROOT / room).rglob("*.py"))
    assert files
    named = {str(path.relative_to(ROOT)): refused(path.read_text("utf-8")) for path in files}
    assert {path: names for path, names in named.items() if names} == {}
