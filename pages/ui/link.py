"""The settings as a link's query, and back. Readable, short, only what differs from the example's start."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from dataclasses import replace

from . import edits
from . import settings as s
from .entries import SettingsError, parse_lengths, parse_number, parse_token
from .settings import Settings

# The widest matrix has 16 × 128 numbers of at most 20 characters each, comma included.
MAX_VALUE_LENGTH = 41_000
MAX_LENGTH = 180_000
MAX_PROBLEMS = 5
OF_STREAMLIT = ("embed", "embed_options")


def write_number(value: float) -> str:
    return repr(value).removesuffix(".0")


def write_matrix(matrix: s.Matrix) -> str:
    return ";".join(",".join(map(write_number, row)) for row in matrix)


def read_matrix(text: str, rows: int, cols: int) -> s.Matrix:
    lines = [line.split(",") for line in text.split(";")]
    if len(lines) != rows or any(len(line) != cols for line in lines):
        raise ValueError("wrong shape")
    return tuple(tuple(parse_number(entry) for entry in line) for line in lines)


def _write_row(row: tuple[float, ...]) -> str:
    return ",".join(map(write_number, row))


def _read_row(text: str) -> tuple[float, ...]:
    return tuple(map(parse_number, text.split(",")))


def write_tokens(tokens: tuple[str, ...]) -> str:
    return ",".join(token.replace("\\", "\\\\").replace(",", "\\,") for token in tokens)


def read_tokens(text: str) -> tuple[str, ...]:
    tokens, escaped = [""], False
    for c in text:
        if escaped or c not in "\\,":
            tokens[-1] += c
            escaped = False
        elif c == "\\":
            escaped = True
        else:
            tokens.append("")
    if len(tokens) > s.MAX_TOKENS:
        raise SettingsError("too_many_tokens", limit=s.MAX_TOKENS)
    return tuple(map(parse_token, tokens))


def write_cell(cell: tuple[str, int, int] | None) -> str:
    return "" if cell is None else f"{cell[0]},{cell[1] + 1},{cell[2] + 1}"


def read_cell(text: str) -> tuple[str, int, int] | None:
    if not text:
        return None
    name, row, col = text.split(",")
    return name, int(row) - 1, int(col) - 1


def write_blocked(blocked: frozenset[tuple[int, int]]) -> str:
    return ",".join(f"{row + 1}-{col + 1}" for row, col in sorted(blocked))


def read_blocked(text: str) -> frozenset[tuple[int, int]]:
    pairs = [pair.split("-") for pair in text.split(",") if pair]
    return frozenset((int(row) - 1, int(col) - 1) for row, col in pairs)


def write_lengths(lengths: tuple[int, ...]) -> str:
    return ",".join(map(str, lengths))


def write_heads(heads: frozenset[int]) -> str:
    return ",".join(str(head + 1) for head in sorted(heads))


def read_heads(text: str) -> frozenset[int]:
    return frozenset(int(head) - 1 for head in text.split(",") if head)


def write_guesses(guesses: tuple[tuple[str, str], ...]) -> str:
    return ",".join(f"{question}:{option}" for question, option in guesses)


def read_guesses(text: str) -> tuple[tuple[str, str], ...]:
    guesses = dict(_pair(guess.split(":")) for guess in text.split(",") if guess)
    return tuple(sorted(guesses.items()))


def _pair(words: list[str]) -> tuple[str, str]:
    question, option = words
    return question, option


def _on_off(value: bool) -> str:
    return "on" if value else "off"


def _to_bool(text: str) -> bool:
    return {"on": True, "off": False}[text]


def _from_one(value: int | None) -> str:
    return "" if value is None else str(value + 1)


def _to_zero(text: str) -> int | None:
    return int(text) - 1 if text else None


def _size(value: int | None) -> str:
    return "auto" if value is None else str(value)


def _to_size(text: str) -> int | None:
    return None if text == "auto" else int(text)


# One table for both directions: the link's key, the field, how it is written, how it is read.
SIZES: dict[str, tuple[str, Callable, Callable]] = {
    "heads": ("num_heads", str, int),
    "kv": ("num_kv_heads", _size, _to_size),
    "dk": ("d_k", _size, _to_size),
    "dv": ("d_v", _size, _to_size),
}
CHOICES: dict[str, tuple[str, Callable, Callable]] = {
    "scaling": ("scaling", str, str),
    "divisor": ("own_divisor", write_number, parse_number),
    "mask": ("mask", str, str),
    "padding": ("padding", str, int),
    "left": ("window_left", str, int),
    "right": ("window_right", str, int),
    "blocked": ("blocked", write_blocked, read_blocked),
    "prefix": ("prefix", str, int),
    "packed": ("packed", write_lengths, parse_lengths),
    "mask2": ("mask_2", str, str),
    "combine": ("combine", str, str),
    "masked": ("masked_score", str, str),
    "reversed": ("reversed", _on_off, _to_bool),
    "crossmask": ("cross_mask", str, str),
    "sourcepadding": ("source_padding", str, int),
    "align": ("alignment", str, str),
    "head": ("head", _from_one, _to_zero),
    "other": ("other", _from_one, _to_zero),
    "off": ("off", write_heads, read_heads),
    "projection": ("projection", str, str),
    "writing": ("writing", str, str),
    "sample": ("sample", str, str),
    "case": ("sample_case", str, str),
    "mean": ("sample_mean", write_number, parse_number),
    "variance": ("sample_variance", write_number, parse_number),
    "correlation": ("sample_correlation", write_number, parse_number),
    "sampledk": ("sample_d_k", str, int),
    "pairs": ("sample_pairs", str, int),
    "seed": ("sample_seed", str, int),
    "logits": ("logits", _write_row, _read_row),
    "temperature": ("temperature", write_number, parse_number),
    "shift": ("shift", write_number, parse_number),
    "score": ("score", _from_one, _to_zero),
    "nudge": ("nudge", write_number, parse_number),
    "scoresize": ("score_size", write_number, parse_number),
    "precision": ("precision", str, str),
    "axis": ("axis", str, str),
    "dropout": ("dropout", write_number, parse_number),
    "dropoutseed": ("dropout_seed", str, int),
    "part": ("part", lambda part: part or "", lambda text: text or None),
    "guess": ("guesses", write_guesses, read_guesses),
    "row": ("row", _from_one, _to_zero),
    "cell": ("cell", write_cell, read_cell),
}
MATRICES = {"x": "x", "wq": "w_q", "wk": "w_k", "wv": "w_v", "wo": "w_o", "y": "y"}
BIASES = {"bq": "b_q", "bk": "b_k", "bv": "b_v", "bo": "b_o"}
KEYS = ("lang", "example", "tokens", "source", "dmodel", *SIZES, "biases", *MATRICES, *BIASES, *CHOICES)


def _sized(start: Settings, now: Settings, biases: bool, **sizes: int | None) -> Settings:
    """An example's start with the present tokens and sizes: what a link need not say."""
    start = s.normalised(replace(start, tokens=now.tokens, source=now.source, cell=None))
    start = edits.resize(start, **sizes)
    return edits.set_biases(start, True) if biases else start


