"""The course's small vocabulary: a vector for each word, in the columns of the sentence of the course.

The columns are animal, place, pronoun and tired. A word that the vocabulary does not have gets numbers that
are drawn from its spelling and mean nothing.
"""

import random
import re
import unicodedata
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import replace

from .edits import example_start
from .entries import SettingsError, parse_token, short_enough
from .examples import EXAMPLES
from .languages import LANGUAGES
from .matrices import MAX_TOKENS
from .settings import Settings, normalised

Vector = tuple[float, ...]

MAX_SENTENCE = 300  # characters
HOUR_WORDS = 8  # of a sentence that is typed in the hour: two pictures of it fit side by side
# English, Chinese, and the vector of both. The words of the examples have the vectors that they have there.
_WRITTEN: tuple[tuple[str, str, Vector], ...] = (
    ("animal", "动物", (2.0, 0.0, 0.0, 0.5)),
    ("cat", "猫", (2.0, 0.0, 0.0, 1.0)),
    ("dog", "狗", (2.0, 0.0, 0.5, 0.5)),
    ("bird", "鸟", (1.5, 0.5, 0.0, 0.5)),
    ("fish", "鱼", (1.5, 0.5, 0.0, 0.0)),
    ("horse", "马", (2.0, 0.0, 0.0, 0.0)),
    ("child", "孩子", (1.5, 0.0, 0.5, 1.0)),
    ("street", "马路", (0.0, 2.0, 0.0, 0.0)),
    ("road", "路", (0.0, 2.0, 0.0, 0.5)),
    ("bridge", "桥", (0.0, 1.5, 0.0, 0.0)),
    ("river", "河", (0.5, 1.5, 0.0, 0.0)),
    ("house", "房子", (0.5, 2.0, 0.0, 0.0)),
    ("park", "公园", (0.5, 1.5, 0.0, 0.5)),
    ("city", "城市", (0.5, 2.0, 0.0, 0.5)),
    ("it", "它", (0.0, 0.0, 2.0, 1.0)),
    ("he", "他", (0.5, 0.0, 2.0, 0.0)),
    ("she", "她", (0.5, 0.0, 2.0, 0.5)),
    ("they", "它们", (0.5, 0.5, 2.0, 0.0)),
    ("there", "那里", (0.0, 1.0, 2.0, 0.0)),
    ("tired", "累", (0.5, 0.0, 0.0, 2.0)),
    ("sleepy", "困", (0.5, 0.0, 0.0, 1.5)),
    ("hungry", "饿", (1.0, 0.0, 0.0, 1.0)),
    ("awake", "醒", (0.5, 0.0, 0.0, -2.0)),
    ("wide", "宽", (0.0, 1.0, 0.0, -0.5)),
    ("quiet", "安静", (0.0, 0.5, 0.0, 0.5)),
    ("the", "那", (0.5, 0.5, 0.0, 0.0)),
    ("a", "一", (0.5, 0.0, 0.0, 0.0)),
    ("in", "在", (0.0, 1.0, 0.0, 0.0)),
    ("and", "和", (0.5, 0.5, 0.0, 1.0)),
    ("very", "很", (0.0, 0.5, 0.0, 1.0)),
    ("because", "因为", (0.5, 0.5, 0.0, 0.5)),
    ("crossed", "过", (1.0, 1.0, 0.0, 0.0)),
    ("too", "太", (0.0, 0.0, 0.0, 1.0)),
    ("not", "没有", (0.0, 0.0, 0.0, -0.5)),
    ("was", "是", (0.0, 0.0, 0.5, 0.5)),
)
VOCABULARY: dict[str, Vector] = {word: vector for *twins, vector in _WRITTEN for word in twins}
_LONGEST = max(len(chinese) for _, chinese, _ in _WRITTEN)
_PRONOUN, _PRONOUNS = 2, 2.0  # the column, and its number for a pronoun
_CHUNK = re.compile(r"\S+")
_BETWEEN = re.compile(r"\w\s+\w")
_RANDOM = [half / 2 for half in range(-2, 5)]  # numbers as the vocabulary has them


