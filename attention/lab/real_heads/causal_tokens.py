"""A text as tokens and back: byte pair encoding as GPT-2 has it (Sennrich et al. 2016), with digits apart."""

import heapq
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

# A piece of text without numbers: a word with the space before it, signs, or spaces.
PIECE = re.compile(r"'(?:s|t|re|ve|m|ll|d)| ?[^\W_]+| ?(?:[^\s\w]|_)+|\s+(?!\S)|\s+")


def _letters() -> dict[int, str]:
    """A visible letter for each byte: the byte's own in Latin-1 if it is visible, else one from 256 on."""
    visible = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [byte for byte in range(256) if byte not in visible]
    return {byte: chr(byte) for byte in visible} | {byte: chr(256 + i) for i, byte in enumerate(others)}


LETTERS = _letters()
BYTES = {letter: byte for byte, letter in LETTERS.items()}


def pieces(text: str) -> Iterator[str]:
    """The text in pieces that no token goes beyond. Every digit is a piece of its own."""
    start = 0
    for place, letter in enumerate(text):
        if unicodedata.category(letter)[0] == "N":
            yield from PIECE.findall(text[start:place])
            yield letter
            start = place + 1
    yield from PIECE.findall(text[start:])


@dataclass(frozen=True, eq=False)
class BytePairs:
    """The tokens of a model, each written in the letters of its bytes, and the merges in their order."""

    tokens: Sequence[str]
    merges: Mapping[tuple[str, str], int]

    @cached_property
    def numbers(self) -> dict[str, int]:
        return {token: number for number, token in enumerate(self.tokens)}

    def encode(self, text: str) -> list[int]:
        """The numbers of the text's tokens."""
        bytes_of = (piece.encode(errors="replace") for piece in pieces(text))
        written = ("".join(map(LETTERS.__getitem__, piece)) for piece in bytes_of)
        return [self.numbers[part] for piece in written for part in self._merged(piece)]

    def decode(self, numbers: Iterable[int]) -> str:
        """The text of the tokens; bytes that are part of a character become a replacement character."""
        letters = "".join(self.tokens[number] for number in numbers)
        return bytes(BYTES[letter] for letter in letters if letter in BYTES).decode(errors="replace")

    def _merged(self, piece: str) -> list[str]:
        """The piece with its neighbours merged, the earliest merge first; n log n in the piece's length."""
        parts, after, before = list(piece), [*range(1, len(piece) + 1)], [*range(-1, len(piece) - 1)]
        waiting: list[tuple[int, int, str, str]] = []

        def look(left: int) -> None:
            right = after[left] if left >= 0 else len(parts)
            if right < len(parts) and (rank := self.merges.get((parts[left], parts[right]))) is not None:
                heapq.heappush(waiting, (rank, left, parts[left], parts[right]))

        for place in range(len(parts)):
            look(place)
        while waiting:
            _, left, first, second = heapq.heappop(waiting)
            right = after[left]
            if right == len(parts) or (parts[left], parts[right]) != (first, second):
                continue  # one of the two has been merged meanwhile
            parts[left], parts[right] = first + second, ""
            after[left] = after[right]
            if after[left] < len(parts):
                before[after[left]] = left
            look(before[left])
            look(left)
        return [part for part in parts if part]
