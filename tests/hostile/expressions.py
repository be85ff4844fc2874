"""All regular expressions of the app and the core, as they are used."""

from __future__ import annotations

import ast
import importlib
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from hypothesis.errors import HypothesisException

from tests.support.programs import ROOT

USES = ("search", "match", "fullmatch", "sub", "subn", "split", "findall", "finditer")
FOLDERS = ("attention", "pages")
# Module → the variables of functions that a pattern of it is made of, as they may be.
VARIABLES = {"pages.draw.texts": {"names": "entry|limit"}}


@dataclass
class Expression:
    """uses: how it is applied."""

    place: str
    pattern: re.Pattern[str]
    uses: set[str] = field(default_factory=set)

    def apply(self, use: str, text: str) -> None:
        if use in ("sub", "subn"):
            self.pattern.sub("", text)
        elif use == "finditer":
            list(self.pattern.finditer(text))
        else:
            getattr(self.pattern, use)(text)

    def __str__(self) -> str:
        return f"{self.place} {self.pattern.pattern[:40]!r}"


@cache
def sources() -> dict[str, str]:
    """Module → its source."""
    paths = [path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*.py"))]
    return {_module(path): path.read_text("utf-8") for path in paths}


def modules() -> list[str]:
    """The modules that use `re`."""
    return [
        module for module, source in sources().items() if re.search(r"^\s*(import|from) re\b", source, re.M)
    ]


def _module(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


@cache
def expressions(module: str) -> list[Expression]:
    """Every call of a function of `re`. A module's compiled pattern is used as its name is, in any module."""
    results: dict[tuple[str, int], Expression] = {}
    tree = ast.parse(sources()[module])
    names = {id(node.value): node.targets[0] for node in ast.walk(tree) if isinstance(node, ast.Assign)}
    for call in _calls(tree):
        used = _uses_of_names().get(getattr(names.get(id(call)), "id", ""))
        uses = {call.func.attr} - {"compile"} or used or {"search", "fullmatch"}
        for pattern in _patterns(module, tree, call):
            one = Expression(f"{module}:{call.lineno}", pattern)
            results.setdefault((pattern.pattern, pattern.flags), one).uses |= uses
    return list(results.values())


def _calls(tree: ast.AST) -> Iterator[ast.Call]:
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module == "re":
            raise AssertionError("write `import re`, so that the test finds what is used of it")
        called = node.func if isinstance(node, ast.Call) else None
        of_re = isinstance(called, ast.Attribute) and getattr(called.value, "id", None) == "re"
        if of_re and called.attr in (*USES, "compile"):
            yield node


def _patterns(module: str, tree: ast.Module, call: ast.Call) -> list[re.Pattern[str]]:
    """The patterns of that call, computed from constants: of the module, or of the function it is in."""
    known = vars(importlib.import_module(module)) | VARIABLES.get(module, {})
    functions = (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))
    around = [node for node in functions if node.lineno <= call.lineno <= node.end_lineno]
    for node in (one for outer in around for one in ast.walk(outer) if isinstance(one, ast.Assign)):
        if isinstance(node.value, (ast.Constant, ast.JoinedStr)) and isinstance(node.targets[0], ast.Name):
            known[node.targets[0].id] = _value(node.value, known)
    flags = [one.value for one in call.keywords if one.arg == "flags"]
    at = {"compile": 1, "sub": 4, "subn": 4, "split": 3}.get(call.func.attr, 2)
    flags += call.args[at : at + 1]
    branch = call.args[0]
    branches = [branch.body, branch.orelse] if isinstance(branch, ast.IfExp) else [branch]
    try:
        return [re.compile(_value(one, known), _value(flags[0], known) if flags else 0) for one in branches]
    except NameError as problem:
        raise AssertionError(
            f"{module}:{call.lineno}: make the pattern a constant, or name its parts in VARIABLES"
        ) from problem


def _value(node: ast.expr, known: dict[str, object]) -> object:
    return eval(compile(ast.Expression(node), "pattern", "eval"), known)


@cache
def _uses_of_names() -> dict[str, set[str]]:
    """Name → the methods of patterns that are taken of it: NUMBER.fullmatch, entries.WORD.fullmatch."""
    results: dict[str, set[str]] = {}
    for source in sources().values():
        for name, use in re.findall(rf"(\w+)\.({'|'.join(USES)})\b", source):
            results.setdefault(name, set()).add(use)
    return results


@cache
def accepted(pattern: re.Pattern[str], count: int = 30) -> list[str]:
    """Short texts that match, each of another form."""
    result: list[str] = []

    @settings(
        max_examples=count,
        derandomize=True,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(st.from_regex(pattern, fullmatch=True))
    def collect(text: str) -> None:
        result.append(text)

    try:
        collect()
    except HypothesisException:  # it cannot be generated: assertions that seldom hold
        return []
    forms = {
        re.sub(r"\w", "0", text): text for text in sorted(result, key=len, reverse=True) if len(text) <= 60
    }
    return sorted(forms.values(), key=len)
