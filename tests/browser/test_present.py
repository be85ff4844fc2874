"""Presenting: the sizes, every key, and that all is as before afterwards."""

import re
from urllib.parse import parse_qs, urlencode, urlparse

import pytest
from playwright.sync_api import expect

from pages.model.handout import Plan, Stop, parts_of
from tests.browser.gestures import cell, press_and_move, settings_of, until, wait_output
from tests.browser.wire import RESTS

KEYS, BLANK = ".present-keys", ".present-blank"
CELLS = "[...document.querySelectorAll('.pic-figure [data-matrix][data-row]')]"
HALF, WHOLE = {"width": 1280, "height": 720}, {"width": 1920, "height": 1080}
ORDER = "/order?lang=en&part=swap"
# What the link says of the setup, the least size of its digits in px, and the language.
PRESENTED = {
    "three": ("", 20, "en"),
    "three, masked": ("&mask=causal", 20, "zh"),
    "three, two heads": ("&heads=2", 20, "en"),
    "five": ("&example=masks", 19, "zh"),
    "five, two heads": ("&example=masks&heads=2", 20, "zh"),
    "five, four heads": ("&example=masks&heads=4", 20, "en"),
    "six, four heads": ("&tokens=I,love,cats,and,dogs,too&heads=4", 0, "en"),
}
TO_READ = (
    "/one_head?lang=en&part=picture&example=masks&heads=2",
    "/one_head?lang=zh&part=picture",
    "/cost?lang=en",
    "/cost?lang=zh&part=measured",
    "/softmax?lang=zh&part=bars",
    "/softmax?lang=en&part=temperature",
    "/why_scale?lang=en&part=experiment",
)
FORMULA_BESIDE_X = """() => {
  const terms = [...document.querySelectorAll('.pic-term')].map((term) => term.getBoundingClientRect());
  const x = document.querySelector('.pic-figure').getBoundingClientRect();
  return terms.length === 4 && terms.every(({ top, right }) => top === terms[0].top && right <= x.left);
}"""
# A chart may be on the next page.
DRAWN = """() => [...document.querySelectorAll('.stVegaLiteChart')].filter((chart) => chart.checkVisibility())
  .every((chart) => chart.querySelector('svg.marks'))"""
# The texts in sight whose type is smaller than that.
SMALL = """(least) => {
  const main = document.querySelector('[data-testid=stMain]');
  const found = [];
  const look = (node, text) => {
    let zoom = 1;
    for (let one = node; one; one = one.parentElement) zoom *= Number(getComputedStyle(one).zoom) || 1;
    const size = zoom * parseFloat(getComputedStyle(node).fontSize);
    if (text.trim() && size < least) found.push(`${text.trim()}: ${size} px`);
  };
  const texts = document.createTreeWalker(main, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const { parentElement: node, data } = texts.currentNode;
    if (node.closest('.katex-mathml, style, svg')) continue;
    const range = document.createRange();
    range.selectNodeContents(texts.currentNode);
    const { width, height } = range.getBoundingClientRect();
    const seen = node.checkVisibility({ opacityProperty: true, visibilityProperty: true });
    if (seen && width > 2 && height > 2) look(node, data);
  }
  for (const node of main.querySelectorAll('svg.marks text')) look(node, node.textContent);
  return found;
}"""


def presented(visit, link="/one_head?lang=en", **options):
    """The lesson, presented in a window of 1280 × 720 if no other is asked for."""
    page = visit(f"{link}&present=on", **({"viewport": HALF} | options))
    rest(page)
    page.wait_for_function("document.fonts.status === 'loaded'")
    return page


def rest(page) -> None:
    page.wait_for_selector(RESTS)


def query(page) -> dict:
    return {key: one for key, [one] in parse_qs(urlparse(page.url).query).items()}


def wait_query(page, **wanted) -> None:
    for key, value in wanted.items():
        page.wait_for_function(
            "([key, value]) => new URLSearchParams(location.search).get(key) === value", arg=[key, value]
        )


