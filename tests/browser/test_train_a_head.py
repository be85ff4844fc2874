"""The lesson `Train a head` in a real browser: a run is watched and scrubbed, a cell is dragged."""

from attention.lab.training import Options, train
from pages.lessons.train_a_head import optimiser, scene
from pages.lessons.train_a_head.settings import TrainingNumbers
from pages.model.compute import trace_of
from tests.browser.gestures import press_and_move, settings_of, state_of, until, wait_value

ASKED = "guess=train_dark:shown,train_agree:shown,train_zeros:shown"


def test_a_run_is_watched_and_the_slider_goes_back_over_it(visit):
    page = visit(f"/train_a_head?lang=en&{ASKED}", '[data-matrix="weights"]')
    page.get_by_role("button", name="Train", exact=True).click()
    page.wait_for_selector("[data-slider=train_step]", timeout=60_000)
    own = TrainingNumbers()
    run = train(Options("previous", 0))

    def shown(kept: int):
        return scene.settings_of(run.snapshots[kept].matrices, run.options, scene.sequence_of(own))

    wait_value(page, "w_q", 2, 1, shown(50).w_q[2][1])
    slider = page.locator("[data-slider=train_step]")
    slider.press("Home")
    wait_value(page, "weights", 1, 0, trace_of(shown(0)).heads.weights[0, 1, 0].item())
    slider.press("ArrowRight")
    wait_value(page, "w_v", 3, 2, shown(1).w_v[3][2])
    page.get_by_text(f"Step {run.snapshots[1].step} of 200:").wait_for()
    page.wait_for_function("location.search.includes('trainstep=4')")
    assert state_of(page).of(TrainingNumbers).ran


def test_a_cell_is_dragged_and_the_loss_follows(visit):
    page = visit(f"/train_a_head?lang=en&part=optimiser&{ASKED}", '[data-matrix="weights"]')
    page.get_by_role("button", name="Load the start of the training").click()
    page.wait_for_selector('[data-matrix="w_v"][data-editable]')
    options = scene.options_of(TrainingNumbers())
    until(page, lambda: scene.standing(settings_of(page), TrainingNumbers()) == options)
    start, link = settings_of(page), page.url
    press_and_move(page, "w_v", 0, 0, 160).up()
    page.get_by_text("Changes so far: 1.").wait_for()
    page.wait_for_function("(link) => location.href !== link", arg=link)
    now = settings_of(page)
    assert now.w_v[0][0] > start.w_v[0][0]
    page.get_by_text(
        f"Loss on the training sequences: {optimiser.evaluation_of(now, options).loss:.2f}."
    ).wait_for()
    page.get_by_text("Show the gradients").click()
    gradient = optimiser.evaluation_of(now, options).gradients["w_v"]
    wait_value(page, "gradient_v", 4, 4, gradient[4, 4].item())
