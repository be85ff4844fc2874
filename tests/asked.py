"""Every part of every page with its topics, and every question with the place where it is asked."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from pages.lessons import LESSONS, REFERENCE, lesson
from pages.model.edits import load_example
from pages.model.settings import Settings
from pages.model.state import State
from pages.model.view import Place, View
from tests.states import looking, with_own

# The topics of the parts that show one at a time (see pages.ask.topics).
TOPICS_OF = {
    ("one_head", "meaning"): ("library", "it", "bank"),
    ("one_head", "predict"): ("symmetric", "swap", "value", "value_causal", "shift", "by_hand"),
    ("one_head", "misconceptions"): ("transposed", "one_projection", "columns"),
    ("softmax", "temperature"): ("cooling", "growth", "constant"),
    ("why_scale", "learning"): ("saturation", "one_query", "all_queries"),
    ("why_scale", "yours"): ("moved", "capped"),
    ("masks", "wrong"): ("after_softmax", "times_zero", "query_rows"),
    ("masks", "libraries"): ("float_mask", "polarity", "precision", "left_padding"),
    ("many_heads", "view"): ("output", "origins", "note"),
    ("many_heads", "code"): ("modules", "lines", "accident", "divide"),
    ("cross_attention", "predict"): ("shape", "order", "cached"),
    ("order", "limits"): ("padding", "longer", "cost"),
    ("real_heads", "which_head"): ("previous", "next", "first", "same_word", "animal"),
    ("real_heads", "one_real_head"): ("switches", "exchange"),
    ("worked_examples", "notes"): ("cats", "five_tokens", "three_scores", "it"),
    ("worked_examples", "code"): ("split", "dropout", "mask", "shapes"),
    ("practice", "your_code"): ("square", "rectangle", "mask", "fully_masked", "large_scores"),
    ("for_teachers", "plans"): ("plan_45", "plan_90"),
}
# The topics of their parts in which questions are asked; "lesson.question" where two have the same name.
TOPICS = {
    **{name: name for name in ("symmetric", "swap", "value", "value_causal", "shift", "by_hand")},
    **{name: name for name in ("transposed", "one_projection", "times_zero", "accident")},
    "bank_rows": "bank",
    "columns": "columns",
    "soft_shift": "constant",
    "renormalise": "after_softmax",
    "padding_side": "query_rows",
    "ones": "float_mask",
    "half": "precision",
    **{name: name for name in ("polarity", "left_padding")},
    "cross_shape": "shape",
    "cross_order": "order",
    "cross_cached": "cached",
    "order_padding": "padding",
    **{f"real_{name}": name for name in ("previous", "next", "first", "same_word", "animal")},
    "real_special": "switches",
    "real_exchange": "exchange",
    "worked_first": "cats",
    "worked_range": "five_tokens",
    "worked_sum": "three_scores",
    "worked_it": "it",
    "worked_shape": "split",
    "worked_dropout": "dropout",
    "worked_batch": "mask",
}
# The right answer of every question that is asked with options, at the start of its lesson.
RIGHT = {
    "bank_rows": "one", "symmetric": "mirror", "swap": "rows", "value": "all", "value_causal": "last",
    "shift": "same", "transposed": "column", "one_projection": "itself", "columns": "down",
    "one_head_end": "sharper",
    "soft_three": "exps", "soft_double": "grows", "soft_shift": "same_weights", "soft_tiny": "zero",
    "soft_axis": "columns", "soft_raise": "fall", "soft_drop": "divided", "softmax_end": "shifted",
    "factor": "4", "same": "width", "divided": "third", "parts": "few", "root_n": "quarter", "row": "3",
    "why_scale_end": "right",
    "fully_masked": "alike", "half": "error", "ones": "lifted", "polarity": "turned", "renormalise":
    "right", "times_zero": "more", "padding_side": "columns", "left_padding": "padded", "masks_end":
    "change",
    "head_columns": "block", "ablation": "2", "view": "3", "shared": "own", "accident": "head",
    "many_heads_end": "rows",
    "cross_shape": "n_m", "cross_order": "same", "cross_cached": "query", "cross_causal": "decoder",
    "cross_aligned": "lower_right", "cross_end": "other",
    "order_reversed": "along", "order_causal": "pair", "order_waves": "distance", "order_equal": "nothing",
    "train_dark": "before_1", "train_agree": "weights", "train_zeros": "zero", "train_end": "only",
    "order_shift": "none", "order_slope": "e", "order_padding": "added", "order_end": "rotary",
    "real_special": "share", "real_exchange": "along", "real_wide": "animal", "real_trials": "half",
    "real_agree": "gradient", "real_zero": "norm", "real_heads_end": "trials",
    "cost_crossing": "below", "cost_layers": "4", "cost_double": "mixing", "cost_fused": "less",
    "cost_cache": "smaller", "cost_end": "window",
    "flash_mend": "factor", "flash_same": "same", "flash_skip": "3", "flash_ops": "more", "flash_end":
    "right",
    "worked_first": "1_09", "worked_range": "no", "worked_sum": "1", "worked_it": "sum", "worked_shape":
    "four", "worked_dropout": "varies", "worked_batch": "error", "worked_end": "product",
}  # fmt: skip
# What has to be set for a question to be asked.
SET = {"same": {"sample_case": "same"}}
LOOKED = {"real_trials": {"believed": 72}}  # what has to be looked at


@dataclass(frozen=True)
class Asked:
    """A question, its lesson and its part."""

    lesson: str
    part: str
    name: str

    def __str__(self) -> str:
        return f"{self.lesson}.{self.name}"

    @property
    def right(self) -> str | None:
        """The right option; None where a number or a cell is asked for."""
        return RIGHT.get(str(self), RIGHT.get(self.name))

    @property
    def settings(self) -> State:
        """The numbers that the lesson begins with."""
        return with_own(load_example(Settings(), lesson(self.lesson).start), **SET.get(self.name, {}))

    @property
    def place(self) -> Place:
        return Place(part=self.part, topic=TOPICS.get(str(self), TOPICS.get(self.name)))

    def view(self, answer: str | None = None, language: str = "en") -> View:
        """All other questions of the lesson are answered, this one with `answer` if it is given."""
        others = {name: "shown" for name in lesson(self.lesson).questions if name != self.name}
        own = {} if answer is None else {self.name: answer}
        answers = tuple(sorted((others | own).items()))
        return looking(language=language, answers=answers, **LOOKED.get(self.name, {}))


PLACES = tuple(
    (name, part.name, topic)
    for name in (*LESSONS, *REFERENCE)
    for part in lesson(name).parts
    for topic in TOPICS_OF.get((name, part.name), (None,))
)


def _all() -> Iterator[Asked]:
    for name in LESSONS:
        for part in lesson(name).parts:
            yield from (Asked(name, part.name, question) for question in part.questions)
        if lesson(name).ending is not None:
            yield Asked(name, lesson(name).last.name, lesson(name).ending)


ASKED = tuple(_all())
