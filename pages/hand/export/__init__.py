"""What leaves the app as a file: a file a format, each a pure function of the present state.

FORMATS is the table of them. A file is made when it is asked for.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass

from pages.draw.page import Page


@dataclass(frozen=True)
class Format:
    """A file that is made from the page in the present state and the link back to it.

    module  the file in this folder whose function `name(page, link)` gives the text or the bytes. It is
            imported when it is needed, for a page is drawn before PyTorch is imported.
    """

    name: str
    module: str
    suffix: str
    mime: str

    def file(self, page: Page) -> str:
        return f"attention-{page.lesson.name.replace('_', '-')}{self.suffix}"

    def maker(self, present: Callable[[], tuple[Page, str]]) -> Callable[[], str | bytes]:
        """What makes the file. present: the page and the link at the time when it is asked for."""

        def make() -> str | bytes:
            module = importlib.import_module(f"{__name__}.{self.module}")
            return getattr(module, self.name)(*present())

        return make


FORMATS = (
    Format("pytorch", "script", ".py", "text/x-python"),
    Format("numpy", "script", "-numpy.py", "text/x-python"),
    Format("notebook", "notebook", ".ipynb", "application/x-ipynb+json"),
    Format("npz", "data", ".npz", "application/octet-stream"),
    Format("json", "data", ".json", "application/json"),
)
