"""Whether a page shows what it should: pictures whole, nothing faded without reason, the core's numbers."""

import math
import re
from dataclasses import dataclass, field
from urllib.parse import parse_qs

from pages.model import settings as s
from pages.model.compute import cross_trace_of, inputs_of, positions_of, trace_of
from pages.model.matrices import TABLE
from tests.support.course import from_query

OF_HEADS = ("query", "key", "value", "concatenated")  # of all heads, side by side
OF_ONE = ("scores", "scaled_scores", "biased_scores", "masked_scores", "weights")  # of the shown head
NUMBERS = {"inf": math.inf, "-inf": -math.inf, "nan": math.nan}
STILL = 2  # px

STEPS = (*OF_HEADS, *OF_ONE, "head_output", "output", "x_p", "p")

# Matrices that have a step's name but not the numbers of the settings: (lesson, part, picture), None for any
# of them → (the matrices, or "all"), and why.
OWN_NUMBERS: dict[tuple[str, str | None, str | None], tuple[tuple[str, ...], str]] = {
    ("one_head", "meaning", None): (
        ("all",),
        "a story has its own numbers until the learner takes them over",
    ),
    ("one_head", "row", None): (("all",), "the row of one query alone, which is not the first one"),
    ("one_head", "hand", None): (("weights",), "the row of one query alone, which is not the first one"),
    ("one_head", "predict", None): (("all",), "a change is tried out beside the learner's own numbers"),
    ("one_head", "misconceptions", None): (("all",), "the computation written in another way, or wrongly"),
    ("one_head", None, "end_doubled"): (("all",), "the answer to the last question, with Q doubled"),
    ("softmax", "bars", None): (("weights",), "the weights of scores that stand alone"),
    ("softmax", "temperature", None): (("weights",), "the weights of scores that stand alone"),
    ("softmax", "jacobian", None): (("weights",), "the weights of scores that stand alone"),
    ("softmax", "axes", None): (("weights",), "softmax over another axis"),
    ("why_scale", "spread", None): (("scores",), "drawn at random"),
    ("why_scale", "yours", "softcap"): (
        ("masked_scores", "weights", "head_output", "output"),
        "computed with a cap on the scores",
    ),
    ("masks", None, None): (("output",), "the output of the shown head, before W_O"),
    ("masks", "no_looking", None): (("masked_scores",), "a mask of its own"),
    ("masks", "fully_masked", None): (("masked_scores",), "a mask with a row that masks all"),
    ("masks", "libraries", "two_forms"): (
        ("masked_scores",),
        "always −∞; the causal mask where there is none",
    ),
    ("order", "sinusoidal", None): (STEPS, "with the part's positions, before they are taken over"),
    ("order", "learned", None): (STEPS, "with the part's positions, before they are taken over"),
    ("order", "rotary", None): (STEPS, "with the part's positions, before they are taken over"),
    ("order", "alibi", None): (STEPS, "with the part's positions, before they are taken over"),
    ("train_a_head", "train", None): (("all",), "a head in training, not the numbers of the settings"),
    ("train_a_head", "two_runs", None): (("all",), "two heads in training"),
    ("train_a_head", "run", None): (("all",), "a head in training, not the numbers of the settings"),
    ("train_a_head", "optimiser", None): (
        ("all",),
        "a head that the learner trains, and that of the question",
    ),
    ("train_a_head", None, "end"): (("all",), "the start of a run, which the last question is about"),
    ("train_a_head", None, "end_changed"): (("all",), "the start of a run with W_Q and W_K changed"),
    ("two_layers", None, None): (("all",), "models with two layers, by hand or in training"),
    ("transformer", None, None): (("all",), "a whole model, with numbers of its own"),
    ("order", None, "end"): (("weights",), "without positions, which the last question is about"),
    ("real_heads", "one_real_head", None): (("all",), "the numbers of a trained model"),
    ("real_heads", "next_word", None): (("all",), "the numbers of a trained model"),
    ("flash_attention", "row", None): (("weights",), "the weights of scores that stand alone"),
    ("newer_models", "sink", None): (("weights", "head_output", "output"), "computed with a sink"),
    ("newer_models", "latent", None): (("query", "scores"), "of the shown head, from the short row"),
    ("newer_models", "linear", None): (("all",), "of the shown head, without scaling and mask"),
    ("worked_examples", None, None): (("all",), "the numbers of notes"),
    ("practice", None, None): (("all",), "every exercise has its own numbers"),
}


