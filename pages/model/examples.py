"""Examples to begin with, made by hand from small whole numbers so that they can be read."""

from collections.abc import Sequence
from typing import Any

from .languages import LANGUAGES

_I3 = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
_I4 = ((1.0, 0.0, 0.0, 0.0), (0.0, 1.0, 0.0, 0.0), (0.0, 0.0, 1.0, 0.0), (0.0, 0.0, 0.0, 1.0))
_I2 = ((1.0, 0.0), (0.0, 1.0))
_Z2 = ((0.0, 0.0), (0.0, 0.0))
_Z4 = (0.0, 0.0, 0.0, 0.0)
_SIX = tuple(tuple(6 * v for v in row) for row in _I4)
_NAMES = ("tokens", "dimensions")  # of names
IT = ("it", "它")
_PLACES = ("#1", "#2", "#3", "#4")
# Row i has a 4 in column i − 1: multiplied with one-hot rows, place i asks for place i − 1.
_ASK_BEFORE = ((4.0, 0.0, 0.0, 0.0), (4.0, 0.0, 0.0, 0.0), (0.0, 4.0, 0.0, 0.0), (0.0, 0.0, 4.0, 0.0))

# The examples for the purpose of attention: columns 1-2 of X are matched by keys, columns 3-4 are the token's
# search; a value is ten times the first, plus the second.
_MEANINGS = {
    "d_k": 2,
    "d_v": 2,
    "w_q": ((0.0, 0.0), (0.0, 0.0), (1.0, 0.0), (0.0, 1.0)),
    "w_k": ((1.0, 0.0), (0.0, 1.0), (0.0, 0.0), (0.0, 0.0)),
    "w_v": ((10.0, 0.0), (0.0, 10.0), (1.0, 0.0), (0.0, 1.0)),
    "w_o": ((1.0, 0.0, 0.0, 0.0), (0.0, 1.0, 0.0, 0.0)),
}

_TIRED: dict[str, Any] = {
    "tokens": ("animal", "street", "it", "tired"),
    "dimensions": ("animal", "place", "pronoun", "tired"),
    "x": ((2.0, 0.0, 0.0, 0.5), (0.0, 2.0, 0.0, 0.0), (0.0, 0.0, 2.0, 1.0), (0.5, 0.0, 0.0, 2.0)),
    "d_k": 2,
    "d_v": 2,
    "w_q": ((0.5, 0.0), (0.0, 0.5), (1.0, 1.0), (1.0, -1.0)),
    "w_k": ((1.0, 0.0), (0.0, 1.0), (0.0, 0.0), (0.5, 0.0)),
    "w_v": ((2.0, 0.0), (0.0, 2.0), (0.0, 0.0), (1.0, 0.0)),
    "w_o": ((1.0, 0.0, 0.0, 0.0), (0.0, 1.0, 0.0, 0.0)),
}

_TIRED_ZH = _TIRED | {"tokens": ("动物", "马路", "它", "累"), "dimensions": ("动物", "地点", "代词", "累")}

# The same sentence with the word that joins its halves, for masks: five tokens, so that no two kinds of mask
# look alike; the custom one is strided.
_TIRED_MASKS = _TIRED | {
    "tokens": ("animal", "street", "because", "it", "tired"),
    "x": (*_TIRED["x"][:2], (0.5, 0.5, 0.0, 0.5), *_TIRED["x"][2:]),
    "mask": "causal",
    "padding": 3,
    "blocked": frozenset((i, j) for i in range(5) for j in range(5) if (i - j) % 2),
}
# And for two heads that want different things. Head 1 is that of the sentence alone: “it” looks for what it
# refers to. Head 2 looks for the state of an animal or a pronoun, and a state for its animal.
_TIRED_HEADS = _TIRED | {
    "num_heads": 2,
    "w_q": ((0.5, 0.0, 1.0, 0.0), (0.0, 0.5, 0.0, 0.5), (1.0, 1.0, 1.0, 0.0), (1.0, -1.0, 0.0, 1.0)),
    "w_k": ((1.0, 0.0, 0.0, 1.0), (0.0, 1.0, 0.0, 0.5), (0.0, 0.0, -0.5, 0.0), (0.5, 0.0, 2.0, 0.0)),
    "w_v": ((2.0, 0.0, 0.0, 1.0), (0.0, 2.0, 0.0, 0.0), (0.0, 0.0, 0.0, 0.0), (1.0, 0.0, 2.0, 0.0)),
    "w_o": ((1.0, 0.0, 0.0, 0.0), (0.0, 1.0, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0), (0.5, 0.0, 0.0, 0.0)),
}
# And translated: each word of the translation looks for its meaning in the sentence. The order differs, and
# “it” means an animal as well, a tired one.
_TIRED_TRANSLATION = {
    "tokens": ("累", "动物", "过", "马路"),
    "dimensions": ("animal", "cross", "place", "tired"),
    "x": (_I4[3], _I4[0], _I4[1], _I4[2]),
    "source": ("animal", "cross", "street", "it", "tired"),
    "y": (*_I4[:3], (0.5, 0.0, 0.0, 0.25), _I4[3]),
    "w_q": _SIX,
    "w_k": _I4,
    "w_v": _I4,
    "w_o": _I4,
}

