"""What a fresh server imports before the first page has drawn its inputs."""

import subprocess
import sys

from tests.browser_support import ROOT

SCRIPT = """
import sys
from pages.model.settings import Settings
from pages.ui import core, figure, frame, inputs, picture, toolbar
Settings()
print(core.is_ready(), [name for name in ("torch", "numpy", "altair", "pandas") if name in sys.modules])
core.load()
print(core.is_ready(), "torch" in sys.modules, "attention" in sys.modules)
"""


def test_the_inputs_need_neither_pytorch_nor_numpy_and_the_core_comes_with_load():
    command = [sys.executable, "-c", SCRIPT]
    found = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert found.stdout.splitlines() == ["False []", "True True True"]
