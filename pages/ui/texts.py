"""What the screen says, in the reader's language. A missing key raises: it is a bug, not a fallback."""

from __future__ import annotations

import functools
import re
import tomllib
from pathlib import Path

FOLDER = Path(__file__).parent.parent / "text"


@functools.cache
def table(language: str, name: str) -> dict[str, str]:
    """All short strings of `text/<language>/<name>.toml`, flat: section.key → text."""
    sections = tomllib.loads((FOLDER / language / f"{name}.toml").read_text("utf-8"))
    return {f"{section}.{key}": text for section, keys in sections.items() for key, text in keys.items()}


@functools.cache
def markdown(language: str, name: str) -> str:
    """The long text `text/<language>/<name>.md`."""
    return (FOLDER / language / f"{name}.md").read_text("utf-8")


class Texts:
    """The strings of the shared file and of one lesson's file."""

    def __init__(self, language: str, *names: str):
        self.language = language
        self._strings = {}
        for name in ("common", *names):
            self._strings |= table(language, name)

    def __call__(self, key: str, /, **values: object) -> str:
        """The text of `key`; `{name}` in it becomes values[name]. Raises KeyError for an unknown key.

        One pass, so that braces in a value are left alone; other braces in the text are TeX.
        """
        if not values:
            return self._strings[key]
        names = "|".join(map(re.escape, values))
        return re.sub("{(" + names + ")}", lambda found: str(values[found[1]]), self._strings[key])

    def gloss(self, token: str) -> str:
        """What a token of the examples means, in a language that needs it; else nothing."""
        return self._strings.get(f"gloss.{token}", "")


def literal(text: str) -> str:
    """A learner's text for Markdown, shown as typed: no HTML, Markdown, LaTeX, colour or icon shortcodes."""
    special = "\\`*_{}[]()<>#+-.!|~$:&^="
    return "".join("\\" + c if c in special else c for c in text)
