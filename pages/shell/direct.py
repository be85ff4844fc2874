"""Answers the steps of a drag without a run of the page.

Three quarters of an edit's time go into Streamlit's run of the script and the browser's look at all elements.
If nothing but pictures depends on the numbers, the browser therefore posts its unconfirmed edits here. The
answer is the data that the part's own code draws with these edits; the visit stays as it is. At the end of
the drag the last value is sent as an ordinary edit. If no answer comes, as on a host that passes on only
Streamlit's own addresses, every step is sent as an ordinary edit (see direct.js).
"""

import asyncio
import contextvars
import importlib
from base64 import b64encode
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import orjson
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from pages import session
from pages.draw import placing
from pages.model import core, turns
from pages.picture import pieces

from . import bodies, following

LARGEST = 8_000  # bytes of a request: a few edits
MOST_EDITS = 20  # in a request: a hand holds one number, or the two of an arrow
MOST_WAITING = 2  # requests of one visit: its browser sends no third request before an answer
MOST_AT_ONCE = 16  # requests of all visits: the last one waits for a fraction of a second
NO_ANSWER = 204
BUSY = 503  # the browser asks again, with the newest value
# One thread: requests are answered in order, without the cost of changing threads.
_thread = ThreadPoolExecutor(1, thread_name_prefix="direct")
_at_once = [0]
MOST_STILL = 200
_still: dict[tuple[object, ...], str] = {}  # scene, picture and sight → the still piece that was sent last


async def answer(request: Request) -> Response:
    """Answers a message with edits and the picture's key by the picture's data (see pieces.py).

    A header names the visit. The message is not read unless the visit exists.
    """
    visit = session.visit_by_id(request.headers.get("x-visit"))
    if visit is None or not core.is_ready():
        return Response(status_code=NO_ANSWER)
    if visit.inbox.waiting >= MOST_WAITING:
        return Response(status_code=BUSY)
    visit.inbox.waiting += 1
    try:
        body = await bodies.read(request, LARGEST)
        return body if isinstance(body, Response) else await _answer(visit, body)
    finally:
        visit.inbox.waiting -= 1


async def _answer(visit: session.Visit, body: bytes) -> Response:
    if _at_once[0] >= MOST_AT_ONCE:
        return Response(status_code=BUSY)
    try:
        sent = orjson.loads(body)
    except orjson.JSONDecodeError:
        sent = None
    if not isinstance(sent, dict):
        return Response(status_code=NO_ANSWER)
    alone = contextvars.copy_context()
    _at_once[0] += 1
    try:
        data = await asyncio.get_running_loop().run_in_executor(_thread, alone.run, _data, visit, sent)
    finally:
        _at_once[0] -= 1
    if data is None:
        return Response(status_code=NO_ANSWER)
    # With this header, the data are not compressed: each answer is used once.
    return Response(data, headers={"content-encoding": "identity"}, media_type="application/octet-stream")


def _data(visit: session.Visit, sent: dict[str, Any]) -> bytes | None:
    """The picture's data; None if the picture has left the page or the message is not valid."""
    key = str(sent.get("key"))
    data = _picture(visit, key, sent)
    if data is not None:
        following.pass_on(visit, key, sent)
    return data


def draw_moves(sent: Any, names: list[str]) -> dict[str, object]:
    """The picture of a drag by the teacher, for those of these visits that follow it.

    It is drawn once for all visits that show the same, without the name of any. The still piece of its data
    is sent with the first step of a drag; the browsers have it from their own page too.
    """
    pictures: dict[str, object] = {}
    if not (isinstance(sent, dict) and isinstance(sent.get("message"), dict)):
        return pictures  # another program's
    sent = {**sent, "serial": sent.get("serial"), "key": str(sent.get("key"))}
    for sight, visits in following.sights(names, sent["serial"]):
        known = sent["serial"], sent["key"], sight
        message = {**sent["message"], "still": _still.get(known, "")}
        data = _picture(visits[0], sent["key"], message, of_all=True)
        if data is not None:
            if len(_still) >= MOST_STILL:
                _still.clear()
            _still[known] = pieces.still_of(data)
            picture = {"serial": sent["serial"], "picture": b64encode(data).decode()}
            pictures |= {visit.name: picture for visit in visits}
    return pictures


def _picture(visit: session.Visit, key: str, sent: dict[str, Any], *, of_all: bool = False) -> bytes | None:
    """The data of the visit's picture after this message. of_all: for other visits too."""
    known = visit.inbox.pictures.get(key)
    if known is None or known.direct is None or (message := known.read(sent)) is None:
        return None
    if len(message["edits"]) > MOST_EDITS:
        return None
    with turns.GESTURES.turn():
        session.set_current_visit(visit)
        after = session.visit_after(known, message)
        if of_all:
            after.name = ""
        session.set_current_visit(after)
        frame = importlib.import_module("pages.shell.frame")
        page = frame.page_of(visit.here, after)
        # Meanwhile another part was opened, or a vote during which the page must show no numbers.
        if not key.startswith(placing.keys_begin(page)) or frame.vote.holds():
            return None
        return placing.data_for(page, known.direct, message.get("still", "")).get(key)


ROUTE = Route("/direct", answer, methods=["POST"])
