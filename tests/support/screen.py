"""The pages without a browser: open one in a given state, and read what its pictures show."""

import contextvars
import itertools
import json
import re
from collections.abc import Iterator, Mapping
from types import MappingProxyType

from google.protobuf.message import Message
from streamlit.proto.WidgetStates_pb2 import WidgetState
from streamlit.testing.v1 import AppTest

from pages import session
from pages.model import languages
from pages.model.core import load as load_core
from pages.model.link import to_query
from pages.model.settings import Settings
from pages.model.state import State
from pages.model.view import Place, View
from pages.session.visit import KEY
from tests.support.course import COURSE
from tests.support.course import lesson as declared
from tests.support.picture_data import whole
from tests.support.programs import ROOT
from tests.support.states import as_state, is_looked_at, looking, start_of, with_own

LANGUAGES = tuple(languages.LANGUAGES)
OF_A_ROUND = r"-\d+-\d+(?=$|-commit$)"  # behind the key of what a vote is cast with
SHOWN = "shown"  # the answer of those who only want to see
NO_ANSWERS: Mapping[str, str] = MappingProxyType({})


def shown(lesson: str, but: str | None = None) -> tuple[tuple[str, str], ...]:
    """Answers to all questions of the lesson, or to all but one."""
    return tuple((question, SHOWN) for question in declared(lesson).questions if question != but)


def opened(
    lesson: str,
    part: str,
    now: Settings | State | None = None,
    topic: str | None = None,
    *,
    answers: tuple[tuple[str, str], ...] | None = None,
    language: str = "en",
    row: int | None = None,
    step: str | None = None,
    shows: bool = False,
    **fields: object,
) -> AppTest:
    """A part, run once without an exception, a warning or an error.

    now: the lesson's start if it is not given; answers: all are shown if they are not given; shows: with
    “Show me”; fields: of the settings and of what is looked at.
    """
    looks = {name: value for name, value in fields.items() if is_looked_at(name)}
    own = {name: value for name, value in fields.items() if name not in looks}
    state = with_own(start_of(lesson) if now is None else now, **own)
    view = looking(language=language, answers=shown(lesson) if answers is None else tuple(answers), **looks)
    query = to_query(state, view, Place(part, row, step, topic=topic), typed=True)
    app = open_link(lesson, query, dict(view.answers), shows=shows)
    assert not app.exception, [error.message for error in app.exception]
    assert not refused(app) and not app.error
    return app


def refused(app: AppTest) -> list[str]:
    """What the page warns of. A verdict is a warning too, and has an icon."""
    return [one.value for one in app.warning if not one.icon]


def open_page(
    lesson: str = "one_head",
    settings: Settings | State | None = None,
    view: View | None = None,
    place: Place | None = None,
    **query: str,
) -> AppTest:
    """The lesson's page in this state, or from the parts of a link; run once."""
    view = view or View()
    query = to_query(as_state(settings), view, place or Place(), typed=True) | query
    return open_link(lesson, query, dict(view.answers))


def open_link(
    lesson: str, query: dict[str, str], answers: Mapping[str, str] = NO_ANSWERS, *, shows: bool = False
) -> AppTest:
    """The lesson's page, from the parts of a link as they are; run once.

    answers, shows: what the browser keeps. What is said of answers is unfolded, so that tests of all texts
    read it.
    The core is imported before: AppTest keeps what a page shows until then, where a browser takes it away.
    """
    load_core()
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    if answers or shows:
        app.session_state[KEY] = recalled(query, answers, f"/{lesson}", shows=shows)
    for question in declared(lesson).questions:
        app.session_state[f"answered-{question}"] = app.session_state[f"others-{question}"] = True
    for key, value in query.items():
        app.query_params[key] = value
    app.switch_page(f"pages/{lesson}.py")
    return app.run()


def recalled(
    query: Mapping[str, str], answers: Mapping[str, str], path: str = "", *, shows: bool = False
) -> session.Visit:
    """A visit that begins with this link, and whose browser has told what it keeps."""
    visit = session.of_link(COURSE, dict(query), "en-US", path)
    tab = {"answers": dict(answers), "sitting": visit.view.sitting}
    kept = {"record": json.dumps({"options": dict(answers), "shows": shows}), "tab": json.dumps(tab)}

    def recall() -> None:
        session.set_current_visit(visit)
        session.recall(kept)

    contextvars.copy_context().run(recall)
    return visit


def again(app: AppTest) -> AppTest:
    """The page after another run, without an exception."""
    app.run()
    assert not app.exception, [error.message for error in app.exception]
    return app


def press(app: AppTest, key: str) -> AppTest:
    """The page after a press of the button with this key, in a ballot without the numbers of the round."""
    [button] = [one for one in app.button if re.sub(OF_A_ROUND, "", one.key or "") == key]
    button.click()
    return again(app)


def room_of(app: AppTest) -> str:
    """The code of the room in which the visit is."""
    return visit(app).view.vote