def line(page):
    return page.locator(".pic-line")


def places(page) -> list:
    """Where all cells, the panel and the title are, and the size of their type."""
    return page.evaluate(
        f"""[...{CELLS}, document.querySelector('.pic-panel'), document.querySelector('h1')].map((node) => {{
          const {{ x, y, width, height }} = node.getBoundingClientRect();
          return [x, y, width, height, getComputedStyle(node).fontSize].join();
        }})"""
    )


# ---- sizes


def sizes(page) -> dict:
    """Where the picture's cells end, where the panel begins and ends, and the smallest type of a number."""
    return page.evaluate(
        f"""() => {{
          const cells = {CELLS}.filter((one) => !one.closest('[data-size=thumbnail]'));
          const boxes = cells.map((one) => one.getBoundingClientRect());
          const panel = document.querySelector('.pic-panel').getBoundingClientRect();
          const line = document.querySelector('.pic-line');
          return {{
            left: Math.min(...boxes.map((box) => box.left)),
            right: Math.max(...boxes.map((box) => box.right)),
            bottom: Math.max(...boxes.map((box) => box.bottom)),
            panel: [panel.top, panel.bottom],
            type: Math.min(...cells.map((one) => parseFloat(getComputedStyle(one).fontSize))),
            line: parseFloat(getComputedStyle(line).fontSize),
          }};
        }}"""
    )


@pytest.mark.parametrize(("more", "least", "language"), PRESENTED.values(), ids=PRESENTED)
def test_the_whole_picture_is_in_sight_with_the_panel_and_read_from_the_last_row(
    visit, language, more, least
):
    page = presented(visit, f"/one_head?lang={language}{more}")

    def fits() -> bool:
        width, height = page.viewport_size.values()
        seen = sizes(page)
        return (
            seen["bottom"] <= seen["panel"][0]
            and 0.95 * height < seen["panel"][1] <= height
            and seen["left"] >= 0
            and seen["right"] <= width
            and seen["type"] >= max(least, 0.02 * height)
            and seen["line"] >= 20
            and page.locator(".st-key-head").bounding_box()["height"] <= 0.06 * height
            and page.evaluate("document.documentElement.scrollWidth") <= width
        )

    for size in (HALF, WHOLE):
        page.set_viewport_size(size)
        until(page, fits, lambda: str(sizes(page)))
    for beside in ("stSidebar", "stHeader"):
        expect(page.get_by_test_id(beside)).to_be_hidden()
    expect(page.locator(".st-key-toolbar")).to_be_hidden()


@pytest.mark.parametrize("link", TO_READ)
def test_nothing_to_be_read_is_smaller_than_a_fiftieth_of_the_height(visit, link):
    page = visit(f"{link}&present=on", KEYS, viewport=HALF)
    page.wait_for_function("document.fonts.status === 'loaded'")
    if "part=picture" not in link:
        page.wait_for_function(DRAWN)
        asked = page.locator("[class*='st-key-ask-']")
        if not asked.first.is_visible():  # below what the hand tries first, on the next page
            page.keyboard.press("ArrowRight")
        asked.first.wait_for()
        page.keyboard.press("a")
        page.locator("svg.marks, [class*='st-key-verdict-']").locator("visible=true").first.wait_for()
    for size in (HALF, WHOLE):
        page.set_viewport_size(size)
        page.wait_for_function(DRAWN)
        page.wait_for_selector(RESTS)
        least = 0.02 * size["height"] - 0.05
        until(page, lambda least=least: page.evaluate(SMALL, least) == [])


def test_the_weight_of_a_word_itself_is_above_the_ground_of_the_matrix_below(visit):
    page = presented(visit, "/one_head?lang=en&example=tired&part=hand", ready=".pic-arcs", viewport=WHOLE)
    rest(page)
    ground, share = page.locator("[data-matrix-box=weights]"), page.locator(".pic-arcs-shares [data-own]")

    def is_above() -> bool:
        box = share.bounding_box()
        return ground.bounding_box()["y"] >= box["y"] + box["height"]

    until(page, is_above)


