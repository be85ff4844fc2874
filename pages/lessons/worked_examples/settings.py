"""What the lesson looks at."""

from dataclasses import dataclass

from pages.model.entries import SettingsError
from pages.model.fields import typed

MAX_DOCUMENT = 20_000  # characters


def _document(name: str, value: object, record: object) -> str:
    text = str(value or "")
    if len(text) > MAX_DOCUMENT:
        raise SettingsError("link_too_long", limit=MAX_DOCUMENT)
    return text


@dataclass(frozen=True)
class WorkedLook:
    """What only this lesson looks at."""

    document: str = typed("document", _document)  # a worked example that is audited
