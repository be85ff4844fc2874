"""The code that README shows runs as it is, and prints what README says."""

import re
import subprocess
import sys

import pytest

import attention
from pages.draw.texts import Texts
from tests.support.course import COURSE, LESSONS
from tests.support.programs import ROOT
from tests.support.screen import LANGUAGES

FILES = ("README.md", ".github/README.zh.md")


def python_blocks(name):
    return re.findall(r"^```python\n(.*?)^```$", (ROOT / name).read_text("utf-8"), re.M | re.S)


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", FILES)
def test_its_lines_run(name):
    printed = []
    for block in python_blocks(name):
        command = [sys.executable, "-c", block]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
        printed.append(done.stdout)
    steps, report = printed
    assert re.findall(r"^(\w+) \(4, ", steps, re.M) == [
        *("query", "key", "value", "scores", "scaled_scores", "masked_scores", "weights", "output")
    ]
    assert re.search(r'# "(.*?)"', python_blocks(name)[1])[1] in report


def test_both_languages_say_the_minutes_of_the_hour():
    sentences = f"about {COURSE.minutes} minutes", f"大约 {COURSE.minutes} 分钟"
    for name, said in zip(FILES, sentences, strict=True):
        assert said in (ROOT / name).read_text("utf-8")


def test_both_languages_show_the_same_code():
    def code(name):
        return [re.sub(r" *#.*", "", block) for block in python_blocks(name)]

    assert code(FILES[0]) == code(FILES[1])


@pytest.mark.parametrize("name", FILES)
def test_its_table_names_what_there_is(name):
    table = re.search(r"^\| `scaled_dot_product.*?\n\n", (ROOT / name).read_text("utf-8"), re.M | re.S)[
        0
    ].rstrip()
    named = {word for row in table.splitlines() for word in re.findall(r"`(\w+)(?!\w|=`)", row.split("|")[1])}
    left = {name for name in attention.__all__ if name.endswith("Trace")}
    left |= {"FlashTile", "OnlineSoftmax", "Step"}
    assert named - {"trace"} == set(attention.__all__) - left


@pytest.mark.parametrize(("name", "language"), [*zip(FILES, LANGUAGES, strict=False)])
def test_its_lessons_are_those_of_the_course_in_their_order(name, language):
    table = re.search(r"^\| --- \| --- \|\n(.*?)\n\n", (ROOT / name).read_text("utf-8"), re.M | re.S)[1]
    titles = [Texts(language, lesson)("lesson.title") for lesson in LESSONS]
    assert [row.split("|")[1].strip() for row in table.splitlines()] == titles


@pytest.mark.parametrize(
    ("name", "line"), [*zip(FILES, ("has not chosen a licence", "尚未选定许可证"), strict=True)]
)
def test_it_says_that_no_licence_is_chosen_and_leads_to_that_of_the_numbers(name, line):
    text = (ROOT / name).read_text("utf-8")
    assert text.count(line) == 1
    notice = (ROOT / name).parent / re.search(r"\[Apache-2\.0\]\((.*?)\)", text)[1]
    assert "Apache License, Version 2.0" in notice.read_text("utf-8")


def test_ci_may_only_read():
    workflows = (ROOT / ".github" / "workflows").glob("*.yml")
    for text in (workflow.read_text("utf-8") for workflow in workflows):
        assert re.findall(r"^permissions:\n((?:  .*\n)+)", text, re.M) == ["  contents: read\n"]
        assert text.count("permissions") == 1


def test_the_files_that_contributors_are_led_to_exist():
    text = (ROOT / ".github" / "CONTRIBUTING.md").read_text("utf-8")
    named = set(re.findall(r"`((?:attention|pages|tests)/[\w/.-]+|app\.py)`", text))
    assert len(named) > 20
    assert [path for path in named if not (ROOT / path).exists()] == []