# A request and three books. Columns 1-2 of X: what is asked for (AI, cooking); 3-4: the shelf label; 5-6:
# what the book says. Each of the three matrices reads the two columns that are its own.
_LIBRARY: dict[str, Any] = {
    "tokens": ("request", "robots", "recipes", "robot cook"),
    "dimensions": ("→ AI", "→ food", "tag AI", "tag food", "AI", "food"),
    "x": (
        (2.0, 0.0, 0.0, 0.0, 0.0, 0.0),
        (0.0, 0.0, 2.0, 0.0, 8.0, 0.0),
        (0.0, 0.0, 0.0, 2.0, 0.0, 8.0),
        (0.0, 0.0, 1.0, 1.0, 2.0, 6.0),
    ),
    "d_k": 2,
    "d_v": 2,
    "w_q": (*_I2, *_Z2, *_Z2),
    "w_k": (*_Z2, *_I2, *_Z2),
    "w_v": (*_Z2, *_Z2, *_I2),
    "w_o": ((1.0, 0.0, 0.0, 0.0, 0.0, 0.0), (0.0, 1.0, 0.0, 0.0, 0.0, 0.0)),
}
# Columns: water, money; searches for water, for money.
_BANK: dict[str, Any] = {
    "tokens": ("the", "bank", "of", "the", "river"),
    "dimensions": ("water", "money", "→ water", "→ money"),
    "x": (_Z4, (0.0, 0.0, 3.0, 5.0), _Z4, _Z4, _I4[0]),
    **_MEANINGS,
}

