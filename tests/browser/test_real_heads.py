"""The lesson on real heads in a browser: heads are chosen, found and switched; all stays on one screen."""

from playwright.sync_api import expect

from attention.lab.real_heads import store
from pages.lessons.real_heads import explain_yours, scene
from pages.lessons.real_heads.settings import HEADS, LAYERS, RealHeadsNumbers
from tests.browser.gestures import answered, cell, press_and_move, settings_of, state_of, wait_value

ANSWERED = answered("real_heads")
THUMBNAILS = '.pic-box[data-size="thumbnail"]'
# Whether what is pressed and all matrices are within the window, wherever the page is scrolled to.
ON_ONE_SCREEN = """(first) => {
  const all = [...document.querySelectorAll('.pic-box, ' + first)];
  const boxes = all.map((one) => one.getBoundingClientRect());
  const bottom = Math.max(...boxes.map((box) => box.bottom)), top = Math.min(...boxes.map((box) => box.top));
  return bottom - top <= innerHeight && boxes.every((box) => box.left >= 0 && box.right <= innerWidth);
}"""


def wait_part(page, key: str, value: str) -> None:
    """Waits until the link says so."""
    page.wait_for_function(
        "([key, value]) => new URLSearchParams(location.search).get(key) === value", arg=[key, value]
    )


def test_all_heads_are_in_sight_and_one_is_looked_at_and_answered_with(visit):
    page = visit("/real_heads?lang=en&layer=2", THUMBNAILS)
    expect(page.locator(THUMBNAILS)).to_have_count(LAYERS * HEADS)
    page.wait_for_function(ON_ONE_SCREEN, arg=".st-key-answer_head")
    page.locator(f"{THUMBNAILS}").nth(2).click()
    wait_value(page, "model_weights", 4, 3, store.load("tired").model_weights[0, 2, 4, 3].item())
    wait_part(page, "realhead", "3")
    page.get_by_role("button", name="Answer: layer 1, head 3").click()
    page.wait_for_selector('[data-matrix="heads"]')
    page.get_by_text("You chose layer 1, head 3").wait_for()
    wait_part(page, "guess", "real_previous:0_2")
    page.wait_for_function(ON_ONE_SCREEN, arg='[data-matrix="heads"]')
    page.locator(cell("heads", 1, 8)).click()
    wait_value(page, "model_weights", 4, 5, store.load("tired").model_weights[1, 8, 4, 5].item())


def test_heads_are_looked_at_with_the_keyboard(visit):
    page = visit("/real_heads?lang=en&topic=next&layer=1", THUMBNAILS)
    page.locator(THUMBNAILS).first.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    wait_value(page, "model_weights", 0, 0, store.load("tired").model_weights[0, 1, 0, 0].item())


def test_the_switches_act_on_the_head_and_stand_in_the_link(visit):
    page = visit(
        f"/real_heads?lang=en&part=one_real_head&layer=6&realhead=12{ANSWERED}", cell("weights", 0, 0)
    )
    page.wait_for_function(ON_ONE_SCREEN, arg=".st-key-set_sentence")
    own = RealHeadsNumbers()

    def wait_head() -> None:
        trace = scene.trace_of(5, 11, own)
        wait_value(page, "weights", 10, 2, trace.weights[10, 2].item())
        wait_value(page, "output", 14, 31, trace.output[14, 31].item())

    wait_head()
    page.get_by_text("Leave out [CLS] and [SEP]").click()
    own = RealHeadsNumbers(no_special=True)
    wait_head()
    press_and_move(page, "real_temperature", 0, 0, 200).up()
    page.wait_for_function("location.search.includes('realtemp=')")
    own = state_of(page).of(RealHeadsNumbers)
    assert own.no_special and own.real_temperature > 1
    wait_head()
    page.get_by_role("combobox", name="Mask").click()
    page.get_by_role("option", name="causal").click()
    wait_part(page, "realmask", "causal")
    own = state_of(page).of(RealHeadsNumbers)
    assert own.real_mask == "causal"
    wait_head()
    page.locator(cell("weights", 8, 3)).click()
    wait_part(page, "query", "9")
    page.get_by_text("“street” attends most").wait_for()
    page.get_by_role("button", name="Undo").click()
    own = RealHeadsNumbers(no_special=True, real_temperature=own.real_temperature)
    wait_head()


def test_two_nouns_are_exchanged(visit):
    page = visit(f"/real_heads?lang=en&part=one_real_head&topic=exchange{ANSWERED}", cell("weights", 0, 0))
    page.get_by_role("button", name="Exchange “animal” and “street”").click()
    wait_value(page, "query", 2, 0, store.load("tired").query[5, 0, 8, 0].item())
    page.get_by_text("changed places with the tokens").wait_for()
    wait_part(page, "otherplace", "9")


def test_the_head_that_is_believed_in_is_a_cell(visit):
    page = visit("/real_heads?lang=en&part=anecdote&guess=real_wide:shown", cell("heads", 0, 0))
    page.locator(cell("heads", 3, 1)).click()
    page.get_by_text("Here is layer 4, head 2 again").wait_for()
    page.locator(".st-key-guess-real_trials-half button").click()
    page.locator(".stVegaLiteChart").first.wait_for()
    page.get_by_text("this head (layer 4, head 2) in 9").wait_for()


def test_the_measures_follow_the_learner_s_numbers(visit):
    page = visit(f"/real_heads?lang=en&part=explain_yours{ANSWERED}", cell("measures", 0, 0))
    press_and_move(page, "x", 0, 1, 80).up()
    page.wait_for_function("location.search.includes('x=')")
    now = settings_of(page)

    def wait_measures(row: int) -> None:
        for place, values in enumerate(explain_yours.measures(now, row).values()):
            wait_value(page, "measures", place, 0, (values / values.abs().sum())[0].item())

    wait_measures(2)
    page.locator(cell("weights", 0, 2)).click()
    wait_measures(0)


def test_on_a_phone_every_thumbnail_is_on_the_screen(visit):
    page = visit("/real_heads?lang=zh&part=which_head", ".pic-box", viewport={"width": 390, "height": 844})
    inside = """(chosen) => [...document.querySelectorAll(chosen)]
      .every((one) => one.getBoundingClientRect().right <= innerWidth)"""
    page.wait_for_function(inside, arg=THUMBNAILS)
