"""LaTeX, Markdown and prints of tensors, written as the plain text that the module text reads.

A matrix of LaTeX becomes `[[1, 0], [0, 1]]`, \\frac{1}{\\sqrt{2}} becomes 1/√2, and marks of emphasis, fences
and options of a tensor go. A heading keeps its name, and any other comment goes.
"""

import re

EDGE = re.compile(r"\\(begin|end)\{([a-zA-Z]{1,16})\*?\}")
COLUMNS = re.compile(r"\A\{[^{}]*\}")  # of an array: {cc}
ROW_END = re.compile(r"\\+(?:\[[^\[\]\\]{0,20}\])?")  # also \\[4pt]
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
OPTIONS = re.compile(r", ?(?:dtype|device|requires_grad|grad_fn) ?= ?(?:<[^<>]*>|[\w.:\"']+)")
HEADING = re.compile(r"^ ?#{1,6} (?=\S)")


def lines_of(text: str) -> list[str]:
    """The lines of the plain text; a heading begins with #."""
    text = FENCE.sub("", text).replace("**", "").replace("`", "")
    if "\\" in text:
        text = _latex(text)
    text = text.replace("$", "").replace("≈", "=").replace("≃", "=")
    return [_line(line) if line.strip() else "" for line in text.splitlines()]


def _line(line: str) -> str:
    """With single spaces, without options and its comment."""
    line = OPTIONS.sub("", re.sub(r"\s+", " ", line))
    rest = HEADING.sub("", line)
    return ("" if rest == line else "# ") + re.split(r"#|//", rest, maxsplit=1)[0].rstrip()


def _latex(text: str) -> str:
    if "\\begin" in text:
        text = BARE.sub("", text)
    text = re.sub(r"(?<!\\)\\[\[\](),;:!]", " ", text)
    for _ in range(3):  # they may be inside one another
        text = ROOT.sub(lambda result: "√" + _one(result[1]), WRAP.sub(r"\1", text))
        text = FRACTION.sub(lambda result: f"{_one(result[1])}/{_one(result[2])}", text)
        text = re.sub(r"([_^])\{([^{}]*)\}", r"\1\2", text)
    text = re.sub(r"\\([a-zA-Z]+)", lambda result: SIGNS.get(result[1], result[0]), text)
    text = _without_matrices(re.sub(r"(?<=[0-9])\{,\}(?=[0-9])", ".", text))
    return re.sub(r"\\(?:begin|end)\{\w*\*?\}|\\+(?![a-zA-Z])|&", " ", text)


def _one(term: str) -> str:
    """In brackets, where it is more than one term."""
    term = " ".join(term.split())
    return f"({term})" if re.search(r"\w ?[-+ ] ?\w", term) else term


def _without_matrices(text: str) -> str:
    """The text with lists in place of matrices: each from its \\begin to the next \\end of the same name."""
    edges = [one for one in EDGE.finditer(text) if one[2].endswith("matrix") or one[2] == "array"]
    ends: dict[str, re.Match] = {}  # the next one of each name
    pairs = []
    for edge in reversed(edges):
        if edge[1] == "end":
            ends[edge[2]] = edge
        elif edge[2] in ends:
            pairs.append((edge, ends[edge[2]]))
    parts, start = [], 0
    for begin, end in reversed(pairs):
        if begin.start() >= start:  # not inside the last one
            parts += [text[start : begin.start()], _matrix(text[begin.end() : end.start()])]
            start = end.end()
    return "".join([*parts, text[start:]])


def _matrix(body: str) -> str:
    body = re.sub(r"(?<=[0-9]),(?=[0-9])", ".", COLUMNS.sub("", body))
    rows = [row for row in ROW_END.split(body) if row.strip()]
    return "[" + ", ".join("[" + ", ".join(map(str.strip, row.split("&"))) + "]" for row in rows) + "]"