# name → the fields of Settings that differ from the start. A name with a language's code at its end is the
# example without the code, in this language.
_WRITTEN: dict[str, dict] = {
    # A short form of “The animal didn't cross the street because it was too tired”: the thread of the course.
    # Columns of X: what the word is, and whether it is tired, which an earlier layer has told “it” as well.
    # A pronoun asks for animals and places alike, a tired one for an animal. The two columns of Q and K are
    # how much of an animal and how much of a place.
    "tired": _TIRED,
    "tired_zh": _TIRED_ZH,
    "tired_masks": _TIRED_MASKS,
    "tired_masks_zh": _TIRED_MASKS
    | {"tokens": ("动物", "马路", "因为", "它", "累"), "dimensions": ("动物", "地点", "代词", "累")},
    "tired_heads": _TIRED_HEADS,
    "tired_heads_zh": _TIRED_HEADS
    | {"tokens": ("动物", "马路", "它", "累"), "dimensions": ("动物", "地点", "代词", "累")},
    "tired_translation": _TIRED_TRANSLATION,
    "tired_translation_zh": _TIRED_TRANSLATION
    | {
        "tokens": ("tired", "animal", "cross", "street"),
        "source": ("动物", "过", "马路", "它", "累"),
        "dimensions": ("动物", "过", "地点", "累"),
    },
    "cats": {},
    # One-hot tokens, and a query that asks for what the token is.
    "copy": {
        "tokens": ("猫", "狗", "鸟"),
        "dimensions": ("猫", "狗", "鸟"),
        "x": _I3,
        "w_q": ((4.0, 0.0, 0.0), (0.0, 4.0, 0.0), (0.0, 0.0, 4.0)),
        "w_k": _I3,
        "w_v": ((1.0, 2.0, 3.0), (4.0, 5.0, 6.0), (7.0, 8.0, 9.0)),
        "w_o": _I3,
    },
    # One-hot places; each place asks for the place before it, the first one for itself.
    "previous": {
        "tokens": ("我", "爱", "小", "猫"),
        "dimensions": _PLACES,
        "x": _I4,
        "w_q": _ASK_BEFORE,
        "w_k": _I4,
        "w_v": _I4,
        "w_o": _I4,
        "mask": "causal",
    },
    # Columns 1-2 of X say which word, columns 3-4 say first or second half. Head 1 looks for the same word,
    # head 2 for the other half.
    "two_heads": {
        "tokens": ("好", "人", "好", "人"),
        "dimensions": ("好", "人", "1–2", "3–4"),
        "x": ((1.0, 0.0, 1.0, 0.0), (0.0, 1.0, 1.0, 0.0), (1.0, 0.0, 0.0, 1.0), (0.0, 1.0, 0.0, 1.0)),
        "num_heads": 2,
        "w_q": ((4.0, 0.0, 0.0, 0.0), (0.0, 4.0, 0.0, 0.0), (0.0, 0.0, 0.0, 4.0), (0.0, 0.0, 4.0, 0.0)),
        "w_k": _I4,
        "w_v": _I4,
        "w_o": _I4,
    },
    # Columns 1-4 of X say which place, columns 5-6 which word. Head 1 asks for the place before its own (the
    # first place for itself), head 2 for the same word; both pass on the word.
    "two_jobs": {
        "tokens": ("好", "人", "好", "人"),
        "dimensions": (*_PLACES, "好", "人"),
        "x": tuple(place + word for place, word in zip(_I4, ((1.0, 0.0), (0.0, 1.0)) * 2, strict=True)),
        "num_heads": 2,
        "d_k": 4,
        "d_v": 2,
        "w_q": (*(row + _Z4 for row in _ASK_BEFORE), (*_Z4, 8.0, 0.0, 0.0, 0.0), (*_Z4, 0.0, 8.0, 0.0, 0.0)),
        "w_k": (*(row + _Z4 for row in _I4), *(_Z4 + row for row in _I4[:2])),
        "w_v": (*(_Z4,) * 4, (1.0, 0.0, 1.0, 0.0), (0.0, 1.0, 0.0, 1.0)),
        "w_o": tuple((*row, 0.0, 0.0) for row in _I4),
    },
    # Five tokens, so that no two kinds of mask look alike; the custom one is strided.
    "masks": {
        "tokens": ("小", "猫", "爱", "吃", "鱼"),
        "x": (
            (0.5, -0.4, 0.9, 0.1),
            (0.6, 0.1, 1.5, 0.9),
            (0.3, 1.2, 0.8, 0.4),
            (-0.5, 1.0, 0.2, -0.8),
            (1.2, -0.6, 0.4, -0.3),
        ),
        "mask": "causal",
        "padding": 3,
        "blocked": frozenset((i, j) for i in range(5) for j in range(5) if (i - j) % 2),
    },
    # One-hot meanings: each word of the translation looks for its meaning in the sentence. The order differs,
    # and two words look for the same one.
    "translation": {
        "tokens": ("昨天", "我", "看见", "了", "猫"),
        "x": (_I4[3], _I4[0], _I4[1], _I4[1], _I4[2]),
        "source": ("I", "saw", "cats", "yesterday"),
        "dimensions": ("I", "saw", "cats", "yesterday"),
        "y": _I4,
        "w_q": _SIX,
        "w_k": _I4,
        "w_v": _I4,
        "w_o": _I4,
    },
    "library": _LIBRARY,
    "library_zh": _LIBRARY
    | {
        "tokens": ("需求", "机器人", "菜谱", "机器人厨师"),
        "dimensions": ("→AI", "→烹饪", "标AI", "标烹饪", "AI", "烹饪"),
    },
    # The sentence of the course again, for the story of its pronoun (see stories.py).
    "it": _TIRED,
    "it_zh": _TIRED_ZH,
    "bank": _BANK,
    "bank_zh": _BANK | {"dimensions": ("水", "钱", "→水", "→钱")},
    # Columns of X: which word. Every token looks for its own word.
    "same_word": {
        "tokens": ("好", "人", "好", "人"),
        "dimensions": ("好", "人"),
        "x": _I2 + _I2,
        "w_q": ((8.0, 0.0), (0.0, 8.0)),
        "w_k": _I2,
        "w_v": _I2,
        "w_o": _I2,
    },
    # Queries of zeros: all scores are 0, all weights 1/3, and every output is the mean of the values.
    "uniform": {
        "tokens": ("猫", "狗", "鸟"),
        "dimensions": ("猫", "狗", "鸟"),
        "x": tuple(tuple(3 * v for v in row) for row in _I3),
        "w_q": ((0.0, 0.0, 0.0),) * 3,
        "w_k": _I3,
        "w_v": _I3,
        "w_o": _I3,
    },
    # Scores so far apart that each row is one-hot; each token finds the next, the last one the first.
    "one_hot": {
        "tokens": ("猫", "狗", "鸟"),
        "dimensions": ("猫", "狗", "鸟"),
        "x": _I3,
        "w_q": ((0.0, 40.0, 0.0), (0.0, 0.0, 40.0), (40.0, 0.0, 0.0)),
        "w_k": _I3,
        "w_v": _I3,
        "w_o": _I3,
    },
    # Under the causal mask each token finds itself, so that the output copies X.
    "causal_copy": {
        "tokens": ("我", "爱", "小", "猫"),
        "dimensions": ("我", "爱", "小", "猫"),
        "x": _I4,
        "w_q": tuple(tuple(20 * v for v in row) for row in _I4),
        "w_k": _I4,
        "w_v": _I4,
        "w_o": _I4,
        "mask": "causal",
    },
    # Columns 1-4 of X: which place; 5-7: which word; 8-10: the word before, which in a model a head of an
    # earlier layer has written there. Head 1 is such a head: it looks for the place before. Head 2 looks for
    # tokens whose word before is its own word, and gives their word: what followed it last time.
    "induction": {
        "tokens": ("A", "B", "C", "A"),
        "dimensions": (*_PLACES, "A", "B", "C", "← A", "← B", "← C"),
        "x": tuple(
            place + word + before
            for place, word, before in zip(_I4, (*_I3, _I3[0]), ((0.0, 0.0, 0.0), *_I3), strict=True)
        ),
        "num_heads": 2,
        "d_k": 4,
        "d_v": 3,
        "w_q": (
            *(tuple(3 * v for v in row) + _Z4 for row in _ASK_BEFORE),
            *(_Z4 + tuple(12 * v for v in row) for row in _I4[:3]),
            *(_Z4 + _Z4,) * 3,
        ),
        "w_k": (*(row + _Z4 for row in _I4), *(_Z4 + _Z4,) * 3, *(_Z4 + row for row in _I4[:3])),
        "w_v": (*((0.0,) * 6,) * 4, *(row + row for row in _I3), *((0.0,) * 6,) * 3),
        "w_o": (
            *((0.0,) * 7 + row for row in _I3),
            *(_Z4 + row + (0.0, 0.0, 0.0) for row in _I3),
        ),
        "mask": "causal",
    },
}

