"""A language is a row of pages/model/languages.py and its texts: nothing else names a language."""

import ast
import subprocess
import sys

import pytest

from pages.model.languages import LANGUAGES, preferred
from tests.support.course import LESSONS, REFERENCE
from tests.support.programs import ROOT

# Adds a language whose texts are the English ones in brackets, opens every page in it, and prints what on the
# page has three words and no bracket.
SCRIPT = """
import re, sys
from pages.model.languages import LANGUAGES, Language
LANGUAGES["de"] = Language("de", "[Deutsch]", "de", " ", ", ", "; ", ": ")
from pages.draw import texts

read = texts.read

def bracketed(language, folder):
    if language != "de":
        return read(language, folder)
    sections = read("en", folder)
    # A translation of the core's errors has the keys of the Chinese one: their English is in the core.
    sections |= {"core": read("zh", folder)["core"]} if folder == texts.SHARED else {}
    word = re.compile("[A-Za-z]")
    return {
        name: {key: f"[{text}]" if word.search(text) else text for key, text in keys.items()}
        for name, keys in sections.items()
    }

texts.read = bracketed
from tests.support.screen import open_link, pictures  # builds the course, which reads the texts

for name in sys.argv[1:]:
    app = open_link(name, {"lang": "de"})
    assert not app.exception, (name, [one.message for one in app.exception])
    titles = [title.value for title in app.title] or [data["front"]["title"] for data in pictures(app)]
    assert titles and titles[0].startswith("["), name
    for element in (*app.markdown, *app.caption, *app.warning, *app.button):
        text = getattr(element, "value", None)
        text = element.label if not isinstance(text, str) else text
        if "[" not in text and re.search(r"(?:[A-Za-z]{3,} ){3}", text):
            print(name, repr(text[:80]))
"""


@pytest.mark.slow
def test_every_page_opens_in_a_language_that_has_only_a_row_and_texts():
    command = [sys.executable, "-c", SCRIPT, *LESSONS, *REFERENCE]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert ran.returncode == 0, ran.stderr[-2000:]
    assert ran.stdout == ""


def test_no_code_compares_with_a_language():
    """The core's errors are English: the one language that code may ask for is theirs, by name."""
    compared = []
    for path in (ROOT / "app.py", *ROOT.glob("pages/**/*.py"), *ROOT.glob("attention/*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            sides = [node.left, *node.comparators] if isinstance(node, ast.Compare) else []
            values = [side.value for side in sides if isinstance(side, ast.Constant)]
            compared += [(path.name, node.lineno) for value in values if value in LANGUAGES]
    assert compared == []


LOCALES = {"zh-Hant-TW": "zh", "zh": "zh", "en-GB": "en", "fr": "en", None: "en"}


@pytest.mark.parametrize(("locale", "language"), LOCALES.items())
def test_a_visit_begins_in_the_browser_s_language_where_the_course_has_it(locale, language):
    assert preferred(locale) == language
