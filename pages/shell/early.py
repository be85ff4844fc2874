"""The first page's picture is drawn before Streamlit's page is there.

A browser needs a second to load Streamlit's page, to connect and to draw its elements. Meanwhile code in the
page's HTML asks for the picture's data and draws it in its final place. Streamlit's page then adopts the
picture, together with entries in it (see early.js). On a host that passes on only Streamlit's own addresses,
and with EARLY_PICTURE=off, the picture comes with the page as all others do.
"""

import asyncio
import contextvars
import functools
import gzip
import importlib
import os
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import parse_qsl

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pages import picture, session
from pages.draw import component, placing
from pages.model import core, turns
from pages.model.course import Lesson

from .course import COURSE
from .direct import BUSY, NO_ANSWER

ON = os.environ.get("EARLY_PICTURE") != "off"  # the switch
LESSONS = (COURSE.front, COURSE.lessons[0])  # that begin with a picture which is drawn early
# The first page has nothing above its picture but the edge of Streamlit's page.
FRONT = "#early { top: var(--space-1) }"
PAGE = "page"  # the key of the page's name in the request for the data
MOST_WAITING = 10  # requests; a further visitor gets the picture with the page
# The address of a file has a hash of its content.
FILE = {"cache-control": "public, max-age=31536000, immutable", "vary": "Accept-Encoding"}
# The switches of an embedded page move the picture, and so do the bars of a plan and of a room, and a target;
# the overview of a room has no picture.
MOVES = ("embed", "embed_options", "plan", "room", "vote", "teacher", "target")
_thread = ThreadPoolExecutor(1, thread_name_prefix="early")
_waiting = [0]


# ---------------------------------------------------------------- the data


async def answer(request: Request) -> Response:
    """Answers with the data of the picture at the top of a link's page (see pieces.py), if there is one."""
    query = dict(request.query_params)
    lesson = _lesson_at(query.pop(PAGE, ""), query)
    if lesson is None or not query.keys().isdisjoint(MOVES):
        return Response(status_code=NO_ANSWER)
    if _waiting[0] >= MOST_WAITING:
        return Response(status_code=BUSY)
    languages = request.headers.get("accept-language", "")
    alone = contextvars.copy_context()
    _waiting[0] += 1
    try:
        loop = asyncio.get_running_loop()
        data = await loop.run_in_executor(_thread, alone.run, _data, lesson, query, languages.split(",")[0])
    finally:
        _waiting[0] -= 1
    if data is None:
        return Response(status_code=NO_ANSWER)
    return Response(data, media_type="application/octet-stream", headers={"cache-control": "no-store"})


def _lesson_at(name: str, query: Mapping[str, str]) -> Lesson | None:
    """The lesson at this address, if its picture is drawn early. name: the last part of the path."""
    lesson = COURSE.pages.get(name) if name else COURSE.at_home(query)
    return lesson if lesson in LESSONS else None


def _data(lesson: Lesson, query: dict[str, str], locale: str) -> bytes | None:
    """The picture's data; None if the page has something else in its place."""
    with turns.PAGES.turn():
        visit = session.of_link(COURSE, query, locale)
        session.set_current_visit(visit)
        session.enter(lesson.name)
        frame = importlib.import_module("pages.shell.frame")
        page = frame.page_of(lesson.name, visit)
        if page.part != lesson.parts[0] or page.view.presenting:
            return None
        draw = frame.first_picture(page) if core.is_ready() else frame.waiting(page)
        return next(iter(placing.data_for(page, draw).values()))


# ---------------------------------------------------------------- the code and the styles


@functools.cache
def _packed(text: str) -> bytes:
    return gzip.compress(text.encode())


def _file(request: Request, text: str, kind: str) -> Response:
    """The file; an error for another version, or browsers would keep the wrong file during an update."""
    if request.url.query != component.scripts().version:
        return Response(status_code=404, headers={"cache-control": "no-store"})
    if "gzip" not in request.headers.get("accept-encoding", ""):
        return Response(text, media_type=kind, headers=FILE)
    return Response(_packed(text), media_type=kind, headers=FILE | {"content-encoding": "gzip"})


async def code(request: Request) -> Response:
    """Answers with the code of the pictures, which every page loads (see load.js)."""
    return _file(request, component.scripts().code, "text/javascript")


async def styles(request: Request) -> Response:
    """Answers with the styles of the pictures, which every page loads as well."""
    return _file(request, picture.style(), "text/css")


@functools.cache
def addition(lesson: str) -> bytes:
    """HTML that loads the pictures' styles and code before Streamlit's code.

    lesson: whose early picture it asks for as well, "" for none. The places of questions are empty from the
    first moment on (see recalling.css).
    """
    version, place = component.scripts().version, (Path(__file__).parent / "early.css").read_text("utf-8")
    recalling = (Path(__file__).parent / "recalling.css").read_text("utf-8")
    loads = f"<style>{recalling}</style>"
    loads += f'<link id="picture-styles" rel="stylesheet" href="./picture.css?{version}">'
    if not lesson:
        return f'{loads}<link rel="modulepreload" href="./picture.js?{version}">'.encode()
    return (
        f"<script>attentionEarly = fetch('./early' + (location.search || '?') + '&{PAGE}={lesson}')</script>"
        f'<script type="module" async src="./picture.js?{version}"></script>'
        f'{loads}<style id="early-style">{place}{FRONT if lesson == COURSE.front.name else ""}</style>'
    ).encode()


ROUTES = [Route("/early", answer), Route("/picture.js", code), Route("/picture.css", styles)]


class Early:
    """Middleware of the app's server (see app.py) that adds `addition` to the HTML of the pages."""

    def __init__(self, app: ASGIApp):
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        asked = scope["type"] == "http" and scope["method"] == "GET"
        name = scope["path"].rpartition("/")[2] if asked else None
        if name not in ("", *COURSE.pages):
            await self.app(scope, receive, send)
            return
        # Without these headers the response is plain text and complete, so that HTML can be added.
        prevents = b"if-", b"accept-encoding"
        kept = [(name, value) for name, value in scope["headers"] if not name.startswith(prevents)]
        query = dict(parse_qsl(scope.get("query_string", b"").decode("ascii", "replace")))
        lesson = _lesson_at(name, query) if ON else None
        await self.app(
            {**scope, "headers": kept}, receive, _Added(send, addition(lesson.name if lesson else ""))
        )


class _Added:
    """Passes a response on, HTML together with the addition."""

    def __init__(self, send: Send, addition: bytes):
        self.send, self.addition = send, addition
        self.start: Message | None = None  # of HTML: its headers need the length of the body
        self.body = b""

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start" and _is_html(message):
            self.start = message
        elif self.start is None:
            await self.send(message)
        else:
            self.body += message.get("body", b"")
            if not message.get("more_body", False):
                await self._end(self.start)

    async def _end(self, start: Message) -> None:
        body = self.body.replace(b"<script", self.addition + b"<script", 1)
        headers = MutableHeaders(raw=start["headers"])
        headers["content-length"] = str(len(body))
        for name in ("etag", "last-modified"):
            del headers[name]
        await self.send(start)
        await self.send({"type": "http.response.body", "body": body})


def _is_html(start: Message) -> bool:
    headers = Headers(raw=start["headers"])
    plain = "content-encoding" not in headers and start["status"] == 200
    return plain and headers.get("content-type", "").startswith("text/html")
