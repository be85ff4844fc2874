"""A number as the screen shows it. A task is judged by this number, for the learner sees no other."""


def decimals_of(value: float, decimals: int = 2) -> int:
    """How many decimals are shown of a number below 99,999.5: large ones have fewer."""
    size = abs(value)
    return decimals if size < 99.995 else 1 if size < 999.95 else 0


def shown(value: float, decimals: int = 2) -> float:
    """The number that is on the screen in the short format."""
    if not abs(value) < 99_999.5:
        return float(f"{value:.1e}")
    return float(f"{value:.{decimals_of(value, decimals)}f}")


def is_at_least(value: float, bound: float, decimals: int = 2) -> bool:
    """Whether the number, or the one that is shown, reaches the bound. A bound of 0 is not reached by
    rounding: a masked word has the weight 0, and any other word has more."""
    return value >= bound or (bound != 0 and shown(value, decimals) >= bound)
