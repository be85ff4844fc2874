"""Numbers as texts print them. What a number means is for the caller to say."""

import re

from pages.model.entries import TYPED

BLANK = "-"  # a number that is not printed
BLANKS = ("", "-", "?", "_", "NA", "None", "null")
DOTS = ("...", "…", "⋯", "⋮", "⋱", "..")
DECIMAL = r"(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?"
TERM = rf"(?:{DECIMAL}(?:√{DECIMAL})?|√{DECIMAL})"
COMMA = r"[0-9]*,[0-9]+(?:[eE][+-]?[0-9]{1,3})?"
# Also what is no finite number: a matrix with it is refused with the reason, and not taken for words.
NUMBER = re.compile(rf"[+-]?(?:{TERM}(?:/{TERM})?%?|{COMMA}%?|inf(?:inity)?|∞|nan)", re.I)
LONGEST = 100


def is_number(entry: str) -> bool:
    return len(entry) <= LONGEST and NUMBER.fullmatch(entry.translate(TYPED)) is not None


def is_blank(entry: str) -> bool:
    return entry.translate(TYPED) in BLANKS


def is_word(entry: str) -> bool:
    return not is_number(entry) and not is_blank(entry)


def with_point(entry: str) -> str:
    """A number in ASCII with a decimal point, or BLANK."""
    return BLANK if is_blank(entry) else entry.translate(TYPED).replace(",", ".")
