"""Large numbers as people read them."""

from pages.draw.numbers import power

UNITS = ("B", "KiB", "MiB", "GiB", "TiB", "PiB")


def count(number: float) -> str:
    """A count: in full below a million, then three digits and a power of ten."""
    if number < 1_000_000:
        return f"{number:,.0f}" if number >= 100 or number == int(number) else f"{number:.3g}"
    return power(number, 2)


def size(number: float) -> str:
    """Bytes in the largest unit of which there is at least one: 320 KiB are 320 · 1024 bytes."""
    unit = 0
    while number >= 1024 and unit < len(UNITS) - 1:
        number, unit = number / 1024, unit + 1
    return f"{number:.3g} {UNITS[unit]}" if number < 1000 else f"{number:,.0f} {UNITS[unit]}"
