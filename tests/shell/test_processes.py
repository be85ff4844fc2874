"""Several processes behind nginx, with the configuration that HOSTING.md names."""

import asyncio
import http.client
import re
from contextlib import ExitStack
from urllib.parse import urlsplit

import pytest
import requests

from pages.model.link import LONGEST
from tests.support.crowd import Crowd, Person
from tests.support.nginx import find_nginx, nginx
from tests.support.programs import ROOT, serving
from tests.support.visitor import apart

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(find_nginx() is None, reason="no nginx found (Debian: apt-get install nginx)"),
]


@pytest.fixture(scope="module")
def behind():
    """The common address of two processes, and their ids by their ports."""
    with ExitStack() as stack:
        servers = [stack.enter_context(serving(ROOT / "app.py")) for _ in range(2)]
        processes = {urlsplit(address).port: process for address, process in servers}
        yield stack.enter_context(nginx(list(processes))), processes


def upload(address: str, one: Person) -> int:
    """The status of the answer to a file that the page of this visitor sends."""
    with requests.Session() as browser:
        name, value = one.cookie.split("=")
        browser.cookies.set(name, value)
        browser.get(f"{address}/_stcore/health")
        headers = {"X-Xsrftoken": browser.cookies["_streamlit_xsrf"]}
        place = f"{address}/_stcore/upload_file/{one.session}/a-file"
        return browser.put(place, files={"file": ("a.py", b"1" * 900_000)}, headers=headers).status_code


async def arrived(address: str, *people: Person) -> list[int]:
    """All open their links, hold a number and upload a file; the status of each upload."""
    async with asyncio.TaskGroup() as group:
        for one in people:
            group.create_task(one.arrive())
    for one in people:
        await one.hold("x", 0, 0, 3.25)  # it raises without an answer
    results = [await asyncio.to_thread(upload, address, one) for one in people]
    for one in people:
        await one.close()
    return results


def port_of(one: Person) -> int:
    return int(one.cookie.removeprefix("attention_process="))


def test_a_visitor_stays_with_one_process_which_has_questions_and_uploads(behind):
    address, processes = behind
    people = [Person(address, name) for name in range(4)]
    with apart() as wait_for:
        result = wait_for(arrived(address, *people))
    assert result == [204] * 4  # a process refuses another one's session
    assert {port_of(one) for one in people} == set(processes)


def test_the_browser_keeps_static_files_and_gets_them_compressed(behind):
    address, _ = behind
    page = requests.get(address)
    assert page.headers["Cache-Control"] == "no-cache"
    script = re.search(r'src="\./(static/[^"]+)"', page.text)[1]
    for cached in ("MISS", "HIT"):
        answer = requests.get(f"{address}/{script}")
        assert answer.headers["Content-Encoding"] == "gzip"
        assert "immutable" in answer.headers["Cache-Control"]
        assert answer.headers["X-Cache"] == cached
        assert "Set-Cookie" not in answer.headers


def test_no_page_is_shown_in_the_frame_of_another_site_and_the_figures_of_a_process_are_not_public(behind):
    address, _ = behind
    assert requests.get(f"{address}/_stcore/metrics").status_code == 404
    for path in ("/", "/one_head", "/picture.js", "/_stcore/health"):
        headers = requests.get(address + path).headers
        assert headers["Content-Security-Policy"] == "frame-ancestors 'self'"
        assert headers["X-Content-Type-Options"] == "nosniff"


def test_a_long_link_comes_through_and_streamlit_accepts_the_address_in_the_browser_as_its_own(behind):
    assert requests.get(behind[0], params={"x": "1" * LONGEST}).status_code == 200
    connection = http.client.HTTPConnection(urlsplit(behind[0]).netloc)
    headers = {"Host": "class.example:8080", "Origin": "http://class.example:8080"}
    headers |= {"Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13"}
    headers |= {"Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA=="}
    connection.request("GET", "/_stcore/stream", headers=headers)
    assert connection.getresponse().status == 101
    connection.close()


def test_all_go_on_when_a_process_is_killed(behind):
    address, processes = behind
    killed, left = processes

    async def kill() -> None:
        async with Crowd(address, range(6)) as crowd:
            cut_off = [one for one in crowd.people if port_of(one) == killed]
            back = await crowd.lose(processes[killed], seconds=1.5)
        assert (crowd.wrong, crowd.lost) == ([], [])
        assert len(back) == len(cut_off) > 0

    late = Person(address, 7)
    late.cookie = f"attention_process={killed}"
    with apart() as wait_for:
        wait_for(kill())
        assert wait_for(arrived(address, late)) == [204]
    assert port_of(late) == left
