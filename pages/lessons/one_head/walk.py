"""The walk through the picture: one query first, then all of them, the matrices, and a number to change."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from pages.draw.numbers import short
from pages.draw.picture import Matrix, PanelStep
from pages.draw.steps import Steps, symbol_of
from pages.draw.texts import plain
from pages.draw.winners import winner
from pages.model.compute import divisor_of
from pages.model.edits import example_start

# The stops in order, each with the steps that it adds to the picture. What no stop names comes with the last
# but one or with the stop on several heads.
ADDS: Mapping[str, tuple[str, ...]] = {
    "ask": (),
    "compare": ("query", "key", "scores"),
    "scale": ("scaled_scores", "softcapped_scores", "biased_scores"),
    "share": ("weights",),
    "mix": ("value", "head_output", "output"),
    "rows": (),
    "matrices": (),
    "heads": ("concatenated", "output"),
    "hand": (),
}
MASKED = ("mask", "masked_scores")  # come with the weights, where there is a mask
ONE_ROW = ("compare", "scale", "share", "mix")
OF_HEADS = ("w_o", "b_o")
THREAD = ("tired", "tired_zh")
# A stop in a link names the query and the key that the walk is about, so that a reload changes neither.
LINKED = re.compile(r"walk_[a-z]+_(\d{1,2})_(\d{1,2})", re.ASCII)


@dataclass(frozen=True)
class Aim:
    """What a walk is about: its query, and the key that is to get the largest weight at the end."""

    row: int
    key: int | None

    def name(self, stop: str) -> str:
        """The stop as a link has it."""
        return f"walk_{stop}" if self.key is None else f"walk_{stop}_{self.row + 1}_{self.key + 1}"


def stops(computation: Steps, inputs: Sequence[Matrix]) -> list[PanelStep]:
    """The stops with the present numbers; none where a query has no key or something is hidden."""
    page, weights = computation.page, computation.head.weights
    aim = _aim(computation)
    if page.stop.hidden or float(weights[aim.row].max()) == 0:
        return []
    facts, cells, texts = _facts(computation, aim), _cells(computation, aim), _texts(computation, aim)
    return [
        PanelStep(
            aim.name(name),
            plain(computation.t(f"walk.{_title(text)}", **facts)),
            why=plain(computation.t(f"walk_why.{text}", **facts)),
            shows=shows,
            cell=cells[name],
            done=text == "done",
        )
        for name, shows in _pieces(computation, inputs, aim)
        for text in [texts.get(name, name)]
    ]


def _aim(computation: Steps) -> Aim:
    """The aim in the link as long as the walk goes on, whatever becomes of the numbers."""
    page = computation.page
    linked = LINKED.fullmatch(page.place.step or "")
    if linked:
        row, key = (int(number) - 1 for number in linked.groups())
        there = 0 <= row < len(computation.queries) and row != key
        if there and page.row in (None, row) and key in _visible(computation, row):
            return Aim(row, key)
    row = _clearest(computation) if page.row is None else page.row
    others = [i for i in _visible(computation, row) if i != row]
    return Aim(row, min(others, key=computation.head.weights[row].tolist().__getitem__, default=None))


def _clearest(computation: Steps) -> int:
    """The query that attends most to a token other than itself."""
    others = computation.head.weights.clone().fill_diagonal_(0)
    return int(others.max(-1).values.argmax())


def _visible(computation: Steps, row: int) -> list[int]:
    mask = computation.head.mask
    if mask is None:
        return [*range(len(computation.keys))]
    return [int(i) for i in mask.expand_as(computation.head.weights)[row].nonzero()]


def _pieces(
    computation: Steps, inputs: Sequence[Matrix], aim: Aim
) -> Iterator[tuple[str, dict[str, int | None]]]:
    """Each stop with the matrices that it shows: of a matrix with a row for each query, one row at first."""
    matrices = [*inputs, *computation.matrices()]
    ids = {one.id for one in matrices}
    with_query = {one.id for one in matrices if one.look.query_rows} - {"x"}
    of_heads = (
        {*OF_HEADS, *ADDS["heads"], *(one.id for one in computation.thumbnails())}
        if computation.several
        else set()
    )
    there = {"x"}
    for name, added in ADDS.items():
        late = of_heads if name != "heads" else set()
        there |= {*added} - late
        if name == "compare":
            there |= {*computation.scored}
        if name == "share" and computation.head.mask is not None:
            there |= {*MASKED}
        if name == "matrices":
            there |= ids - of_heads
        if name == "heads" and computation.several:
            there |= ids
        if _is_left_out(computation, name, aim):
            continue
        shows: dict[str, int | None] = dict.fromkeys(sorted(there & ids))
        if name in ONE_ROW:
            shows |= dict.fromkeys(sorted(with_query & shows.keys()), aim.row)
        yield name, shows


def _is_left_out(computation: Steps, name: str, aim: Aim) -> bool:
    """A walk has at most eight stops: with several heads the scale is told with the weights."""
    return {
        "scale": computation.several or computation.now.scaling == "none",
        "heads": not computation.several,
        "hand": aim.key is None,
    }.get(name, False)


def _cells(computation: Steps, aim: Aim) -> dict[str, tuple[str, int, int]]:
    """The cell whose arithmetic each stop shows: of a matrix that it adds."""
    row = aim.row
    best = _first_largest(computation.head.weights[row].tolist())
    other = next((i for i in range(len(computation.queries)) if i != row), row)
    mixed = "head_output" if computation.several else "output"
    sizes, x = computation.head.output.abs().tolist(), [abs(value) for value in computation.now.x[row]]
    return {
        "ask": ("x", row, len(x) - 1 if _is_thread(computation, aim) else _first_largest(x)),
        "compare": ("scores", row, best),
        "scale": ("scaled_scores", row, best),
        "share": ("weights", row, best),
        "mix": (mixed, row, _first_largest(sizes[row])),
        "rows": (mixed, other, _first_largest(sizes[other])),
        "matrices": ("query", row, computation.start("q")),
        "heads": ("output", row, 0),
        "hand": ("weights", row, aim.key or 0),
    }


def _first_largest(numbers: Sequence[float]) -> int:
    return numbers.index(max(numbers))


def _title(text: str) -> str:
    """The titles of a stop's variants are the same, but for the end."""
    return text if text == "done" else text.split("_")[0]