def test_a_lessons_own_toolbar_leaves_its_room_to_the_picture(visit):
    page = presented(visit, "/cross_attention?lang=en")
    expect(page.locator(".st-key-toolbar_second")).to_be_hidden()
    expect(page.locator(cell("weights", 0, 0))).to_be_visible()
    until(page, lambda: page.locator(".pic").bounding_box()["y"] < 50)


def test_a_part_without_a_picture_has_large_type_and_the_full_width(visit):
    page = presented(visit, "/cost?lang=en&part=measured", ready=KEYS)
    question = page.locator("[class*=st-key-ask-]").first
    until(page, lambda: question.bounding_box()["width"] > 1200)
    size = "one => parseFloat(getComputedStyle(one).fontSize)"
    until(page, lambda: question.locator("p").first.evaluate(size) >= 20)
    chart = page.locator("svg.marks").first  # what the question is about
    chart.wait_for()
    page.wait_for_function("document.querySelector('svg.marks').getBoundingClientRect().right <= innerWidth")


# ---- the way in and out


def test_the_key_begins_escape_ends_and_all_is_as_before(visit):
    page = visit("/one_head?lang=en&step=scores&row=2", viewport=HALF)
    page.wait_for_function("document.fonts.status === 'loaded'")
    rest(page)
    before, link = places(page), query(page)
    page.keyboard.press("p")
    page.wait_for_selector(KEYS, state="attached")
    wait_query(page, present="on")
    expect(page.get_by_test_id("stSidebar")).to_be_hidden()
    page.wait_for_function("(x) => document.querySelector(x).offsetHeight >= 40", arg=cell("x", 0, 0))
    page.keyboard.press("Escape")
    page.wait_for_selector(KEYS, state="detached")
    expect(page.get_by_test_id("stSidebar")).to_be_visible()
    page.wait_for_function("!location.search.includes('present')")
    rest(page)
    until(page, lambda: places(page) == before and query(page) == link)


def test_the_button_the_link_and_the_way_back(visit):
    page = visit("/one_head?lang=zh", viewport=HALF)
    page.locator(".st-key-present button").first.click()
    page.wait_for_selector(KEYS, state="attached")
    wait_query(page, present="on")
    page.reload()
    page.wait_for_selector(KEYS, state="attached")
    page.wait_for_selector(cell("output", 0, 0))
    page.go_back()
    page.wait_for_selector(KEYS, state="detached")
    expect(page.get_by_test_id("stSidebar")).to_be_visible()
    page.go_forward()
    page.wait_for_selector(KEYS, state="attached")
    page.locator(".st-key-present button").first.click()
    page.wait_for_selector(KEYS, state="detached")


def test_no_key_fires_where_it_is_typed(visit):
    page = visit("/one_head?lang=en", viewport=HALF)
    name = page.locator(".pic-name").first
    name.fill("")
    page.keyboard.type("pab")
    expect(name).to_have_value("pab")
    page.keyboard.press("Enter")
    rest(page)
    expect(page.locator(KEYS)).to_have_count(0)
    page.locator("h1").click()
    page.keyboard.press("Control+b")
    page.keyboard.press("p")
    page.wait_for_selector(KEYS, state="attached")
    name.fill("")
    page.keyboard.type("apb")
    page.keyboard.press("ArrowLeft")
    page.keyboard.type("c")
    expect(name).to_have_value("apcb")
    expect(page.locator(BLANK)).to_be_hidden()
    page.keyboard.press("Escape")  # gives the name up, and the presentation goes on
    expect(name).to_have_value("pab")
    rest(page)
    expect(page.locator(KEYS)).to_have_count(1)


# ---- walking