def to_query(now: Settings) -> dict[str, str]:
    """The query of the link that brings back `now`. `lang` always stands in it."""
    start = edits.load_example(Settings(language=now.language), now.example)
    biases = now.b_q is not None
    sizes = {field: getattr(now, field) for field, _, _ in SIZES.values()}
    sized = _sized(start, now, biases, d_model=now.d_model, **sizes)
    query = {"lang": now.language}
    if now.example != Settings().example:
        query["example"] = now.example
    if now.tokens != start.tokens:
        query["tokens"] = write_tokens(now.tokens)
    if now.source != start.source:
        query["source"] = write_tokens(now.source)
    if now.d_model != start.d_model:
        query["dmodel"] = str(now.d_model)
    if biases:
        query["biases"] = "on"
    for key, (field, write, _) in (SIZES | CHOICES).items():
        if getattr(now, field) != getattr(start if key in SIZES else sized, field):
            query[key] = write(getattr(now, field))
    for key, name in (MATRICES | BIASES).items():
        matrix = s.as_matrix(now, name)
        if matrix is not None and matrix != s.as_matrix(sized, name):
            query[key] = write_matrix(matrix)
    return query


def _last(value: object) -> str:
    """A part's text: of several, the last, as in Streamlit."""
    if isinstance(value, list):
        value = value[-1] if value else ""
    return value if isinstance(value, str) else ""


