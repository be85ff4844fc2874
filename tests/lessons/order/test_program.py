"""The files of a part have the computation with its kind of position, as the screen shows it."""

import pytest

from pages.hand.export import program, script
from pages.model.languages import LANGUAGES
from pages.model.view import View
from tests.support.course import lesson
from tests.support.random_settings import any_state
from tests.support.states import page_in
from tests.support.variants import at_place, check_variant

# Part → step → the matrix on the screen.
SHOWN = {
    "swap": {"weights": "weights_before"},
    "sinusoidal": {"x_p": "x_p", "weights": "weights"},
    "learned": {"x_p": "x_p", "weights": "weights"},
    "rotary": {"scores": "scores"},
    "alibi": {"scaled_scores": "scaled_scores", "biased_scores": "biased_scores", "weights": "weights"},
}


def page_with(part: str, seed: int):
    state = any_state("order", seed)
    view = View(language=[*LANGUAGES][seed % 2], head=seed % state.core.num_heads)
    return at_place(page_in("order", part, state, view))


@pytest.mark.parametrize("part", SHOWN)
def test_the_files_have_the_numbers_of_the_screen(part):
    for seed in range(8):
        page = page_with(part, seed)
        has_picture = {"swap": len(page.tokens) > 1, "rotary": page.settings.head_dim > 1}.get(part, True)
        c = check_variant(page, SHOWN[part] if has_picture else {})
        wanted = part if part != "swap" else "sinusoidal" if page.own.with_positions else "none"
        assert c.position == wanted and (c.settings.mask == page.settings.mask or part == "swap")


def test_another_part_has_the_computation_of_the_settings():
    for part in lesson("order").parts:
        assert (program.of(page_with(part.name, 3)) is None) == (part.name not in SHOWN)
    assert "w_q = " in script.pytorch(page_with("along", 3), "")
