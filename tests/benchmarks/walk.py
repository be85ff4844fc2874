"""A walk at random over all pages in a browser, with every computed cell checked after each gesture.

    python -m tests.benchmarks.walk --gestures 2000 --seed 1

It prints the seed, and at a fault the last gestures that led there; the same seed begins the same walk.
After each gesture the checks of the test that presses every control are made, and each computed cell is
worked out from the cells that it says it was made from.
"""

import argparse
import random
import tempfile
from pathlib import Path

from playwright.sync_api import Error, sync_playwright

from pages.model.languages import LANGUAGES
from tests.browser.every_control import Presser
from tests.support.course import LESSONS, REFERENCE, lesson
from tests.support.programs import FLAGS, ROOT, find_browser, serving
from tests.support.recipe import faults_in

MOST = 20_000  # gestures
STAY = 25  # gestures in a part, then another page
TOLD = 12  # of the last gestures, at a fault


class Walker(Presser):
    """Presses any control of a part; one that was pressed may be pressed again."""

    def __init__(self, *where, draw: random.Random):
        self.draw, self.told_gestures = draw, []
        super().__init__(*where)

    def matters(self, one: dict) -> bool:
        """All but what leads to another part, which the walk chooses itself."""
        if one["kind"] == "title":  # it chooses a step only where there is that step
            return self.spec(one)["step_name"] in self.step_names(one["picture"])
        return one["key"] != "set_part"

    def done(self, one: dict) -> bool:
        return False

    def rank(self, one: dict) -> float:
        return self.draw.random() - one["inPopover"]  # an open popover is pressed first, and closed

    def _faults(self, now: dict) -> list[str]:
        faults = super()._faults(now)
        for one in now["pictures"]:
            data = self.wire.pictures.get(one["key"])
            if data is not None:
                _, name, part, _ = data["key"].split("-", 3)
                faults += [f"{one['key']}: {fault}" for fault in faults_in(data, name, part)[:3]]
        return [fault for fault in faults if not fault.startswith("moved")]

    def step(self) -> str:
        """Does one gesture and tells which; the page is opened again where a press led elsewhere."""
        one = self.next()
        if one is None:
            return "nothing to press"
        self.press(one)
        if one["inPopover"] and self.draw.random() < 0.3:
            self.page.keyboard.press("Escape")
        part = self.place(self.told("shown")).part
        if part not in (None, self.part) or f"/{self.lesson}" not in self.page.url:
            self.open(f"going back after {one['id']}")
        return f"{one['id']} “{one['text'][:30]}”"


def walk(browser, address: str, log: Path, gestures: int, seed: int) -> list[str]:
    """The faults, each with the gestures that led to it."""
    draw, result, left = random.Random(seed), [], gestures
    while left > 0:
        name = draw.choice([*LESSONS, *REFERENCE])
        part, language = draw.choice([one.name for one in lesson(name).parts]), draw.choice(tuple(LANGUAGES))
        context = browser.new_context(viewport={"width": 1280, "height": 800}, locale="en-US")
        where, path = f"/{name}?lang={language}&part={part}", []
        try:
            walker = Walker(context, address, name, language, log, draw=draw)
            walker.part, walker.link = part, walker.link_to(part)
            walker.open("opening the part")
            for _ in range(min(STAY, left)):
                left -= 1
                path.append(walker.step())
                if walker.faults:
                    break
            faults = walker.faults
        except Error as error:
            faults = [f"the browser: {str(error)[:300]}"]
        finally:
            context.close()
        result += [f"{where}: {fault}\n    after {' → '.join(path[-TOLD:])}" for fault in faults]
        print(f"{gestures - left:5} {where} {len(path)} gestures, {len(faults)} faults", flush=True)
        for fault in result[len(result) - len(faults) :]:
            print(fault, flush=True)
    return result


def main(gestures: int, seed: int) -> int:
    print(f"seed {seed}")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        log = Path(folder) / "log.txt"
        with serving(ROOT / "app.py", log=log) as (address, _):
            browser = playwright.chromium.launch(executable_path=find_browser(), args=FLAGS)
            result = walk(browser, address, log, gestures, seed)
            browser.close()
    print(f"{gestures} gestures, {len(result)} faults")
    return bool(result)


if __name__ == "__main__":
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument(
        "--gestures", type=int, default=2000, choices=range(1, MOST + 1), metavar=f"1-{MOST}"
    )
    options.add_argument("--seed", type=int, default=1)
    given = options.parse_args()
    raise SystemExit(main(given.gestures, given.seed))
