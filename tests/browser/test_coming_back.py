"""Coming back: the browser keeps what was done, and nothing else does."""

import json
import re

import pytest
from playwright.sync_api import expect

from pages.model.handout import Plan, stop_of, write
from pages.model.progress import LARGEST, MOST_EXERCISES
from pages.shell.hour import MARKS
from tests.browser.gestures import cell, keep_answers, lesson_link, open_lessons, type_into
from tests.browser.wire import RESTS
from tests.support.course import COURSE

SIDEBAR = "[data-testid=stSidebar]"
ON_FRONT = ".st-key-continue_hour"  # the offer on the first page
NOTHING = "() => !Object.keys(localStorage).some((key) => key.startsWith('attention-'))"
# How a question that is not answered was seen, since the page began to load.
SEEN = """
  window.seen = new Set();
  requestAnimationFrame(function look() {
    const asked = document.querySelector('[class*=st-key-guess-swap]');
    if (asked) window.seen.add(getComputedStyle(asked).visibility);
    requestAnimationFrame(look);
  });
"""


def kept(page):
    return json.loads(page.evaluate("localStorage.getItem('attention-progress') || '{}'"))


def answered(visit, link="/one_head?lang=en&part=predict&topic=swap", option="same", **options):
    """A page on which a question was answered wrong."""
    page = visit(link, ready=f".st-key-guess-swap-{option} button", **options)
    page.locator(f".st-key-guess-swap-{option} button").click()
    page.wait_for_selector(".st-key-verdict-swap")
    page.wait_for_selector(RESTS)
    return page


def test_the_next_visit_goes_on_where_this_one_ended(visit):
    page = answered(visit, fresh=True)
    page.wait_for_function("(localStorage.getItem('attention-progress') || '').includes('swap')")
    assert kept(page)["answers"]["swap"][0] is False
    page.goto(page.url.split("/one_head")[0])
    offer = page.locator(ON_FRONT)
    expect(offer).to_contain_text("Continue: One head, Before you look")
    expect(offer).to_contain_text(re.compile("[0-9]+ min left"))
    expect(open_lessons(page).locator("img[alt=Begun]")).to_have_count(1)
    offer.locator("a").click()
    page.wait_for_selector(".st-key-answered-swap")
    expect(offer).to_have_count(0)
    assert "progress" not in page.url


def test_show_me_comes_back_and_so_does_ask_me_first(visit):
    page = visit("/softmax?lang=en&part=stable", ready=".st-key-guess-soft_tiny-zero button", fresh=True)
    link = page.url
    for choice, kept_is in (("Show me", True), ("Ask me first", False)):
        page.locator(SIDEBAR).get_by_text(choice, exact=True).click()
        page.wait_for_function(
            "JSON.parse(localStorage.getItem('attention-progress')).shows === " + json.dumps(kept_is)
        )
        page.goto(link)
        expect(page.locator("[class*=st-key-question-soft_tiny]")).to_have_count(int(kept_is))
        expect(page.locator(".st-key-guess-soft_tiny-zero")).to_have_count(int(not kept_is))
        page.wait_for_selector(RESTS)  # the sidebar has one choice again
    expect(page).to_have_url(link)


def test_each_lesson_goes_on_where_it_was_left(visit):
    page = visit("/softmax?lang=en&part=stable", ready=".st-key-onward_button button", fresh=True)
    home = page.url.split("/softmax")[0]
    page.goto(f"{home}/masks?lang=en")
    page.wait_for_function("(localStorage.getItem('attention-progress') || '').includes('masks/')")
    page.goto(home)
    expect(page.locator(ON_FRONT)).to_contain_text("Continue: Masks")
    offer = page.locator(".st-key-continue")
    lesson_link(page, "Softmax").click()
    expect(offer).to_contain_text("Continue: Softmax, Stability")
    offer.locator("a").click()
    expect(page.get_by_role("radio", name="Stability")).to_have_attribute("aria-checked", "true")
    expect(offer).to_have_count(0)


