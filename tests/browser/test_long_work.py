"""Long work in a real browser, whose page asks for news by itself: it is watched, ends, can be stopped."""

from attention.lab.training import Options, train
from pages.lessons.train_a_head import scene
from pages.lessons.train_a_head.settings import TrainingNumbers
from pages.model.compute import trace_of
from tests.browser.gestures import answered, wait_value


def test_a_run_is_watched_and_the_slider_goes_back_over_it(visit):
    page = visit(
        "/train_a_head?lang=en&part=run", '[data-matrix="weights"]', answers=answered("train_a_head")
    )
    # Another node in its place would shorten the page for a moment: it would scroll, and close an open list.
    picture = page.locator(".pic:has([data-matrix=weights])").element_handle()
    page.get_by_role("button", name="Train", exact=True).click()
    slider = page.locator("[data-slider=train_step]")
    slider.wait_for(timeout=60_000)
    assert picture.evaluate("node => node.isConnected")
    run = train(Options("previous", 0))
    ends = [
        scene.settings_of(snapshot.matrices, run.options, scene.sequence_of(TrainingNumbers()))
        for snapshot in run.snapshots
    ]
    wait_value(page, "w_q", 2, 1, ends[-1].w_q[2][1])
    slider.press("Home")
    wait_value(page, "weights", 1, 0, trace_of(ends[0]).heads.weights[0, 1, 0].item())
    page.wait_for_function("location.search.includes('trainstep=0')")


def test_a_measurement_shows_its_progress_and_stops(visit):
    page = visit("/cost?lang=en&part=measured", ".st-key-plot-measured svg.marks", answers=answered("cost"))
    start = page.get_by_role("button", name="Measure on this machine")
    start.click()
    page.get_by_role("button", name="Stop").click()
    start.wait_for()
    page.get_by_text("Measured now on the machine").wait_for()
