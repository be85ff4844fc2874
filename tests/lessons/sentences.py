"""Faults of sentences, read from the words alone."""

import functools
import html
import math
import re
from collections.abc import Iterable, Iterator
from urllib.parse import parse_qs, urlsplit

from pages.draw.texts import LESSONS, SHARED, Texts, literal, table
from tests.hostile import markup


def of(text: str) -> list[str]:
    """What is said, without tables, formulas and code, which may have braces and signs of their own."""
    plain = re.sub(r"<style>.*?</style>|```.*?```", "", text, flags=re.DOTALL)
    plain = re.sub(r"\$[^$]*\$|`[^`]*`", "x", plain)
    return [line for line in without_tags(plain).splitlines() if line.strip() and not line.startswith("|")]


def without_tags(text: str) -> str:
    return re.sub(r"<[^>]*>", " ", text)


# ---- placeholders, signs, numbers

EN = r"more than|up to|(?<!of )at most|at least|less than|off by"
ZH = r"超过|多于|少于|不到|至少|最多(相差|改变|偏差)"
FAULTS = {
    "a placeholder": r"\{[a-z_0-9]+\}",
    "not a number": r"\b(nan|inf)\b",
    "minus zero": r"[−-]0(\.0+)?(?![\d.,e])",
    "a raw exponent": r"\de[+-]\d",
    "a hyphen for a minus sign": r"(?<![\w\\=-])-\d",
    "two full stops": r"(?<!\.)\.\.(?![./])|。[。.]",
    "two quotation marks": "““|””",
    "an empty list": r"(?<!\[)[:：,，、(（]\s*[.。,，、;；)）](?!\d)|“\s*”",
    "a claimed difference that reads as 0": rf"({EN}|{ZH})\s?0(\.0+|%)(?!\d)|(up to|off by) 0(?!\.?\d)"
    r"|\bdiffer(s|ed)?( from [^.]*)? by 0(?![.·]?\d)|相差 ?0(?![.·]?\d)",
    # What is near 0 or 1 says so, as 3×10⁻⁷ or 1 − 3×10⁻⁷; what is 0 or 1 has no three decimals.
    # A row of numbers, as (4.066, 0.110, 0.000), has as many everywhere.
    "a number that reads like 0 or 1": r"(?<!\d, )(?<![\d.·,])\b[01]\.0{3,}(?!\d|%|, ?[−\d])",
    "a change to the same number": r"\bfrom (−?[\d.]+%?) to \1(?![\d.]*\d)|\b(\d+) of the \2\b",
    # Only what is near 0 or 1 needs so many.
    "more decimals than a reader needs": r"(?<![\d.])(?<!arXiv:)(?<!abs/)(?!0\.00|0\.99|1\.00)\d+\.\d{5,}",
}


def broken(lines: Iterable[str]) -> list[str]:
    return [f"{fault}: {line}" for line in lines for fault, how in FAULTS.items() if re.search(how, line)]


# ---- marks

TEX = r"\\(?:cdot|exp|frac|ge|infty|le|log|mathrm|ne|omega|partial|sqrt|sum|text|theta|times|top)\b"
UNREAD = re.compile(
    rf"__|(?<![_^])\{{[a-z_0-9]+(?::[^{{}}]*)?\}}|{TEX}"
)  # by Markdown and by any other place
MARKED = re.compile(r"```.*?```|`[^`]*`|\$[^$]*\$|\]\((?:[^()\\]|\\.|\([^()]*\))*\)|\\.", re.DOTALL)


def raw_marks(text: str, *, is_markdown: bool) -> list[str]:
    """What its place shows as written: a placeholder, a mark of Markdown, TeX outside of a formula."""
    shown = as_read(text) if is_markdown else text
    stars = shows_asterisks(shown) if is_markdown else "**" in shown or "](" in shown
    return [f"{text[:90]!r}"] if stars or UNREAD.search(shown) else []


def as_read(text: str) -> str:
    """Markdown without its code, formulas, escapes and the targets of its links."""
    return MARKED.sub(lambda mark: ")" if mark[0].startswith("](") else "x", text)


def shows_asterisks(text: str) -> bool:
    """Whether Markdown shows the asterisks of bold words: at 叫作**[键](…)**是, next to a mark."""
    parts = text.split("**")
    return len(parts) % 2 == 0 or any(
        (re.match(r"\W", bold) and re.search(r"\w$", before))
        or (re.search(r"\W$", bold) and re.match(r"\w", after))
        for before, bold, after in zip(parts[::2], parts[1::2], parts[2::2], strict=False)
    )


# ---- names and nouns

TOKEN = re.compile(r"Z[qs]\d")
# Named rightly: in quotation marks; as the place of a cell, S[Zq0, Zq1]; in bold, as an option is.
NAMED = re.compile(r"“[^“”]*”|\w\\?\[[^\]]*\]|\*\*[^*]*\*\*")
PLURAL = re.compile(r"(?<![\d.,/·×–−=√] )(?<![\d.,/·–−=√-])(?<![Hh]ead )(?<!lgorithm )\b1 ([a-z]+s)\b")
SINGULAR = {"is", "was", "has", "as", "this", "stays", "plus", "times", "differs", "lies", "sums"}


def with_plain_names(text: str) -> str:
    """The text with Zq0, Zq1, … for the names that are markup."""
    for number, name in sorted(enumerate(markup.NAMES), key=lambda one: -len(one[1])):
        for spelling in (literal(name), html.escape(name), name):
            text = text.replace(spelling, f"Zq{number}")
    return text


