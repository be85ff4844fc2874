"""The audit of the lecture notes' worked examples, printed: `python -m tests.tools.report`.

One line an example first, then every printed number next to the exact one.
"""

import math
from collections.abc import Iterator

from attention.lab.worked_examples import code as worked_code
from attention.lab.worked_examples.audit import UNKNOWN, Audit, audit
from attention.lab.worked_examples.document import of_notes

CODE = {
    "split": "heads split without transpose",
    "dropout": "dropout on the returned weights",
    "mask": "a (batch, q, k) mask against (batch, heads, q, k) scores",
    "shapes": "shapes that the other code prints",
}


def audits() -> dict[str, Audit]:
    """The audits of the examples with numbers, by name."""
    return {name: audit(document) for name, document in of_notes().items()}


def code_shapes() -> dict[str, tuple[worked_code.ShapeClaim, ...]]:
    """The shapes that each code example prints; the one with the mask prints none."""
    return {
        "split": worked_code.split().shapes,
        "dropout": worked_code.dropout().shapes,
        "mask": (),
        "shapes": worked_code.shapes(),
    }


def summary_lines() -> Iterator[str]:
    """`name: K of N printed numbers are off`, for every example."""
    for outcome in audits().values():
        unknown = outcome.count(UNKNOWN)
        note = f" ({unknown} cannot be recomputed: no computation is given)" if unknown else ""
        off, lines = outcome.off_count, len(outcome.lines)
        yield f"{outcome.document.name}: {off} of {lines} printed numbers are off{note}"
    for name, claims in code_shapes().items():
        off, printed = sum(one.off_count for one in claims), sum(len(one.printed) for one in claims)
        yield f"{CODE[name]}: {off} of {printed} printed numbers are off ({REMARKS[name]})"


REMARKS = {
    "split": "sizes in comments; what the code computes is not multi-head attention, see below",
    "dropout": "sizes; the rows of what it returns do not sum to 1, see below",
    "mask": "it prints none, see below",
    "shapes": "sizes",
}


def number_rows(outcome: Audit) -> Iterator[str]:
    """A row for every printed number: where it is, printed, exact, difference, own, verdict."""
    yield f"{'step':16}{'row':>4}{'col':>4}{'printed':>10}{'exact':>12}{'difference':>12}{'own':>12}  verdict"
    for line in outcome.lines:
        values = (line.exact, line.difference, line.own)
        exact, difference, own = ("-" if math.isnan(v) else f"{v:.6f}" for v in values)
        yield (
            f"{line.step:16}{line.row + 1:4}{line.col + 1:4}{line.printed:>10}{exact:>12}{difference:>12}"
            f"{own:>12}  {line.verdict}"
        )


def findings() -> Iterator[str]:
    """What the code examples do that no printed number shows."""
    split, dropout = worked_code.split(), worked_code.dropout()
    for name, claims in code_shapes().items():
        yield f"\n== {CODE[name]}"
        for one in claims:
            yield f"{one.name:16}printed {one.printed}  comes {one.comes}  off {one.off_count}"
        if name == "split":
            yield f"both rounds of the loop differ by {split.rounds:.3g}"
            yield f"the heads differ from multi-head attention's by up to {split.output:.3g}"
        if name == "dropout":
            yield "row sums of the softmax {:.4f} to {:.4f}".format(*dropout.softmax_sums)
            yield "row sums of what is returned in training {:.4f} to {:.4f}".format(*dropout.returned_sums)
        if name == "mask":
            for batch in (1, 2, 3):
                for heads in (1, 2, 3):
                    outcome = worked_code.mask_outcome(batch, heads).kind
                    yield f"batch {batch}, heads {heads}: {outcome}"


def main() -> None:
    """Prints all of it."""
    for line in summary_lines():
        print(line)
    for outcome in audits().values():
        print(f"\n== {outcome.document.name}")
        for block in outcome.document.blocks:
            again = "".join(f"; again: {place}" for place in block.again)
            print(f"{block.step}: {block.place}{again}")
        for row in number_rows(outcome):
            print(row)
    for row in findings():
        print(row)


if __name__ == "__main__":
    main()