def cut(text: str, most: int = MAX_TOKENS) -> tuple[str, ...]:
    """The words of a sentence, without punctuation.

    Spaces between words decide. Chinese without them is cut into the longest words of the vocabulary, and
    elsewhere into characters.
    """
    short_enough(text, MAX_SENTENCE)
    spaced = _BETWEEN.search(text) is not None
    chunks = (part for chunk in _CHUNK.findall(text) for part in _without_punctuation(chunk))
    words = [word for chunk in chunks for word in ([chunk] if spaced else _cut_chinese(chunk))]
    if not words:
        raise SettingsError("sentence_empty")
    if len(words) > most:
        raise SettingsError("sentence_too_long", count=len(words), limit=most)
    return tuple(map(parse_token, words))


def _without_punctuation(chunk: str) -> list[str]:
    """The parts of a chunk between punctuation; marks inside of a word stay, as in “didn't”."""
    last = len(chunk) - 1

    def parts(i: int, c: str) -> bool:
        if unicodedata.category(c)[0] in "PCZ":
            return not (c in "'’-" and 0 < i < last and chunk[i - 1].isalnum() and chunk[i + 1].isalnum())
        return False

    return "".join(" " if parts(i, c) else c for i, c in enumerate(chunk)).split()


def _cut_chinese(chunk: str) -> Iterator[str]:
    """Longest word first; letters of other scripts stay together."""
    at = 0
    while at < len(chunk):
        end = at + 1
        if _is_chinese(chunk[at]):
            lengths = range(min(_LONGEST, len(chunk) - at), 1, -1)
            end = next((at + length for length in lengths if chunk[at : at + length] in VOCABULARY), end)
        else:
            while end < len(chunk) and not _is_chinese(chunk[end]):
                end += 1
        yield chunk[at:end]
        at = end


def _is_chinese(c: str) -> bool:
    return "\u3400" <= c <= "\u9fff" or "\U00020000" <= c <= "\U0003ffff" or "\uf900" <= c <= "\ufaff"


def is_known(word: str) -> bool:
    return word.lower() in VOCABULARY


def vector_of(word: str) -> Vector:
    """The word's vector in the vocabulary, or else the same drawn numbers in every process."""
    known = VOCABULARY.get(word.lower())
    if known is not None:
        return known
    drawn = random.Random(zlib.crc32(word.encode()))
    return tuple(drawn.choice(_RANDOM) for _ in range(len(_WRITTEN[0][2])))


def sources(s: Settings) -> tuple[list[int], list[int]]:
    """The rows of X that are vectors of the vocabulary, and the rows that are drawn from the spelling.

    A row that the learner has changed is neither.
    """
    rows = [i for i, (word, row) in enumerate(zip(s.tokens, s.x, strict=True)) if row == vector_of(word)]
    known = [i for i in rows if is_known(s.tokens[i])]
    return known, [i for i in rows if i not in known]


def with_sentence(s: Settings, text: str, language: str, most: int = MAX_TOKENS) -> Settings:
    """The settings with the words of a typed sentence, each with its vector.

    The weight matrices stay where they read these columns; else they are those of the sentence of the course.
    most: words.
    """
    words = cut(text, most)
    courses = [EXAMPLES[row.example]["dimensions"] for row in LANGUAGES.values()]
    start = example_start(LANGUAGES[language].example)
    begun = s if s.dimensions in courses else start
    x = tuple(map(vector_of, words))
    return normalised(replace(begun, tokens=words, x=x, dimensions=start.dimensions))


def to_begin_with(tokens: Sequence[str]) -> int:
    """The place of the word to begin with: the first pronoun, or else the last word."""
    vectors = (VOCABULARY.get(word.lower()) for word in tokens)
    pronouns = (i for i, vector in enumerate(vectors) if vector and vector[_PRONOUN] == _PRONOUNS)
    return next(pronouns, len(tokens) - 1)