def test_a_lesson_is_offered_with_the_numbers_with_which_it_was_left(visit):
    page = visit("/masks?lang=en&example=masks&mask=custom&blocked=1-2,3-1", ready="h1", fresh=True)
    home = page.url.split("/masks")[0]
    page.goto(f"{home}/softmax?lang=en")
    page.wait_for_function("(localStorage.getItem('attention-progress') || '').includes('softmax/')")
    page.goto(home)
    page.locator(ON_FRONT).wait_for()
    lesson_link(page, "Masks").click()
    offer = page.locator(".st-key-continue")
    expect(offer).to_contain_text("with other numbers")
    page.mouse.move(640, 400)
    offer.evaluate("(node) => node.getAnimations().forEach((time) => time.finish())")
    expect(offer).to_be_hidden()  # it does not stay for the lesson
    offer.evaluate("(node) => node.getAnimations().forEach((time) => time.cancel())")
    offer.locator("a").click()
    page.wait_for_function("new URLSearchParams(location.search).get('blocked') === '1-2,3-1'")
    expect(offer).to_have_count(0)


def test_a_page_that_was_embedded_twice_goes_on(visit):
    """A learning platform opens `?embed=true`, which Streamlit refuses in links of a page."""
    page = visit("/one_head?embed=true&lang=en", fresh=True)
    home = page.url.split("/one_head")[0]
    for _ in range(2):
        page.goto(f"{home}/?embed=true")
        page.wait_for_selector(RESTS)
        page.wait_for_selector(".pic-arcs-above path")
    page.locator(f"{ON_FRONT} a").wait_for()
    type_into(page, "x", 0, 0, "7")
    page.wait_for_function("location.search.includes('x=')")
    assert "embed" in page.url and not page.locator("[data-testid=stException]").count()
    assert "embed" not in page.evaluate("localStorage['attention-progress']")


def test_who_wants_to_stay_is_not_asked_again(visit):
    page = answered(visit, fresh=True)
    page.goto(page.url.split("/one_head")[0] + "/softmax")
    page.get_by_role("button", name="Stay here").click()
    expect(page.locator(".st-key-continue")).to_have_count(0)


def test_the_button_to_the_next_part_leads_the_header_and_the_progress_too(visit):
    page = visit("/softmax?lang=en&part=stable", ready=".st-key-onward_button button", fresh=True)
    page.locator(".st-key-onward_button button").click()
    expect(page.get_by_role("radio", name="Rows or columns")).to_have_attribute("aria-checked", "true")
    page.wait_for_function("localStorage.getItem('attention-progress').includes('softmax/axes')")


HAND = "/one_head?lang=en&example=tired&part=hand"
DONE = "JSON.parse(localStorage['attention-progress'] || '{}').events?.['one_head/hand']"


def test_the_end_has_the_numbers_of_the_moment_after_a_reload_and_in_the_other_language(visit):
    page = visit(HAND, ready=cell("weights", 0, 1), fresh=True)
    type_into(page, "x", 2, 3, "-0.5")
    page.wait_for_function(DONE)
    event = kept(page)["events"]["one_head/hand"]
    weight = event[2]["weight"]
    assert event[1:] == ["keep", {"query": "it", "key": "street", "weight": weight}]
    type_into(page, "x", 2, 3, "-3")
    page.wait_for_function("location.search.includes('-3')")
    page.wait_for_selector(RESTS)
    page.reload()
    page.wait_for_selector(cell("x", 2, 3))
    for lang, sentence in (("en", f"“it” gave “street” the weight {weight}."), ("zh", f"权重是 {weight}")):
        page.goto(f"{page.url.split('/one_head')[0].split('/practice')[0]}/practice?lang={lang}&part=you_can")
        page.locator(".st-key-sentence_3_False summary").click()  # the sentence is behind its question
        expect(page.locator(".st-key-kept_3")).to_contain_text(sentence)
    assert kept(page)["events"] == {"one_head/hand": event}


