"""The walk through the picture: one query first, then all of them, the matrices, and a number to change."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from pages import session
from pages.draw.numbers import short
from pages.draw.picture import Matrix, Step
from pages.draw.steps import Steps
from pages.draw.texts import plain

# The stops in order, each with the steps that it adds to the picture. What no stop names comes with the last
# but one or with the stop on several heads.
ADDS: Mapping[str, tuple[str, ...]] = {
    "ask": (),
    "compare": ("query", "key", "scores"),
    "share": ("scaled_scores", "softcapped_scores", "biased_scores", "masked_scores", "weights"),
    "mix": ("value", "head_output", "output"),
    "rows": (),
    "matrices": (),
    "heads": ("concatenated", "output"),
    "hand": (),
}
BROUGHT = {"share": ("bias", "mask")}  # that are no steps
OF_HEADS = ("w_o", "b_o")


@dataclass(frozen=True)
class Aim:
    """What a walk is about: its query, and the key that is to get the largest weight at the end."""

    row: int
    key: int | None
    count: int  # of the tokens


@dataclass
class Walk:
    """The aim of the walk that goes on."""

    aim: Aim | None = None


def stops(found: Steps, given: Sequence[Matrix]) -> list[Step]:
    """The stops with the present numbers; none where a query has no key or something is hidden."""
    page, weights = found.page, found.head.weights
    aim = _aim(found)
    if page.stop.hidden or float(weights[aim.row].max()) == 0:
        return []
    facts = _facts(found, aim)
    return [
        Step(
            f"walk_{name}",
            plain(found.t(f"walk.{text}", **facts)),
            why=plain(found.t(f"walk_why.{text}", **facts)),
            shows=shows,
            cell=_cell(found, name, aim),
        )
        for name, shows in _pieces(found, given, aim.row)
        for text in [_text(found, name, aim)]
    ]


def _aim(found: Steps) -> Aim:
    """The same one as long as the walk goes on, whatever becomes of the numbers."""
    page, walk = found.page, session.kept("walk", Walk)
    aim, count = walk.aim, len(page.now.tokens)
    goes_on = (page.place.step or "").startswith("walk_")
    if aim is None or not goes_on or aim.count != count or page.row not in (None, aim.row):
        row = _clearest(found) if page.row is None else page.row
        others = [i for i in _visible(found, row) if i != row]
        key = min(others, key=lambda i: float(found.head.weights[row, i]), default=None)
        walk.aim = aim = Aim(row, key, count)
    return aim


def _clearest(found: Steps) -> int:
    """The query that attends most to a token other than itself."""
    others = found.head.weights.clone().fill_diagonal_(0)
    return int(others.max(-1).values.argmax())


def _visible(found: Steps, row: int) -> list[int]:
    mask = found.head.mask
    seen = range(len(found.keys)) if mask is None else mask.expand_as(found.head.weights)[row].nonzero()
    return [int(i) for i in seen]


def _pieces(found: Steps, given: Sequence[Matrix], row: int) -> Iterator[tuple[str, dict[str, int | None]]]:
    """Each stop with the matrices that it shows: of those with a row for each query one row at first."""
    matrices = {one.id: one for one in [*given, *found.matrices()]}
    of_heads = (
        {*OF_HEADS, *ADDS["heads"], *(one.id for one in found.thumbnails())} if found.several else set()
    )
    there = {"x"}
    for name, added in ADDS.items():
        if (name == "heads" and not found.several) or (name == "hand" and _aim(found).key is None):
            continue
        late = of_heads if name != "heads" else set()
        there |= {*added, *BROUGHT.get(name, ())} - late
        if name == "compare":
            there |= {*found.scored}
        if name == "matrices":
            there |= matrices.keys() - of_heads
        if name == "heads":
            there |= matrices.keys()
        one_row = name in ("compare", "share", "mix")
        yield (
            name,
            {
                id: row if one_row and one.query_rows and id != "x" else None
                for id, one in matrices.items()
                if id in there
            },
        )


def _cell(found: Steps, name: str, aim: Aim) -> tuple[str, int, int]:
    """The cell whose arithmetic a stop shows: of a matrix that it adds."""
    row = aim.row
    best = int(found.head.weights[row].argmax())
    other = next((i for i in range(len(found.queries)) if i != row), row)
    mixed = "head_output" if found.several else "output"
    values, x = found.head.output[row].abs(), [abs(value) for value in found.now.x[row]]
    return {
        "ask": ("x", row, x.index(max(x))),
        "compare": ("scores", row, best),
        "share": ("weights", row, best),
        "mix": (mixed, row, int(values.argmax())),
        "rows": ("weights", other, int(found.head.weights[other].argmax())),
        "matrices": ("query", row, found.start("q")),
        "heads": ("output", row, 0),
        "hand": ("weights", row, aim.key or 0),
    }[name]


def _text(found: Steps, name: str, aim: Aim) -> str:
    """The key of a stop's texts: the last one notices when it is done."""
    if name != "hand" or aim.key is None:
        return name
    weights = found.head.weights[aim.row]
    return "done" if int(weights.argmax()) == aim.key else name


def _facts(found: Steps, aim: Aim) -> dict[str, object]:
    weights, scores = found.head.weights[aim.row], found.head.scores[aim.row]
    best, key = int(weights.argmax()), aim.key or 0
    tokens = found.page.tokens
    return {
        "query": tokens[aim.row],
        "best": tokens[best],
        "score": short(float(scores[best])),
        "weight": short(float(weights[best])),
        "key": tokens[key],
        "now": short(float(weights[key])),
        "h": found.now.num_heads,
    }
