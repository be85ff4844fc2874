"""What `pip install .` gives: the core with check and show, typed, which needs nothing but PyTorch."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from email.parser import Parser

import pytest

import attention
from tests.support.programs import ROOT

pytestmark = pytest.mark.slow  # it builds and installs the package

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
USED = """
import importlib, pkgutil, torch
import attention
for module in pkgutil.walk_packages(attention.__path__, "attention."):
    importlib.import_module(module.name)
print(attention.__file__)
x = torch.eye(2)
attention.show(attention.scaled_dot_product_attention(x, x, x))
print(attention.check(lambda query, key, value: torch.softmax(query @ key.mT, -1) @ value))
"""
SIZE = 330_000  # bytes of all files; check is more than half of them


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """A folder into which a copy of the project was installed, without the network."""
    source, target = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("installed")
    for name in ("pyproject.toml", "app.py"):
        shutil.copy(ROOT / name, source)
    for name in ("attention", "pages", "tests"):
        shutil.copytree(ROOT / name, source / name, ignore=shutil.ignore_patterns("__pycache__"))
    offline = ("--no-deps", "--no-build-isolation", "--no-index", "--disable-pip-version-check", "--quiet")
    command = [sys.executable, "-m", "pip", "install", *offline, "--target", str(target), str(source)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return target


def test_only_the_core_is_installed(installed):
    folders = {path.name for path in installed.iterdir() if not path.name.endswith(".dist-info")}
    assert folders == {"attention"}


def files(folder):
    kept = (path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    return {str(path.relative_to(folder)): path.stat().st_size for path in kept}


def test_every_file_of_the_core_is_installed_and_none_of_the_lab(installed):
    core = {name for name in files(ROOT / "attention") if not name.startswith("lab/")}
    assert set(files(installed / "attention")) == core and "py.typed" in core
    assert sum(files(installed / "attention").values()) < SIZE


@pytest.fixture(scope="module")
def metadata(installed):
    return Parser().parsestr(next(installed.glob("*.dist-info/METADATA")).read_text("utf-8"))


def test_no_licence_is_chosen_for_the_course_and_that_of_the_numbers_is_named(installed, metadata):
    assert metadata["License-Expression"] == "LicenseRef-Not-Chosen-Yet" and metadata["License"] is None
    licences = next(installed.glob("*.dist-info")) / "licenses"
    text = [(licences / name).read_text("utf-8") for name in metadata.get_all("License-File")]
    assert "Apache License" in text[0] and "not part of the package" in text[1]
    assert "has not chosen a licence" in metadata.get_payload() and "Apache-2.0" in metadata.get_payload()


def test_the_description_has_neither_pictures_nor_links_that_an_index_does_not_have(metadata):
    assert metadata["Description-Content-Type"] == "text/markdown"
    assert re.findall(r"!\[|\]\((?!https://)|<img", metadata.get_payload()) == []
    named = set(re.findall(r"`(\w+)`", metadata.get_payload()))
    assert named and named <= set(attention.__all__)


def test_it_works_where_nothing_else_of_the_project_is_to_be_found(installed, tmp_path):
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    command = [sys.executable, "-c", USED]
    environment["PYTHONPATH"] = str(installed)
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(str(installed / "attention/__init__.py"))
    assert "scaled_scores (2, 2), scale 0.7071" in done.stdout
    assert "It looks like this: the scores are not scaled" in done.stdout


def test_pytorch_is_its_only_need():
    assert [need.partition(">")[0] for need in PROJECT["project"]["dependencies"]] == ["torch"]