@pytest.mark.parametrize(("back", "on"), [("ArrowLeft", "ArrowRight"), ("PageUp", "PageDown")])
def test_left_and_right_reveal_the_steps_with_their_arithmetic(visit, back, on):
    page = presented(visit, "/one_head?lang=en&step=scores")
    expect(line(page)).to_contain_text("S[我, 我] =")
    later = page.locator(cell("scaled_scores", 0, 0))
    expect(later).to_have_css("color", "rgba(0, 0, 0, 0)")
    page.keyboard.press(on)
    expect(line(page)).to_contain_text("/ √4")
    expect(later).not_to_have_css("color", "rgba(0, 0, 0, 0)")
    wait_query(page, step="scaled_scores")
    for _ in range(2):
        page.keyboard.press(back)
    wait_query(page, step="value")
    expect(line(page)).to_contain_text("V[我, 1] =")
    expect(page.locator(cell("scores", 0, 0))).to_have_css("color", "rgba(0, 0, 0, 0)")


def test_what_comes_later_is_not_told_under_the_pointer(visit):
    page = presented(visit, "/one_head?lang=en&step=query")
    box = page.locator(cell("weights", 0, 0)).bounding_box()
    page.mouse.move(box["x"] + 9, box["y"] + 9)
    expect(line(page)).to_contain_text("Q[我, 1] =")


def test_up_and_down_choose_the_query(visit):
    page = presented(visit, "/one_head?lang=en&step=weights")
    page.keyboard.press("ArrowDown")
    wait_query(page, row="1")
    page.keyboard.press("ArrowDown")
    wait_query(page, row="2")
    expect(line(page)).to_contain_text("A[爱, 我] =")
    page.keyboard.press("ArrowUp")
    wait_query(page, row="1")
    page.keyboard.press("ArrowUp")
    page.wait_for_function("!location.search.includes('row=')")


def test_a_number_is_dragged_and_the_arrows_walk_on(visit):
    page = presented(visit, "/one_head?lang=en&step=scores")
    press_and_move(page, "x", 0, 0, 80).up()
    page.wait_for_function("location.search.includes('x=')")
    until(page, lambda: settings_of(page).x[0][0] == pytest.approx(2.0))
    wait_output(page, settings_of(page))
    page.mouse.move(5, 700)
    page.keyboard.press("ArrowRight")
    wait_query(page, step="scaled_scores")
    expect(line(page)).to_contain_text("/ √4")
    page.keyboard.press("b")
    expect(page.locator(BLANK)).to_be_visible()


def test_the_arrows_belong_to_a_cell_that_was_reached_with_tab(visit):
    page = presented(visit, "/one_head?lang=en&step=scores")
    page.locator(".st-key-present button").first.focus()
    for _ in range(40):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.matches('.pic-cell')"):
            break
    where = "[document.activeElement.dataset.row, document.activeElement.dataset.col].join()"
    assert page.evaluate(where) == "0,0"
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    assert page.evaluate(where) == "1,1"
    assert query(page)["step"] == "scores"


# ---- going on


def hints(page) -> list[str]:
    """The keys that the line at the top names."""
    return page.locator(f"{KEYS} span").all_text_contents()


SHOWN = """() => [...document.querySelectorAll('.present-keys span, .pic-box, svg.marks')]
  .filter((node) => node.checkVisibility())
  .map((node) => node.dataset.matrixBox ?? node.textContent).join()"""


# All charts are drawn, and the same is shown as a moment ago.
SETTLED = f"""() => {{
  const charts = [...document.querySelectorAll('.stVegaLiteChart')].filter((node) => node.checkVisibility());
  const shown = ({SHOWN})();
  const before = window.shownBefore;
  window.shownBefore = shown;
  return before === shown && charts.every((chart) => chart.querySelector('svg.marks text'));
}}"""


