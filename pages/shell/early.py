"""The picture that the first page opens with is there before Streamlit's page.

A browser needs a second to load Streamlit's page, to connect and to draw its elements. So the page's HTML
brings the code of the pictures and asks for the data, and the picture is drawn meanwhile, in the place where
Streamlit's page will have it. That page takes it over as it is, with what was entered in it (see early.js).
Where a host passes on nothing but what is Streamlit's, the picture comes with the page, as all others do, and
also where the server is started with EARLY_PICTURE=off.
"""

import asyncio
import contextvars
import functools
import gzip
import importlib
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pages import session
from pages.draw import inputs, live, picture, placing
from pages.model import core, turns

from .course import COURSE
from .direct import BUSY, NO_ANSWER

ON = os.environ.get("EARLY_PICTURE") != "off"  # the switch
LESSON = COURSE.lessons[0]
FIRST = ("", LESSON.name)  # the ends of its page's addresses
MOST_WAITING = 10  # questions: who comes then gets the picture with the page
# The address of a file has the version, which is a hash of what is in it.
FILE = {"cache-control": "public, max-age=31536000, immutable", "vary": "Accept-Encoding"}
# The switches of an embedded page move the picture, and so do the bars of a teacher's plan and of a vote.
MOVES = ("embed", "embed_options", "plan", "vote")
_thread = ThreadPoolExecutor(1, thread_name_prefix="early")
_waiting = [0]


# ---------------------------------------------------------------- the data


async def answer(request: Request) -> Response:
    """The data of the picture with which a link's page begins (see pieces.py), if it begins with one."""
    query = dict(request.query_params)
    if not query.keys().isdisjoint(MOVES):
        return Response(status_code=NO_ANSWER)
    if _waiting[0] >= MOST_WAITING:
        return Response(status_code=BUSY)
    languages = request.headers.get("accept-language", "")
    alone = contextvars.copy_context()
    _waiting[0] += 1
    try:
        loop = asyncio.get_running_loop()
        data = await loop.run_in_executor(_thread, alone.run, _data, query, languages.split(",")[0])
    finally:
        _waiting[0] -= 1
    if data is None:
        return Response(status_code=NO_ANSWER)
    return Response(data, media_type="application/octet-stream", headers={"cache-control": "no-store"})


def _data(query: dict[str, str], locale: str) -> bytes | None:
    """None where something else is at the picture's place."""
    with turns.PAGES.turn():
        visit = session.of_link(COURSE, query, locale)
        session.stand_in(visit)
        session.enter(LESSON.name)
        page = importlib.import_module("pages.shell.frame").page_of(LESSON.name, visit)
        if page.part != LESSON.parts[0] or page.view.presenting:
            return None
        draw: live.Draw = inputs.waiting
        if core.is_ready():
            part = importlib.import_module(f"pages.lessons.{LESSON.name}.{page.part.name}")
            with live.left(lambda: None) as places:
                part.draw(page)
            [(_, _, draw)] = places.left
        return next(iter(placing.data_for(page, draw).values()))


# ---------------------------------------------------------------- the code and the styles


@functools.cache
def _packed(text: str) -> bytes:
    return gzip.compress(text.encode())


def _file(request: Request, text: str, kind: str) -> Response:
    """Nothing for another version: while the server is updated, the browser would keep the wrong file."""
    if request.url.query != picture.scripts().version:
        return Response(status_code=404, headers={"cache-control": "no-store"})
    if "gzip" not in request.headers.get("accept-encoding", ""):
        return Response(text, media_type=kind, headers=FILE)
    return Response(_packed(text), media_type=kind, headers=FILE | {"content-encoding": "gzip"})


async def code(request: Request) -> Response:
    """The code of the pictures, which every page loads (see load.js)."""
    return _file(request, picture.scripts().code, "text/javascript")


async def styles(request: Request) -> Response:
    """The styles of the pictures, which every page loads as well."""
    return _file(request, picture.style(), "text/css")


@functools.cache
def addition(asks: bool) -> bytes:
    """What is added to a page's HTML, before Streamlit's code, so that the browser loads it before that code.

    It loads the pictures' styles and code, and if it `asks`, the early picture. The places of questions
    are empty from the first moment on (see recalling.css).
    """
    version, place = picture.scripts().version, (Path(__file__).parent / "early.css").read_text("utf-8")
    recalling = (Path(__file__).parent / "recalling.css").read_text("utf-8")
    loads = f"<style>{recalling}</style>"
    loads += f'<link id="picture-styles" rel="stylesheet" href="./picture.css?{version}">'
    if not asks:
        return f'{loads}<link rel="modulepreload" href="./picture.js?{version}">'.encode()
    return (
        "<script>attentionEarly = fetch('./early' + location.search)</script>"
        f'<script type="module" async src="./picture.js?{version}"></script>'
        f'{loads}<style id="early-style">{place}</style>'
    ).encode()


ROUTES = [Route("/early", answer), Route("/picture.js", code), Route("/picture.css", styles)]


class Early:
    """Adds to the HTML of the pages. It is a middleware of the app's server (see app.py)."""

    def __init__(self, app: ASGIApp):
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        asked = scope["type"] == "http" and scope["method"] == "GET"
        name = scope["path"].rpartition("/")[2] if asked else None
        if name not in ("", *COURSE.pages):
            await self.app(scope, receive, send)
            return
        # What is added has to be readable, and a browser that has the page already gets it again.
        kept = [one for one in scope["headers"] if not one[0].startswith((b"if-", b"accept-encoding"))]
        await self.app({**scope, "headers": kept}, receive, _Added(send, addition(ON and name in FIRST)))


class _Added:
    """Passes a response on; HTML with what is added to it."""

    def __init__(self, send: Send, addition: bytes):
        self.send, self.addition = send, addition
        self.start: Message | None = None  # of HTML, which waits for the length of the body
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
