"""The picture needs nothing of the course: a copy of its folder works without the rest of the project."""

import shutil
import subprocess
import sys

from pages import picture

USE = """
import importlib, pkgutil, sys
import drawn
for module in pkgutil.iter_modules(drawn.__path__):
    importlib.import_module(f"drawn.{module.name}")
from drawn.modules import joined
x = drawn.Matrix("x", "X", ["a"], ["1"], [[0.5]])
data = drawn.packed(drawn.Picture([x], [drawn.Flow(["x"])]))
assert b'"title":"X"' in data and "class PictureView" in joined(drawn.HERE / "picture.js") and drawn.style()
print(*sorted({"attention", "pages", "streamlit"} & {*sys.modules}))
"""


def test_a_copy_of_the_folder_draws_without_the_rest(tmp_path):
    shutil.copytree(picture.HERE, tmp_path / "drawn", ignore=shutil.ignore_patterns("__pycache__"))
    run = subprocess.run([sys.executable, "-c", USE], cwd=tmp_path, capture_output=True, text=True, env={})
    assert (run.returncode, run.stdout.strip()) == (0, ""), run.stderr
