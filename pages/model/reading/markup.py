"""A text without its markup: prompts, comments, emphasis, LaTeX and the options of prints.

A matrix of LaTeX becomes `[[1, 0], [0, 1]]`, \\frac{1}{\\sqrt{2}} becomes 1/√2. A heading begins with "# ".
Numbers in a comment are not read.
"""

import re

from pages.model.entries import TYPED

COMMAND = re.compile(r"\\[A-Za-z(\[]")
EDGE = re.compile(r"\\(begin|end)\{([a-zA-Z]{1,16})\*?\}")
COLUMNS = re.compile(r"\A\{[^{}]*\}")  # of an array: {cc}
ROW_END = re.compile(r"\\+(?:\[[^\[\]\\]{0,20}\])?")  # also \\[4pt]
FRACTION = re.compile(r"\\[dtc]?frac\s*\{([^{}]*)\}\s*\{([^{}]*)\}")
ROOT = re.compile(r"(?:\\sqrt\s*\{([^{}]*)\})")
WRAP = re.compile(r"\\(?:text\w*|math(?:rm|bf|it|sf)|boldsymbol|bm|operatorname|mbox)\s*\{([^{}]*)\}")
SIGNS = {
    **dict.fromkeys(("cdot", "times", "ast"), "·"),
    **dict.fromkeys(("approx", "simeq", "equiv"), "="),
    **dict.fromkeys(("top", "intercal"), "T"),
    **dict.fromkeys(("left", "right", "big", "Big", "bigl", "bigr", "hline", "displaystyle"), " "),
    **dict.fromkeys(("quad", "qquad"), ", "),
    **{"alpha": "α", "to": "→", "dots": "…", "ldots": "…", "cdots": "…", "vdots": "…", "ddots": "…"},
}
# Copied answers have brackets alone in a line, or around it, where \[ and \] were.
BARE = re.compile(r"^[ \t]*[\[\]][ \t]*$|^[ \t]*\[[ \t](?=.*\\begin)|(?<=\})[ \t]*\][ \t]*$", re.M)

# Full-width and typographic characters as their ASCII; dashes stay, as they may be part of a sentence.
WIDE = {
    ord(typed): meant
    for typed, meant in zip("（）［］｛｝＝≈≃｜│┆┃“”„−﹣", '()[]{}===||||"""--', strict=True)
}
WIDE |= {typed: chr(meant) for typed, meant in TYPED.items() if chr(meant) != "-"}
WIDE |= {ord("，"): ", ", ord("；"): "; ", ord("："): ": ", ord("\u00a0"): " ", ord("\u202f"): " ", 0: " "}
WIDE |= dict.fromkeys(map(ord, "⎡⎢⎣⎤⎥⎦⎛⎜⎝⎞⎟⎠"), " ")  # the parts of large brackets
PROMPT = re.compile(r"^(?:(?:Out|In) ?\[[0-9]{1,5}\]: ?|>>> |(?:julia)?> |\.{3} +(?=[\[\](\w-])|~?\$ )")
PRINTED = re.compile(r"^print\(([\w. ]{1,40})\)$")
FENCE = re.compile(r"^[ \t]*(?:```|~~~).*$", re.M)
CONTINUED = re.compile(r"; ?\.{3}\Z")  # a row of Matlab ends here
HEADING = re.compile(r"^\s*#{1,6} (?=\S)")
COMMENT = re.compile(r"(?:(?<!\S)#|//|(?<![\w/])/\*|^\s*%).*")
OPTIONS = re.compile(
    r",? ?\b(?:dtype|device|requires_grad|grad_fn|weak_type|shape) ?= ?"
    r"(?:<[^<>\n]{0,99}>|\([^()\n]{0,99}\)|[\w.:'\"]{1,99})"
)
TENSORFLOW = re.compile(r"<tf\.\w{1,20}:?[^<>\n\[]{0,99}?\bnumpy=\s{0,99}")
SIZE = re.compile(r"\b(?:Size|shape[:=]? ?)\(? ?\[[^\[\]\n]{0,99}\]\)?|\bshape:? ?\([^()\n]{0,99}\)", re.I)
SCALAR = re.compile(
    r"\b(?:\w{1,9}\.)?(?:tensor|u?int|b?float|double|half|Decimal)[0-9]{0,3}\(['\"]?([^()\[\]\s,'\"]{1,40})['\"]?\)"
)
RADICAL = re.compile(r"(?:√|\bsqrt)\(([0-9.]{1,40})\)")
DICTIONARY = re.compile(r"\(\s?(['\"][\w.]{1,99}['\"]), ?(?=tensor|array|\[)")

