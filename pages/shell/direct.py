"""Answers a number that is held, without a run of the page.

While a hand moves a number, each step would have Streamlit run the script and the page look at all of its
elements: that takes three quarters of an edit. Where a picture is all that depends on the numbers, its
browser asks here instead, with all edits that the server has not read. The answer is what the same code
would draw with these edits; the visit stays as it is. When the hand lets go, the last value is sent as
every edit is. Where no answer comes, as on a host that passes on nothing but what is Streamlit's, every
step is sent like that (see direct.js).
"""

import asyncio
import contextvars
import importlib
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import orjson
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from pages import session
from pages.draw import placing
from pages.model import core, turns

from . import bodies

LARGEST = 8_000  # bytes of a question: a few edits
MOST_EDITS = 20  # in a question: a hand holds one number, or the two of an arrow
MOST_WAITING = 2  # questions of one visit; its browser asks no third one before an answer
MOST_AT_ONCE = 16  # questions of all visits: the last one waits for a fraction of a second
NO_ANSWER = 204
BUSY = 503  # the browser asks again, with the newest value
# One thread: a question waits for the one before, and what it costs to change between threads is spared.
_thread = ThreadPoolExecutor(1, thread_name_prefix="direct")
_at_once = [0]


async def answer(request: Request) -> Response:
    """The data of a picture (see pieces.py) for a message with edits and the picture's key.

    A header names the visit: for a visit that does not exist, nothing of the message is read.
    """
    visit = session.named(request.headers.get("x-visit"))
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
    # So named, the data are not compressed again and again.
    return Response(data, headers={"content-encoding": "identity"}, media_type="application/octet-stream")


def _data(visit: session.Visit, sent: dict[str, Any]) -> bytes | None:
    """The picture's data; None where the picture has left the page, or the message is not the picture's."""
    key = str(sent.get("key"))
    known = visit.inbox.pictures.get(key)
    if known is None or known.direct is None or (message := known.read(sent)) is None:
        return None
    if len(message["edits"]) > MOST_EDITS:
        return None
    with turns.GESTURES.turn():
        session.stand_in(visit)
        then = session.foreseen(known, message)
        session.stand_in(then)
        frame = importlib.import_module("pages.shell.frame")
        page = frame.page_of(visit.here, then)
        # Another part was opened meanwhile, or a vote was, and this page must show no numbers.
        if not key.startswith(placing.keys_begin(page)) or frame.vote.holds(page):
            return None
        return placing.data_for(page, known.direct, message.get("still", "")).get(key)


ROUTE = Route("/direct", answer, methods=["POST"])
