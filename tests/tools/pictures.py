"""README's pictures, made from the running app: `python -m tests.tools.pictures` writes them to .github.

first_page.png is the first page, and one_head.png the whole computation at its start. Each carries the words
that were on the screen, so that a test notices when the app no longer looks like it.
"""

import io
from collections.abc import Iterator
from contextlib import contextmanager

from PIL import Image, PngImagePlugin
from playwright.sync_api import Page, sync_playwright

from tests.support.programs import FLAGS, ROOT, find_browser, serving

FOLDER = ROOT / ".github"
SIZE = {"width": 1280, "height": 800}
WORDS = "Description"
RESTS = "[data-testid=stApp][data-test-script-state=notRunning]:not(:has([data-testid=stSkeleton]))"
# Picture → the link to its page, and an element that has the results.
PICTURES = {
    "first_page.png": ("/", ".pic-arcs-shares span"),
    "one_head.png": ("/one_head?lang=en&example=tired", '[data-matrix="output"]'),
}


def words_on(page: Page) -> str:
    """The words of the sidebar, of the header, of the toolbar and of the picture's titles, in order."""
    return page.evaluate(
        """() => [...document.querySelectorAll(`
             [data-testid=stSidebar] a, [data-testid=stMain] h1, .st-key-head [role=radio], .st-key-ways a,
             [data-testid=stWidgetLabel] p, [data-testid=stMain] .pic-title, .pic-step[data-chosen] strong`)]
           .filter((node) => node.checkVisibility()).map((node) => node.textContent.trim()).join('\\n')"""
    )


def open_page(page: Page, address: str, name: str) -> None:
    """The page of the picture of that name."""
    link, results = PICTURES[name]
    page.goto(address + link)
    page.wait_for_selector(results)
    page.wait_for_selector("[data-testid=stSidebar] a")  # an early picture has none
    page.wait_for_selector(RESTS)
    page.evaluate("document.fonts.ready")


def save(page: Page, name: str) -> None:
    image = Image.open(io.BytesIO(page.screenshot()))
    info = PngImagePlugin.PngInfo()
    info.add_itxt(WORDS, words_on(page))
    image.quantize(256).save(FOLDER / name, optimize=True, pnginfo=info)


@contextmanager
def opened() -> Iterator[tuple[Page, str]]:
    """A page of a new browser, and the address of the app."""
    with serving(ROOT / "app.py") as (address, _), sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_browser(), args=FLAGS)
        try:
            context = browser.new_context(viewport=SIZE, locale="en-US", reduced_motion="reduce")
            yield context.new_page(), address
        finally:
            browser.close()


def main() -> None:
    with opened() as (page, address):
        for name in PICTURES:
            open_page(page, address, name)
            save(page, name)
            print(f"{name}: {(FOLDER / name).stat().st_size / 1000:,.0f} kB")


if __name__ == "__main__":
    main()
