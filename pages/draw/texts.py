"""The texts of the screen in the reader's language. A missing key raises KeyError, without a fallback."""

import functools
import re
import tomllib
from collections.abc import Iterable, Mapping
from decimal import Decimal, InvalidOperation
from pathlib import Path
from urllib.parse import urlencode

from babel import Locale
from babel.lists import format_list

from pages.model.handout import told
from pages.model.languages import LANGUAGES

SHARED = Path(__file__).parent
LESSONS = SHARED.parent / "lessons"
CATEGORIES = ("zero", "one", "two", "few", "many", "other")  # of CLDR; a language has some of them
SPACE_AROUND_AND = re.compile(r"(?<=[A-Za-z0-9])(?=和)|(?<=和)(?=[A-Za-z0-9])")  # Latin in Chinese
FORMS = re.compile(r"\{(\w+):([^{}|]+(?:\|[^{}|]+)+)\}")
NAMED = re.compile(r"\{(\w+)\}")


def read(language: str, folder: Path) -> dict[str, dict[str, str]]:
    """The sections of `<folder>/<language>.toml`."""
    return tomllib.loads((folder / f"{language}.toml").read_text("utf-8"))


@functools.cache
def table(language: str, folder: Path) -> dict[str, str]:
    """All strings of `<folder>/<language>.toml`, flat: section.key → text."""
    sections = read(language, folder)
    return {f"{section}.{key}": text for section, keys in sections.items() for key, text in keys.items()}


def check(needed: Mapping[str, Iterable[str]]) -> None:
    """Raises ValueError where the files of a lesson lack keys that it needs; the message has all of them."""
    missing = [
        f"  {_path(language, LESSONS / lesson)} needs {key.partition('.')[2]} in [{key.partition('.')[0]}]"
        for lesson, keys in needed.items()
        for language in LANGUAGES
        for key in keys
        if key not in table(language, LESSONS / lesson)
    ]
    if missing:
        raise ValueError("\n".join(["texts are missing:", *missing]))


def _path(language: str, folder: Path) -> str:
    return (folder / f"{language}.toml").relative_to(LESSONS.parents[1]).as_posix()


TERM = re.compile(r"\]\(term:(\w+)\)")
LINKED = re.compile(r'\[([^\[\]]+)\]\(terms\?[^\s()\[\]]+ "[^"]*"\)')
TERMS = SHARED / "glossary"


def with_terms(text: str, language: str) -> str:
    """The text with its links [words](term:key) to *Terms*; the meaning shows where the pointer rests.

    Only for texts that the page shows as Markdown. KeyError for an unknown term.
    """
    if "](term:" not in text:
        return text
    terms = table(language, TERMS)

    def link(match: re.Match) -> str:
        query = urlencode({"lang": language, "search": terms[f"name.{match[1]}"]})
        query = query.replace("_", "%5F")  # or W_Q becomes a formula
        return f'](terms?{query} "{literal(terms[f"says.{match[1]}"])}")'

    return TERM.sub(link, text)


def without_terms(text: str) -> str:
    """The words of such links alone, for a text that travels in a link itself."""
    return LINKED.sub(r"\1", text)


class _Strings(dict[str, str]):
    """Texts by their keys."""

    where: str  # the files that they are from

    def __missing__(self, key: str) -> str:
        raise KeyError(f"{self.where} has no text {key}")


