"""The files of the lesson have the numbers that each part draws."""

import random

import pytest

from attention.lab.heads.parts import without_heads
from pages.hand.export import program
from pages.lessons.many_heads import sharing, two
from pages.lessons.many_heads.program import VARIANTS
from pages.lessons.many_heads.settings import HeadsNumbers
from pages.model.compute import tensors_of, trace_of
from pages.model.languages import LANGUAGES
from pages.model.state import State
from pages.model.view import SHOWN
from tests.support.random_settings import drawn
from tests.support.variant_files import check_variant

from .conftest import START, page_of

QUESTIONS = {"two": "head_doubled", "split": "head_columns", "ablation": "ablation", "sharing": "shared"}
SEEDS = range(16)


def page_with(part: str, seed: int, language: str = "en", *, answered: bool = True):
    draw, core = random.Random(seed), drawn(seed)
    heads = range(core.num_heads)
    own = HeadsNumbers(frozenset(draw.sample(heads, draw.randint(0, len(heads)))), draw.choice((1.0, -2.5)))
    answers = [(QUESTIONS[part], SHOWN)] if answered and part in QUESTIONS else []
    view = {"head": seed % core.num_heads, "groups": draw.randint(1, len(heads))}
    return page_of(State(core=core).having(own), part, language, answers=answers, **view)


def wanted(page) -> dict:
    """Weights and output, from what the screen is computed with."""
    if page.part.name in ("two", "ablation"):
        now = two.shown(page).settings if page.part.name == "two" else page.settings
        trace, off = trace_of(now), frozenset(head for head in page.own.off if head < now.num_heads)
        if now.num_heads > 1:
            return {
                "weights": trace.heads.weights,
                "output": without_heads(trace, tensors_of(now)["w_o"], off),
            }
    elif page.settings.num_heads > 1:
        plain = sharing.positions.plainly(page).settings
        trace = trace_of(plain)
        if page.part.name == "sharing" and plain.kv_heads == plain.num_heads:
            trace = sharing.sharing_of(plain, sharing.group_count(page)).shared
    else:
        trace = trace_of(page.settings)
    one = trace.heads.weights.shape[0] == 1
    return {"weights": trace.heads.weights[0] if one else trace.heads.weights, "output": trace.output}


@pytest.mark.parametrize("part", VARIANTS)
def test_the_programs_and_arrays_have_the_numbers_of_the_screen(part):
    others = 0
    for seed in SEEDS:
        page = page_with(part, seed)
        others += program.of(page) is not None
        check_variant(page, wanted(page))
    assert others
    for language in LANGUAGES:
        check_variant(page_with(part, 3, language), {})


@pytest.mark.parametrize("part", ["two", "ablation", "sharing"])
def test_before_the_answer_nothing_is_changed(part):
    for seed in SEEDS:
        page = page_with(part, seed, answered=False)
        whole = program.of(page)
        if page.settings.num_heads > 1 and whole is not None:
            assert part == "sharing" and whole.about == page.t("position.set_aside")
    own = HeadsNumbers(query_factor=2.0)
    assert program.of(page_of(State(core=START).having(own), "overview")) is None