def test_an_answer_alone_makes_half_a_mark_at_once(visit):
    link = "/one_head?lang=en&example=tired&part=library"
    page = visit(link, ready=".st-key-guess-library_equal-middle button", fresh=True)
    marks, left = page.locator(f"{SIDEBAR} .st-key-hour img"), page.locator(f"{SIDEBAR} .st-key-hour p").first
    expect(marks.first).to_have_attribute("src", MARKS["open"])
    before = left.inner_text()
    page.locator(".st-key-guess-library_equal-middle button").click()
    expect(marks.first).to_have_attribute("src", MARKS["begun"])
    expect(marks.first).to_have_attribute("alt", "task open, question answered")
    expect(left).to_have_text(before)


def test_a_link_that_is_passed_on_marks_nothing_until_the_other_person_does_it(visit):
    page = visit(HAND, ready=cell("weights", 0, 1), fresh=True)
    type_into(page, "x", 2, 3, "-0.5")
    page.wait_for_function(DONE)
    page.wait_for_function("location.search.includes('-0.5')")
    other = page.context.browser.new_context().new_page()
    other.goto(page.url)
    task = other.locator(".st-key-stop")
    expect(task.get_by_role("img", name="task open")).to_be_visible()
    other.wait_for_function("localStorage['attention-progress']?.includes('one_head/hand')")
    other.wait_for_selector(RESTS)
    assert kept(other)["events"] == {} and "task open" in task.inner_html()
    for number in ("-0.6", "1.5"):  # the task is to be open first
        type_into(other, "x", 2, 3, number)
        other.wait_for_function("(number) => location.search.includes(number)", arg=number)
        other.wait_for_selector(RESTS)
        assert kept(other)["events"] == {} and "task open" in task.inner_html()
    type_into(other, "x", 2, 3, "-0.5")
    expect(task.get_by_role("img", name="task done")).to_be_visible()
    other.wait_for_function(DONE)
    other.context.close()


def test_a_record_from_before_keeps_its_marks_and_of_two_tabs_the_first_event_stays(visit):
    page = visit("/terms?lang=en", ready="h1", fresh=True)
    first = [20_000, "keep", {"query": "it", "key": "street", "weight": "0.99"}]
    page.evaluate(
        "(kept) => localStorage.setItem('attention-progress', JSON.stringify(kept))",
        {"tasks": ["one_head/row"], "options": {}},
    )
    page.goto(page.url.split("/terms")[0] + HAND)
    page.wait_for_function("localStorage['attention-progress'].includes('events')")
    page.wait_for_selector(RESTS)
    assert kept(page)["events"] == {"one_head/row": [0, "", {}]}
    expect(page.locator(f"{SIDEBAR} .st-key-hour img[alt^='task done']")).to_have_count(1)
    page.evaluate(
        """(event) => {
          const kept = JSON.parse(localStorage['attention-progress']);
          kept.events = { 'one_head/hand': event };
          localStorage['attention-progress'] = JSON.stringify(kept);
        }""",
        first,
    )
    type_into(page, "x", 2, 3, "-0.5")  # this tab does not know it yet
    page.wait_for_function("localStorage['attention-progress'].includes('one_head/row')")
    page.wait_for_selector(RESTS)
    assert kept(page)["events"]["one_head/hand"] == first


def test_two_tabs_keep_what_both_have_done(visit):
    page = answered(visit, fresh=True)
    other = page.context.new_page()
    other.goto(page.url.split("/one_head")[0] + "/softmax?lang=en")
    other.wait_for_function("localStorage.getItem('attention-progress').includes('softmax/')")
    assert {"one_head/predict"} < set(kept(other)["parts"]) and "swap" in kept(other)["answers"]


def test_one_press_deletes_it_all(visit):
    page = answered(visit, fresh=True)
    page.locator(".st-key-about button").first.click()
    page.locator(".st-key-delete_progress button").click()
    page.wait_for_function("!localStorage.getItem('attention-progress')")
    page.wait_for_selector(RESTS)
    page.goto("about:blank")
    page.go_back()
    page.wait_for_selector(RESTS)