class _Reader:
    """Takes the parts of a link one by one; what cannot be taken becomes a problem, and the rest goes on."""

    def __init__(self, query: Mapping[str, str | list[str]]):
        self.problems: list[SettingsError] = []
        parts = {key: _last(value) for key, value in query.items()}
        unknown = [key for key in parts if key not in KEYS and key not in OF_STREAMLIT]
        if unknown:
            names = ", ".join(key[:20] for key in unknown[:3])
            self.problems.append(SettingsError("link_unknown", names=names))
        if sum(map(len, parts.values())) > MAX_LENGTH:
            self.problems.append(SettingsError("link_too_long", limit=MAX_LENGTH))
            parts = {key: parts[key] for key in ("lang",) if key in parts}
        self.parts = parts

    def take(self, key: str, now: Settings, change: Callable[[str], Settings]) -> Settings:
        """`change` applied to the part `key`, if the link has it; else, or if it fails, `now`."""
        if key not in self.parts:
            return now
        text = self.parts[key]
        try:
            if len(text) > MAX_VALUE_LENGTH:
                raise ValueError("too long")
            return change(text)
        except (ValueError, TypeError, KeyError, IndexError, OverflowError):
            self.problems.append(SettingsError("link_value", name=key))
            return now

    def said(self) -> list[SettingsError]:
        """At most MAX_PROBLEMS of them; the last says how many more there are."""
        if len(self.problems) <= MAX_PROBLEMS:
            return self.problems
        left = len(self.problems) - MAX_PROBLEMS + 1
        return [*self.problems[: MAX_PROBLEMS - 1], SettingsError("link_more", count=left)]


def from_query(
    query: Mapping[str, str | list[str]], language: str = "en"
) -> tuple[Settings, list[SettingsError]]:
    """The settings a link stands for, and what of it could not be taken. Never raises.

    `language` is used where the link names none.
    """
    reader = _Reader(query)
    now = Settings(language=language if language in s.LANGUAGES else Settings().language)
    now = reader.take("lang", now, lambda text: edits.with_choice(now, language=text))
    now = reader.take("example", now, lambda text: edits.load_example(now, text))
    now = _take_sizes(reader, now)
    for key, name in (MATRICES | BIASES).items():
        now = reader.take(key, now, functools.partial(_with_matrix, now, name))
    for key, (field, _, read) in CHOICES.items():
        now = reader.take(key, now, functools.partial(_with_choice, now, field, read))
    return now, reader.said()


def _take_sizes(reader: _Reader, now: Settings) -> Settings:
    """Tokens, sizes and biases. The sizes go in together, for one may need the other."""
    now = reader.take("tokens", now, lambda text: s.normalised(replace(now, tokens=read_tokens(text))))
    now = reader.take("source", now, lambda text: s.normalised(replace(now, source=_source(text))))
    sizes: dict[str, int | None] = {}
    readers = {"dmodel": ("d_model", int)} | {key: (field, read) for key, (field, _, read) in SIZES.items()}
    for key, (field, read) in readers.items():
        reader.take(key, now, functools.partial(_note_size, now, sizes, field, read))
    now = _resized(reader, now, sizes)
    return reader.take("biases", now, lambda text: edits.set_biases(now, {"on": True}[text]))


def _source(text: str) -> tuple[str, ...]:
    tokens = read_tokens(text)
    if len(tokens) < s.MIN_SOURCE:
        raise ValueError("too short")
    return tokens


def _resized(reader: _Reader, now: Settings, sizes: dict[str, int | None]) -> Settings:
    """The sizes that go together: where the heads do not divide d_model, the heads are left out first."""
    try:
        return edits.resize(now, **sizes)
    except SettingsError as problem:
        reader.problems.append(problem)
        left_out = next(name for name in ("num_kv_heads", "num_heads", "d_model") if name in sizes)
        return _resized(reader, now, {name: size for name, size in sizes.items() if name != left_out})


def _note_size(now: Settings, sizes: dict, field: str, read: Callable, text: str) -> Settings:
    size = read(text)
    others = {"d_k": 1, "d_v": 1} | ({"num_heads": size} if field == "num_kv_heads" and size else {})
    edits.resize(now, **(others | {field: size}))  # raises where its own range is left
    sizes[field] = size
    return now


def _with_matrix(now: Settings, name: str, text: str) -> Settings:
    rows, cols = s.shapes(now)[name]
    if s.as_matrix(now, name) is None:
        raise ValueError("no biases")
    return s.with_matrix(now, name, read_matrix(text, rows, cols))


def _with_choice(now: Settings, field: str, read: Callable, text: str) -> Settings:
    value = read(text)
    changed = edits.with_choice(now, **{field: value})
    if getattr(changed, field) != value:
        raise ValueError("out of range")
    return changed
