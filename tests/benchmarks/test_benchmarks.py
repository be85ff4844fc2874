"""Every benchmark of the README runs to its end, with two visitors and for a few seconds."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.nginx import find_nginx
from tests.support.programs import ROOT, find_browser, missing
from tests.support.redis_server import find_redis

COMMANDS = re.findall(
    r"^\| `python (-m tests\.benchmarks\..+?)` \|", Path(__file__).with_name("README.md").read_text(), re.M
)
# What is added to a command, and a line with a figure that it prints towards its end.
FEW = {
    "speed": (
        "--rounds 1 --edits 2 --openings 1 --seconds 1 --after 0",
        r"edit answered, first visit +\d+\.\d ms",
    ),
    "lessons": ("softmax bars --times 1", r"12 × 8: \d+ gestures, median \d+\.\d ms"),
    "lessons ratios": ("softmax bars --times 1", r"\d\.\d\d  softmax · bars: edit logits \(\d+\.\d ms\)"),
    "load": (
        "--visitors 2 --seconds 1 --rounds 1",
        r"2 come within 5 s to a server that has been running median +\d+",
    ),
    "processes": ("--visitors 2 --edits 1 --seconds 2", r"0 wrong numbers, 0 sessions lost, 2 went on"),
    "rooms": ("--people 2 --voters 2", r"all 2 phones show them after \d+\.\d s\Z"),
    "following": (
        "--people 2 --seconds 1",
        r"charts too\n.*\n  the last value is on 95 of 100 pages after \d+\.\d s",
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS)
def test_it_runs_to_its_end(command):
    name = command.removeprefix("-m tests.benchmarks.")
    if name == "speed" and not find_browser():
        missing("no Chromium found (Debian: apt-get install chromium)")
    if name in ("processes", "rooms") and not find_nginx():
        missing("no nginx found (Debian: apt-get install nginx)")
    if name == "rooms":
        find_redis()
    options, figure = FEW[name]
    run = subprocess.run(
        [sys.executable, *shlex.split(command), *shlex.split(options)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        env=os.environ | {"PYTHONIOENCODING": "utf-8"},
    )
    assert run.returncode == 0, run.stdout + run.stderr
    assert re.search(figure, run.stdout.strip()), run.stdout
