"""Reads entries of learners and links into clean values, or raises a SettingsError."""

import json
import math
import numbers
import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, ClassVar

MAX_VALUE = 1e6
MAX_TOKEN_LENGTH = 24
# Limits of texts in characters, spaces included: a longer text is refused before it is read.
MAX_ENTRY = 40  # one number
MAX_NAME = 10 * MAX_TOKEN_LENGTH  # one token, with invisible characters and spaces
MAX_LIST = 2_000  # several tokens or lengths
FILE_LIMIT = 1_000_000  # bytes of a file, unpacked as well
MAX_PROBLEMS = 5  # on the screen at a time
WORD = re.compile(r"\w{1,24}", re.ASCII)  # names of questions, options, parts

# code → the names of its facts
CODES = {
    "not_a_number": ("entry",),
    "entry_too_long": ("entry", "length", "limit"),
    "text_too_long": ("length", "limit"),
    "too_large": ("entry", "limit"),
    "token_empty": (),
    "token_too_long": ("length", "limit"),
    "too_many_tokens": ("limit",),
    "sentence_too_long": ("count", "limit"),
    "sentence_empty": (),
    "row_of_zeros": ("token", "matrix"),
    "too_few_tokens": (),
    "out_of_range": ("name", "low", "high", "got"),
    "too_near_zero": ("name", "low", "got"),
    "unknown_choice": ("name", "got"),
    "paste_shape": ("rows", "cols", "room_rows", "room_cols"),
    "heads_do_not_divide": ("num_heads", "d_model", "divisors"),
    "heads_not_shared": ("kv_heads", "heads", "divisors"),
    "source_too_short": ("limit", "got"),
    "not_lengths": ("entry",),
    "file_unreadable": ("kind",),
    "file_kind": ("kind",),
    "file_not_ours": (),
    "file_value": ("name",),
    "file_too_large": ("limit",),
    "file_type": ("type",),
    "file_entries": ("limit",),
    "file_empty": (),
    "file_uneven": ("row", "expected", "got"),
    "file_shape": ("name", "rows", "cols", "room_rows", "room_cols"),
    "file_size": ("name", "rows", "cols", "room_rows", "room_cols"),
    "file_dimensions": ("name", "count", "shape"),
    "file_names": ("names", "known"),
    "file_header": ("line",),
    "file_labels": ("names",),
    "file_others": ("names",),
    "file_left_out": ("names",),
    "file_linear": ("names",),
    "text_again": ("name",),
    "text_as_weights": (),
    "text_batch": ("count",),
    "text_comma": ("entry",),
    "text_cut": (),
    "text_left": ("count", "line"),
    "text_not_read": ("line",),
    "text_others": ("names",),
    "text_places": ("name",),
    "text_shortened": (),
    "text_too_many": ("limit",),
    "text_totals": ("name",),
    "text_twice": ("name",),
    "text_weights": ("limit",),
    "link_value": ("name",),
    "link_unknown": ("names",),
    "link_too_long": ("limit",),
    "link_more": ("count",),
    "more_problems": ("count",),
    "locked": (),
    "held": (),
    "vote_gone": ("room",),
    "vote_wait": ("room", "seconds"),
    "vote_closed": (),
    "vote_late": (),
    "vote_open": (),
    "vote_away": (),
    "vote_not_yours": (),
    "vote_unknown": (),
    "votes_full": ("limit",),
    "voters_full": ("limit",),
    "room_full": ("limit",),
    "vote_rests": (),
    "room_shut": ("room",),
}


class Refusal(ValueError):
    """An entry that is refused. `code` is one of `codes`, `facts` its plain numbers and names."""

    codes: ClassVar[dict[str, tuple[str, ...]]]

    def __init__(self, code: str, **facts: object):
        if set(facts) != set(self.codes[code]):
            raise TypeError(f"{code} has the facts {self.codes[code]}, got {tuple(facts)}")
        super().__init__(f"{code} {facts}")
        self.code, self.facts = code, facts


class SettingsError(Refusal):
    """A setting that is refused."""

    codes = CODES


@contextmanager
def refusing(kind: str) -> Iterator[None]:
    """Raises a SettingsError that the file is no `kind`, for any error of the library that reads it.

    Errors of libraries for damaged files are not documented: zlib.error, TokenError, MemoryError, …
    """
    try:
        yield
    except SettingsError:
        raise
    except Exception as problem:
        raise SettingsError("file_unreadable", kind=kind) from problem


def first_problems(problems: list[SettingsError], more: str) -> list[SettingsError]:
    """At most MAX_PROBLEMS problems; the last one, with the code `more`, counts the rest."""
    if len(problems) <= MAX_PROBLEMS:
        return problems
    left = len(problems) - MAX_PROBLEMS + 1
    return [*problems[: MAX_PROBLEMS - 1], SettingsError(more, count=left)]


# Full-width forms and every dash that people type for a minus; the component has the same table.
TYPED = str.maketrans("０１２３４５６７８９．／＋－ｅＥ‐‑‒–—―−﹣", "0123456789./+-eE--------")
# A number, a square root, a product of both, or a quotient of two such terms.
DECIMAL = r"((?:[0-9]+(?:[.,][0-9]*)?|[.,][0-9]+)(?:e[+-]?[0-9]+)?)"
TERM = rf"{DECIMAL}?(?:√{DECIMAL})?"
NUMBER = rf"([+-]?)(?=[^ /]){TERM}(?: */ *(?=.){TERM})?"
JOINERS = "\u200c\u200d"  # of Persian and Indic words, and of emoji