def settled_hints(page) -> list[str]:
    """Those that stay: after an answer there may be another picture when its chart has been drawn."""
    rest(page)
    page.wait_for_function(SETTLED, polling=200)
    return hints(page)


def go_on(page, key: str) -> None:
    """Presses the key through the answer and the pictures of a part until the next part is there."""
    title = page.locator("h1").inner_text()
    until(page, lambda: hints(page))
    left = f"([title, before]) => document.querySelector('h1')?.innerText !== title || ({SHOWN})() !== before"
    hint = ""
    while page.locator("h1").inner_text() == title:
        hint, *_ = settled_hints(page)
        before = page.evaluate(SHOWN)
        page.keyboard.press(key)
        page.wait_for_function(left, arg=[title, before])  # something may still come between hint and press
        if hint == "→ shows the answer":  # a page that is drawn late says so a while longer
            until(page, lambda: hints(page)[:1] != ["→ shows the answer"])
    assert hint == "→ next stop"


def test_one_key_goes_on_to_the_next_stop_of_the_hour_and_back(visit):
    page = presented(visit, "/one_head?lang=en&part=hand", ready='[data-matrix="x"]')
    title = page.locator("h1")
    expect(title).to_have_text("Your hand")
    expect(page.locator(".st-key-stop")).to_contain_text("attend most to")
    expect(page.locator(".st-key-present_way")).to_contain_text("Stop 3 of 11")
    until(page, lambda: hints(page)[0] == "→ next stop")
    assert not {"A answer", "V vote", "N notes", "↑ ↓ query"} & {*hints(page)}
    page.keyboard.press("PageDown")
    expect(title).to_have_text("Arrows")
    wait_query(page, present="on")
    expect(page.locator(".st-key-present_way")).to_contain_text("Stop 4 of 11")
    until(page, lambda: hints(page))
    rest(page)
    page.keyboard.press("PageUp")
    expect(title).to_have_text("Your hand")


def test_the_first_page_is_before_the_first_stop(visit):
    page = visit("/", ".pic-arcs-above path", fresh=True, viewport=HALF)
    page.keyboard.type("parrots")  # next to the field
    rest(page)
    expect(page.locator(".st-key-class_way")).to_have_count(0)
    page.locator(".st-key-present button").first.click()
    wait_query(page, present="on")
    page.reload()  # its link is enough
    until(page, lambda: hints(page) and hints(page)[0] == "→ next stop")
    expect(page.locator(".pic-arcs-sentence")).to_be_visible()
    expect(page.locator(".st-key-ways")).to_be_hidden()
    for size in (HALF, WHOLE):
        page.set_viewport_size(size)
        page.wait_for_function(FORMULA_BESIDE_X)
    page.set_viewport_size(HALF)
    rest(page)
    page.keyboard.press("PageDown")
    expect(page.locator(".st-key-present_way")).to_contain_text("Stop 1 of 11")
    rest(page)
    page.keyboard.press("PageUp")
    expect(page.locator("h1:visible")).to_have_text("Attention, by hand")
    rest(page)
    page.keyboard.press("Escape")
    expect(page.locator(".st-key-ways")).to_be_visible()


def test_the_walk_turns_to_the_page_with_its_step(visit):
    """All of the picture would be too small."""
    page = presented(visit, "/transformer?lang=en&part=the_model&step=forward_stream", ready=cell("x", 0, 0))
    before, after = page.locator(cell("x", 0, 0)), page.locator(cell("logits", 0, 0))
    expect(after).to_be_hidden()
    page.keyboard.press("ArrowRight")
    expect(after).to_be_visible()
    expect(before).to_be_hidden()
    page.keyboard.press("ArrowLeft")
    expect(before).to_be_visible()
    page.keyboard.press("m")
    expect(after).to_be_visible()


