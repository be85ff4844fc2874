"""What people read in this project: texts, documents, docstrings and comments, each with its place."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from tests.support.programs import ROOT

FOLDERS = ("attention", "pages", "tests", ".github")
KINDS = {".py", ".js", ".css", ".toml", ".md", ".conf", ".yml"}
DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
# What a definition may be in.
STATEMENTS = (ast.stmt, ast.excepthandler, ast.match_case)
# Strings of Python, which may have the character #, and comments: a tokenizer takes far longer.
OF_PYTHON = re.compile(
    r'''"""(?:\\.|[^\\])*?"""|'{3}(?:\\.|[^\\])*?'{3}|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|(#[^\n]*)''',
    re.DOTALL,
)
OF_SCRIPTS = re.compile(r"/\*.*?\*/|(?<!:)//[^\n]*", re.DOTALL)
OF_SHELLS = re.compile(r"#[^\n]*")
CODE = re.compile(r"```.*?```|`[^`\n]*`", re.DOTALL)


def files() -> Iterator[Path]:
    for folder in FOLDERS:
        yield from (path for path in (ROOT / folder).rglob("*") if path.suffix in KINDS)
    yield from (ROOT / name for name in ("README.md", "app.py", "pyproject.toml", ".ci/run"))


@cache
def written() -> list[tuple[str, str]]:
    """Every line that people read: its file and number, and its words without code."""
    return [line for path in files() for line in _lines(path)]


def _lines(path: Path) -> Iterator[tuple[str, str]]:
    name = path.relative_to(ROOT).as_posix()
    for number, text in _passages(name, path.read_text("utf-8")):
        for i, line in enumerate(CODE.sub(_blank, text).splitlines()):
            yield f"{name}:{number + i}", line


def _blank(code: re.Match) -> str:
    return "\n" * code[0].count("\n")


def _passages(name: str, source: str) -> Iterator[tuple[int, str]]:
    """The passages of a file, each with the number of its first line."""
    if name.endswith(".py"):
        yield from _of_python(source)
    elif name.endswith((".toml", ".md")):
        yield 1, source
    else:
        pattern = OF_SCRIPTS if name.endswith((".js", ".css")) else OF_SHELLS
        for match in pattern.finditer(source):
            yield source.count("\n", 0, match.start()) + 1, match[0]


def _of_python(source: str) -> Iterator[tuple[int, str]]:
    nodes: list[ast.AST] = [ast.parse(source)]
    for node in nodes:
        if isinstance(node, DOCUMENTED) and ast.get_docstring(node) is not None:
            yield node.body[0].lineno, node.body[0].value.value
        nodes += [one for one in ast.iter_child_nodes(node) if isinstance(one, STATEMENTS)]
    number, at = 1, 0
    for match in OF_PYTHON.finditer(source):
        if match[1]:
            number += source.count("\n", at, match.start())
            at = match.start()
            yield number, match[1]
