"""What a fresh server imports before the first page has drawn its inputs, and what it never needs."""

import os
import subprocess
import sys

import pytest

from tests.support.programs import ROOT

SCRIPT = """
import sys
from pages.model.settings import Settings
from pages.draw import placing, inputs, picture
from pages.model import core
from pages.shell import frame, toolbar
Settings()
print(core.is_ready(), [name for name in ("torch", "numpy", "altair", "pandas") if name in sys.modules])
core.load()
print(core.is_ready(), "torch" in sys.modules, "attention" in sys.modules)
"""


def test_the_inputs_need_neither_pytorch_nor_numpy_and_the_core_comes_with_load():
    command = [sys.executable, "-c", SCRIPT]
    process = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert process.stdout.splitlines() == ["False []", "True True True"]


THREADS = """
import os, threading
from pages.model import core
core.load()
import torch

def compute():
    before = len(os.listdir("/proc/self/task"))
    torch.ones(64, 64) @ torch.ones(64, 64)
    print(len(os.listdir("/proc/self/task")) - before)

run = threading.Thread(target=compute)
run.start()
run.join()
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the system lists no threads")
def test_a_page_s_run_starts_no_threads_for_its_small_matrices():
    """A run is a thread of its own; the second thread of each took more time than the page itself."""
    environment = {name: value for name, value in os.environ.items() if name != "OMP_NUM_THREADS"}
    command = [sys.executable, "-c", THREADS]
    ran = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
    assert ran.stdout.split() == ["0"]


FIRST_PAGE = """
import sys
from streamlit.testing.v1 import AppTest
app = AppTest.from_file("app.py", default_timeout=60).run()
print([name for name in ("altair", "pandas", "pyarrow") if name in sys.modules], len(app.exception))
"""


CHART = """
import sys
from pages.model import core
core.load()
from tests.support.screen import opened
app = opened("why_scale", "experiment")
there = [name for name in ("altair", "pandas", "pyarrow") if name in sys.modules]
print(there, len(app.get("vega_lite_chart")))
"""


def test_a_chart_is_drawn_without_pandas():
    """Besides 70 MB of memory: Altair fails where another thread is in the middle of importing pandas."""
    command = [sys.executable, "-c", CHART]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    modules, charts = ran.stdout.splitlines()[-1].rsplit(" ", 1)
    assert modules == "['altair', 'pyarrow']" and int(charts) > 0


def test_a_page_without_a_chart_is_opened_without_pandas_and_altair():
    """A component's data would bring pandas as well, unless it is bytes or a tuple: 70 MB."""
    command = [sys.executable, "-c", FIRST_PAGE]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert ran.stdout.splitlines()[-1:] == ["[] 0"]
