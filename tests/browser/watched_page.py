"""A part of a lesson in a browser, and whether all on it is as it should be after each press."""

import json
import os
import re
from pathlib import Path
from urllib.parse import parse_qs

from pages.model.view import Place
from tests.support.course import from_query

from .gestures import keep_answers
from .whole_picture import STILL, Shown, chosen_step
from .wire import PAINTED, Wire

SCRIPT = Path(__file__).parent / "every_control.js"
TRACE = bool(os.environ.get("TRACE"))  # prints each press; for pytest -s
TRIES = 60  # looks at the screen before what is wrong with it is a fault

TAKING_BACK = ("undo", "redo", "reset", "undo_replaced")
# What a press opens, closes or rewrites above a picture on purpose: (lesson, key of the control), None for
# any lesson → what that is.
MOVES: dict[tuple[str | None, str], str] = {
    ("real_heads", "guess-real_zero-weight"): "the page is short for a moment, and scrolls",
    (None, "set_scaling"): "a divisor of one's own has its field in the toolbar, which then takes two lines",
    (None, "set_topic"): "another topic",
    (None, "set_mask"): "a mask has its options in the toolbar, which may then take two lines",
    (None, "clear_answers"): "what the answers had brought goes",
    ("why_scale", "set_sample_case_holds"): "how q and k depend on each other is asked beside it",
    (None, "expander goals"): "its own text",
    (None, "expander answered"): "its own text",
    ("worked_examples", "expander own_grammar"): "its own text",
    ("worked_examples", "expander own_skipped"): "its own text",
    ("worked_examples", "expander own_tables"): "its own text",
    ("why_scale", "set_example"): "an example with positions: that they are set aside",
    ("many_heads", "set_example"): "with one head, the way to several stands above the picture",
    ("many_heads", "two_heads"): "with one head, the way to several stands above the picture",
    ("many_heads", "two_jobs"): "with one head, the way to several stands above the picture",
    ("many_heads", "set_num_heads"): "with one head, the way to several stands above the picture",
    ("masks", "set_example"): "several heads: which one is shown; no mask: that the causal one stands in",
    (
        "softmax",
        "pin outcomes_naive",
    ): "the sentence below takes another line",
    ("train_a_head", "stop-ran"): "the steps that were kept have a slider above the picture",
    ("transformer", "model_draw"): "the picture has a row for the new word; the button below it stays",
    ("transformer", "model_most"): "the picture has a row for the new word; the button below it stays",
    ("practice", "set_exercise"): "another exercise",
    ("practice", "set_of_three_page"): "another exercise",
    ("practice", "of_three"): "another exercise",
    ("practice", "judge_True"): "the verdict takes the place of both buttons",
    ("practice", "judge_False"): "the verdict takes the place of both buttons",
    ("practice", "next_exercise"): "another exercise",
    ("practice", "set_level_page"): "another exercise",
    ("practice", "set_numbers_page"): "another exercise",
    ("practice", "check"): "what was wrong stands in the place of the choices, which are not as high",
    ("practice", "show_solution"): "what was wrong stands in the place of the choices, which are not as high",
    (None, "target_try"): "what is to be reached stands above the picture, with numbers of its own",
    (None, "target_hint"): "its own text",
    (None, "target_leave"): "what was to be reached goes, and the numbers",
    ("start", "room_code"): "a room that does not exist is reported above the page",
    (None, "present"): "the picture takes the place of what a class need not see",
    **{(None, back): "what one of the others brought or took away" for back in TAKING_BACK},
}

# After these the page is another one.
LAST = ("set_language", "set_part")