def _texts(computation: Steps, aim: Aim) -> dict[str, str]:
    """The keys of the texts that say what is so with the present numbers, where they are not the names."""
    now, weights = computation.now, computation.head.weights[aim.row].tolist()
    hidden = {*range(len(computation.keys))} - {*_visible(computation, aim.row)}
    variants = {
        "ask": [("ask_thread", _is_thread(computation, aim))],
        "compare": [("compare_prepared", bool(computation.forms))],
        "scale": [("scale_other", now.scaling != "sqrt_d_k")],
        "share": [
            ("share_masked", bool(hidden) and max(weights[i] for i in hidden) == 0),
            ("share_scaled", now.scaling != "none" and computation.several),
        ],
        "hand": [("done", aim.key is not None and winner(weights) == aim.key)],
    }
    return {name: text for name, texts in variants.items() for text, holds in reversed(texts) if holds}


def _is_thread(computation: Steps, aim: Aim) -> bool:
    """Whether X is the short form of the sentence that runs through the course, asked by its “it”."""
    now = computation.now
    if now.example not in THREAD:
        return False
    first = example_start(now.example)
    return now.tokens == first.tokens and now.x == first.x and now.tokens[aim.row] in ("it", "它")


def _facts(computation: Steps, aim: Aim) -> dict[str, object]:
    weights, scores = computation.head.weights[aim.row].tolist(), computation.head.scores[aim.row].tolist()
    best, key = _first_largest(weights), aim.key or 0
    rival = max((i for i in range(len(weights)) if i != key), key=weights.__getitem__, default=key)
    tokens, row = computation.page.tokens, aim.row
    return {
        "query": tokens[row],
        "best": tokens[best],
        "score": short(scores[best]),
        "weight": short(weights[best]),
        "key": tokens[key],
        "now": short(weights[key]),
        "rival": tokens[rival],
        "largest": short(weights[rival]),
        "divisor": short(divisor_of(computation.now)),
        **{letter.lower(): letter + "′" * len(computation.forms) for letter in "QK"},
        "source": symbol_of(computation.source("q")),
        **{
            f"bias_{letter}": f" + b_{letter.upper()}" if computation.offset(letter) else ""
            for letter in "qo"
        },
        "d_k": computation.now.head_dim,
        "h": computation.now.num_heads,
    }
