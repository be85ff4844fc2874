"""The computation of each part for files. Number formats are not in it: that part keeps the settings' own."""

from collections.abc import Callable, Mapping
from dataclasses import replace

from pages.draw import steps
from pages.draw.page import Page
from pages.hand.export.program import PartProgram, Program, of_part, questions_of
from pages.picture.traced import as_input, by_name

from . import axes, bars, dropout, jacobian, learner, temperature

BARE = ("total", "moved_weights", "jacobian")  # steps whose title says enough in a picture only
BEYOND = ("exps", "total", "largest")  # steps whose reason is another one where float64 cannot hold the sum
# Part and step → the key of the reason, where it is not the name of the step.
WHYS = {
    ("axes", "weights"): "axis_weights",
    ("jacobian", "weights"): "column",
    ("dropout", "row_sums"): "dropped_sums",
    ("bars", "shifted_exps"): "exps",
    ("bars", "shifted_total"): "total",
}
CHECK_AXES = "print(torch.allclose({1}, torch.ones_like({0})))"
CHECK_JACOBIAN = """derivatives = torch.autograd.functional.jacobian(lambda s: s.softmax(dim=-1), scores[0])
print(torch.allclose(derivatives, jacobian))"""


def program(page: Page) -> Program | None:
    """The computation of the page's part, if it has one."""
    if page.part.name not in PARTS:
        return None
    t, part = page.t, PARTS[page.part.name](page)

    def own_texts(name: str) -> tuple[str, str]:
        """The picture's title, if it says enough."""
        title, key = part.numbers[name].title, WHYS.get((page.part.name, name), name)
        if name in BEYOND and "shifted_total" in part.numbers:
            key += "_beyond"
        return title if title and name not in BARE else t(f"program.{name}"), t(f"program_why.{key}")

    # All are blank together with the weights, the weights alone with the sums of their rows.
    likes = dict.fromkeys(part.numbers, "dropped_weights") | dict(part.likes)
    whole = of_part(page, replace(part, likes=likes), own_texts, _questions(page))
    inputs = {name: each if each.kind == "mask" else each.to_edit() for name, each in whole.inputs.items()}
    return replace(whole, inputs=inputs)  # as they were entered


def _questions(page: Page) -> list[tuple[str, str]]:
    if page.part.name == "bars":
        return [(page.t("program.ask_bars"), page.t("program.answer_bars"))]
    single = len(page.tokens) == 1 if page.part.name == "axes" else len(page.scores.logits) == 1
    if single and page.part.name != "dropout":
        return []
    grows = temperature.doubled_holds(page.scores.logits)["grows"]
    return questions_of(page, {"soft_double": "grows"} if grows else {})


def _bars(page: Page) -> PartProgram:
    return PartProgram(bars.steps_of(page), likes={"weights": "weights"})


def _temperature(page: Page) -> PartProgram:
    return PartProgram(temperature.steps_of(page), likes={"weights": "weights", "moved_weights": "weights"})


def _axes(page: Page) -> PartProgram:
    t, axis, c = page.t, page.own.axis, steps.of(page)
    whole = c.of_head.numbers[c.unmasked]
    scores = as_input("scores", c.symbol("S"), whole.value, whole.rows, whole.cols)
    masked = scores if c.head.mask is None else steps.masked(c, scores, c.head.masked_scores)
    numbers = axes.steps_of(page, masked, axis)
    if masked is not scores:
        numbers = by_name(masked) | numbers
    sums = learner.SUMS[axes.OVER[axis]]
    known = f"{sums}.nan_to_num(1.0)" if numbers[sums].value.isnan().any() else sums
    check, facts = CHECK_AXES.format(sums, known), {t("setting.axis"): t(f"axes.{axis}")}
    return PartProgram(numbers, check, facts, c, {"weights": "weights"}, {"masked_scores": "masked_scores"})


def _jacobian(page: Page) -> PartProgram:
    likes = {"error": ""}  # too small for two decimals
    return PartProgram(jacobian.steps_of(page), CHECK_JACOBIAN, likes=likes)


def _dropout(page: Page) -> PartProgram:
    c, facts = dropout.steps_of(page), {page.t("setting.dropout"): f"{page.own.dropout:g}"}
    return PartProgram(dropout.numbers_of(page, c), facts=facts, computation=c)


PARTS: Mapping[str, Callable[[Page], PartProgram]] = {
    "bars": _bars,
    "temperature": _temperature,
    "axes": _axes,
    "jacobian": _jacobian,
    "dropout": _dropout,
}
