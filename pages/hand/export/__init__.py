"""The formats of files, in the table FORMATS. A file is a pure function of the page, called on demand."""

import importlib
from collections.abc import Callable
from dataclasses import dataclass

from pages.draw import saving
from pages.draw.page import Page

from . import worksheet

ScreenText = Callable[[], tuple[Page, str]]  # the page and the link to it at the time of the call


@dataclass(frozen=True)
class Format:
    """A format of a file with the present page and the link back to it. Its label is the text `share.<name>`.

    group   the formats that are side by side, below the text `share.<group>` module  the module in this
    folder whose function `name(page, link)` returns the text or the bytes; imported on demand, since pages
    are drawn before PyTorch is imported. "": the browser makes the file from the screen.
    """

    name: str
    group: str
    module: str = ""
    suffix: str = ""
    mime: str = ""

    @property
    def has_every_number(self) -> bool:
        """Whether the file has numbers that a teacher's link hides."""
        return bool(self.module)

    def draw(self, page: Page, screen: ScreenText) -> None:
        """The button that saves the file. screen: called on demand."""
        label = page.t(f"share.{self.name}")
        if not self.module:
            saving.page_picture(page, self.name, label)
            return
        name = f"attention-{page.lesson.name.replace('_', '-')}{self.suffix}"
        saving.button(f"export_{self.name}", label, name, self.mime, lambda: self.content(*screen()))

    def content(self, page: Page, link: str) -> str | bytes:
        """The file."""
        module = importlib.import_module(f"{__name__}.{self.module}")
        return getattr(module, self.name)(page, link)


FORMATS = (
    Format("pytorch", "code", "script", ".py", "text/x-python"),
    Format("numpy", "code", "script", "-numpy.py", "text/x-python"),
    Format("notebook", "code", "notebook", ".ipynb", "application/x-ipynb+json"),
    Format("npz", "data", "data", ".npz", "application/octet-stream"),
    Format("json", "data", "data", ".json", "application/json"),
    Format("svg", "picture"),
    Format("png", "picture"),
    Format("worksheet", "paper", "worksheet", "-worksheet.html", "text/html"),
    Format("answer_key", "paper", "worksheet", "-answer-key.html", "text/html"),
)
# Group → the controls for its files.
CHOICES: dict[str, Callable[[Page], None]] = {"paper": worksheet.choices}
