"""Every computed cell of a picture from the cells that it says it was made from: what the picture promises.

The data is a picture's JSON, as the browser gets it. Nothing of the core is used, so that a wrong number and
wrong arithmetic cannot hide each other.
"""

import math
import re
from collections.abc import Collection, Iterator, Mapping
from types import MappingProxyType

from pages.model import matrices

NUMBERS = {"inf": math.inf, "-inf": -math.inf, "nan": math.nan}
# Pictures with cells that do not follow exactly, on purpose: part → its matrices, or None for all, and why.
ON_PURPOSE: dict[tuple[str, str], tuple[tuple[str, ...] | None, str]] = {
    ("practice", "bug_hunt"): (None, "one step is wrong, and the learner finds it"),
    ("softmax", "stable"): (("naive_total", "shifted_total"), "added up in the chosen precision"),
}
# Numbers that no cell is made from: what is entered, and (lesson, topic or part) → why, and its matrices.
ENTERED = frozenset(matrices.TABLE)
MOVED, LEARNER, EXERCISE = "rows of X in another place", "the learner enters them", "the exercise gives them"
MODEL = "the trained model's own, whose X has 384 columns"
GIVEN: dict[tuple[str, str], tuple[str, ...]] = {
    ("one_head", "swap"): (MOVED, "x_after"),
    ("one_head", "by_hand"): (EXERCISE, "query", "key", "value"),
    ("softmax", "bars"): (
        "the learner or a note gives them",
        "logits",
        "asked_logits",
        "note_scores",
        "note_printed",
    ),
    ("softmax", "cooling"): (LEARNER, "logits", "scores_before"),
    ("softmax", "constant"): (LEARNER, "logits"),
    ("softmax", "stable"): (LEARNER, "logits"),
    ("softmax", "jacobian"): (LEARNER, "logits"),
    ("softmax", "dropout"): ("the question gives them", "end_scores"),
    ("why_scale", "spread"): ("drawn at random, each of up to 512 products", "failing_scores", "scores"),
    ("order", "along"): (MOVED, "x_moved"),
    ("order", "alibi"): ("equal scores, so that only the bias differs", "slope_scores"),
    ("train_a_head", "two_runs"): ("training has made them", "w_q_1", "w_k_1", "w_q_2", "w_k_2"),
    ("train_a_head", "optimiser"): ("autograd gives them", "gradient_q", "gradient_k", "gradient_v"),
    ("two_layers", "by_hand"): ("layer 2, made by hand", "w_q_2", "w_k_2", "w_v_2"),
    ("two_layers", "train"): ("the run gives the step that it has come to", "two_step"),
    ("real_heads", "switches"): (MODEL, "query", "key", "value"),
    ("real_heads", "exchange"): (MODEL, "query", "key", "value"),
    ("real_heads", "off"): ("a trained model's own, in layers whose scores are not shipped", "model_weights"),
    ("real_heads", "grouped"): ("a trained model's own, whose X has 576 columns", "query", "key", "value"),
    ("flash_attention", "row"): (LEARNER, "logits"),
    ("transformer", "the_model"): (LEARNER, "one_hot"),
    ("transformer", "train_model"): ("training has made them", "one_hot", "e", "p", "w_1", "w_2", "w_u"),
    ("newer_models", "latent"): ("the nearest matrices of this rank", "w_d", "w_uk"),
    ("practice", "bug_hunt"): (EXERCISE, "scores"),
    ("practice", "three"): (EXERCISE, "query", "key", "value", "scores", "scaled_scores", "weights"),
    ("practice", "numbers"): (EXERCISE, "query", "key", "value", "scores"),
    ("practice", "read_it"): (EXERCISE, "weights1", "weights2", "value"),
}
MASKED = (-math.inf, -1e9)
NOTHING: Mapping[str, float] = MappingProxyType({})
DIGITS = str.maketrans({"−": "-", "∞": "inf"})


def number(value: object) -> float | None:
    """A cell's number; None where it has none, or a word."""
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, str):
        return NUMBERS.get(value)
    return float(value)