@dataclass
class Shown:
    """A page as `everyControl.shown` tells it, with the data that the server sent for its pictures."""

    lesson: str
    part: str
    page: dict
    sent: dict[str, dict]
    drawn: set[str]
    steps: dict[str, tuple[str, list[str]]] = field(default_factory=dict)  # picture → chosen before, of which

    def faults(self) -> list[str]:
        """All that is wrong with what is on the screen, in sentences."""
        results = [f"an error on the page: {text}" for text in (*self.page["wrong"], *self.page["missing"])]
        there = {one["key"] for one in self.page["pictures"]}
        results += [f"{key} was sent by the server and is not on the page" for key in self.drawn - there]
        for picture in self.page["pictures"]:
            data = self.sent[picture["key"]]
            results += [f"{picture['key']}: {fault}" for fault in self._of_picture(picture, data)]
        return results

    def _of_picture(self, picture: dict, data: dict):
        boxes = {box["id"]: box for box in picture["boxes"]}
        if len(boxes) < len(picture["boxes"]):
            yield "a matrix is there twice"
        for matrix in data["matrices"]:
            box = boxes.get(matrix["id"])
            if box is None:
                yield f"{matrix['id']} is missing"
            else:
                yield from (f"{matrix['id']} {fault}" for fault in _of_box(box, matrix, picture["shown"]))
        yield from self._of_panel(picture, data)
        yield from _faded(picture, data)
        yield from self._of_core(boxes, data)

    def _of_panel(self, picture: dict, data: dict):
        told, steps = data["steps"], [step["name"] for step in data["steps"]]
        if not data["panel"] or not steps:
            return
        place, count = chosen_step(picture)
        titles = picture["titles"]
        if count != len(steps) or not 1 <= place <= count:
            yield f"the panel says “{picture['count']}” of {len(steps)} steps"
        elif titles != [_plain(told[place - 1]["title"])]:
            yield f"the panel shows the titles {titles} at step {place}"
        else:
            wanted = self._wanted_steps(picture["key"], data["step"], steps)
            if not picture["looked"] and steps[place - 1] not in wanted:
                yield f"the chosen step is {steps[place - 1]}, the learner was at {' or '.join(wanted)}"

    def _wanted_steps(self, key: str, linked: str | None, steps: list[str]) -> set[str]:
        """The step as before, or that of the link, which may come back; else the next one that is left."""
        before, names = self.steps.get(key, (steps[-1], steps))
        if results := {before, linked} & set(steps):
            return results
        later = names[names.index(before) + 1 :]
        return {next((name for name in later if name in steps), steps[-1])}

    # ---- the core's numbers

    def _of_core(self, boxes: dict[str, dict], data: dict):
        name = data["key"].removeprefix(f"picture-{self.lesson}-{self.part}-")
        own = {
            matrix
            for part in (self.part, None)
            for one in (name, None)
            for matrix in OWN_NUMBERS.get((self.lesson, part, one), ((),))[0]
        }
        if "all" in own:
            return
        try:
            core = core_numbers(self.lesson, self.page["query"])
        except ValueError as problem:
            yield str(problem)
            return
        for matrix, values in core.items():
            if matrix not in boxes or matrix in own:
                continue
            wrong = [
                f"[{row + 1}, {col + 1}] is {value}, not {wanted}"
                for row, col, value, *_ in boxes[matrix]["cells"]
                if not same(value, wanted := _at(values, row, col))
            ]
            if wrong:
                yield f"{matrix} is not the core's in {len(wrong)} cells: {wrong[0]}"