def test_a_part_that_comes_from_its_end_begins_with_its_first_page(visit):
    page = presented(visit, "/transformer?lang=en&part=the_model", ready=cell("x", 0, 0))
    question = page.locator("[class*=st-key-ask-]").first
    expect(question).to_be_hidden()
    page.evaluate("""() => {
      const unit = document.querySelector('.pic').closest('[data-testid=stElementContainer]');
      const after = unit.nextSibling, parent = unit.parentNode;
      unit.remove();
      window.bringBack = () => parent.insertBefore(unit, after);
    }""")
    expect(question).to_be_visible()
    page.evaluate("bringBack()")
    expect(page.locator(cell("x", 0, 0))).to_be_visible()
    expect(question).to_be_hidden()


def test_one_key_reveals_the_answer_shows_its_picture_and_goes_on(visit):
    page = presented(visit, ORDER, ready=".st-key-ask-order_reversed")
    asked, shown = "→ → answer", "→ shows the answer"
    until(page, lambda: hints(page)[0] == asked)
    page.keyboard.press("ArrowRight")
    until(page, lambda: hints(page)[0] == shown)
    page.keyboard.press("b")  # the answer is not asked for any more
    page.keyboard.press("b")
    until(page, lambda: hints(page)[0] == asked)
    page.keyboard.press("ArrowRight")
    until(page, lambda: hints(page)[0] == shown)
    expect(page.locator("[class*=st-key-verdict-]")).to_have_count(0)
    page.keyboard.press("ArrowRight")
    page.locator(".st-key-verdict-order_reversed").wait_for()
    page.locator("[data-matrix=output_reversed]").first.wait_for()
    go_on(page, "ArrowRight")


def test_the_topics_of_a_stop_come_before_the_next_stop(visit):
    page = presented(visit, "/real_heads?lang=en&part=a_model", ready=".pic")
    ways = {name: page.locator(f".st-key-topic_{name} button") for name in ("back", "next")}
    for key, way in (("PageDown", "next"), ("PageUp", "back"), ("PageDown", "next")):
        ways[way].wait_for(state="attached")
        rest(page)
        page.keyboard.press(key)
        ways[way].wait_for(state="detached")
    go_on(page, "PageDown")


def test_a_plan_goes_on_with_the_same_key_and_its_notes_are_in_a_window_of_the_teacher(visit):
    note = "Ask Ada <img src=x onerror=\"document.title='markup'\">."
    stops = (Stop("softmax", "part=bars", note=note), Stop("masks", "part=gallery", minutes=4))
    link = urlencode(parts_of(Plan(stops), 1, "en"))
    page = visit(f"/softmax?{link}&present=on", KEYS, viewport=HALF)
    page.locator("[class*=st-key-unit-]").first.wait_for()  # a cold server first imports PyTorch
    until(page, lambda: "N notes" in hints(page))
    expect(page.locator(f"{KEYS} span", has_text="N notes")).to_be_in_viewport(ratio=1)
    with page.expect_popup() as opened:
        page.keyboard.press("n")
    own = opened.value.locator("body")
    expect(own).to_have_text(f"Stop 1 of 2\n{note}")
    expect(page.get_by_text("Ask Ada")).to_have_count(0)
    expect(page.locator(".st-key-handout_bar")).to_contain_text("Stop 1 of 2")
    go_on(page, "PageDown")
    page.wait_for_url("**/masks**")
    wait_query(page, present="on", stop="2")
    expect(own).to_have_text("Stop 2 of 2\n4 min.")
    with opened.value.expect_event("close"):
        page.keyboard.press("n")


