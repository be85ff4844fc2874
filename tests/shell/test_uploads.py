"""What a visitor may send to the server in one piece: files and messages, over HTTP and the socket."""

import asyncio
import socket
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from http.cookies import SimpleCookie
from types import SimpleNamespace
from urllib.parse import urlsplit

import pytest
from starlette.requests import Request
from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets import ConnectionClosedError

from pages.model import edits
from pages.model.files import FILE_LIMIT
from pages.model.link import to_query
from pages.model.settings import Settings
from pages.model.state import State
from pages.model.view import Place, View
from pages.shell import uploads
from pages.shell.uploads import MOST
from tests.support.visitor import Visitor, in_a_loop

MB = 1024 * 1024
HEAD = b'--b\r\nContent-Disposition: form-data; name="f"; filename="a.csv"\r\n\r\n'


def token_of(server: str) -> str:
    with urllib.request.urlopen(f"{server}/_stcore/health") as answer:
        return SimpleCookie(answer.headers["Set-Cookie"])["_streamlit_xsrf"].value


def send_file(
    server: str, visitor: Visitor, size: int, name: str = "x", method: str = "PUT", *, known: bool = True
) -> int:
    """The status of the answer to a file of that size. known: the request has the server's token."""
    token = token_of(server)
    request = urllib.request.Request(
        f"{server}/_stcore/upload_file/{visitor.session}/{name}",
        data=HEAD + b"1" * size + b"\r\n--b--\r\n" if method == "PUT" else None,
        method=method,
        headers={
            "Cookie": f"_streamlit_xsrf={token}",
            "X-Xsrftoken": token if known else "",
            "Content-Type": "multipart/form-data; boundary=b",
        },
    )
    try:
        with urllib.request.urlopen(request) as answer:
            return answer.status
    except urllib.error.HTTPError as problem:
        return problem.code
    except (ConnectionError, urllib.error.URLError):  # it is closed before all of it was sent
        return 413


@pytest.mark.parametrize(("size", "status"), [(FILE_LIMIT, 204), (2 * MB, 413), (20 * MB, 413)])
def test_a_file_is_as_large_as_one_that_can_be_read(server, visitor, size, status):
    assert send_file(server, visitor(), size) == status


def test_a_visit_leaves_few_files_on_the_server(server, visitor):
    one, other = visitor(), visitor()
    assert [send_file(server, one, 10, str(i)) for i in range(MOST + 2)] == [204] * MOST + [429] * 2
    assert send_file(server, one, 10, "3") == 204  # another in its place
    assert send_file(server, other, 10) == 204
    assert send_file(server, one, 0, "3", "DELETE") == 204
    assert send_file(server, one, 10, "new") == 204


def test_what_takes_no_file_away_makes_no_room(server, visitor):
    """Neither a request without the token, nor one for another file, nor one in the middle of an upload."""
    one = visitor()
    assert [send_file(server, one, 10, str(i)) for i in range(MOST)] == [204] * MOST
    for i in range(MOST):
        assert send_file(server, one, 0, str(i), "DELETE", known=False) == 403
    assert send_file(server, one, 0, "no_such", "DELETE") == 204
    assert send_file(server, one, 10, "more") == 429
    with ThreadPoolExecutor(8) as pool:
        jobs = [
            pool.submit(send_file, server, one, 100_000, f"{i % 4}-{i}", method)
            for i in range(24)
            for method in ("PUT", "DELETE")
        ]
    assert 204 not in [job.result() for job in jobs[::2]]
    assert send_file(server, one, 0, "3", "DELETE") == 204
    assert [send_file(server, one, 10, name) for name in ("new", "more")] == [204, 429]