ARROW_OF_R = re.compile(r"(?<=\w) ?<- ?(?=[\w\[])")
ORDERED = re.compile(r"\bOrderedDict\(\[?")


def plain(text: str) -> str:
    """The text without markup."""
    text = text.replace("\r\n", "\n").replace("\r", "\n").lstrip("\ufeff").translate(WIDE)
    text = FENCE.sub("", text).replace("**", "").replace("`", "")
    if COMMAND.search(text):
        text = _latex(text)
    text = "\n".join(map(_line, text.replace("$", "").split("\n")))
    text = ARROW_OF_R.sub(" = ", text)
    if "=" in text:
        text = OPTIONS.sub("", TENSORFLOW.sub("", text))
    text = SIZE.sub("", text)
    if "(" in text:
        text = DICTIONARY.sub(r"\1: ", ORDERED.sub("", RADICAL.sub(r"√\1", SCALAR.sub(r"\1", text))))
    return text


def _line(line: str) -> str:
    """Without its prompt and its comment; a heading with a value is a comment."""
    line = PROMPT.sub("", line.rstrip())
    rest = HEADING.sub("", line)
    if rest != line:
        return "" if re.search(r"[=:] ?[\[(0-9.+-]", rest) else f"# {rest}"
    return PRINTED.sub(r"\1", CONTINUED.sub(";", COMMENT.sub("", line, count=1).rstrip()))


def _latex(text: str) -> str:
    if "\\begin" in text:
        text = BARE.sub("", text)
    text = re.sub(r"(?<!\\)\\[\[\](),;:!]", " ", text)
    for _ in range(3):  # they may be inside one another
        text = ROOT.sub(lambda match: "√" + _term(match[1]), WRAP.sub(r"\1", text))
        text = FRACTION.sub(lambda match: f"{_term(match[1])}/{_term(match[2])}", text)
        text = re.sub(r"([_^])\{([^{}]*)\}", r"\1\2", text)
    text = re.sub(r"\\([a-zA-Z]+)", lambda match: SIGNS.get(match[1], match[0]), text)
    text = _without_matrices(re.sub(r"(?<=[0-9])\{,\}(?=[0-9])", ".", text))
    return re.sub(r"\\(?:begin|end)\{\w*\*?\}|\\+(?![a-zA-Z])|&", " ", text)


def _term(term: str) -> str:
    """In brackets if it is a sum or a product."""
    term = " ".join(term.split())
    return f"({term})" if re.search(r"\w ?[-+ ] ?\w", term) else term


def _without_matrices(text: str) -> str:
    """The text with lists in place of matrices: each from its \\begin to the next \\end of the same name."""
    edges = [
        edge for edge in EDGE.finditer(text) if edge[2].endswith("matrix") or edge[2] in ("array", "tabular")
    ]
    ends: dict[str, re.Match] = {}  # the next end of each name
    pairs = []
    for edge in reversed(edges):
        if edge[1] == "end":
            ends[edge[2]] = edge
        elif edge[2] in ends:
            pairs.append((edge, ends[edge[2]]))
    parts, start = [], 0
    for begin, end in reversed(pairs):
        if begin.start() >= start:  # not inside the last matrix
            parts += [text[start : begin.start()], _matrix(text[begin.end() : end.start()])]
            start = end.end()
    return "".join([*parts, text[start:]])


def _matrix(body: str) -> str:
    body = re.sub(r"(?<=[0-9]),(?=[0-9])", ".", COLUMNS.sub("", body))
    rows = [row for row in ROW_END.split(body) if row.strip()]
    return "[" + ", ".join("[" + ", ".join(map(str.strip, row.split("&"))) + "]" for row in rows) + "]"
