"""The stops of the hour: numbers that fulfil their tasks, what is to keep, and a person's gestures."""

import contextvars
import importlib
import json

from streamlit.testing.v1 import AppTest

from pages import session
from pages.draw.page import Page
from pages.draw.texts import plain
from pages.model import edits
from pages.model.course import HourStop
from pages.model.progress import Progress
from pages.model.state import State
from pages.session.visit import attempt
from pages.shell import hour
from tests.support.screen import visit
from tests.support.states import as_state, start_of, with_own

TIRED = edits.example_start("tired")
# Part → numbers that fulfil its task, and others afterwards; the exercises of a stop are in no link.
DONE = {
    "library": (with_own(TIRED, request=(0.7, 0.0)), with_own(TIRED, request=(1.4, 0.71))),
    "row": tuple(as_state(edits.set_cell(TIRED, "x", 2, 0, value)) for value in (0.3, 0.6)),
    "hand": tuple(as_state(edits.set_cell(TIRED, "x", 2, 3, value)) for value in (-0.5, -1.0)),
    "arrows": tuple(as_state(edits.set_direction(TIRED, "query", 2, 0, turn)) for turn in (180.0, -90.0)),
    "experiment": tuple(with_own(start_of("why_scale"), tried_d_k=d_k) for d_k in (64, 256)),
    "no_looking": tuple(
        with_own(TIRED, causal=True, barred=frozenset(barred)) for barred in ({(2, 0)}, {(2, 0), (2, 1)})
    ),
    "two": (
        with_own(edits.example_start("tired_heads"), off=frozenset({0})),
        with_own(edits.example_start("tired_heads"), off=frozenset({0}), query_factor=0.0),
    ),
    "swap": tuple(
        with_own(TIRED, order=order, with_positions=True) for order in ((1, 0, 2, 3), (3, 2, 1, 0))
    ),
    "train": tuple(with_own(start_of("train_a_head"), ran=True, train_step=step) for step in (20, 40)),
    "a_model": tuple(with_own(start_of("real_heads"), sentence=name) for name in ("wide", "tired")),
}


def module_of(stop: HourStop):
    return importlib.import_module(f"pages.lessons.{stop.lesson}.{stop.part}")


def sentence_to_keep(page: Page) -> str:
    """The sentence to keep, with the numbers of the page."""
    module = importlib.import_module(f"pages.lessons.{page.lesson.name}.{page.part.name}")
    return plain(hour.tell(page.t, page.part.name, module.keep(page)))


def act(app: AppTest, after: State) -> AppTest:
    """The page after this person has changed its numbers to these, as an edit of a picture does it."""

    def change() -> None:
        session.set_current_visit(visit(app))
        attempt(lambda _: after)

    contextvars.copy_context().run(change)
    app.run()
    assert not app.exception, [error.message for error in app.exception]
    return app


def text_of(progress: Progress) -> str:
    """The record as the browser keeps it."""
    return json.dumps(progress.to_json() | {"places": dict(progress.places), "last": progress.last})