def test_a_file_whose_sender_leaves_takes_no_room_and_one_in_chunks_is_refused(server, visitor):
    """Nothing of it stays, and nothing is logged."""
    one, token = visitor(), token_of(server)
    lines = f"Host: x\r\nCookie: _streamlit_xsrf={token}\r\nX-Xsrftoken: {token}\r\n"
    lines += "Content-Type: multipart/form-data; boundary=b\r\n"
    address = urlsplit(server)
    for name, length in enumerate(["Content-Length: 900000"] * 3 + ["Transfer-Encoding: chunked"]):
        with socket.create_connection((address.hostname, address.port), timeout=60) as line:
            line.sendall(
                f"PUT /_stcore/upload_file/{one.session}/{name} HTTP/1.1\r\n{lines}{length}\r\n\r\n".encode()
            )
            if "chunked" in length:
                assert b" 411 " in line.recv(1000).split(b"\r\n")[0]
            else:
                line.sendall(HEAD)
    assert [send_file(server, one, 10, str(i)) for i in range(MOST + 1)] == [204] * MOST + [429]


@in_a_loop
async def test_the_files_of_all_visits_have_a_limit(monkeypatch):
    """200 visits send ten files of 1 MB each, ten at a time; when they have gone there is room again."""
    manager = SimpleNamespace(file_storage={})
    monkeypatch.setattr(uploads, "_manager", lambda: manager)
    monkeypatch.setattr(uploads.runtime, "get_instance", lambda: SimpleNamespace(is_active_session=str))
    answers, held = [], []

    async def app(scope, receive, send):
        body = await Request(scope, receive).body()
        kept = (file for files in manager.file_storage.values() for file in files.values())
        held.append(limited.arrived + sum(len(file.data) for file in kept))
        visit, file = scope["path"].split("/")[-2:]
        manager.file_storage.setdefault(visit, {})[file] = SimpleNamespace(data=body)
        await send({"type": "http.response.start", "status": 204})

    async def send(message):
        answers.append(message)

    limited = uploads.Uploads(app)

    async def put(visit: str, number: int) -> None:
        pieces = [{"type": "http.request", "body": b"1" * 100_000, "more_body": i < 9} for i in range(10)]

        async def receive():
            await asyncio.sleep(0)
            return pieces.pop(0)

        scope = {"type": "http", "method": "PUT", "path": f"/_stcore/upload_file/{visit}/{number}"}
        await limited(scope | {"headers": [(b"content-length", b"1")]}, receive, send)  # which is not so

    for visit in range(200):
        await asyncio.gather(*(put(f"visit {visit}", number) for number in range(MOST)))
    statuses = [one["status"] for one in answers if "status" in one]
    assert set(statuses) == {204, 503} and 1_000_000 * statuses.count(204) > uploads.BUDGET // 2
    assert max(held) <= uploads.BUDGET and not limited.arrived
    assert {one["body"] for one in answers if "body" in one} == {uploads.FULL.encode()}
    manager.file_storage.clear()
    answers.clear()
    await put("another", 1)
    assert answers[0]["status"] == 204


def test_the_largest_setup_is_shown_and_edited(visitor):
    """The limits of a message hinder no honest one."""
    start = edits.resize(Settings(tokens=tuple("abcdefghijkl")), d_model=16, num_heads=8, d_k=16, d_v=16)
    for name in ("x", "w_q", "w_k", "w_v", "w_o"):
        start = edits.fill(start, name, "normal", 1)
    one = visitor(link=to_query(State(core=start), View(), Place()))
    visitor.wait_for(one.edit("x", 0, 0, 7.0))
    matrices = [matrix for _, _, data in one.pictures() for matrix in data["matrices"]]
    assert next(matrix for matrix in matrices if matrix["id"] == "x")["values"][0][0] == 7.0


def test_a_text_as_long_as_a_file_is_taken_and_a_message_of_three_megabytes_is_not(visitor):
    one = visitor("worked_examples", "lang=en&part=own")
    [(area, fragment)] = [(area, at) for kind, area, at in one.elements.values() if kind == "text_area"]
    visitor.wait_for(one.run(WidgetState(id=area.id, string_value=FILE_LIMIT * "a"), fragment=fragment))
    with pytest.raises(ConnectionClosedError, match="1009"):
        visitor.wait_for(
            one.run(WidgetState(id=area.id, string_value=3 * FILE_LIMIT * "a"), fragment=fragment)
        )