def test_a_presentation_records_nothing(visit):
    page = visit("/one_head?lang=en&part=predict&topic=swap&present=on", ready="h1", fresh=True)
    page.wait_for_selector(".st-key-guess-swap-same button")
    page.locator(".st-key-guess-swap-same button").click()
    page.wait_for_selector(".st-key-verdict-swap")
    page.wait_for_selector(RESTS)
    assert kept(page) == {}


def test_a_reload_brings_back_the_answer_and_asks_nothing_meanwhile(visit):
    page = answered(visit, fresh=True)
    assert "guess" not in page.url
    page.add_init_script(SEEN)
    page.reload()
    page.wait_for_selector(".st-key-answered-swap")
    page.wait_for_selector(RESTS)
    assert page.evaluate("[...window.seen]") in ([], ["hidden"])
    page.locator(".st-key-answered-swap summary").click()
    page.locator(".st-key-again-swap button").click()  # taken back, here and in the record
    page.wait_for_selector(".st-key-guess-swap-same button")
    page.wait_for_function("!localStorage['attention-progress'].includes('same')")
    page.reload()
    page.locator(".st-key-guess-swap-same button").wait_for()


def test_a_browser_that_keeps_nothing_is_asked_at_once(visit):
    page = visit("/one_head?lang=en&part=predict&topic=swap", ready=".st-key-ask-swap", fresh=True)
    assert page.locator(".st-key-ask-swap").evaluate("node => getComputedStyle(node).visibility") == "visible"


@pytest.mark.parametrize("how", ["present", "plan", "vote"])
def test_what_is_no_part_of_the_record_lasts_as_long_as_the_tab(visit, how):
    place = "/one_head?lang=en&part=predict&topic=swap"
    plan = write(Plan((stop_of("one_head", {"example": "cats", "part": "predict", "topic": "swap"}),)))
    link = {"present": f"{place}&present=on", "plan": f"/one_head?lang=en&plan={plan}", "vote": place}[how]
    page = visit(link, ready=".st-key-guess-swap-same button", fresh=True)
    if how == "vote":  # on the next question, whose page has this one too
        page.get_by_role("button", name="Let the class vote").click()
        page.get_by_role("button", name="Close the vote").click()
        page.get_by_role("button", name="Reveal the answer").click()
    else:
        page.locator(".st-key-guess-swap-same button").click()
    page.wait_for_selector(".st-key-verdict-swap")
    page.wait_for_function("(sessionStorage['attention-tab'] || '').includes('swap')")
    page.wait_for_selector(RESTS)
    page.reload()
    page.locator(".st-key-verdict-swap, .st-key-answered-swap").first.wait_for()
    assert "swap" not in page.evaluate("localStorage['attention-progress'] || ''")


def test_what_was_searched_for_is_in_no_address_and_survives_a_reload(visit):
    page = visit("/terms?lang=en", ready="[class*=st-key-set_search] input", fresh=True)
    field = page.locator("[class*=st-key-set_search] input:visible")
    field.fill("softmax")
    field.press("Enter")
    page.wait_for_function("(sessionStorage['attention-tab'] || '').includes('softmax')")
    page.wait_for_selector(RESTS)
    assert "softmax" not in page.url
    page.reload()
    expect(field).to_have_value("softmax")
    assert "softmax" not in page.url


LONG = 3_000_000
DAMAGED = {
    "not JSON": ("attention-progress", "{"),
    "too long": ("attention-progress", "x" * LONG),
    "a long record": (
        "attention-progress",
        json.dumps({"places": {"softmax": "x" * LONG}, "options": {"swap": "same"}}),
    ),
    "half of a character": ("attention-progress", '{"places":{"masks":"part=\\ud800"},"last":"masks"}'),
    "other kinds": (
        "attention-progress",
        '{"options":[1],"answers":{"swap":7},"parts":"a","places":[{}],"last":{}}',
    ),
    "a list": ("attention-progress", "[[]]"),
    "no codes": ("attention-vote", "x"),
    "other codes": ("attention-vote", '{"a":1}'),
    "other pairs": ("attention-vote", "[1,[2],[3,4],null]"),
}


