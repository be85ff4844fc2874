"""The worked examples of CONTRIBUTING: their diffs apply, their tests pass, and forgotten texts are named."""

import os
import re
import shlex
import shutil
import subprocess
import sys

import pytest

from tests.support.programs import ROOT

TEXT = (ROOT / ".github" / "CONTRIBUTING.md").read_text("utf-8")
LEFT_OUT = shutil.ignore_patterns(".git", ".*cache", ".venv", "venv", "__pycache__", "*.png", "*.gif", "*.pt")
SHORT = re.compile(r"^order_no_slope = '(?:A slope of 0|斜率 0)'\n", re.MULTILINE)


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)


def run(*command: str, folder, **look) -> subprocess.CompletedProcess:
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=600, **look)


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    """A copy of the repository with all examples."""
    if shutil.which("git") is None:
        pytest.skip("git applies the diffs")
    folder = tmp_path_factory.mktemp("copy")
    shutil.copytree(ROOT, folder, ignore=LEFT_OUT, dirs_exist_ok=True)
    outside = os.environ | {"GIT_CEILING_DIRECTORIES": str(folder.parent)}  # of any other repository
    for diff in blocks("diff"):
        applied = run("git", "apply", "-", folder=folder, input=diff, env=outside)
        assert applied.returncode == 0, f"A diff of .github/CONTRIBUTING.md does not apply:\n{applied.stderr}"
    return folder


def test_without_its_short_name_the_question_is_refused_as_the_text_says(copy):
    command = sys.executable, "-c", "import pages.shell.course"
    whole = run(*command, folder=copy)
    assert whole.returncode == 0, whole.stderr
    files = {path: path.read_text("utf-8") for path in (copy / "pages" / "lessons" / "order").glob("*.toml")}
    try:
        for path, text in files.items():
            assert SHORT.search(text)
            path.write_text(SHORT.sub("", text), "utf-8")
        [message] = blocks("text")
        assert run(*command, folder=copy).stderr.endswith(message)
    finally:
        for path, text in files.items():
            path.write_text(text, "utf-8")


@pytest.mark.slow
def test_the_tests_that_the_examples_name_pass(copy):
    """In one run: the cases that any of the commands selects."""
    commands = [
        shlex.split(line)
        for block in blocks("bash")
        for line in block.splitlines()
        if line.startswith("pytest")
    ]
    assert len(commands) == len(blocks("diff")) == 3
    assert all(command[:3] == ["pytest", "-n", "0"] and command[-2] == "-k" for command in commands)
    paths = dict.fromkeys(path for command in commands for path in command[3:-2])
    cases = " or ".join(f"({command[-1]})" for command in commands)
    ran = run(sys.executable, "-m", "pytest", "-vv", "-n", "0", *paths, "-k", cases, folder=copy)
    assert ran.returncode == 0, ran.stdout[-3000:]
    for case in ("others[order]", "[order.order_no_slope]", "[order-alibi-en]", "[order-distances-zh]"):
        assert case in ran.stdout


def test_what_ci_refuses_is_refused_before_a_push():
    [command] = [block for block in blocks("bash") if block.startswith("ruff")]
    *checks, pytest_of_a_lesson = command.strip().split(" && ")
    lines = (ROOT / ".ci" / "run").read_text("utf-8").splitlines()
    first, last = lines.index(checks[0]), lines.index(checks[-1])
    assert lines[first : last + 1] == checks
    *_, policy, lesson = shlex.split(pytest_of_a_lesson)
    assert policy == "tests/policy" and (ROOT / lesson).is_dir()


def test_a_dragged_number_passes_nine_files_at_most():
    listed = re.findall(r"^\d\. `(.*?)` ", TEXT, re.MULTILINE)
    assert 0 < len(listed) <= 9 and all((ROOT / path).is_file() for path in listed)
