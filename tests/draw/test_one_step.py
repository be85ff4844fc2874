"""A step with a switch of its own is declared in six files of the dashboard; the others follow from them."""

import re

import pytest

from pages.draw import steps
from pages.draw.steps.table import ROWS
from pages.model import edits
from pages.model.settings import FLAGS, Settings
from tests.support.programs import ROOT
from tests.support.worksheets import page_of

FILES = {
    "pages/model/settings.py": "its switch",
    "pages/draw/steps/projections.py": "its row",
    "pages/picture/recipes.py": "how a cell is made",
    "pages/picture/operations.js": "what the browser says of a cell",
    "pages/draw/en.toml": "its texts",
    "pages/draw/zh.toml": "its texts",
}
CODE = [path for path in (ROOT / "pages").rglob("*") if path.suffix in (".py", ".js", ".toml")]


def names(flag: str) -> set[str]:
    """The switch, its steps, the form of Q and K that they make, and the operations that only they use."""
    computation = steps.of(page_of(edits.with_choice(Settings(), **{flag: True})))
    own = {row.name for row in ROWS if row.switch == flag}
    operations = {name: computation[name].recipe["op"] for name in computation.rows}
    of_others = {operation for name, operation in operations.items() if name not in own}
    forms = {form for form in computation.forms if f"{form}_query" in own}
    return {flag, *own, *forms, *operations.values()} - of_others


@pytest.mark.parametrize("flag", FLAGS)
def test_a_step_is_named_in_the_files_that_declare_it_and_in_no_other(flag):
    name = re.compile(rf"(?<![.\w])({'|'.join(names(flag))})(?!\w)")
    named = {path.relative_to(ROOT).as_posix() for path in CODE if name.search(path.read_text("utf-8"))}
    assert named == set(FILES)