HALF = "x\ud800"
DEEP = "[" * 5_000 + "]" * 5_000
# Damaged entries next to good ones, as JSON.
DAMAGED_ENTRIES = {
    "name": json.dumps(HALF),
    "last": DEEP,
    "options": json.dumps({"swap": "same", "scale": HALF, HALF: "same"}),
    "answers": f'{{"swap": [false, 20784, 0], "scale": {DEEP}}}',
    "parts": json.dumps(["one_head/predict", HALF]),
    "exercises": json.dumps({HALF: 1}),
    "events": f'{{"one_head/row": [1, "", {{"a": {DEEP}}}], "one_head/hand": [1, "keep", {{"b": ["c"]}}]}}',
    "places": json.dumps({"masks": f"part={HALF}", "softmax": "lang=en&part=axes"}),
}


def open_with(page, address: str, local: dict[str, str], tab: str | None = None) -> None:
    """Opens the question with this in the browser's storage, and in that of its tab."""
    keep_answers(page, address, {})
    page.evaluate(
        """([local, tab]) => {
          localStorage.clear();
          sessionStorage.clear();
          for (const [key, text] of Object.entries(local)) localStorage.setItem(key, text);
          if (tab !== null) sessionStorage.setItem('attention-tab', tab);
        }""",
        [local, tab],
    )
    page.goto(f"{address}/one_head?lang=en&part=predict&topic=swap")


def test_damaged_entries_go_and_the_others_are_recalled(blank_page, address):
    page, errors = blank_page(fresh=True), []
    page.on("pageerror", lambda error: errors.append(error))
    text = "{" + ",".join(f'"{name}":{entry}' for name, entry in DAMAGED_ENTRIES.items()) + "}"
    open_with(page, address, {"attention-progress": text}, text)
    page.wait_for_selector(".st-key-answered-swap")
    page.wait_for_function("localStorage['attention-progress'].includes('one_head/predict')")
    page.wait_for_selector(RESTS)
    now = page.evaluate("localStorage['attention-progress']")
    assert "\\ud800" not in now and "[[" not in now and errors == []
    assert kept(page)["options"] == {"swap": "same"}
    assert kept(page)["answers"] == {"swap": [False, 20_784, 0]}
    assert kept(page)["events"] == {"one_head/hand": [1, "keep", {"b": ["c"]}]}
    assert kept(page)["places"]["softmax"] == "lang=en&part=axes"
    page.reload()
    page.wait_for_selector(".st-key-answered-swap")


def test_whatever_a_browser_keeps_the_page_works(blank_page, address):
    page, errors = blank_page(fresh=True), []
    page.on("pageerror", lambda error: errors.append(error))
    for name, (key, text) in DAMAGED.items():
        open_with(page, address, {key: text})
        page.locator(".st-key-guess-swap-same button, .st-key-answered-swap").first.wait_for()
        page.locator(".st-key-history button, .st-key-about button").first.wait_for()
        if name == "a long record":
            page.wait_for_selector(".st-key-answered-swap")
        else:
            page.locator(".st-key-guess-swap-same button").click()
            page.wait_for_selector(".st-key-verdict-swap")
        page.wait_for_function(
            f"(localStorage['attention-progress'] || '').includes('swap')"
            f" && localStorage['attention-progress'].length <= {LARGEST}"
        )
        assert errors == [], name


def test_a_record_that_is_too_long_loses_its_oldest_entries(visit):
    places = {page.name: f"lang=en&x={'9' * 3900}" for page in COURSE.pages.values()}
    exercises = {f"shapes.1.{number}": 1 for number in range(2 * MOST_EXERCISES)}
    events = {stop.name: [1, "keep", {"weight": "0.5"}] for stop in COURSE.stop_numbers}
    page = visit("/terms?lang=en", ready="h1", fresh=True)
    page.evaluate(
        "(kept) => localStorage.setItem('attention-progress', JSON.stringify(kept))",
        {"options": {"swap": "same"}, "places": places, "exercises": exercises, "events": events},
    )
    page.reload()
    page.wait_for_function("localStorage['attention-progress'].includes('all_terms')")
    now = kept(page)
    assert list(now["exercises"]) == list(exercises)[-MOST_EXERCISES:] and now["options"] == {"swap": "same"}
    assert now["events"] == events
    assert 0 < len(now["places"]) < len(places)


