"""The lesson's own numbers, and what it looks at."""

from dataclasses import dataclass

from pages.model.fields import choice, row


@dataclass(frozen=True)
class OneHeadNumbers:
    """What only this lesson changes."""

    request: tuple[float, ...] = row((0.5, 1.5), "request", 2)  # of the library: how much AI, how much food


@dataclass(frozen=True)
class OneHeadLook:
    """What only this lesson looks at."""

    tokens_as: str = choice("rows", "tokensas", ("rows", "columns"))