class Picture:
    """The matrices of a picture by their ids, with columns counted as the whole matrix counts them."""

    def __init__(self, data: dict):
        self.shown = data["matrices"]
        self.matrices = {matrix["id"]: matrix for matrix in (*data.get("sources", ()), *data["matrices"])}

    def cell(self, name: str, row: int, col: int) -> float | None:
        """The number of a cell; None where the picture does not show the cell."""
        matrix = self.matrices.get(name)
        if matrix is None or matrix["values"] is None:
            return None
        col -= matrix["offset"]
        inside = 0 <= row < len(matrix["values"]) and 0 <= col < len(matrix["values"][row])
        return number(matrix["values"][row][col]) if inside else None

    def line(self, name: str, over: str, row: int, col: int) -> list[float | None]:
        """The cells on the row, on the column, or all of a matrix."""
        matrix = self.matrices.get(name)
        if matrix is None or matrix["values"] is None:
            return []
        width, start = len(matrix["values"][0]), matrix["offset"]
        rows = [row] if over == "row" else range(len(matrix["values"]))
        cols = [col] if over == "column" else range(start, start + width)
        return [self.cell(name, r, c) for r in rows for c in cols]

    # ---- one operation each; None: a source is not in the picture

    def product(self, recipe: dict, row: int, col: int) -> float | None:
        column = col + recipe["col_start"]
        terms = []
        for k in range(recipe["length"]):
            place = (column, recipe["right_start"] + k)
            place = place if recipe["right_transposed"] else place[::-1]
            left, right = (
                self.cell(recipe["left"], row, recipe["left_start"] + k),
                self.cell(recipe["right"], *place),
            )
            if left is None or right is None:
                return None
            terms.append(0.0 if left == 0 else left * right)
        if recipe["bias"] and recipe["bias"] in self.matrices:
            terms.append(self.cell(recipe["bias"], 0, column))
        return math.fsum(terms)

    def divide(self, recipe: dict, row: int, col: int) -> float | None:
        value = self.cell(recipe["of"], row, col)
        return None if value is None else value / recipe["by"]

    def softcap(self, recipe: dict, row: int, col: int) -> float | None:
        value = self.cell(recipe["of"], row, col)
        return None if value is None else recipe["cap"] * math.tanh(value / recipe["cap"])

    def softmax(self, recipe: dict, row: int, col: int) -> float | None:
        over, by = recipe["over"], recipe["by"]
        if "scores" in recipe:
            values = [-math.inf if value is None else value for value in recipe["scores"][row]]
        else:
            values = self.line(recipe["of"], over, row, col)
        if not values or None in values:
            return None
        top = max(values)
        if top == -math.inf:
            return math.nan
        own = self.cell(recipe["of"], row, col) if over == "all" else values[col if over == "row" else row]
        own = values[row + col] if own is None else own  # a column that is made from a row
        return math.exp((own - top) / by) / math.fsum(math.exp((value - top) / by) for value in values)

    def sum(self, recipe: dict, row: int, col: int) -> float | None:
        values = self.line(recipe["of"], recipe["over"], row, col)
        return math.fsum(values) if values and None not in values else None

    def add(self, recipe: dict, row: int, col: int) -> float | None:
        values = [self.cell(name, row, col) for name in recipe["of"]]
        return None if None in values else sum(values)

    def difference(self, recipe: dict, row: int, col: int) -> float | None:
        first, second = (self.cell(name, row, col) for name in recipe["of"])
        return None if first is None or second is None else first - second

    def copy(self, recipe: dict, row: int, col: int) -> float | None:
        for block in recipe["blocks"]:
            if block["start"] <= col < block["start"] + block["length"]:
                return self.cell(block["of"], row, col - block["start"])
        return None

    def normalize(self, recipe: dict, row: int, col: int) -> float | None:
        values = [self.cell(recipe["of"], row, recipe["start"] + c) for c in range(recipe["length"])]
        if None in values:
            return None
        mean = math.fsum(value * value for value in values) / len(values)
        return self.cell(recipe["of"], row, col) / math.sqrt(mean + recipe["epsilon"])

    def rotate(self, recipe: dict, row: int, col: int) -> float | None:
        start, half = recipe["start"], recipe["half"]
        own = self.cell(recipe["of"], row, col)
        if own is None or col - start >= 2 * half:
            return own
        first = col - start < half
        angle = recipe["angles"][row][(col - start) % half]
        other = self.cell(recipe["of"], row, col + half if first else col - half)
        if other is None:
            return None
        return own * math.cos(angle) + (-other if first else other) * math.sin(angle)

    # ---- the whole picture

    def faults(self, but: Mapping[str, float] = NOTHING) -> Iterator[str]:
        """The computed cells that do not follow from their sources.

        but: matrix → by how much its cells may differ, for a reason.
        """
        for matrix, row, col, value in self.computed():
            wanted = self.wanted(matrix, row, col, value)
            within = 1e-2 if matrix["recipe"].get("near") else 1e-9
            if wanted is not None and not alike(value, wanted, but.get(matrix["id"], within)):
                yield f"{matrix['id']}[{row}, {col}] is {value}, its sources make it {wanted}"
            if (text := self.result(matrix, row, col)) is not None and not says(text, value):
                yield f"{matrix['id']}[{row}, {col}] is {value}, its arithmetic ends in {text!r}"

    def unexplained(self, start: Collection[str] = ()) -> Iterator[str]:
        """The computed cells without arithmetic. given: matrices that are made from nothing."""
        for matrix in self.shown:
            known = matrix["editable"] or matrix["id"] in ENTERED or matrix["id"] in start
            if known or matrix["kind"] in ("mask", "text") or matrix["size"] == "thumbnail":
                continue
            for row, values in enumerate(matrix["values"] or ()):
                for col, value in enumerate(map(number, values), matrix["offset"]):
                    if value is not None and not self.is_explained(matrix, row, col, value):
                        yield f"{matrix['id']}[{row}, {col}]"

    def is_explained(self, matrix: dict, row: int, col: int, value: float) -> bool:
        """Whether all sources of the cell are known, or its arithmetic is written."""
        recipe = matrix["recipe"]
        if recipe is None or recipe["op"] == "same":
            return False
        if recipe["op"] == "written":
            return bool(recipe["texts"][row][col - matrix["offset"]]) and matrix["id"] not in recipe["of"]
        if recipe["op"] == "mask":
            return self.cell(recipe["of"], row, col) is not None
        return self.wanted(matrix, row, col, value) is not None

    def computed(self) -> Iterator[tuple[dict, int, int, float]]:
        for matrix in self.shown:
            if matrix["recipe"] is None or matrix["values"] is None:
                continue
            for row, values in enumerate(matrix["values"]):
                for place, value in enumerate(values):
                    if number(value) is not None:
                        yield matrix, row, place + matrix["offset"], number(value)

    def wanted(self, matrix: dict, row: int, col: int, value: float) -> float | None:
        """What the sources make of the cell."""
        recipe = matrix["recipe"]
        if recipe["op"] in ("same", "written"):
            return None
        if recipe["op"] == "mask":
            source = self.cell(recipe["of"], row, col)
            return value if source is None or value in MASKED else source
        result = getattr(self, recipe["op"])(recipe, row, col)
        # A row that is masked throughout: its weights are 0 in the core, NaN in a plain softmax.
        return value if result is not None and math.isnan(result) and value == 0 else result

    def result(self, matrix: dict, row: int, col: int) -> str | None:
        """What is behind the last = or ≈ of arithmetic that is given as a text."""
        recipe = matrix["recipe"]
        if recipe["op"] != "written" or row >= len(recipe["texts"]):
            return None
        line, place = recipe["texts"][row], col - matrix["offset"]
        _, *results = re.split(" [=≈] ", line[place] if place < len(line) else "")
        return results[-1] if results else None


