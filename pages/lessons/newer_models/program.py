"""The computation of each part for files: of the shown head, line by line."""

from collections.abc import Callable, Mapping

from pages.draw import positions, steps
from pages.draw.numbers import short
from pages.draw.page import Page
from pages.hand.export.program import PartProgram, Program, of_part, questions_of

from . import latent, linear, sink, windows

CHECK_LINEAR = """state = torch.zeros(key.shape[-1], value.shape[-1])
for q, k, v, o in zip(query, key, value, causal_output):
    state = state + k[:, None] * v
    print(torch.allclose(q @ state, o))"""


def program(page: Page) -> Program:
    """The computation of the page's part."""

    def own_texts(key: str) -> tuple[str, str]:
        return page.t(f"program.{key}"), page.t(f"program_why.{key}")

    questions = questions_of(page, **latent.facts() | windows.facts())
    return of_part(page, PARTS[page.part.name](page), own_texts, questions)


def _sink(page: Page) -> PartProgram:
    t, number = page.t, sink.sink_of(page)
    c = sink.with_sink(page, number)
    numbers, facts = sink.steps_of(c, number), {t("setting.sink_kind"): t(f"sink.{page.own.sink_kind}")}
    if number is None:
        return PartProgram(numbers, "print(weights.sum(dim=-1))", facts, c)
    facts[t("setting.sink")] = short(number)
    check = "print(torch.allclose(weights.sum(dim=-1) + sink_share[:, 0], torch.ones(len(tokens))))"
    return PartProgram(numbers, check, facts, c, {"weights": "weights"}, {"shares": "weights"})


def _windows(page: Page) -> PartProgram:
    t, own, numbers = page.t, page.own, windows.steps_of(page)
    reached = [name for name in numbers if name.startswith("reach_")]
    facts = {
        t("setting.layer_kinds"): t(f"windows.{own.layer_kinds}"),
        t("setting.window_n"): str(own.window_n),
        t("setting.window_r"): str(own.window_r),
    }
    check = f"print(int(attended.sum()), int({reached[-1]}[-1].sum()))"
    return PartProgram(numbers, check, facts, texts=dict.fromkeys(reached, "reach"))


def _latent(page: Page) -> PartProgram:
    page = latent.plain(page)
    c, facts = steps.of(page), {page.t("setting.latent_rank"): str(latent.rank_of(page))}
    check = "\n".join(f"print(torch.allclose(absorbed_{name}, {name}))" for name in ("scores", "output"))
    texts = {"key": "from_latent", "value": "from_latent"}
    return PartProgram(latent.steps_of(c, latent.low_rank(page)), check, facts, c, texts)


def _linear(page: Page) -> PartProgram:
    c = steps.of(positions.plainly(page))
    facts = {page.t("setting.linear_token"): f"{linear.token_of(page) + 1}"}
    texts, likes = {"output": "output"}, {"state_output": "output"}
    return PartProgram(linear.steps_of(page, c), CHECK_LINEAR, facts, c, texts, likes)


PARTS: Mapping[str, Callable[[Page], PartProgram]] = {
    "sink": _sink,
    "windows": _windows,
    "latent": _latent,
    "linear": _linear,
}