def _at(values: list, row: int, col: int) -> object:
    return values[row][col] if row < len(values) and col < len(values[row]) else "outside of the matrix"


def chosen_step(picture: dict) -> tuple[int, int]:
    """“step 3 of 8” in either language; (0, 0) where it says something else."""
    numbers = re.findall(r"\d+", picture["count"] or "")
    return (int(numbers[0]), int(numbers[1])) if len(numbers) == 2 else (0, 0)


def _plain(text: str) -> str:
    return re.sub(r"[_^](?:\{([^}]*)\}|(\w))", lambda result: result[1] or result[2], text)


def same(text: str | None, value: object) -> bool:
    """Whether a cell's data-value is that number, truth value or text; None is an empty cell."""
    if value is None:
        return not text
    if isinstance(value, bool):
        return text == str(value).lower()
    if value in NUMBERS or isinstance(value, float | int):
        value = NUMBERS.get(value, value)
        try:
            number = float(text)
        except (TypeError, ValueError):
            return False
        both = math.isnan(number) and math.isnan(value)
        return both or number == value or math.isclose(number, value, rel_tol=1e-9, abs_tol=1e-9)
    return text == str(value)


def _of_box(box: dict, matrix: dict, visible: bool):
    """Every cell is there, with the value that the server sent, and with something to read."""
    if visible and not box["room"]:
        yield "has no room"
    wanted = len(matrix["rows"]) * len(matrix["cols"])
    if len(box["cells"]) != wanted:
        yield f"has {len(box['cells'])} cells of {wanted}"
        return
    values, offset = matrix["values"], matrix["offset"]
    unlike, blank = [], []
    for row, col, value, text, _ in box["cells"]:
        sent = None if values is None else values[row][col - offset]
        if not same(value, sent):
            unlike.append(f"[{row + 1}, {col + 1}] is {value}, the server sent {sent}")
        elif sent not in (None, "") and not text and not box["wordless"]:
            blank.append(f"[{row + 1}, {col + 1}] is blank, its value is {value}")
    for result in (unlike, blank):
        if result:
            yield f"in {len(result)} cells: {result[0]}"


def _faded(picture: dict, data: dict):
    """What is faded though no step and no followed query fades it."""
    steps = [step["name"] for step in data["steps"]]
    place = chosen_step(picture)[0] - 1 if data["panel"] and steps else None
    specs = {matrix["id"]: matrix for matrix in data["matrices"]}
    for box in picture["boxes"]:
        spec = specs.get(box["id"])
        if spec is None:
            continue
        at = steps.index(spec["step_name"]) if spec["step_name"] in steps else -1
        if place is not None and at > place:
            continue
        followed = data["row"] if spec["query_rows"] else None
        faded = [(r, c) for r, c, *_, o in box["cells"] if o < 1 and followed in (None, r)]
        if faded:
            yield f"{box['id']} is faded in {len(faded)} of {len(box['cells'])} cells"


def core_numbers(lesson: str, query: str) -> dict[str, list]:
    """What the core makes of the settings that the link represents: matrix → its values."""
    state, view, _, problems = from_query(parse_qs(query, keep_blank_values=True))
    if problems:
        raise ValueError(f"the address bar's link has problems: {problems}")
    now = state.core
    trace = cross_trace_of(now) if lesson == "cross_attention" else trace_of(now)
    head = trace.head(min(view.head, now.num_heads - 1))
    results = {name: getattr(trace, name) for name in OF_HEADS}
    results |= {name: getattr(head, name) for name in OF_ONE}
    results |= {"head_output": head.output, "output": trace.output if now.num_heads > 1 else head.output}
    results |= {"x_p": inputs_of(now)}
    inputs = {name: s.as_matrix(now, name) for name in TABLE}
    if (positions := positions_of(now)) is not None:
        inputs["p"] = positions.tolist()
    values = {name: tensor.tolist() for name, tensor in results.items() if tensor is not None}
    return values | {name: matrix for name, matrix in inputs.items() if matrix is not None}