def test_two_rounds_of_a_vote_its_bars_and_the_answer_need_nothing_but_keys(visit):
    page = presented(visit, ORDER, ready=".st-key-ask-order_reversed")
    expect(page.locator(".st-key-class_count")).to_have_count(0)
    for hint, key in (
        ("V vote", "v"),
        ("V close the vote", "v"),
        ("V vote again", "v"),
        ("→ close the vote", "ArrowRight"),
        ("→ bars", "PageDown"),
        ("→ → answer", "PageDown"),
        ("→ shows the answer", "PageDown"),
    ):
        expect(page.locator("[class*=st-key-verdict-]")).to_have_count(0)
        until(page, lambda hint=hint: hint in hints(page), lambda hint=hint: f"{hint}: {hints(page)}")
        page.keyboard.press(key)
    page.locator(".st-key-verdict-order_reversed").wait_for()
    expect(page.get_by_role("progressbar")).to_have_count(8)
    expect(page.locator(".st-key-class_count")).to_contain_text("nobody here yet")


def test_the_way_into_a_room_is_on_every_page_and_large_on_a_key(visit):
    """From there a clicker reaches the vote, its bars and the answer."""
    page = presented(visit, ORDER, ready=".st-key-ask-order_reversed")
    page.keyboard.press("v")
    small = page.locator(".st-key-class_way")
    expect(small.locator("img")).to_be_in_viewport(ratio=1)
    expect(small).to_contain_text(re.compile(r"/\?room=\w{6}"))
    code = small.locator("strong").inner_text()
    rest(page)  # a run that draws the line again would close what is enlarged
    page.keyboard.press("r")
    large = page.locator("#code-room:popover-open")
    expect(large.locator("span")).to_contain_text(f"room={code}")
    expect(large.locator("span")).to_be_in_viewport(ratio=1)
    page.keyboard.press("PageDown")
    expect(large).to_have_count(0)
    for hint in ("→ close the vote", "→ bars", "→ → answer", "→ shows the answer"):
        until(page, lambda hint=hint: hints(page)[0] == hint)
        page.keyboard.press("PageDown")
        until(page, lambda hint=hint: hints(page)[:1] != [hint])
    go_on(page, "PageDown")
    expect(page.locator(".st-key-class_way strong")).to_have_text(code)
    expect(small.locator("img")).to_be_in_viewport(ratio=1)


# Presses → in the moment in which an answer arrives.
PRESS_AT_ONCE = """() => new MutationObserver((changes, arrival) => {
  if (!document.querySelector('[class*=st-key-verdict-]')) return;
  arrival.disconnect();
  document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowRight', bubbles: true }));
}).observe(document.body, { childList: true, subtree: true })"""


@pytest.mark.parametrize("quick", [False, True])
def test_the_steps_after_a_question_are_shown_and_the_sentence_comes_with_the_last_one(visit, quick):
    """The answer is on a page of its own, from which the next step leads back to the picture."""
    page = presented(visit, "/one_head?lang=en&example=tired&part=row", ready=cell("query", 0, 0))
    shown = {"scores": "→ next step", "scaled_scores": "→ next step", "weights": "→ → answer"}
    for name, hint in shown.items():
        page.keyboard.press("ArrowRight")
        expect(page.locator(cell(name, 0, 0))).to_be_visible()
        until(page, lambda hint=hint: hints(page)[0] == hint)
    if quick:
        page.evaluate(PRESS_AT_ONCE)
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    if not quick:
        page.locator("[class*=st-key-verdict-]:visible").first.wait_for()
        expect(page.locator(".st-key-keep")).to_have_count(0)
        page.keyboard.press("ArrowRight")
    expect(page.locator(cell("output", 0, 0))).to_be_visible()
    expect(page.locator(".st-key-keep")).to_be_visible()


def test_a_control_is_with_its_figure_and_the_rest_one_key_away(visit):
    page = presented(visit, "/why_scale?lang=en&part=assumptions", ready=".stVegaLiteChart")
    expect(page.locator(".st-key-numbers label:visible").first).to_be_visible()
    note = page.locator(".st-key-numbers").get_by_text("All this describes q and k at the start of training.")
    expect(note).to_be_hidden()
    page.keyboard.press("m")
    note.wait_for()
    page.keyboard.press("m")
    expect(note).to_be_hidden()