def person_of(app: AppTest) -> str:
    """The secret name of the visit's person in rooms."""
    return visit(app).memory["vote"].person


def unfolded(app: AppTest, *keys: str) -> AppTest:
    """The page with the popovers and expanders of these keys open, as after a press of each."""
    for key in keys:
        app.session_state[key] = True
    return app.run()


def bound(app: AppTest, kind: str, field: str):
    """The one widget of that kind that is bound to the field, made again or not (see session.bind)."""
    [result] = [one for one in app.get(kind) if re.fullmatch(rf"set_{field}(-\d+)?", one.key or "")]
    return result


def visit(app: AppTest):
    """The visit's state (see pages.session)."""
    return app.session_state["visit"]


def pictures(app: AppTest) -> list[dict]:
    """The data of all pictures on the page, in order."""
    return [whole(element.proto.bytes) for element in app.get("bidi_component") if element.proto.bytes]


def figures(app: AppTest) -> list:
    """All that is not text: matrices with their numbers, planes, tables, charts, lines of code."""
    pictured = [(one["id"], one["values"]) for picture in pictures(app) for one in picture["matrices"]]
    pictured += [one for picture in pictures(app) for one in picture["plots"]]
    pictured += [one.value for one in app.markdown if one.value.startswith("|")]
    return [*pictured, *(kind for kind in ("vega_lite_chart", "html", "code") for _ in app.get(kind))]


def matrix(app: AppTest, name: str) -> dict:
    """The one matrix of that name on the page."""
    results = [m for picture in pictures(app) for m in picture["matrices"] if m["id"] == name]
    assert len(results) == 1, f"{len(results)} matrices named {name}"
    return results[0]


def matrix_ids(app: AppTest) -> set[str]:
    """The names of all matrices on the page."""
    return {one["id"] for picture in pictures(app) for one in picture["matrices"]}


def chart_rows(app: AppTest, number: int) -> list[dict]:
    """The rows of a chart's table."""
    return rows_of(app.get("vega_lite_chart")[number].proto)


def rows_of(chart: Message) -> list[dict]:
    import pyarrow as pa

    return pa.ipc.open_stream(chart.data.data).read_all().to_pylist()


def as_written(text: str) -> str:
    """A Markdown text as it is in the files of texts: W_Q, and not its formula."""
    return re.sub(r"\$([Wb]|d)_\{([QKVO12U]|model)\}\$", r"\1_\2", text)


def said(app: AppTest, drawn: list[dict] | None = None) -> str:
    """All that the page says, in one text. drawn: its pictures, where they are read already."""
    kinds = ("title", "markdown", "caption", "warning", "success", "info")
    texts = [as_written(element.value) for kind in kinds for element in app.get(kind)]
    texts += [re.sub("<sub>(.*?)</sub>", r"_\1", element.proto.body) for element in app.get("html")]
    drawn = pictures(app) if drawn is None else drawn
    for passage in (passage for picture in drawn for passage in picture["passages"]):
        texts += [passage["title"], *passage["lines"]]
    return "\n".join(texts)


def _saving(app: AppTest) -> dict[str, dict]:
    """What saves a file: key → the data of its component."""
    protos = [one.proto for one in app.get("bidi_component")]
    saving = [one for one in protos if one.component_name == "attention_save"]
    return {one.id.split("-", 2)[2]: json.loads(one.json)[0] for one in saving}


def offered_files(app: AppTest) -> dict[str, str]:
    """The buttons that save a file: key → label."""
    return {
        key: data["label"] for key, data in _saving(app).items() if "file" in data and "items" not in data
    }


def picks(matrices: list[dict]) -> Iterator[dict]:
    """What a click on a cell, or on a matrix that is chosen as a whole, sends."""
    for one in matrices[::-1]:
        if one["choose"] is not None and not one["chosen"]:
            yield {"matrix": one["id"], "choose": one["choose"]}
            break
    clickable = (one for one in matrices if one["clickable"] and not one["editable"])
    for one, last in zip(clickable, itertools.cycle((True, False)), strict=False):
        row, col = (len(one["values"]) - 1, len(one["values"][0]) - 1) if last else (0, 0)
        yield {"matrix": one["id"], "row": row, "col": col}


def clicked(app: AppTest) -> Iterator[tuple[dict, str]]:
    """What can be clicked in a picture, and what each click does: “changed”, “nothing” or an exception."""

    def now() -> tuple:
        own = visit(app)
        return own.state, own.view, repr(own.places), repr(own.memory.get("practice"))

    elements = [one.proto for one in app.get("bidi_component") if one.proto.bytes]
    for element, data in zip(elements, pictures(app), strict=True):
        for pick in picks(data["matrices"]):
            states, before = app._tree.get_widget_states(), now()
            states.widgets.append(WidgetState(id=element.id, json_value=json.dumps({"pick": pick})))
            app._run(states)
            changes = "changed" if now() != before else "nothing"
            yield pick, app.exception[0].message if app.exception else changes
