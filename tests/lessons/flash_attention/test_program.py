"""The files of the lesson compute a row in one pass, and attention tile by tile, as the screen shows them."""

import pytest
import torch

from pages.hand.export import program, script
from pages.lessons.flash_attention import row, run
from pages.model.compute import trace_of
from pages.model.languages import LANGUAGES
from pages.model.view import View
from tests.hand.test_export import run as run_file
from tests.support.exported import check_arrays, check_pages, run_scripts
from tests.support.random_settings import any_state
from tests.support.states import page_in
from tests.support.tolerance import close

SEEDS = range(40)  # of settings of every kind


def page_with(part: str, seed: int, language: str = "en"):
    state = any_state("flash_attention", seed)
    return page_in("flash_attention", part, state, View(language=language, head=seed % state.core.num_heads))


def wanted(page) -> dict[str, torch.Tensor]:
    """The numbers on the screen: of a tile's queries, those after the tile."""
    if page.part.name == "row":
        one_pass = row.one_pass(page.scores.logits)
        return {name: getattr(one_pass, name)[None] for name in row.LINES}
    ways, held = (
        run.of(page),
        {"running_maximum": "maximum", "rescale_factor": "factor", "running_sum": "total"},
    )
    n, blocks = len(page.tokens), len({tile.columns.start for tile in ways.trace.tiles})
    steps = {name: torch.full((n, blocks), torch.nan, dtype=torch.float64) for name in held}
    for done, tile in enumerate(ways.trace.tiles, start=1):
        for name, field in held.items():
            column = tile.columns.start // ways.trace.block_k
            steps[name][tile.rows, column] = getattr(ways.at(done), field)[tile.rows]
    return steps | {"output": ways.plain.output}


@pytest.mark.parametrize("part", ["row", "tiles"])
def test_the_programs_and_arrays_have_the_numbers_of_the_screen(part):
    loops = set()
    for seed in SEEDS:
        page = page_with(part, seed)
        steps, (printed, _) = run_scripts(page, wanted(page))
        assert printed.endswith("True")
        check_arrays(page, steps)
        loops.add(page.own.outer)
    assert loops == {"keys", "queries"}


@pytest.mark.parametrize("part", ["row", "tiles"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_notebook_and_the_worksheet_have_every_step(part, language):
    page = page_with(part, 3, language)
    steps, _ = run_scripts(page, wanted(page))
    _, sheet = check_pages(page, steps)
    for name in wanted(page):
        cells = [cell for line in sheet.sheet[name].rows for cell in line]
        assert (name == "output") == all(cells) and all(
            cell for line in sheet.key[name].rows for cell in line
        )


def test_a_part_without_a_computation_of_its_own_has_that_of_the_settings():
    page = page_with("moves", 3)
    known, _ = run_file(script.pytorch(page, ""))
    assert program.of(page) is None
    close(known["output"], trace_of(page.settings).output)
