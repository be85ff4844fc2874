"""Three examples in which one word is changed: what attention is for. Pure functions on Settings."""

from dataclasses import dataclass, replace

from .edits import example_start
from .examples import family, in_language
from .fresh import Numbers
from .settings import Settings

Row = tuple[float, ...]


@dataclass(frozen=True)
class Story:
    """An example, the token whose output it is about, and the words that can be in it.

    token   the row that is followed
    place   the row whose word changes
    words   option → the word that is there, None where it stays, and the rows of X that differ with it
    """

    example: str
    token: int
    place: int
    words: dict[str, tuple[str | None, dict[int, Row]]]


STORIES = {
    "library": Story(
        "library",
        token=0,
        place=0,
        words={
            "ai": (None, {0: (2.0, 0.0, 0.0, 0.0, 0.0, 0.0)}),
            "both": (None, {0: (1.0, 1.0, 0.0, 0.0, 0.0, 0.0)}),
            "cooking": (None, {0: (0.0, 2.0, 0.0, 0.0, 0.0, 0.0)}),
        },
    ),
    # In one layer “it” could not know the last word, as its query comes from its own row. So both change.
    "it": Story(
        "it",
        token=3,
        place=4,
        words={
            "tired": ("tired", {4: (0.0, 0.0, 1.0, 0.0), 3: (0.0, 0.0, 4.0, 3.0)}),
            "wide": ("wide", {4: (0.0, 0.0, 0.0, 1.0), 3: (0.0, 0.0, 3.0, 4.0)}),
        },
    ),
    "bank": Story(
        "bank",
        token=1,
        place=4,
        words={
            "river": ("river", {4: (1.0, 0.0, 0.0, 0.0)}),
            "money": ("money", {4: (0.0, 1.0, 0.0, 0.0)}),
        },
    ),
}


def story_in(language: str, name: str) -> Story:
    """The story, with its example in that language."""
    return replace(STORIES[name], example=in_language(name, language))


def start(story: Story) -> Settings:
    """The story's example as it begins."""
    return example_start(story.example)


def is_open(story: Story, now: Settings) -> bool:
    """Whether the settings are this story's example, in any language, in its first sizes: its words fit."""
    first = start(story)
    sizes = ("tokens", "d_model", "num_heads", "head_dim", "value_dim", "kv_heads")
    return family(now.example) == family(story.example) and all(
        _size(getattr(now, name)) == _size(getattr(first, name)) for name in sizes
    )


def _size(value: tuple | int) -> int:
    return value if isinstance(value, int) else len(value)


def with_word(now: Settings, story: Story, option: str) -> Settings:
    """The story with another word; the other numbers stay the learner's, if it is open."""
    if not is_open(story, now):
        now = start(story)
    word, rows = story.words[option]
    tokens = (*now.tokens[: story.place], word or now.tokens[story.place], *now.tokens[story.place + 1 :])
    x: Numbers = tuple(rows.get(i, row) for i, row in enumerate(now.x))
    return replace(now, tokens=tokens, x=x)


def word_of(now: Settings, story: Story) -> str | None:
    """The option that the settings have, None where the learner wrote another word or other numbers there."""
    return next((option for option in story.words if with_word(now, story, option) == now), None)
