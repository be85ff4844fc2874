"""A text without its markup: prompts, numbers of lines, comments, emphasis, LaTeX and the options of prints.

A matrix of LaTeX becomes `[[1, 0], [0, 1]]`, \\frac{1}{\\sqrt{2}} becomes 1/√2. A heading begins with "# ".
Numbers in a comment are not read.
"""

import re

from pages.model.entries import TYPED

COMMAND = re.compile(r"\\[A-Za-z(\[]")
EDGE = re.compile(r"\\(begin|end)\{([a-zA-Z]{0,9}matrix|array|tabular)\*?\}")
COLUMNS = re.compile(r"\A\{[^{}]*\}")  # of an array: {cc}
ROW_END = re.compile(r"\\+(?:\[[^\[\]\\]{0,20}\])?")  # also \\[4pt]
FRACTION = re.compile(r"\\[dtc]?frac\s*\{([^{}]*)\}\s*\{([^{}]*)\}")
ROOT = re.compile(r"\\sqrt\s*\{([^{}]*)\}")
WRAP = re.compile(r"\\(?:text\w*|math(?:rm|bf|it|sf)|boldsymbol|bm|operatorname|mbox)\s*\{([^{}]*)\}")
POWER = re.compile(r"(?:(?<=[0-9]) ?[·×] ?(?=10\^)|(?<![\w.]))10\^(-?[0-9]{1,3})(?![0-9])")
SIGNS = {
    **dict.fromkeys(("cdot", "times", "ast"), "·"),
    **dict.fromkeys(("approx", "simeq", "equiv"), "="),
    **dict.fromkeys(("top", "intercal"), "T"),
    **dict.fromkeys(("left", "right", "big", "Big", "bigl", "bigr", "hline", "displaystyle"), " "),
    **dict.fromkeys(("quad", "qquad"), ", "),
    **dict.fromkeys(("dots", "ldots", "cdots", "vdots", "ddots"), "…"),
    **{"alpha": "α", "to": "→", "infty": "∞"},
}
# Copied answers have brackets alone in a line, or around it, where \[ and \] were.
BARE = re.compile(r"^[ \t]*[\[\]][ \t]*$|^[ \t]*\[[ \t](?=.*\\begin)|(?<=\})[ \t]*\][ \t]*$", re.M)

# Full-width and typographic characters as their ASCII; dashes stay, as they may be part of a sentence.
WIDE = {ord(typed): meant for typed, meant in zip("（）［］｛｝＝≈≃｜“”„−﹣", '()[]{}===|"""--', strict=True)}
WIDE |= {typed: chr(meant) for typed, meant in TYPED.items() if chr(meant) != "-"}
WIDE |= {ord("，"): ", ", ord("；"): "; ", ord("："): ": ", ord("\u00a0"): " ", ord("\u202f"): " ", 0: " "}
PROMPT = re.compile(r"^(?:(?:Out|In) ?\[[0-9]{0,5}\]: ?|>>> ?| *\.{3}: ?|\.{3} +(?=[\[\](\w-])|\$ )")
BULLET = re.compile(r"^[ \t]{0,20}[-*•+] (?=[^\s\d.-])")
FENCE = re.compile(r"^[ \t]*(?:```|~~~).*$", re.M)
COUNTED = re.compile(r"^[ \t]{0,9}([0-9]{1,4})(?:[.:|)]?[ \t]+|$)")  # the number of a line
CODE = re.compile(r"[^\W\d]\w{0,40} ?= ?\S|import |from |print\(")
HEADING = re.compile(r"^\s*#{1,6} (?=\S)")
COMMENT = re.compile(r"(?:(?<!\S)#|//).*")
PRINTED = re.compile(r"^print\(([\w. ]{1,40})\)$")
OPTIONS = re.compile(
    r",? ?\b(?:dtype|device|requires_grad|grad_fn|weak_type|shape|size) ?= ?"
    r"(?:<[^<>\n]{0,99}>|\([^()\n]{0,99}\)|[\w.:'\"]{1,99})"
)
SIZE = re.compile(r"\b(?:Size|shape[:=]? ?)\(? ?\[[^\[\]\n]{0,99}\]\)?|\bshape:? ?\([^()\n]{0,99}\)", re.I)
CONSTANT = re.compile(r"\b(?:np|numpy|math|torch)\.(?=inf\b|nan\b)")
SCALAR = re.compile(r"\b(?:\w{1,9}\.)?(?:tensor|float|int)[0-9]{0,3}\(['\"]?([^()\[\]\s,'\"]{1,40})['\"]?\)")
RADICAL = re.compile(r"(?:√|\bsqrt)\(([0-9.]{1,40})\)")
ENTRY = re.compile(
    r"\(\s?(['\"][\w.]{1,99}['\"]), ?(?=(?:\w{1,9}\.)?(?:tensor|array)|\[)"
)  # of an OrderedDict

