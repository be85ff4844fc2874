"""The computation of each part for files. Number formats are not in it: that part keeps the settings' own."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from pages.draw import steps
from pages.draw.page import Page
from pages.draw.picture.traced import Traced, as_input, by_name
from pages.hand.export.program import Ending, Program, asked, of_numbers

from . import axes, bars, dropout, jacobian, learner, temperature

BARE = ("total", "moved_weights", "jacobian")  # steps whose title says enough in a picture only
CHECK_AXES = "print(torch.allclose({0}.nan_to_num(1.0), torch.ones_like({0})))"
CHECK_JACOBIAN = """derivatives = torch.autograd.functional.jacobian(lambda s: s.softmax(dim=-1), scores[0])
print(torch.allclose(derivatives, jacobian))"""


@dataclass(frozen=True)
class PartProgram:
    """The steps by their names, questions for the worksheet, and code at the end.

    computation, likes: see of_numbers. whys: step → the key of its reason, if it is not its name.
    """

    numbers: Mapping[str, Traced]
    questions: Sequence[tuple[str, str]]
    check: str = ""
    facts: Mapping[str, str] = field(default_factory=dict)
    computation: steps.Steps | None = None
    whys: Mapping[str, str] = field(default_factory=dict)
    likes: Mapping[str, str] = field(default_factory=dict)


def program(page: Page) -> Program | None:
    """The computation of the page's part, if it has one."""
    if page.part.name not in PARTS:
        return None
    t, part = page.t, PARTS[page.part.name](page)
    c, facts = part.computation, dict(part.facts)
    if c is not None and c.several:
        facts[t("setting.head")] = str(page.head + 1)

    def own_texts(name: str) -> tuple[str, str]:
        """The picture's title, if it says enough; the shifted steps have the texts of the others."""
        title, key = part.numbers[name].title, name.removeprefix("shifted_")
        title = title if title and name not in BARE else t(f"program.{key}")
        return title, t(f"program_why.{part.whys.get(key, key)}")

    # All are blank together with the weights, the weights alone with the sums of their rows.
    likes = {**dict.fromkeys(part.numbers, "dropped_weights"), **part.likes}
    own = {name: name for name in part.whys}
    inputs, lines = of_numbers(page, part.numbers.values(), own_texts, c, own, likes)
    given = {name: one if one.kind == "mask" else one.to_edit() for name, one in inputs.items()}
    why = f"program.check_{page.part.name}"
    ending = Ending(t("program.check"), t(why), part.check) if part.check else None
    names = next(iter(given.values())).cols
    return Program(names, given, lines, facts, part.questions, ending)


def _bars(page: Page) -> PartProgram:
    questions = [(page.t("program.ask_bars"), page.t("program.answer_bars"))]
    return PartProgram(bars.steps_of(page), questions, likes={"weights": "weights"})


def _temperature(page: Page) -> PartProgram:
    grows = temperature.doubled_holds(page.scores.logits)["grows"]
    questions = asked(page, {"soft_double": "grows"} if grows else {})
    likes = {"weights": "weights", "moved_weights": "weights"}
    return PartProgram(temperature.steps_of(page), questions, likes=likes)


def _axes(page: Page) -> PartProgram:
    t, axis, c = page.t, page.own.axis, steps.of(page)
    whole = c.of_head.numbers[c.unmasked]
    scores = as_input("scores", c.symbol("S"), whole.value, whole.rows, whole.cols)
    masked = scores if c.head.mask is None else steps.masked(c, scores, c.head.masked_scores)
    numbers = axes.steps_of(page, masked, axis)
    if masked is not scores:
        numbers = by_name(masked) | numbers
    check = CHECK_AXES.format(learner.SUMS[axes.OVER[axis]])
    facts = {t("setting.axis"): t(f"axes.{axis}")}
    whys = {"weights": "axis_weights"}
    return PartProgram(numbers, asked(page), check, facts, c, whys, {"masked_scores": "masked_scores"})


def _jacobian(page: Page) -> PartProgram:
    whys, likes = {"weights": "column"}, {"error": ""}  # too small for two decimals
    return PartProgram(jacobian.steps_of(page), asked(page), CHECK_JACOBIAN, whys=whys, likes=likes)


def _dropout(page: Page) -> PartProgram:
    c, facts = dropout.steps_of(page), {page.t("setting.dropout"): f"{page.own.dropout:g}"}
    numbers, whys = dropout.numbers_of(page, c), {"row_sums": "dropped_sums"}
    return PartProgram(numbers, asked(page), facts=facts, computation=c, whys=whys)


PARTS: Mapping[str, Callable[[Page], PartProgram]] = {
    "bars": _bars,
    "temperature": _temperature,
    "axes": _axes,
    "jacobian": _jacobian,
    "dropout": _dropout,
}