# The first of two layers, as in attention.lab.two_layers.by_hand. Columns 1-3 of X: which letter; 4-7: which
# place; 8-10: the letter before, which this layer copies there.
_ZERO_10 = (0.0,) * 10
_WRITTEN["copy_before"] = {
    "tokens": ("F", "D", "E", "D"),
    "dimensions": ("D", "E", "F", *_PLACES, "← D", "← E", "← F"),
    "x": tuple(
        letter + place + (0.0, 0.0, 0.0)
        for letter, place in zip((_I3[2], _I3[0], _I3[1], _I3[0]), _I4, strict=True)
    ),
    "d_k": 4,
    "d_v": 10,
    "w_q": (*(_Z4,) * 3, *(tuple(2 * v for v in row) for row in _ASK_BEFORE), *(_Z4,) * 3),
    "w_k": (*(_Z4,) * 3, *_I4, *(_Z4,) * 3),
    "w_v": (*((0.0,) * 7 + row for row in _I3), *(_ZERO_10,) * 7),
    "w_o": (_ZERO_10,) * 10,
    "scaling": "none",
    "mask": "causal",
}

# English words of examples whose numbers do not depend on words. The other examples are a lecture note's own
# example (我 爱 猫) and a translation, which has both languages.
_CHINESE_WORDS = ("我", "爱", "小", "猫", "狗", "鸟", "吃", "鱼", "好", "人")
_ENGLISH_WORDS = ("I", "love", "little", "cats", "dogs", "birds", "eating", "fish", "yes", "no")
_ENGLISH = dict(zip(_CHINESE_WORDS, _ENGLISH_WORDS, strict=True))
_TRANSLATED = (
    *("copy", "previous", "two_heads", "two_jobs", "masks"),
    *("same_word", "uniform", "one_hot", "causal_copy"),
)


def _in_english(name: str) -> dict[str, dict]:
    """The example in English as well, if its words have a translation."""
    fields = _WRITTEN[name]
    names = {key: tuple(_ENGLISH.get(word, word) for word in fields[key]) for key in _NAMES if key in fields}
    return {name: fields} | ({f"{name}_en": fields | names} if name in _TRANSLATED else {})


EXAMPLES = {twin: fields for name in _WRITTEN for twin, fields in _in_english(name).items()}


def in_language(name: str, language: str) -> str:
    """The example for readers of that language: in their language, or else the plain one."""
    own = f"{family(name)}_{language}"
    return own if own in EXAMPLES else family(name)


def family(name: str) -> str:
    """The example's name without the code of a language; a family is one example in several languages."""
    plain, _, code = name.rpartition("_")
    return plain if code in LANGUAGES and plain in EXAMPLES else name


def for_readers(language: str) -> list[str]:
    """The examples for readers of that language, one of each family, and the sentence of the course once."""
    return [name for name in EXAMPLES if name == in_language(name, language) and family(name) != "it"]


def row_of_it(tokens: Sequence[str]) -> int:
    """The row of “it”, in any language; in other tokens the third row, or the last one."""
    return next((row for row, token in enumerate(tokens) if token in IT), min(2, len(tokens) - 1))
