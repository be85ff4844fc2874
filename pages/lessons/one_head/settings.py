"""What the lesson looks at."""

from dataclasses import dataclass

from pages.model.fields import choice


@dataclass(frozen=True)
class OneHeadLook:
    """What only this lesson looks at."""

    tokens_as: str = choice("rows", "tokensas", ("rows", "columns"))