def unquoted(lines: Iterable[str]) -> list[str]:
    return [line for line in lines if TOKEN.search(NAMED.sub("", line))]


def disagreeing(lines: Iterable[str]) -> list[str]:
    """What follows a 1 in these lines and is no word of SINGULAR, each with its line."""
    return [f"1 {word}: {line}" for line in lines for word in PLURAL.findall(line) if word not in SINGULAR]


# ---- winners
# A text that names one winner has a sibling, <key>_tie, which names several (pages/draw/winners.py).

# Other texts on one winner: what they say instead of a tie has another name.
MORE = {"one_head": ("arrows.best", "arrows.longer"), "many_heads": ("because.ablation_one",)}
# Places whose winners are not among the learner's numbers.
OTHER_NUMBERS = (
    *(("one_head", part) for part in ("meaning", "library", "row", "hand", "arrows")),
    ("two_layers", "by_hand"),
    ("real_heads", "one_real_head"),
    ("real_heads", "next_word"),
    ("real_heads", "explain", "model"),
    ("real_heads", "explain", "without"),
    ("transformer", "the_model"),
)


@functools.cache
def winning(name: str, language: str) -> dict[str, re.Pattern]:
    """The texts on one winner that the lesson can say, each as a pattern of what is filled in."""
    texts = table(language, SHARED) | table(language, LESSONS / name)
    keys = [key for key in texts if f"{key}_tie" in texts]
    return {key: pattern(texts[key]) for key in (*keys, *MORE.get(name, ()))}


def pattern(text: str) -> re.Pattern:
    (text,) = of(re.sub(r"\{(\w+)[^{}]*\}", "Zq", text))
    filled = re.escape(text).replace("“Zq”", "“[^“”]+”").replace("Zq", ".+?")
    return re.compile(filled)


def named_winners(lines: list[str], name: str, language: str) -> Iterator[str]:
    stand_in = Texts(language)("question.stands_in", example="|").split("|")[0]
    on_an_example = any(line.startswith(stand_in) for line in lines)
    for key, text in winning(name, language).items():
        if not (on_an_example and key.startswith("because.")):  # there the verdict is on the example
            yield from (f"{key}: {line}" for line in lines if text.search(line))


# ---- arithmetic

CALCULATOR = {"exp": math.exp, "sqrt": math.sqrt, "max": max, "__builtins__": {}}
EXPRESSION = re.compile(r"(?:[0-9.+\-*/(), ]|e-?[0-9]|exp|sqrt|max)+")


def calculated(line: str) -> tuple[float, str] | None:
    """What a calculator gives, and what is printed; None where the line has no arithmetic."""
    words, equals, printed = line.rpartition(" = ")
    text = words.rpartition(" = ")[2].replace("·", "*").replace("−", "-")
    text = re.sub(r"√([0-9.]+)", r"sqrt(\1)", text)
    if not equals or not re.search(r"[*/+]|exp", text) or not EXPRESSION.fullmatch(text):
        return None
    try:
        return eval(text, CALCULATOR), printed.replace("−", "-").strip("()")
    except (ArithmeticError, SyntaxError):
        return None


def miscalculated(lines: Iterable[str]) -> list[str]:
    """The lines whose printed result is not what a calculator gives, to the last digit."""
    results = []
    for line in lines:
        value = calculated(line)
        if value is None or not re.fullmatch(r"-?[0-9]+\.[0-9]+", value[1]):
            continue
        decimals = len(value[1].partition(".")[2])
        if abs(value[0] - float(value[1])) > 0.5000001 * 10.0**-decimals:
            results.append(line)
    return results


# ---- Chinese

CODE = re.compile(r"```.*?```|`[^`]*`|\\?\[[^\]\n]*\]|\$[^$]*\$", re.DOTALL)
HAN = "[\u4e00-\u9fff]"
LATIN = re.compile(rf"{HAN}[”）]?[,;] ?(?={HAN}|“)|(?<=[。，；：、]) +(?={HAN}|“)")


def with_latin_marks(text: str) -> list[str]:
    """Where Chinese has a Latin comma or semicolon, or a space after its own; not in code or formulas."""
    return [text[max(0, one.start() - 20) : one.end() + 20] for one in LATIN.finditer(CODE.sub("·", text))]


# ---- the language of tokens

FOREIGN = {"en": re.compile(HAN), "zh": re.compile("[A-Za-z]{2}")}
# A translation has both languages. A note's example has the note's own tokens, and an ambiguous English
# word, an English sentence and an English model are what their parts are about.
BOTH = {"cross_attention", "worked_examples-notes", "worked_examples-code"}
ENGLISH = {"one_head-meaning-it", "one_head-meaning-bank", "worked_examples-gallery", "real_heads"}
SIGNS = re.compile("AI|b?float[0-9]+|d_model")  # the same in both languages


def is_foreign_place(place: tuple, language: str) -> bool:
    """Whether the place shows tokens of another language, for a reason."""
    name = "-".join(filter(None, place))
    return any(name.startswith(one) for one in BOTH | (ENGLISH if language == "zh" else set()))


def is_foreign(name: str, language: str) -> bool:
    return bool(FOREIGN[language].search(SIGNS.sub("", name)))


# ---- links to terms

LINK = re.compile(r'\[[^\]]*\]\(terms(\?[^ )]*) "(?:\\.|[^"\\])*"\)')


def linked_terms(text: str) -> list[str]:
    """The names of the terms to which the text has a link."""
    return [parse_qs(urlsplit(link).query)["search"][0] for link in LINK.findall(text)]
