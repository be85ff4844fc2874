"""The forms of an answer in a vote: an option, a whole number, or a cell."""

import re
from dataclasses import asdict, dataclass
from typing import Any

from .entries import SettingsError, parse_whole


@dataclass(frozen=True)
class OptionsForm:
    """One of some options."""

    options: tuple[str, ...]

    def takes(self, answer: str) -> bool:
        return answer in self.options


@dataclass(frozen=True)
class NumberForm:
    """A whole number up to a limit, written without zeros in front."""

    limit: int
    options: tuple[str, ...] = ()

    def takes(self, answer: str) -> bool:
        return self.read(answer) == answer

    def read(self, entry: str) -> str | None:
        """The number as an answer of a vote; None for any other text."""
        try:
            number = parse_whole(entry)
        except SettingsError:
            return None
        return str(number) if 0 <= number <= self.limit else None


@dataclass(frozen=True)
class CellForm:
    """A cell of a matrix of this shape, written as row_column from 0."""

    rows: int
    cols: int
    options: tuple[str, ...] = ()

    def takes(self, answer: str) -> bool:
        place = self.read(answer)
        return place is not None and cell_word(*place) == answer

    def read(self, answer: str) -> tuple[int, int] | None:
        """Row and column; None for any other text, and for a cell outside of the matrix."""
        digits = re.fullmatch(r"([0-9]{1,3})_([0-9]{1,3})", answer)
        row, col = map(int, digits.groups()) if digits else (self.rows, self.cols)
        return (row, col) if row < self.rows and col < self.cols else None


Form = OptionsForm | NumberForm | CellForm
KINDS: dict[str, type[Form]] = {"options": OptionsForm, "number": NumberForm, "cell": CellForm}


def written(form: Form) -> dict[str, Any]:
    """The form as JSON."""
    kind = next(name for name, kind in KINDS.items() if isinstance(form, kind))
    return {"kind": kind, **asdict(form)}


def form_of(sent: dict[str, Any]) -> Form:
    """The form that was written."""
    facts: dict[str, Any] = {
        name: tuple(fact) if isinstance(fact, list) else fact for name, fact in sent.items()
    }
    return KINDS[facts.pop("kind")](**facts)


def cell_of(word: str) -> tuple[int, int]:
    """Row and column of an answer."""
    row, col = word.split("_")
    return int(row), int(col)


def cell_word(row: int, col: int) -> str:
    """The cell as an answer of a vote."""
    return f"{row}_{col}"
