"""What the page looks at."""

from dataclasses import dataclass

from pages.model.fields import typed

MAX_TEXT = 40


def _text(name: str, value: object, record: object) -> str:
    return " ".join(str(value or "").split())[:MAX_TEXT]


@dataclass(frozen=True)
class TermsLook:
    """What only this page looks at."""

    search: str = typed("search", _text)