def test_a_deletion_counts_in_all_tabs(visit):
    page = answered(visit, fresh=True)
    other = page.context.new_page()
    other.goto(page.url)
    other.wait_for_selector(".st-key-answered-swap")
    other.wait_for_selector(RESTS)
    page.locator(".st-key-about button").first.click()
    page.locator(".st-key-delete_progress button").click()
    page.wait_for_function(NOTHING)
    other.wait_for_function("'forgotten' in document.documentElement.dataset")
    other.wait_for_selector(RESTS)
    other.locator(".st-key-answered-swap summary").click()
    other.locator(".st-key-again-swap button").click()
    other.locator(".st-key-guess-swap-rows button").click()
    other.wait_for_selector(".st-key-verdict-swap")
    other.wait_for_selector(RESTS)
    other.evaluate("dispatchEvent(new Event('pagehide'))")
    assert other.evaluate(NOTHING)
    other.reload()
    other.locator(".st-key-guess-swap-same button").wait_for()


def test_a_deletion_asks_first_while_a_vote_is_open(visit):
    page = visit("/one_head?lang=en&part=predict&topic=swap", ready=".st-key-vote_open-swap", fresh=True)
    page.get_by_role("button", name="Let the class vote").click()
    page.wait_for_function("localStorage['attention-vote']")
    page.locator(".st-key-about button").first.click()
    page.locator(".st-key-delete_progress button").click()
    again = page.locator(".st-key-delete_all_the_same button")
    again.wait_for()
    assert page.evaluate("Boolean(localStorage['attention-vote'])")
    expect(again).to_be_in_viewport(ratio=1)
    page.locator(".st-key-keep_progress button").click()
    page.locator(".st-key-delete_progress button").click()
    page.locator(".st-key-delete_all_the_same button").click()
    page.wait_for_function(NOTHING)
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Close the vote").click()  # it is the owner's page, for this visit
    page.get_by_role("button", name="Vote again").wait_for()
    assert page.evaluate(NOTHING)


def test_a_deletion_asks_first_while_a_vote_of_another_tab_is_open(visit):
    page = visit("/one_head?lang=en&part=predict&topic=swap", ready=".st-key-vote_open-swap", fresh=True)
    other = page.context.new_page()
    other.goto(page.url.split("/one_head")[0] + "/softmax?lang=en")
    other.wait_for_selector(RESTS)
    page.get_by_role("button", name="Let the class vote").click()
    page.wait_for_function("localStorage['attention-vote']")
    other.locator(".st-key-about button").first.click()
    other.locator(".st-key-delete_progress button").click()
    other.locator(".st-key-delete_all_the_same button").wait_for()
    page.reload()
    page.get_by_role("button", name="Close the vote").click()  # it is the owner's page still
    page.get_by_role("button", name="Show the bars").wait_for()
    other.locator(".st-key-keep_progress button").click()
    other.locator(".st-key-delete_progress button").click()
    other.wait_for_function(NOTHING)


def test_a_browser_whose_storage_is_closed_works(visit):
    page = visit("/terms?lang=en", ready="h1", fresh=True)
    errors = []
    page.on("pageerror", lambda error: errors.append(error))
    page.add_init_script(
        """for (const name of ['localStorage', 'sessionStorage']) Object.defineProperty(window, name, {
          get() { throw new DOMException('closed', 'SecurityError'); },
        });"""
    )
    page.goto(page.url.split("/terms")[0] + "/one_head?lang=en&part=predict&topic=swap")
    page.locator(".st-key-guess-swap-same button").click()
    page.wait_for_selector(".st-key-verdict-swap")
    page.locator(".st-key-about button").first.click()
    page.locator(".st-key-delete_progress button").click()
    page.locator(".st-key-delete_progress").wait_for(state="detached")
    assert not [one for one in errors if "attention" in str(one.stack)]
