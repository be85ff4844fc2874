"""The early picture: its data are those that the page gets, and only the first page's HTML asks for them."""

import asyncio
import gzip
import json
import re
import threading
import urllib.error
import urllib.request
from urllib.parse import urlencode

import pytest
from starlette.requests import Request

from pages import picture, shell
from pages.draw import component
from pages.shell.direct import BUSY, NO_ANSWER
from pages.shell.early import MOST_WAITING, PAGE
from tests.support.picture_data import Pieces
from tests.support.recipe import faults_in
from tests.support.visitor import OK, in_a_loop

OF_THE_VISIT = ("visit", "stamp")
LARGE = {"lang": "zh", "tokens": ",".join(f"t{i}" for i in range(12)), "dmodel": "16", "heads": "8"}


def get(server: str, path: str, **headers: str) -> tuple[int, dict, bytes]:
    request = urllib.request.Request(server + path, headers=headers)
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.status, answer.headers, answer.read()
    except urllib.error.HTTPError as problem:
        return problem.code, problem.headers, problem.read()


# One of numbers is in test_one_way.py.
LINKS = (("one_head", {}), ("one_head", {"lang": "zh"}), ("one_head", LARGE), ("start", {}), ("start", LARGE))


@pytest.mark.parametrize(("page", "link"), LINKS)
def test_the_data_are_those_that_the_page_gets(server, visitor, page, link):
    [(_, _, of_page)] = visitor(page, link or "").pictures()  # PyTorch is there now
    status, headers, content = get(
        server, f"/early?{urlencode(link | {PAGE: page})}", **{"Accept-Language": "en-GB,en;q=0.9"}
    )
    early = Pieces().read(content)
    assert status == OK and headers["cache-control"] == "no-store"
    assert not early["starting"] and not faults_in(early, page, "")
    for name in early.keys() - set(OF_THE_VISIT):
        assert early[name] == of_page[name], name


def test_the_language_is_the_browser_s_where_the_link_names_none(server, visitor):
    visitor()
    languages = {"en-US,zh;q=0.5": "en", "zh-CN,zh;q=0.9": "zh", "fr": "en", "": "en", "x" * 5000: "en"}
    for sent, language in languages.items():
        early = Pieces().read(get(server, "/early", **{"Accept-Language": sent})[2])
        wanted = Pieces().read(get(server, f"/early?lang={language}")[2])
        assert early["texts"] == wanted["texts"]


WITHOUT = (
    "lang=en&part=meaning",  # the page begins with something else
    "lang=en&present=on",
    "lang=en&embed=true",  # the picture is elsewhere on the page
    "lang=en&vote=ABCDEF",
    "lang=en&plan=x",
)
ANY = (
    "x=1-1_" + "1" * 9_000,
    "tokens=" + ",".join("a" * 50 for _ in range(200)),
    "lang=%00&x=%FF%FE",
    "&".join(f"k{i}={i}" for i in range(2_000)),
    "lang=en&x=nan;inf&step=<script>&cell=x,9,9&row=99",
)


def test_any_link_is_answered_and_there_is_no_picture_where_the_page_has_none_at_this_place(server, visitor):
    visitor()
    for link in WITHOUT:
        assert get(server, f"/early?{link}")[0] == NO_ANSWER, link
    for link in ANY:
        status, _, content = get(server, f"/early?{link}")
        assert status == OK and not faults_in(Pieces().read(content), "one_head", "picture"), link[:100]


@in_a_loop
async def test_where_many_ask_at_a_time_who_is_late_gets_the_picture_with_the_page(monkeypatch):
    go_on = threading.Event()
    monkeypatch.setattr(shell.early, "_data", lambda *of_page: go_on.wait(60) and b"data")
    scope = {"type": "http", "method": "GET", "path": "/early", "query_string": b"", "headers": []}

    async def ask() -> int:
        return (await shell.early.answer(Request(scope))).status_code

    asked = [asyncio.ensure_future(ask()) for _ in range(MOST_WAITING + 3)]
    for _ in range(100):
        await asyncio.sleep(0)
    refused = [one.result() for one in asked if one.done()]
    go_on.set()
    statuses = await asyncio.gather(*asked)
    assert (refused, statuses) == ([BUSY] * 3, [OK] * MOST_WAITING + [BUSY] * 3) and await ask() == OK