def is_text(value: object) -> bool:
    """Whether the value is a text that can be sent and shown. JSON may have half a character."""
    try:
        return isinstance(value, str) and (value.isascii() or len(value.encode()) > 0)
    except UnicodeEncodeError:
        return False


def read_json(text: str, *, number: type[str] | None = None) -> Any:
    """The value in the JSON text, all of whose strings are texts. Raises ValueError or RecursionError.

    number: str, to get numbers as they are written.
    """
    content = json.loads(text, parse_float=number, parse_int=number)
    if "\\u" in text:  # the only way to write half a character
        json.dumps(content, ensure_ascii=False).encode()
    return content


def short_text(entry: object) -> str:
    """The entry, short enough for a sentence."""
    try:
        return str(entry)[:40].encode(errors="replace").decode()
    except (ValueError, RecursionError):  # an integer of thousands of digits, lists in lists in lists
        return type(entry).__name__


def short_enough(text: str, limit: int) -> str:
    """The text, if it has at most `limit` characters."""
    if len(text) > limit:
        raise SettingsError("text_too_long", length=len(text), limit=limit)
    return text


def _typed(entry: object) -> str:
    """An entry without the spaces around it, in ASCII where there is a full-width form or a dash."""
    text = (entry if isinstance(entry, str) else short_text(entry)).strip()
    if len(text) > MAX_ENTRY:
        raise SettingsError("entry_too_long", entry=short_text(text), length=len(text), limit=MAX_ENTRY)
    return text.translate(TYPED)


def parse_number(entry: object) -> float:
    """A finite number of at most MAX_VALUE, from a number or from text as people type it.

    The decimal mark is a point or a comma; fractions and square roots are computed: 2/3, 1/√3, √3/2, sqrt(2).
    Digits are the digits of ASCII and their full-width forms.
    """
    text = _typed(entry).lower().replace("sqrt", "√")
    match = re.fullmatch(NUMBER, re.sub(rf"√\({DECIMAL}\)", r"√\1", text))
    sign, *terms = match.groups() if match else ("", "0", "0", "0", "0")
    a, b, c, d = (float((term or "1").replace(",", ".")) for term in terms)
    below = c * math.sqrt(d)
    value = a * math.sqrt(b) / below if below else math.nan
    if math.isnan(value):
        raise SettingsError("not_a_number", entry=short_text(entry))
    value = float(f"{-value if sign == '-' else value:.12g}")
    if abs(value) > MAX_VALUE:
        raise SettingsError("too_large", entry=short_text(entry), limit=int(MAX_VALUE))
    return value + 0.0  # no −0.0


def parse_whole(entry: object) -> int:
    """A whole number of at most fifteen digits, from a number or from text as people type it."""
    text = _typed(entry)
    if not re.fullmatch(r"[+-]?[0-9]{1,15}", text):
        raise SettingsError("not_a_number", entry=short_text(entry))
    return int(text)


def parse_token(text: str) -> str:
    """A token's name: on one line, not empty, not too long."""
    text = text.strip()
    if len(text) > MAX_NAME:
        raise SettingsError("token_too_long", length=len(text), limit=MAX_TOKEN_LENGTH)
    kept = "".join(c if c in JOINERS or unicodedata.category(c)[0] not in "CZ" else " " for c in text)
    name = " ".join(kept.split())
    if not name.strip(JOINERS + " "):
        raise SettingsError("token_empty")
    if len(name) > MAX_TOKEN_LENGTH:
        raise SettingsError("token_too_long", length=len(name), limit=MAX_TOKEN_LENGTH)
    return name


def write_names(names: Iterable[str]) -> str:
    """Names with commas between them; a comma or a backslash of a name has a backslash before it."""
    return ",".join(name.replace("\\", "\\\\").replace(",", "\\,") for name in names)


def split_names(text: str) -> list[str]:
    """The parts of a text of `write_names`, with their backslashes."""
    names: list[list[str]] = [[]]
    escaped = False
    for c in text:
        if escaped or c not in "\\,":
            names[-1].append(c)
            escaped = False
        elif c == "\\":
            escaped = True
        else:
            names.append([])
    return ["".join(name) for name in names]


def parse_tokens(text: str, limit: int) -> tuple[str, ...]:
    """Several tokens' names, with spaces or commas between them."""
    names = _listed(text)
    if len(names) > limit:
        raise SettingsError("too_many_tokens", limit=limit)
    return tuple(map(parse_token, names))


def parse_lengths(text: str) -> tuple[int, ...]:
    """Lengths as people type them: 2, 1."""
    entries = _listed(text.translate(TYPED))
    if not entries or not all(re.fullmatch(r"[0-9]{1,2}", entry) for entry in entries):
        raise SettingsError("not_lengths", entry=short_text(text))
    return tuple(map(int, entries))


def _listed(text: str) -> list[str]:
    """The words of a text with spaces or commas between them."""
    return [entry for entry in re.split(r"[\s,，、]+", short_enough(text, MAX_LIST)) if entry]


def whole(name: str, value: object, low: int, high: int) -> int:
    """A whole number from low to high."""
    if isinstance(value, bool) or not isinstance(value, numbers.Integral) or not low <= int(value) <= high:
        raise SettingsError("out_of_range", name=name, low=low, high=high, got=short_text(value))
    return int(value)


def one_of(name: str, value: object, choices: Collection[str]) -> str:
    if not isinstance(value, str) or value not in choices:
        raise SettingsError("unknown_choice", name=name, got=short_text(value))
    return value


def word(name: str, value: object, record: object = None) -> str:
    """The name of a question, an option or a part."""
    if not isinstance(value, str) or not WORD.fullmatch(value):
        raise SettingsError("unknown_choice", name=name, got=short_text(value))
    return value
