"""One name has one meaning: classes have different names, and variables are named by nouns."""

import ast
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.programs import ROOT


def classes(path: Path) -> list[str]:
    """The names of the classes that a file defines, in Python or JavaScript."""
    text = path.read_text("utf-8")
    if path.suffix == ".js":
        return re.findall(r"^(?:export )?class (\w+)", text, re.MULTILINE)
    return [node.name for node in ast.walk(ast.parse(text)) if isinstance(node, ast.ClassDef)]


def test_no_two_classes_have_the_same_name():
    files = [path for folder in ("attention", "pages") for path in (ROOT / folder).rglob("*")]
    count = Counter(name for path in files if path.suffix in (".py", ".js") for name in classes(path))
    assert {"Step", "StepChoice", "Matrix", "MatrixView"} < set(count)
    assert [name for name, times in count.items() if times > 1] == []


# Rooms whose variables have nouns as names.
CLEAN = (
    "app.py",
    "attention",
    *(f"pages/{room}" for room in ("ask", "draw", "hand", "lessons", "model", "session", "shell")),
)
NO_NOUNS = {"one", "now", "that", "found", "given"}


def bound(tree: ast.AST) -> Iterator[tuple[str, int]]:
    """The variables and parameters that a program binds, with their lines; not the fields of its records."""
    fields = {
        id(statement.target)
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef)
        for statement in node.body
        if isinstance(statement, ast.AnnAssign)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and id(node) not in fields:
            yield node.id, node.lineno
        elif isinstance(node, ast.arg):
            yield node.arg, node.lineno
        elif isinstance(node, ast.alias):
            yield node.asname or node.name, node.lineno
        elif isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar):
            yield node.name or "", node.lineno


def test_a_variable_is_named_by_a_noun():
    files = [path for room in CLEAN for path in [ROOT / room, *(ROOT / room).rglob("*.py")] if path.is_file()]
    places = [
        f"{path.relative_to(ROOT)}:{line} {name}"
        for path in files
        for name, line in bound(ast.parse(path.read_text("utf-8")))
        if name in NO_NOUNS
    ]
    assert places == []


@pytest.mark.parametrize(
    "line",
    [
        "now = 1",
        "one, (now, *that) = 1, (2, 3)",
        "[one for one in ()]",
        "f = lambda given: 0",
        "def f(*, found): pass",
        "(found := 1)",
        "with a as that: pass",
        "try: pass\nexcept E as found: pass",
        "match a:\n  case [*given]: pass",
        "from a import b as now",
    ],
)
def test_every_way_to_bind_a_name_is_seen(line):
    assert NO_NOUNS & {name for name, _ in bound(ast.parse(line))}
    assert not NO_NOUNS & {name for name, _ in bound(ast.parse("class Page:\n    now: int\nprint(page.now)"))}
