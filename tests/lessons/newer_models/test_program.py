"""The files of the lesson have the computation of each part, with the numbers on the screen."""

import pytest
import torch

from attention import scaled_dot_product_attention
from pages.draw import inputs, positions
from pages.lessons.newer_models import latent, linear, sink, windows
from pages.lessons.newer_models.settings import NewerNumbers
from pages.model.compute import options_of, trace_of
from pages.model.languages import LANGUAGES
from pages.model.state import State
from pages.model.view import View
from tests.support.exported import check_arrays, check_pages, run_scripts
from tests.support.random_settings import drawn
from tests.support.states import page_in
from tests.support.tolerance import close

FORMS = [
    NewerNumbers(
        sink_kind=kind, sink=-0.7, layer_kinds=layers, latent_rank=rank, with_softmax=on, linear_token=at
    )
    for kind, layers, rank, on, at in (
        ("none", "none", 1, False, 1),
        ("plus_one", "one", 2, True, 3),
        ("learned", "five", 3, False, 12),
        ("learned", "all", 4, True, 2),
    )
]
SEEDS = range(12)  # of settings of every kind


def page_with(part: str, seed: int, own: NewerNumbers, language: str = "en"):
    state = State(core=drawn(seed)).having(own)
    head = seed % state.core.num_heads
    return page_in("newer_models", part, settings=state, view=View(language=language, head=head))


def wanted(page) -> dict[str, torch.Tensor]:
    """Some steps of the part, from what the screen is computed with."""
    if page.part.name == "windows":
        layers, n = windows.layers_of(page), page.own.window_n
        attended = windows.lab.attended(n, layers).double().sum(0, keepdim=True)
        assert attended.sum() == windows.lab.rows_kept(n, layers)
        reached, steps = torch.eye(n).double(), {}
        for layer, window in enumerate(layers, start=1):
            reached = ((windows.lab.mask_of(n, window).double() @ reached) > 0).double()
            steps[f"reach_{layer}"] = reached
        close(reached[-1], windows.lab.reach(n, layers)[-1].double())
        return {"attended": attended} | steps
    plain = positions.plainly(page)
    if page.part.name == "sink":
        head = trace_of(plain.settings, sink=sink.sink_of(page)).head(page.head)
        share = {} if head.sink_weights is None else {"sink_share": head.sink_weights[:, None]}
        return {"weights": head.weights, "output": head.output, **share}
    if page.part.name == "latent":
        plain = latent.plain(page)
        low, trace = latent.low_rank(plain), trace_of(plain.settings)
        key, value = (
            trace.query_input @ low.down @ up[:, slice(*inputs.block(plain.settings, page.head, letter))]
            for letter, up in (("k", low.up_k), ("v", low.up_v))
        )
        options = {name: options_of(plain.settings)[name] for name in ("scale", "masked_score")}
        head = trace.head(page.head)
        head = scaled_dot_product_attention(head.query, key, value, mask=head.mask, **options)
        absorbed = {"absorbed_scores": head.scores, "absorbed_output": head.output}
        return {"scores": head.scores, "weights": head.weights, "output": head.output, **absorbed}
    head, at = linear.head_of(page), linear.token_of(page)
    mixed = torch.softmax(head.scores, dim=-1) if page.own.with_softmax else head.scores
    output, other = mixed @ head.value, head.query @ (head.key.mT @ head.value)
    recurrent = linear.lab.recurrent(head.query, head.key, head.value)
    token = {"token_state": recurrent.states[at], "token_output": recurrent.output[at : at + 1]}
    return {"output": output, "state_output": other, "causal_output": recurrent.output, **token}


@pytest.mark.parametrize("part", ["sink", "windows", "latent", "linear"])
def test_the_programs_and_arrays_have_the_numbers_of_the_screen(part):
    for seed in SEEDS:
        page = page_with(part, seed, FORMS[seed % len(FORMS)])
        steps, _ = run_scripts(page, wanted(page))
        check_arrays(page, steps)
        if seed == 3:
            for language in LANGUAGES:
                check_pages(page_with(part, seed, page.own, language), steps)