def alike(value: float, wanted: float, within: float = 1e-9) -> bool:
    both = math.isnan(value) and math.isnan(wanted)
    return both or value == wanted or math.isclose(value, wanted, rel_tol=within, abs_tol=within)


def says(text: str, value: float) -> bool:
    """Whether a number as it is written is that value, rounded to the written digits."""
    plain = text.strip().translate(DIGITS).replace(",", "")
    if not re.fullmatch(r"-?(\d+(\.\d+)?(e-?\d+)?|inf|nan|NaN)", plain):
        return True  # a word, or a formula
    mantissa, _, power = plain.partition("e")
    view, decimals = float(plain), len(mantissa.partition(".")[2])
    if not math.isfinite(view) or not math.isfinite(value):
        return alike(value, view)
    unit = 10.0 ** (int(power or 0) - decimals)
    return abs(view - value) <= 0.501 * unit


def unexplained(data: dict, name: str, part: str, topic: str | None = None) -> list[str]:
    """The computed cells of a picture that do not show how they are computed."""
    _, *start = GIVEN.get((name, topic or part), ("",))
    return list(Picture(data).unexplained(start))


def faults_in(data: dict, name: str, part: str) -> list[str]:
    """The computed cells of a picture that do not follow from their sources."""
    free, _ = ON_PURPOSE.get((name, part), ((), ""))
    return [] if free is None else list(Picture(data).faults(dict.fromkeys(free, 2e-2)))
