"""LaTeX, Markdown and prints of tensors, written as the plain text that the module text reads.

A matrix of LaTeX becomes `[[1, 0], [0, 1]]`, \\frac{1}{\\sqrt{2}} becomes 1/√2, and marks of emphasis, fences
and options of a tensor go. A heading keeps its name, and any other comment goes.
"""

import re

MATRIX = re.compile(r"\\begin\{([a-zA-Z]*matrix|array)\*?\}(?:\{[^{}]*\})?(.*?)\\end\{\1\*?\}", re.S)
FRACTION = re.compile(r"\\[dtc]?frac\s*\{([^{}]*)\}\s*\{([^{}]*)\}")
ROOT = re.compile(r"\\sqrt\s*\{([^{}]*)\}")
WRAP = re.compile(r"\\(?:text\w*|math(?:rm|bf|it|sf)|boldsymbol|bm|operatorname|mbox)\s*\{([^{}]*)\}")
SIGNS = {
    **dict.fromkeys(("cdot", "times", "ast"), "·"),
    **dict.fromkeys(("approx", "simeq", "equiv"), "="),
    **dict.fromkeys(("top", "intercal"), "T"),
    **dict.fromkeys(("left", "right", "big", "Big", "bigl", "bigr", "hline", "displaystyle"), " "),
    **dict.fromkeys(("quad", "qquad"), ", "),
    **{"alpha": "α", "to": "→", "dots": "…", "ldots": "…", "cdots": "…", "vdots": "…"},
}
# Copied answers have brackets alone in a line, or around it, where \[ and \] were.
BARE = re.compile(r"^[ \t]*[\[\]][ \t]*$|^[ \t]*\[[ \t](?=.*\\begin)|(?<=\})[ \t]*\][ \t]*$", re.M)

FENCE = re.compile(r"^[ \t]*```.*$", re.M)
OPTIONS = re.compile(r",\s*(?:dtype|device|requires_grad|grad_fn)\s*=\s*(?:<[^>]*>|[\w.:\"']+)")
HEADING = re.compile(r"^\s*#{1,6}\s+(?=\S)")


def lines_of(text: str) -> list[str]:
    """The lines of the plain text; a heading begins with #."""
    text = FENCE.sub("", text).replace("**", "").replace("`", "")
    if "\\" in text:
        text = _latex(text)
    text = text.replace("$", "").replace("≈", "=").replace("≃", "=")
    return [_line(OPTIONS.sub("", re.sub(r"\s+", " ", line))) for line in text.splitlines()]


def _line(line: str) -> str:
    """Without its comment."""
    rest = HEADING.sub("", line)
    return ("" if rest == line else "# ") + re.split(r"#|//", rest, maxsplit=1)[0].rstrip()


def _latex(text: str) -> str:
    if "\\begin" in text:
        text = BARE.sub("", text)
    text = re.sub(r"(?<!\\)\\[\[\](),;:!]", " ", text)
    for _ in range(3):  # they may be inside one another
        text = ROOT.sub(lambda found: "√" + _one(found[1]), WRAP.sub(r"\1", text))
        text = FRACTION.sub(lambda found: f"{_one(found[1])}/{_one(found[2])}", text)
        text = re.sub(r"([_^])\{([^{}]*)\}", r"\1\2", text)
    text = re.sub(r"\\([a-zA-Z]+)", lambda found: SIGNS.get(found[1], found[0]), text)
    text = MATRIX.sub(_matrix, re.sub(r"(?<=\d)\{,\}(?=\d)", ".", text))
    return re.sub(r"\\(?:begin|end)\{\w*\*?\}|\\+(?![a-zA-Z])|&", " ", text)


def _one(term: str) -> str:
    """In brackets, where it is more than one term."""
    return f"({term})" if re.search(r"\w\s*[-+ ]\s*\w", term) else term.strip()


def _matrix(found: re.Match) -> str:
    body = re.sub(r"(?<=\d),(?=\d)", ".", found[2])
    rows = [row for row in re.split(r"\\+(?:\[[^\]]*\])?", body) if row.strip()]
    return "[" + ", ".join("[" + ", ".join(map(str.strip, row.split("&"))) + "]" for row in rows) + "]"
