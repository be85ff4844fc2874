"""README's pictures, made from the running app: `python -m tests.tools.pictures` writes them to .github.

one_head.png is the first lesson in its start; first_minute.gif walks the first minute and drags the number
that it asks for. one_head.png carries the words that were on the screen, so that a test notices when the app
no longer looks like it.
"""

import io
from collections.abc import Iterator
from contextlib import contextmanager

from PIL import Image, PngImagePlugin
from playwright.sync_api import Page, sync_playwright

from tests.support.programs import FLAGS, ROOT, find_browser, serving

FOLDER = ROOT / ".github"
STILL, MOVING = FOLDER / "one_head.png", FOLDER / "first_minute.gif"
SIZE = {"width": 1280, "height": 800}
SHOWN = (960, 600)  # px of the moving picture
COLOURS = 240
STOP, STEP = 2200, 120  # ms that a stop and a step of the drag are shown
WORDS = "Description"
RESTS = "[data-testid=stApp][data-test-script-state=notRunning]"
LINK = "/one_head?lang=en&example=tired"


def words_on(page: Page) -> str:
    """The words of the sidebar, of the header, of the toolbar and of the picture's titles, in order."""
    return page.evaluate(
        """() => [...document.querySelectorAll(`
             [data-testid=stSidebar] a, [data-testid=stMain] h1, .st-key-head [role=radio],
             [data-testid=stWidgetLabel] p, [data-testid=stMain] .pic-title, .pic-step[data-chosen] strong`)]
           .filter((node) => node.checkVisibility()).map((node) => node.textContent.trim()).join('\\n')"""
    )


def open_still(page: Page, address: str) -> None:
    """The page of the still picture."""
    page.goto(address + LINK)
    page.wait_for_selector('[data-matrix="output"]')
    page.wait_for_selector(RESTS)
    page.evaluate("document.fonts.ready")


def still(page: Page) -> None:
    image = Image.open(io.BytesIO(page.screenshot()))
    info = PngImagePlugin.PngInfo()
    info.add_itxt(WORDS, words_on(page))
    image.quantize(256).save(STILL, optimize=True, pnginfo=info)


def frames(page: Page, address: str) -> Iterator[tuple[bytes, int]]:
    """The first minute, stop by stop, and the drag at its end; each with how long it is shown, in ms."""
    page.goto(address)
    page.wait_for_selector(".pic-step[data-chosen]:visible")
    page.wait_for_selector(RESTS)
    while True:
        page.mouse.move(5, 700)
        page.wait_for_selector(RESTS)
        page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        yield page.screenshot(), STOP
        if (
            page.locator('[data-matrix="w_q"][data-row="3"][data-col="1"]').is_visible()
            and page.locator(".pic-step[data-chosen] strong", has_text="Your turn").is_visible()
        ):
            break
        page.keyboard.press("ArrowRight")
    box = page.locator('[data-matrix="w_q"][data-row="2"][data-col="1"]').bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    for step in range(1, 17):
        page.mouse.move(x + 16 * step, y)
        page.wait_for_selector(RESTS)
        yield page.screenshot(), STEP
        if page.locator(".pic-step[data-chosen] strong", has_text="Done").is_visible():
            break
    page.mouse.up()
    page.wait_for_selector(RESTS)
    yield page.screenshot(), 2 * STOP


def _all_in_one(images: list[Image.Image]) -> Image.Image:
    """The images below one another: one palette for all, so that a colour does not flicker."""
    width, height = images[0].size
    all_of_them = Image.new("RGB", (width, height * len(images)))
    for place, image in enumerate(images):
        all_of_them.paste(image, (0, height * place))
    return all_of_them


def moving(page: Page, address: str) -> None:
    shots = list(frames(page, address))
    whole = [Image.open(io.BytesIO(shot)).convert("RGB") for shot, _ in shots]
    images = [image.resize(SHOWN, Image.Resampling.LANCZOS) for image in whole]
    palette = _all_in_one(images).quantize(COLOURS, Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE)
    flat = [image.quantize(palette=palette, dither=Image.Dither.NONE) for image in images]
    first, *more = flat
    times = [time for _, time in shots]
    first.save(MOVING, save_all=True, append_images=more, duration=times, loop=0, optimize=True, disposal=1)


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
        moving(page, address)
        open_still(page, address)
        still(page)
    for path in (STILL, MOVING):
        print(f"{path.name}: {path.stat().st_size / 1000:,.0f} kB")


if __name__ == "__main__":
    main()
