"""The learner's whole state: the core settings, which all lessons share, and the lessons' own numbers."""

from dataclasses import dataclass, field

from .records import Owning
from .settings import Settings


@dataclass(frozen=True)
class State(Owning):
    """The state for undo and for links."""

    core: Settings = field(default_factory=Settings)
