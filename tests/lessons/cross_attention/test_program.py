"""The files of the lesson have the numbers that each part draws."""

import pytest

from attention import causal_mask, scaled_dot_product_attention
from pages.hand.export import program
from pages.lessons.cross_attention import scene
from pages.model.compute import cross_trace_of, trace_of
from pages.model.languages import LANGUAGES
from pages.model.view import SHOWN
from tests.support.course import lesson
from tests.support.random_settings import drawn
from tests.support.states import looking, page_in
from tests.support.variant_files import check_variant

QUESTION = "cross_aligned"
SEEDS = range(16)


def wanted(page) -> dict:
    """The masked scores and weights of all heads."""
    if page.part.name != "alignment" or len(page.tokens) < 3 or page.answer(QUESTION) is None:
        now = scene.without_mask(page) if page.part.name == "predict" else page
        trace = cross_trace_of(now.settings).heads
    else:
        heads = trace_of(page.settings).heads
        of_head = (heads.query, heads.key, heads.value)
        mask = causal_mask(len(page.tokens))
        trace = scaled_dot_product_attention(*of_head, mask=mask, scale=heads.scale)
    steps = {name: getattr(trace, name) for name in ("masked_scores", "weights")}
    return {name: step[0] if len(step) == 1 else step for name, step in steps.items()}


@pytest.mark.parametrize("part", [part.name for part in lesson("cross_attention").parts])
def test_the_programs_and_arrays_have_the_numbers_of_the_screen(part):
    others = 0
    for seed in SEEDS:
        for answers in ((), ((QUESTION, SHOWN),)):
            view = looking(answers, language=list(LANGUAGES)[seed % 2], head=seed % 3)
            page = page_in("cross_attention", part, drawn(seed), view)
            check_variant(page, wanted(page))
            others += program.of(page) is not None
    assert bool(others) == (part in ("predict", "alignment"))
