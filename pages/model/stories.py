"""Two examples in which one word changes the attention of another. Pure functions on Settings."""

from dataclasses import dataclass, field, replace

from .edits import example_start
from .examples import family, in_language
from .fresh import Numbers
from .languages import LANGUAGES
from .settings import Settings

Row = tuple[float, ...]


@dataclass(frozen=True)
class Story:
    """An example with a token whose output changes with another word.

    token   the row that is followed
    place   the row whose word changes
    words   option → the word, or None for the example's own, and the rows of X that differ with it
    spelled language → option → the word, where readers of that language have another one
    """

    example: str
    token: int
    place: int
    words: dict[str, tuple[str | None, dict[int, Row]]]
    spelled: dict[str, dict[str, str]] = field(default_factory=dict)


STORIES = {
    # The sentence of the course. In one layer “it” could not know the last word, as its query comes from its
    # own row. So both rows change.
    "it": Story(
        "it",
        token=2,
        place=3,
        words={
            "tired": ("tired", {3: (0.5, 0.0, 0.0, 2.0), 2: (0.0, 0.0, 2.0, 1.0)}),
            "wide": ("wide", {3: (0.0, 0.5, 0.0, -2.0), 2: (0.0, 0.0, 2.0, -1.0)}),
        },
        spelled={"zh": {"tired": "累", "wide": "宽"}},
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
    """The story, with its example and its words in that language."""
    story = STORIES[name]
    spelled = story.spelled.get(language, {})
    words = {option: (spelled.get(option, word), rows) for option, (word, rows) in story.words.items()}
    return replace(story, example=in_language(name, language), words=words)


def story_of(example: str) -> Story | None:
    """The story of that example, in the language of the example."""
    name, language = family(example), example.rpartition("_")[2]
    return story_in(language if language in LANGUAGES else "", name) if name in STORIES else None


def start(story: Story) -> Settings:
    """The story's example with its original numbers."""
    return example_start(story.example)


def is_open(story: Story, settings: Settings) -> bool:
    """Whether the story's words fit the settings: they are its example, in any language, in its sizes."""
    first = start(story)
    sizes = ("tokens", "d_model", "num_heads", "head_dim", "value_dim", "kv_heads")
    return family(settings.example) == family(story.example) and all(
        _size(getattr(settings, name)) == _size(getattr(first, name)) for name in sizes
    )


def _size(value: tuple | int) -> int:
    return value if isinstance(value, int) else len(value)


def with_word(settings: Settings, story: Story, option: str) -> Settings:
    """The story with another word; if it is open, the learner's other numbers stay."""
    if not is_open(story, settings):
        settings = start(story)
    word, rows = story.words[option]
    tokens = list(settings.tokens)
    tokens[story.place] = word or tokens[story.place]
    x: Numbers = tuple(rows.get(i, row) for i, row in enumerate(settings.x))
    return replace(settings, tokens=tuple(tokens), x=x)


def word_of(settings: Settings, story: Story) -> str | None:
    """The option of the settings, None if the learner has changed the word or its numbers."""
    return next((option for option in story.words if with_word(settings, story, option) == settings), None)