class Watched:
    """One part of a lesson in one language, opened by its link, and the faults that were found in it."""

    def __init__(self, context, address: str, lesson: str, part: str, language: str, log: Path):
        self.lesson, self.part, self.language, self.log = lesson, part, language, log
        self.faults: list[str] = []
        self.standing: set[str] = set()  # what was wrong before the press and still is
        self.said: list[str] = []  # by the browser's console
        self.read = log.stat().st_size
        self.steps: dict[str, tuple[str, list[str]]] = {}  # picture → the chosen step, and all
        self.before: dict | None = None  # the page before the press
        self.kind = self.key = ""  # of the pressed control
        self.wanted = None  # the place (step, cell) that the link has to say, after a press that chose one
        self.page = context.new_page()
        self.page.on("console", self._console)
        self.page.on("pageerror", lambda error: self.said.append(f"page error: {error}"))
        self.wire = Wire(self.page)
        self.page.add_init_script(path=SCRIPT)
        self.address = address
        self.link = self.link_to(part)
        self.open("opening the part")

    def link_to(self, part: str) -> str:
        return f"{self.address}/{self.lesson}?lang={self.language}&part={part}"

    def open(self, why: str) -> None:
        self.before, self.steps = None, {}
        keep_answers(self.page, self.address, {})
        self.page.goto(self.link)
        self.page.wait_for_selector('[data-testid="stMain"] [data-testid="stVerticalBlock"]', timeout=60_000)
        self.page.wait_for_selector(".pic, .stMarkdown", timeout=60_000)
        self.look(why)

    def _console(self, message) -> None:
        # Streamlit asks for its own files below a lesson's address first, where there are none.
        if message.type == "error" and "_stcore" not in message.location.get("url", ""):
            self.said.append(f"console: {message.text} {message.location.get('url', '')}")

    # ---- looking

    def told(self, what: str) -> object:
        """What every_control.js says of the page; as one text, for Playwright looks into every number."""
        return json.loads(self.page.evaluate(f"() => JSON.stringify(everyControl.{what}())"))

    def still(self) -> dict:
        """The page once it rests: what was pressed before may open or close slowly."""
        last = None
        for _ in range(TRIES):
            now = self.told("shown")
            places = [now["scrolled"], now["height"], *(picture["top"] for picture in now["pictures"])]
            if places == last:
                break
            last = places
            self.page.evaluate(PAINTED)
        return now

    def look(self, press: str) -> None:
        """Waits until the screen is as it should be after a press, or notes what is wrong with it."""
        for _ in range(TRIES):
            self.wire.rest()
            now = self.told("shown")
            faults = self._faults(now)
            if not set(faults) - self.standing:
                break
            self.page.wait_for_timeout(100)
        self.standing = set(faults) - {one for one in faults if one.startswith("moved")}
        heard = [*self.said, *self._log()]
        self.said.clear()
        known = {fault.split(": ", 1)[1] for fault in self.faults}
        new = [f"{press}: {fault}" for fault in [*faults, *heard] if fault not in known]
        self.faults += new
        if TRACE:
            print("\n".join(f"   FAULT {self.lesson}/{self.part} {one}" for one in new), flush=True)
        chosen = {one["key"]: self._step_of(one) for one in now["pictures"]}
        looked = {one["key"] for one in now["pictures"] if one["looked"]}  # whose panel tells a cell's step
        steps = {
            key: (step, self.step_names(key)) for key, step in chosen.items() if step and key not in looked
        }
        self.steps = {key: told for key, told in self.steps.items() if key in looked} | steps
        self.wanted = None

    def _faults(self, now: dict) -> list[str]:
        try:
            sent = self.wire.pictures
            faults = Shown(self.lesson, self.part, now, sent, set(self.wire.drawn), self.steps).faults()
        except KeyError as unknown:
            return [f"a picture that the server did not send: {unknown}"]
        place = self.place(now)
        if self.wanted is not None:
            what, value = self.wanted
            if getattr(place, what) != value:
                faults.append(f"the link says {what} = {getattr(place, what)}, chosen was {value}")
        return faults + self._moved(now) + self._out_of_sight(now)

    def place(self, now: dict) -> Place:
        """Where the learner is, as the link has it."""
        return from_query(parse_qs(now["query"], keep_blank_values=True))[2]

    def _moved(self, now: dict) -> list[str]:
        """Whether the first picture, the question that was answered, or a page without both has moved."""
        before, key = self.before, self.key
        if self.kind in ("walk", "begin") and self.page.viewport_size["width"] < 641:
            return []  # on a phone the matrix that a step explains comes into sight
        names = (key, f"{self.kind} {key}", f"{self.kind} {key.split('-')[0]}")
        free = {(lesson, one) for lesson in (None, self.lesson) for one in names}
        if before is None or key in LAST or key.startswith(("deeper_", "reading-")) or free & MOVES.keys():
            return []
        # A page that has become shorter, were it for a moment, ends higher.
        shorter = now["height"] < before["height"] or now["atEnd"] or before["atEnd"]
        if now["scrolled"] < before["scrolled"] and shorter:
            return []
        what, by = self._shift(before, now)
        return [f"moved: {what} by {by:.0f} px"] if abs(by) > STILL else []

    def _out_of_sight(self, now: dict) -> list[str]:
        """Whether the verdict on an answer is to be seen without scrolling."""
        card = now["cards"].get(f"ask-{self.key.split('-')[1]}") if self.key.startswith("guess-") else None
        seen = card is None or (self.lesson, self.key) in MOVES or 0 <= card["ends"] <= now["window"]
        return [] if seen else [f"the verdict ends at {card['ends']:.0f} px, the window at {now['window']}"]

    def _shift(self, before: dict, now: dict) -> tuple[str, float]:
        """How far what must stay where it was has moved on the screen."""
        if self.key.startswith(("guess-", "again-")):
            question = self.key.partition("-")[2]
            card = next((name for name in before["cards"] if question.startswith(name[4:])), None)
            if card in now["cards"]:
                return "the question", now["cards"][card]["top"] - before["cards"][card]["top"]
        heights = [{key: card["height"] for key, card in one["cards"].items()} for one in (before, now)]
        if heights[0] != heights[1]:
            return "a question that follows the numbers", 0
        tops = {one["key"]: one["top"] for one in now["pictures"] if one["shown"]}
        first = next((one for one in before["pictures"] if one["shown"]), None)
        if first is None:
            return "the page", now["scrolled"] - before["scrolled"]
        return "the picture", tops.get(first["key"], first["top"]) - first["top"]

    def _log(self) -> list[str]:
        with self.log.open("rb") as log:
            log.seek(self.read)
            text = log.read().decode()
        self.read = self.log.stat().st_size
        return [f"the server's log: {text[-2000:]}"] if re.search("Traceback|Error|Exception", text) else []

    def _step_of(self, picture: dict) -> str | None:
        names, place = self.step_names(picture["key"]), chosen_step(picture)[0]
        return names[place - 1] if 1 <= place <= len(names) else None

    def step_names(self, picture: str) -> list[str]:
        steps = self.wire.pictures.get(picture, {}).get("steps", [])
        return [step["name"] for step in steps]
