"""The code of a room: six letters that look and sound different, as people read, say and type them."""

import re
import secrets

from .entries import WORD

LETTERS = (
    "AEHKLMORSTUWXY"  # of several letters that look or sound alike, as M and N, B and D, I and L, only one
)
LENGTH = 6
SPACES = re.compile(r"[\s-]+")  # between the letters, as people write them in groups
LONGEST = 100  # characters that are read


def tidy(text: str) -> str:
    """The code in a typed text, whose case and spaces do not matter. Raises ValueError for any other text."""
    code = SPACES.sub("", text[:LONGEST]).upper()
    if len(text) > LONGEST or (code and not WORD.fullmatch(code)):
        raise ValueError("no code")
    return code


def new_code() -> str:
    return "".join(secrets.choice(LETTERS) for _ in range(LENGTH))