AT_HOME = {"": "start", "?lang=zh": "start", "?lang=en&x=3-4_-0.6&part=sentence": "start"}
AT_HOME |= {"?lang=en&x=3-4_-0.6": "one_head", "?lang=en&part=meaning": "one_head"}


@pytest.mark.parametrize(
    ("page", "lesson"), [*AT_HOME.items(), ("one_head", "one_head"), ("start", "start"), ("softmax", "")]
)
def test_the_html_asks_for_the_picture_of_its_page_before_streamlit_s_code(server, page, lesson):
    status, headers, html = get(server, f"/{page}", **{"Accept-Encoding": "gzip" * bool(lesson)})
    assert status == OK and int(headers["content-length"]) == len(html)
    asks = f"'&{PAGE}={lesson}'".encode()
    code, early, streamlit = map(html.find, (b"./picture.js", asks, b"./static/js/index."))
    assert 0 < code < streamlit and ((0 < early < streamlit) if lesson else b"'./early'" not in html)
    assert html.rstrip().endswith(b"</html>")


def test_a_browser_that_has_the_page_gets_it_again(server):
    """Else it would never hear of another version of the code."""
    _, headers, html = get(server, "/")
    assert "etag" not in headers and "last-modified" not in headers
    late = {"If-None-Match": "*", "If-Modified-Since": "Fri, 01 Jan 2038 00:00:00 GMT"}
    status, _, again = get(server, "/", **late)
    assert status == OK and again == html


def test_the_code_and_the_styles_are_the_picture_s(server):
    html = get(server, "/")[2].decode()
    for name, content in (("picture.js", component.scripts().code), ("picture.css", picture.style())):
        [path] = re.findall(rf"\./({name}\?\w+)", html)
        for asked in ("gzip", "br, gzip;q=0.5", "br", ""):
            status, headers, body = get(server, f"/{path}", **{"Accept-Encoding": asked})
            assert status == OK and "immutable" in headers["cache-control"]
            assert "accept-encoding" in headers["vary"].lower()
            packed = headers.get("content-encoding") == "gzip"
            assert packed == ("gzip" in asked)
            assert (gzip.decompress(body) if packed else body).decode() == content


def test_a_file_of_another_version_is_not_there_and_not_kept(server):
    for name in ("picture.js", "picture.css"):
        for version in ("", "?", "?0123456789abcdef", "?" + "a" * 5000):
            status, headers, _ = get(server, f"/{name}{version}")
            assert (status, headers["cache-control"]) == (404, "no-store"), (name, version[:20])


def test_a_visit_without_streamlit_leaves_nothing_behind(server, visitor):
    """What the question computes for is no visit that a later question could name."""
    visitor()
    early = Pieces().read(get(server, "/early?lang=en")[2])
    about = {"key": early["key"], "seq": 1, "gesture": 1, "held": True}
    edit = {"matrix": "x", "row": 0, "col": 0, "value": 1.0}
    question = json.dumps(about | {"edits": [edit]}).encode()
    headers = {"x-visit": early["visit"]}
    request = urllib.request.Request(f"{server}/direct", data=question, headers=headers, method="POST")
    with urllib.request.urlopen(request) as answer:
        assert answer.status == NO_ANSWER


@in_a_loop
async def test_one_switch_turns_it_off(monkeypatch):
    """The code is loaded all the same."""
    sent = []

    async def app(scope, receive, send):
        await send(
            {"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"text/html")]}
        )
        await send({"type": "http.response.body", "body": b"<script></script>"})

    async def send(message):
        sent.append(message.get("body", b""))

    for on in (True, False):
        sent.clear()
        monkeypatch.setattr(shell.early, "ON", on)
        scope = {"type": "http", "method": "GET", "path": "/", "headers": []}
        await shell.early.Early(app)(scope, None, send)
        assert (b"'./early'" in sent[-1]) == on and b"./picture.js" in sent[-1]