def test_the_control_that_a_task_names_works_before_a_class_by_mouse_and_by_key(visit):
    """The picture follows, and the sentence to keep comes with the numbers that it speaks of."""
    page = presented(visit, "/masks?lang=en&example=tired&part=no_looking", ready=".pic-cell")
    page.keyboard.press("a")
    switch = page.locator(".st-key-set_causal input")
    first = page.locator(cell("weights_with", 0, 0))
    first.wait_for()
    page.locator(".st-key-set_causal label").first.click()
    expect(first).to_have_attribute("data-value", "1")
    switch.focus()
    page.keyboard.press("Space")
    expect(first).not_to_have_attribute("data-value", "1")
    expect(page.locator(".st-key-keep p")).to_have_count(0)
    page.keyboard.press("Space")
    page.locator(cell("masked_scores", 2, 0)).click()
    expect(page.locator(".st-key-keep p")).to_be_visible()


def test_a_key_typed_into_an_open_menu_is_the_menu_s(visit):
    page = presented(visit)
    page.locator(".st-key-deeper button").first.click()
    page.locator(".st-key-deeper_list").wait_for()
    page.keyboard.press("b")
    expect(page.locator(BLANK)).to_be_hidden()
    page.keyboard.press("Escape")
    page.locator(".st-key-deeper_list").wait_for(state="detached")
    page.keyboard.press("b")
    expect(page.locator(BLANK)).to_be_visible()


# ---- questions, and the blank screen


def test_answers_are_hidden_until_a_key_reveals_them(visit):
    page = presented(visit, ORDER, ready=".st-key-ask-order_reversed", answers={"order_reversed": "stay"})
    verdicts = page.locator("[class*=st-key-verdict-]")
    page.locator(".st-key-guess-order_reversed-stay").wait_for()
    expect(verdicts).to_have_count(0)
    page.keyboard.press("a")
    expect(page.locator(".st-key-verdict-order_reversed")).to_contain_text("Not quite")
    page.locator("[data-matrix=output_reversed]").first.wait_for()  # it comes with the verdict
    page.keyboard.press("Escape")
    page.wait_for_selector(KEYS, state="detached")
    expect(page.locator("[class*=st-key-answered-]")).to_have_count(1)
    rest(page)
    assert "guess" not in query(page)


def test_b_blanks_the_screen_and_brings_it_back(visit):
    page = presented(visit, "/one_head?lang=en&step=scores")
    page.keyboard.press("b")
    blank = page.locator(BLANK)
    expect(blank).to_be_visible()
    expect(blank).to_have_css("background-color", "rgb(0, 0, 0)")
    assert list(blank.bounding_box().values()) == [0, 0, 1280, 720]
    assert page.evaluate("document.elementFromPoint(640, 20).className") == "present-blank"
    page.keyboard.press("ArrowRight")
    page.keyboard.press("b")
    expect(blank).to_be_hidden()
    expect(page.locator(".pic-box[data-step]")).to_have_attribute("data-matrix-box", "scores")
    page.keyboard.press("b")
    page.keyboard.press("Escape")  # brings the screen back, and the presentation goes on
    expect(blank).to_be_hidden()
    page.keyboard.press("b")
    blank.click()
    expect(blank).to_be_hidden()
    expect(page.locator(KEYS)).to_have_count(1)


def test_escape_closes_what_is_open_first(visit):
    page = presented(visit)
    page.locator('[data-matrix-box="x"] .pic-menu').click()
    page.locator('[role="menuitem"][data-item="enlarge"]:visible').click()
    page.wait_for_selector("dialog[open]")
    page.keyboard.press("Escape")
    page.wait_for_selector("dialog[open]", state="detached")
    page.locator(cell("query", 0, 0)).click()  # pins it
    page.keyboard.press("Escape")  # frees it
    rest(page)
    expect(page.locator(KEYS)).to_have_count(1)
    page.keyboard.press("Escape")
    page.wait_for_selector(KEYS, state="detached")
