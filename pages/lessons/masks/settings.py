"""The lesson's own switch."""

from dataclasses import dataclass

from pages.model.fields import flag


@dataclass(frozen=True)
class MasksNumbers:
    """What only this lesson changes."""

    reversed: bool = flag(False, "reversed")  # the mask with its meaning turned round
