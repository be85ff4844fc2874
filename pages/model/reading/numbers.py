"""Numbers as texts print them. What a number means is for the caller to say."""

import re

from pages.model.entries import TYPED

BLANK = "-"  # a number that is not printed
DOTS = ("...", "…", "⋯", "⋮", "⋱", "..")
BLANKS = ("", "-", "?", "_", "NA")
DECIMAL = r"(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eEdD][+-]?[0-9]{1,3})?"
TERM = rf"(?:{DECIMAL}(?:√{DECIMAL})?|√{DECIMAL})"
GROUPED = r"[0-9]{1,3}(?:[,.'_\u2009][0-9]{3})+(?:[.,][0-9]*)?"
COMMA = r"[0-9]*,[0-9]+(?:[eE][+-]?[0-9]{1,3})?"
# Also what is no finite real number: a matrix with it is refused with the reason, and not taken for words.
NUMBER = re.compile(
    rf"[+-]?(?:{TERM}(?:/{TERM})?%?|{DECIMAL}f0?|{COMMA}%?|{GROUPED}|inf(?:inity)?|∞|nan"
    rf"|{DECIMAL}[+-]{DECIMAL}[ij]|{DECIMAL}[ij])"
    r"|[+-]?(?:True|False|None|null|TRUE|FALSE)",
    re.I,
)
FLOAT = re.compile(r"(?<=[0-9.])f0?\Z")  # of C and Julia
LONGEST = 100


def is_number(entry: str) -> bool:
    return len(entry) <= LONGEST and NUMBER.fullmatch(entry.translate(TYPED)) is not None


def is_blank(entry: str) -> bool:
    return entry.translate(TYPED) in BLANKS


def not_number(entry: str) -> bool:
    return not is_number(entry) and not is_blank(entry)


def standing(entry: str) -> str:
    """A number with a decimal point, or BLANK."""
    if is_blank(entry):
        return BLANK
    return FLOAT.sub("", entry.translate(TYPED).replace("_", "").replace("D", "e"))
