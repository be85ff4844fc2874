"""One name has one meaning: no two classes of the core, the dashboard and its scripts have the same name."""

import ast
import re
from collections import Counter
from pathlib import Path

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