@functools.cache
class Texts:
    """The strings that lessons share, and the strings of one lesson."""

    def __init__(self, language: str, lesson: str | None = None):
        self.language = language
        folders = [SHARED, *([] if lesson is None else [LESSONS / lesson])]
        self._strings = _Strings()
        self._sections: dict[str, dict[str, str]] = {}
        self._strings.where = " or ".join(_path(language, folder) for folder in folders[::-1])
        for folder in folders:
            strings = table(language, folder)
            self._strings |= {key: with_terms(text, language) for key, text in strings.items()}
        for key, text in self._strings.items():
            section, _, rest = key.partition(".")
            self._sections.setdefault(section, {})[rest] = text

    def __call__(self, key: str, /, **values: object) -> str:
        """The text of `key`; `{name}` in it becomes values[name]. Raises KeyError for an unknown key.

        A text is Markdown, and so are its values, except typed texts (see Name). For places without Markdown
        use `plain`. `{name:token|tokens}` becomes the form that agrees with the number values[name]. Braces
        in values are left alone; other braces in the text are TeX.
        """
        if not values:
            return self._strings[key]
        parts = [*_in_parts(agreeing(self._strings[key], values, self.language))]
        parts[1::2] = (markdown(values[name]) if name in values else f"{{{name}}}" for name in parts[1::2])
        return "".join(parts)

    def own(self, text: str) -> str:
        """A teacher's own text in this language (see handout.told), as Markdown that shows it as it is."""
        return literal(told(text, self.language))

    def __contains__(self, key: str) -> bool:
        """Whether there is a text of that key."""
        return key in self._strings

    def section(self, name: str) -> Mapping[str, str]:
        """All texts of one section, by the rest of their key."""
        return self._sections.get(name, {})

    def joined(self, sentences: Iterable[str]) -> str:
        """Sentences one after the other."""
        return LANGUAGES[self.language].space.join(sentences)

    def listed(self, items: Iterable[object], *, apart: bool = False) -> str:
        """A series of numbers or facts. apart: the items have separators of their own."""
        language = LANGUAGES[self.language]
        return (language.semicolon if apart else language.comma).join(map(markdown, items))

    def all_of(self, items: Iterable[object]) -> str:
        """A list within a sentence, its last item joined by "and"."""
        text = format_list(list(map(markdown, items)), "standard", self.language)
        return SPACE_AROUND_AND.sub(" ", text)

    def gloss(self, token: str) -> str:
        """The meaning of a token of the examples in another language; else nothing."""
        return self._strings.get(f"gloss.{token}", "")


@functools.cache
def _in_parts(text: str) -> tuple[str, ...]:
    """The text between names in braces, and the names: every second part is a name."""
    return tuple(NAMED.split(text))


def agreeing(text: str, values: Mapping[str, object], language: str) -> str:
    """The text with the form of each noun or verb that agrees with its number."""
    if "|" not in text:
        return text
    return FORMS.sub(lambda form: _form(form[2].split("|"), values[form[1]], language), text)


def _form(forms: list[str], number: object, language: str) -> str:
    """The form for a number, which may be written as the screen shows it: 1,024 or −1."""
    rule = Locale(language).plural_form
    categories = [name for name in CATEGORIES if name in rule.tags or name == "other"]
    try:
        category = rule(abs(Decimal(str(number).replace(",", "").replace("−", "-"))))
    except InvalidOperation:  # a share or an unknown: no count
        category = "other"
    return forms[categories.index(category)]


class Name(str):
    """A typed text: a token, a label, a title. Texts with it as a value show it as typed."""


def quoted(names: Iterable[str]) -> list[str]:
    """Names of tokens or labels as a sentence has them, in quotation marks."""
    return [f"“{markdown(name)}”" for name in names]


def nested(name: str) -> str:
    """A label for use between quotation marks: its own become single ones."""
    return type(name)(name.translate(str.maketrans("“”", "‘’")))


SPECIAL = r"\\`*_{}\[\]()<>#+\-.!|~$:&^="
# Texts that Streamlit turns into icons, emoji, links and arrows in spite of escapes: a word joiner, which is
# invisible, separates them.
JOINER = "\u2060"
SPECIAL_ONES = re.compile(f"([{SPECIAL}])")
ESCAPED = re.compile(rf"\\([{SPECIAL}])|{JOINER}")
MADE_LATER = re.compile(r"(?<=:)(?=[\w+/-])|(?<=@)(?=\w)|(?<=www)(?=\.)|(?<=[<>~-])(?=[->=])", re.IGNORECASE)


@functools.lru_cache(maxsize=1024)
def literal(text: str) -> str:
    """A visitor's text for Markdown, shown as typed: no HTML, LaTeX, link, image, colour, icon or emoji."""
    return SPECIAL_ONES.sub(r"\\\1", MADE_LATER.sub(JOINER, text))


def markdown(value: object) -> str:
    """A value for Markdown: typed texts are escaped, the course's own texts may have markup."""
    return literal(value) if isinstance(value, Name) else str(value)


def plain(text: str) -> str:
    """A text for a place without Markdown: without links to *Terms* and the escapes of `literal`."""
    return ESCAPED.sub(lambda match: match[1] or "", without_terms(text))
