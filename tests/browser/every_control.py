"""Presses the controls of a lesson, part by part, and looks after each press whether all is as it should be.

What all lessons share (toolbar, history, menus, the sidebar's links) is pressed in the course's first lesson
only; what the parts of a lesson share, once in the lesson.
"""

import time

from playwright.sync_api import Error

from tests.support.course import COURSE, LESSONS
from tests.support.course import lesson as lesson_of

from .watched_page import LAST, TRACE, TRIES, Watched

# What is typed into fields that are no numbers; all others get a number.
TYPED = {"set_search": "softmax", "set_source": "a b c", "set_packed": "1, 2"}
# Of these, so many in each picture or field: more are alike.
FEW = {"menu": 3, "type": 2, "cell": 1, "thumbnail": 1, "choice": 3, "option": 1, "follow": 2, "title": 2}
# The same code for every matrix and every number: these are pressed at the course's begin.
AT_THE_BEGIN = ("menu", "grow", "shrink", "remove", "name", "walk", "begin", "follow", "title", "minus")
OF_MASKS = ("more", "mask_more")  # the popovers with the numbers of the mask
STOP = "stop-"  # begins the keys of buttons that end long work
BACK = ("about", "undo", "redo", "reset", "present")  # pressed late


class Presser(Watched):
    """Chooses one control after the other, newly come ones first, and presses it."""

    def __init__(self, context, address: str, lesson: str, language: str, log):
        self.seen: dict[str, dict] = {}  # control → what it is, with the number of the press that brought it
        self.pressed: set[tuple] = set()
        self.count = 0
        self.alike: dict[tuple, list[str]] = {}  # the kind of control, and where → those of that kind
        self.menus: dict[tuple, int] = {}  # the items of a menu → how many matrices have them
        self.parts = [one.name for one in lesson_of(lesson).parts]
        self.first = lesson == LESSONS[0]
        self.only_picture = False
        super().__init__(context, address, lesson, self.parts[0], language, log)

    # ---- choosing what to press

    def listed(self) -> list[dict]:
        """The controls on the page, with the options of selectboxes and menus that were opened once."""
        results = []
        for one in self.told("list"):
            known = self.seen.setdefault(one["id"], one | {"since": self.count, "at": len(self.seen)})
            known |= {"disabled": one.get("disabled"), "inPopover": one["inPopover"]}
            if self.matters(known):
                results += [known, *filter(self.matters, known.get("items", []))]
        return results

    def matters(self, one: dict) -> bool:
        """Whether it is pressed here, and not as one that is like it."""
        kind, key, place = one["kind"], one["key"], one.get("picture", "")
        if kind == "title" and self.spec(one)["step_name"] not in self.step_names(one["picture"]):
            return False  # titles choose steps only where there are steps
        if self.only_picture and not place:
            return False
        if key.startswith("vote_"):
            return False  # what a vote is about stays on the server: see test_vote
        if key.startswith("deeper_"):
            return False  # leads to another part: see go_to
        if key in ("set_part", "onward_button") or (one["shared"] and key != "reset" and not self.first):
            return False
        if kind in AT_THE_BEGIN and not (self.first and self.part == self.parts[0]):
            return False
        if kind == "pin" and not self.spec(one)["clickable"]:
            return self.is_among(one, (kind,), 1)
        if key.startswith(("again-", "verdict-", "others-")):  # of the first question of a lesson
            return self.is_among(one, (kind, key.split("-")[0]), 1)
        if key.startswith("guess-"):
            question = key.split("-")[1]
            again = ("button", "again") in self.alike and question in self.alike["button", "again"][0]
            return self.is_among(one, ("guess", question), 2 if again else 1)
        few = None if key == "set_topic" else FEW.get(kind)
        return few is None or self.is_among(one, (kind, place or key), few)

    def is_among(self, one: dict, where: tuple, few: int) -> bool:
        """Whether it is one of the first that are alike."""
        alike = self.alike.setdefault(where, [])
        if one["id"] not in alike and len(alike) < few:
            alike.append(one["id"])
        return one["id"] in alike

    def identity(self, one: dict) -> tuple:
        """What is the same in all parts of a lesson: a cell, a field; but not the pin of a picture."""
        name = one["id"].removeprefix(one.get("picture", "")) if one["kind"] != "pin" else one["id"]
        return (name, self.part if one["kind"] in ("option", "expander") else None)

    def spec(self, one: dict) -> dict:
        """The data of the control's matrix; without a step if the last data no longer have the matrix."""
        matrices = self.wire.pictures[one["picture"]]["matrices"]
        return next(
            (matrix for matrix in matrices if matrix["id"] == one["key"]),
            {"step_name": "", "clickable": False},
        )

    def rank(self, one: dict) -> tuple:
        if one["key"] in LAST:
            return (6 + LAST.index(one["key"]), one.get("checked", False), 0, one["at"])
        if one["inPopover"]:
            return (0, 0, 0, one["at"])
        if one["key"] in BACK:
            return (5, 0, 0, BACK.index(one["key"]))
        if one["kind"] in ("minus", "shrink", "remove"):
            return (4, 0, 0, one["at"])
        if one["key"].startswith("again-"):
            return (3, 0, 0, one["at"])
        return (2 if one.get("checked") else 1, -one["since"], 0, one["at"])

    def next(self) -> dict | None:
        listed = self.listed()
        waiting = [one for one in listed if not one["disabled"] and not self.done(one)]
        body = self.page.locator('[data-testid="stPopoverBody"]')
        if body.count() and not any(one["inPopover"] for one in waiting):
            self.page.keyboard.press("Escape")
            body.wait_for(state="detached")
        return min(waiting, key=self.rank, default=None)

    def done(self, one: dict) -> bool:
        return self.identity(one) in self.pressed

    # ---- pressing

    def press_picture(self) -> list[str]:
        """The faults that the controls of the first part's picture brought to light."""
        self.parts, self.only_picture = self.parts[:1], True
        return self.press_all()

    def press_all(self) -> list[str]:
        """The faults that all presses together brought to light."""
        for place, part in enumerate(self.parts):
            if place:
                self.go_to(part)
            while (one := self.next()) is not None:
                self.press(one)
                shown = self.place(self.told("shown")).part
                if shown not in (None, self.part):
                    self.open(f"going back after {one['id']}")
        return self.faults

    def go_to(self, part: str) -> None:
        """Presses what leads to a part of the lesson: in front, or in the list of the others."""
        stops = [stop.part for stop in COURSE.hour if stop.lesson == self.lesson]
        front = stops if self.control("deeper") else self.parts
        if part in front:
            if not self.control("set_part"):  # from a stop, where the sidebar has the others
                self.go_to(next(other for other in self.parts if other not in stops))
            self.press(self.control("set_part")[front.index(part)], part)
            return
        self.press(self.control("deeper")[0])
        self.press(self.control(f"deeper_{part}")[0], part)

    def control(self, key: str) -> list[dict]:
        """The controls with this key, in the order of the page."""
        return [one for one in self.told("list") if one["key"] == key]

    def press(self, one: dict, part: str | None = None) -> None:
        """part: the one that it leads to."""
        self.count += 1
        self.pressed.add(self.identity(one))
        name, self.kind, self.key = f"{one['id']} “{one['text']}”", one["kind"], one["key"]
        began = time.time()
        self.part = part or self.part
        self.link = self.link_to(self.part)
        try:
            stop = self.page.locator(f"[class*=st-key-{STOP}]").first
            if not self.key.startswith(STOP) and stop.count():  # long work draws the page again at its end
                stop.wait_for(state="detached", timeout=60_000)
                self.wire.rest()
            elements = self.page.evaluate_handle("id => everyControl.find(id)", one.get("of", one["id"]))
            node = elements.as_element()
            if node is None:
                return  # it went in the meantime, as the timer of a run takes its button away
            self.before = self.bring(node)
            getattr(self, f"press_{one['kind']}", self.press_button)(node, one)
        except Error as error:
            if not self.page.evaluate("id => Boolean(everyControl.find(id))", one.get("of", one["id"])):
                return  # it went under the hand, as above; one that was made again is still found
            self.faults.append(f"{name}: could not be pressed: {str(error)[:300]}")
            self.page.keyboard.press("Escape")  # closes what is open
            return
        self.look(name)
        if TRACE:
            print(f"{time.time() - began:.2f} {name}", flush=True)

    def bring(self, node) -> dict:
        """Scrolls a control into sight; the page as it rests then, with the control in sight and uncovered.

        A click on a control out of sight would scroll the page, as if the page had moved by itself.
        """
        node.scroll_into_view_if_needed()
        for _ in range(TRIES):
            page = self.still()
            over = node.evaluate("node => everyControl.over(node)")
            if not over:
                return page
            # The panel is at the foot of the screen, over what is scrolled there.
            node.evaluate("node => node.scrollIntoView({ block: 'center' })")
            self.page.wait_for_timeout(100)
        raise Error(f"it is covered: {over}")

    def press_button(self, node, one: dict) -> None:
        node.click()
        if one["key"] == "delete_progress":
            self.page.mouse.move(0, 0)  # the window is smaller then, and the pointer would be on a cell
        if one["key"] == "reset":  # each picture is at its last step again
            self.steps.clear()
        if one["key"] == "tile-play":  # the last tile adds a sentence by itself
            for state in ("disabled", "enabled"):
                self.page.locator(f"[class*=st-key-set_block_q] input:{state}").wait_for(timeout=60_000)
        if one["key"] == "handout":  # it opens a window over the page
            self.page.wait_for_selector('[data-testid="stDialog"] [data-testid="stCode"]')
            self.page.keyboard.press("Escape")
            self.page.wait_for_selector('[data-testid="stDialog"]', state="detached")
        if one["key"] == "present":  # the presentation is looked at, and ended
            self.page.wait_for_selector(".st-key-presenting", state="attached")
            self.look(one["id"])
            self.page.keyboard.press("Escape")
            self.page.wait_for_selector(".st-key-presenting", state="detached")

    def press_popover(self, node, one: dict) -> None:
        node.click()
        self.page.wait_for_selector('[data-testid="stPopoverBody"]')

    def press_select(self, node, one: dict) -> None:
        """Opens it once to read its options; each of them is a control of its own."""
        node.click()
        self.page.wait_for_selector('[role="option"]')
        options = self.page.evaluate(
            "() => [...document.querySelectorAll('[role=option]')].map((node) =>"
            " [node.dataset.key, node.innerText, node.getAttribute('aria-selected') === 'true'])"
        )
        self.page.keyboard.press("Escape")
        self.page.wait_for_selector('[role="option"]', state="detached")
        if len(options) > FEW["choice"]:  # from all over the list
            every = -(-len(options) // FEW["choice"])
            options = [option for i, option in enumerate(options) if option[2] or i % every == 0]
        self.offer(one, "choice", sorted(options, key=lambda option: option[2]))

    def offer(self, one: dict, kind: str, items: list) -> None:
        """From now on these items are listed as controls; the one that is chosen now comes last."""
        one["items"] = [
            one
            | {"id": f"{one['id']} = {item}", "kind": kind, "text": text, "of": one["id"], "item": item}
            | {"checked": chosen, "since": self.count, "at": one["at"] + i / 100}
            for i, (item, text, chosen) in enumerate(items)
        ]

    def press_choice(self, node, one: dict) -> None:
        node.click()
        self.page.wait_for_selector('[role="option"]')
        option = self.page.locator(f'[role="option"][data-key="{one["item"]}"]')
        if not option.count():  # a long list has what is in sight alone: the typed name is left
            self.page.keyboard.type(one["text"])
        option.click()
        self.page.wait_for_selector('[role="option"]', state="detached")
        if one["key"] == "set_mask":  # each kind brings other numbers, in a popover
            for popover in (known for known in self.seen.values() if known["key"] in OF_MASKS):
                popover["since"] = self.count
                self.pressed.discard(self.identity(popover))

    def press_text(self, node, one: dict) -> None:
        node.fill(TYPED.get(one["key"], "2"))
        node.press("Enter")

    # ---- pressing in a picture

    def press_title(self, node, one: dict) -> None:
        self.chose(one, self.spec(one)["step_name"])
        node.click()

    def press_walk(self, node, one: dict) -> None:
        step, names = self.steps[one["picture"]]
        self.chose(one, names[names.index(step) + (1 if one["id"].endswith("on") else -1)])
        node.click()

    def press_begin(self, node, one: dict) -> None:
        self.chose(one, self.step_names(one["picture"])[0])
        node.click()

    def chose(self, one: dict, step: str) -> None:
        self.steps[one["picture"]] = (step, self.step_names(one["picture"]))
        self.wanted = ("step", step)

    def press_menu(self, node, one: dict) -> None:
        node.click()
        self.page.wait_for_selector('[role="menuitem"]:visible')
        items = self.page.evaluate(
            "() => [...document.querySelectorAll('[role=menuitem]')].filter((node) => node.checkVisibility())"
            ".map((node) => [node.dataset.item, node.innerText, false])"
        )
        self.page.keyboard.press("Escape")
        self.page.wait_for_selector('[role="menuitem"]:visible', state="detached")
        # All items of the first matrix, and of each like one another item.
        names = tuple(item for item, *_ in items)
        alike = self.menus[names] = self.menus.get(names, -1) + 1
        self.offer(one, "item", items if not alike else [items[alike % len(items)]])

    def press_item(self, node, one: dict) -> None:
        node.click()
        self.page.locator(f'[role="menuitem"][data-item="{one["item"]}"]:visible').click()
        if one["item"] == "enlarge":
            self.page.wait_for_selector("dialog[open]")
            self.look(one["id"])
            self.page.locator("dialog[open] .pic-close").click()
            self.page.wait_for_selector("dialog[open]", state="detached")

    def press_name(self, node, one: dict) -> None:
        node.fill(node.input_value()[:6] + "a")
        node.press("Enter")

    def press_type(self, node, one: dict) -> None:
        """Types another number that the cell may hold."""
        spec = self.spec(one)
        view = node.get_attribute("data-value")
        value = float(view) + 1 if view else 1
        if spec["high"] is not None and value > spec["high"]:
            value -= 2
        node.fill(f"{value:g}")
        node.press("Enter")

    def press_slider(self, node, one: dict) -> None:
        node.press("ArrowRight")

    def press_pin(self, node, one: dict) -> None:
        if not self.spec(one)["clickable"]:
            row, col = (int(node.get_attribute(f"data-{name}")) for name in ("row", "col"))
            cell = (one["key"], row, col)
            self.wanted = (
                "cell",
                None if self.place(self.before).cell == cell else cell,
            )  # a second press frees it
        node.click()