ORDERED = re.compile(r"\bOrderedDict\(\[?")


def plain(text: str) -> str:
    """The text without markup."""
    text = text.replace("\r\n", "\n").replace("\r", "\n").lstrip("\ufeff").translate(WIDE)
    text = (
        FENCE.sub("", text)
        .replace("**", "")
        .replace("`", "")
        .replace("->", "→")
        .replace("Parameter containing:\n", "")
    )
    if COMMAND.search(text):
        text = _latex(text)
    text = "\n".join(map(_line, _without_numbers(text.replace("$", "").split("\n"))))
    text = CONSTANT.sub("", SIZE.sub("", OPTIONS.sub("", text)))
    text = POWER.sub(lambda match: f"{'' if match[0][0] in '·× ' else '1'}e{match[1]}", text)
    return ENTRY.sub(r"\1: ", RADICAL.sub(r"√\1", SCALAR.sub(r"\1", ORDERED.sub("", text))))


def _without_numbers(lines: list[str]) -> list[str]:
    """The lines of code without their numbers, which are in each line, or in a block of their own."""
    numbers = [COUNTED.match(line) for line in lines]
    counted = [int(match[1]) for match in numbers if match]
    rest = [line[match.end() :] if match else line for line, match in zip(lines, numbers, strict=True)]
    others = any(line.strip() and not match for line, match in zip(lines, numbers, strict=True))
    alone = all(not line for line, match in zip(rest, numbers, strict=True) if match)
    counts = len(counted) > 1 and counted == list(range(counted[0], counted[0] + len(counted)))
    return rest if counts and alone == others and any(map(CODE.match, rest)) else lines


def _line(line: str) -> str:
    """Without its prompt and its comment; a heading with a value is a comment."""
    line = BULLET.sub("", line)
    line = PROMPT.sub("", line.strip(" ") if line[:1] in ">I" else line.rstrip(" "))
    rest = HEADING.sub("", line)
    if rest != line:
        return "" if re.search(r"[=:] ?[\[(0-9.+-]", rest) else f"# {rest}"
    return PRINTED.sub(r"\1", COMMENT.sub("", line, count=1).rstrip(" "))


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
    """The text with lists in place of matrices: each from the last \\begin to the first \\end of its name."""
    first, *rest = EDGE.split(text)
    parts, start, opened = [first], 0, ""
    for edge, name, following in zip(rest[::3], rest[1::3], rest[2::3], strict=True):
        if edge == "begin":
            start, opened = len(parts), name
        elif name == opened:
            parts[start:], opened = [_matrix("".join(parts[start:]))], ""
        parts.append(following)
    return "".join(parts)


def _matrix(body: str) -> str:
    body = re.sub(r"(?<=[0-9]),(?=[0-9])", ".", COLUMNS.sub("", body))
    rows = [row for row in ROW_END.split(body) if row.strip()]
    return "[" + ", ".join("[" + ", ".join(map(str.strip, row.split("&"))) + "]" for row in rows) + "]"
