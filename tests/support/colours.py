"""How bright a colour is to the eye."""

from collections.abc import Iterable


def luminance(channels: Iterable[int]) -> float:
    """Of red, green and blue from 0 to 255: from 0 to 1, as in WCAG 2."""
    shares = [channel / 255 for channel in channels]
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in shares)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(first: float, second: float) -> float:
    """Of two luminances: from 1 to 21."""
    return (max(first, second) + 0.05) / (min(first, second) + 0.05)
