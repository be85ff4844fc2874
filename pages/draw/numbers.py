"""Numbers as text, the same everywhere."""

import functools
import math
from collections.abc import Callable, Sequence
from contextlib import suppress

from pages.model.shown import decimals_of

DIGITS = "⁰¹²³⁴⁵⁶⁷⁸⁹"  # of an exponent
RAISED = str.maketrans("0123456789-", f"{DIGITS}⁻")
MOST_DECIMALS = 9  # of a number in a line of arithmetic


def minus(text: str) -> str:
    """A number's text with the minus sign in place of the hyphen."""
    return text.replace("-", "−")


def counted(count: int) -> list[str]:
    """Numbers in place of names of rows or columns: 1, 2, 3 …"""
    return [str(i + 1) for i in range(count)]


def bracketed(text: str) -> str:
    """A number's text as a factor or behind a sign: a negative one in parentheses."""
    return f"({text})" if text.startswith("−") else text


def short(value: float, decimals: int = 2) -> str:
    """At most six characters: a heatmap's cell. −∞ and NaN are written out."""
    size = abs(value)
    if not size < math.inf:
        return "NaN" if value != value else "∞" if value > 0 else "−∞"
    if size >= 99_999.5:
        return _exponential(value)
    text = f"{value:.{decimals_of(value, decimals)}f}"
    if text.startswith("-"):
        text = text[1:] if float(text) == 0 else "−" + text[1:]
    return text


def confirmed(
    compute: Callable[..., float],
    values: Sequence[float],
    result: float,
    *,
    least: int = 2,
    decimals: int = 4,
) -> list[str]:
    """The values in as few decimals as a calculator needs to get the result as it is printed.

    compute(*values) is the computation of the line. decimals: of its result. If no number of decimals is
    enough, as after rounding to a short format, the values have the least number.
    """
    digits = fewest(
        lambda digits: compute(*(read(value, digits) for value in values)), result, least, decimals
    )
    return as_read(values, digits, least)


def as_read(values: Sequence[float], decimals: int | None, least: int = 2) -> list[str]:
    """The numbers with so many decimals, or in the short format."""
    if decimals is None:
        return [short(value, least) for value in values]
    return [fixed(value, decimals) for value in values]


def fewest(compute: Callable[[int], float], result: float, least: int = 2, decimals: int = 4) -> int | None:
    """The least number of decimals of the numbers that gives the result as it is printed, if there is any.

    compute(decimals) is the result from numbers with so many decimals.
    """
    printed = short(result, decimals)
    for digits in range(least, MOST_DECIMALS):
        with suppress(ArithmeticError):  # a small divisor that reads 0, an exponent beyond float64
            if short(compute(digits), decimals) == printed:
                return digits
    return None


@functools.lru_cache(maxsize=4096)  # the cells of a row, and of a column, have numbers in common
def read(value: float, decimals: int) -> float:
    """The number with so many decimals, as typed into a calculator."""
    return number_of(fixed(value, decimals))


def fixed(value: float, decimals: int) -> str:
    """The number with so many decimals, however large it is."""
    if not abs(value) < 1e15:
        return short(value)
    text = f"{value:.{decimals}f}"
    return minus(text if float(text) else text.removeprefix("-"))


def number_of(text: str) -> float:
    """The number of a text that `short` or `power` has written."""
    base, exponent = without_power(text)
    if exponent:
        return number_of(base.removesuffix("10").removesuffix("×") or "1") * 10.0 ** int(exponent)
    return float(text.replace("−", "-").replace("∞", "inf"))


def power(value: float, digits: int) -> str:
    """The number with so many digits after the first one, and a power of ten: 2.2×10⁻¹⁶, 10⁷."""
    if not math.isfinite(value):
        return short(value)
    mantissa, exponent = f"{value:.{digits}e}".split("e")
    raised = f"10{str(int(exponent)).translate(RAISED)}"
    return raised if float(mantissa) == 1 else f"{minus(mantissa)}×{raised}"


def without_power(text: str) -> tuple[str, str]:
    """A text and its exponent in plain digits, which may be empty: 3×10⁻⁷ is 3×10 and -7."""
    base = text.rstrip(f"⁻{DIGITS}")
    return base, "".join("-" if digit == "⁻" else str(DIGITS.index(digit)) for digit in text[len(base) :])


def _exponential(value: float) -> str:
    mantissa, exponent = f"{value:.1e}".split("e")
    return minus(f"{mantissa}e{int(exponent)}")


def entered(value: float) -> str:
    """An editable cell of a heatmap: four significant digits, but never less than the whole part."""
    size = abs(value)
    if size >= 99_999.5:
        return short(value)
    text = str(int(size + 0.5)) if size >= 1000 else f"{size:.4g}"
    if len(text) > 6 or "e" in text:
        return _exponential(value)
    return ("−" if value < 0 else "") + (text if "." in text or size >= 1000 else f"{text}.0")


def apart(value: float, other: float = 0.0, decimals: int = 2) -> str:
    """The number with enough decimals to read differently from `other`."""
    if value == other:
        return short(value, decimals)
    for digits in range(decimals, 7):
        text = short(value, digits)
        if text != short(other, digits):
            return text
    if other == 1:
        return f"1 − {power(1 - value, 0)}" if value < 1 else f"1 + {power(value - 1, 0)}"
    return power(value, 0) if other == 0 else text


def share(value: float, decimals: int = 2) -> str:
    """A share of 1 as text: one that is near 0 or 1 reads like neither, and these have no decimals."""
    if value in (0, 1):
        return short(value, 0)
    return apart(value, round(value) if 0 < value < 1 else 0.0, decimals)
