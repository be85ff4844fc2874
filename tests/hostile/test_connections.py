"""What a stranger sends over plain sockets: what does not end, and what the server refuses.

The server runs as README says. Each test ends with a request that is answered, so the server was not stopped.
"""

import logging
import socket
import struct
import time
import urllib.request
from contextlib import ExitStack, suppress
from urllib.parse import urlsplit

import pytest

from pages.model.link import LONGEST
from pages.shell import unfinished
from tests.support import nginx
from tests.support.programs import missing

MB = 1_000_000
ENOUGH = 12 * MB  # with what the system keeps on the way to the server
GET = b"GET /one_head?%s HTTP/1.1\r\nHost: x\r\n"
CONTINUED, TEXT, BYTES, PING, PONG = 0, 1, 2, 9, 10


class Line(socket.socket):
    """A connection to the server."""

    def __init__(self, server: str):
        super().__init__()
        self.settimeout(60)
        address = urlsplit(server)
        self.host = address.netloc.encode()
        self.connect((address.hostname, address.port))

    def upgrade(self, *headers: bytes) -> bytes:
        """Asks for a WebSocket; the first line of the answer."""
        head = [b"GET /_stcore/stream HTTP/1.1", b"Host: " + self.host, b"Connection: Upgrade"]
        head += [b"Upgrade: websocket", b"Sec-WebSocket-Version: 13", b"Sec-WebSocket-Protocol: streamlit"]
        head += [b"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==", *headers]
        self.sendall(b"\r\n".join([*head, b"", b""]))
        return self.recv(4096).partition(b"\r\n")[0]

    def pour(self, block: bytes, most: int) -> int:
        """Sends the block again and again; the bytes until the server ends the connection."""
        sent = 0
        with suppress(ConnectionError):
            while sent < most:
                self.sendall(block)
                sent += len(block)
        return sent

    def read_to_the_end(self) -> None:
        with suppress(ConnectionError):
            while self.recv(1 << 20):
                pass

    def is_open(self) -> bool:
        """Whether the server has not ended the connection. What it says is left out."""
        self.setblocking(False)
        try:
            while self.recv(1 << 20):
                pass
            return False
        except BlockingIOError:
            return True
        except ConnectionError:
            return False


def frame(kind: int, data: bytes = b"", *, ends: bool = True) -> bytes:
    """A frame of a WebSocket, with a mask that changes nothing."""
    length = struct.pack("!BQ", 255, len(data)) if len(data) > 125 else bytes([128 | len(data)])
    return bytes([128 * ends | kind]) + length + bytes(4) + data


@pytest.fixture(scope="module", params=["itself", "behind nginx"])
def port(request, address):
    """The address of the server, and that of nginx in front of it."""
    if request.param == "itself":
        yield address
    elif nginx.find_nginx() is None:
        missing("no nginx found (Debian: apt-get install nginx)")
    else:
        with nginx.nginx([urlsplit(address).port]) as there:
            yield there


def is_well(server: str) -> bool:
    with urllib.request.urlopen(f"{server}/_stcore/health", timeout=60) as answer:
        return answer.read() == b"ok"


ENDLESS = {  # what opens it, and what is repeated
    "headers": (GET % b"", b"a: " + b"b" * 8_000 + b"\r\n"),
    "an address": (b"GET /?", b"x" * 65_536),
    "empty fragments": (frame(BYTES, ends=False), frame(CONTINUED, ends=False) * 10_000),
    "empty messages": (b"", frame(BYTES) * 10_000),
    "pings": (b"", frame(PING) * 10_000),
    "pings whose answers are not read": (b"", frame(PING, b"a" * 125) * 900),
    "pongs": (b"", frame(PONG) * 10_000),
}


@pytest.mark.parametrize("kind", ENDLESS)
def test_what_never_ends_is_ended_soon(server, port, server_log, kind):
    opens, repeated = ENDLESS[kind]
    before = server_log.stat().st_size
    with Line(port) as line:
        if not opens.startswith(b"GET"):
            assert b" 101 " in line.upgrade()
        line.sendall(opens)
        # nginx answers, and then reads what still comes for a while.
        assert line.pour(repeated, 30 * MB) < ENOUGH or port != server
        line.read_to_the_end()
    assert is_well(server)
    written = server_log.read_bytes()[before:]
    assert len(written) < 1_000, written[:2_000]


@pytest.mark.parametrize(
    "begun",
    [GET % b"" + b"a: " + b"b" * 79_000, frame(BYTES, b"a" * 1_950_000)[:-1]],
    ids=["heads", "frames"],
)
def test_what_is_unfinished_has_a_budget_and_a_whole_request_is_answered(server, begun):
    """The largest go first, so an honest learner's, which is small, stays."""
    count = 2 * unfinished.TOGETHER // len(begun)
    with ExitStack() as stack:
        lines = [stack.enter_context(Line(server)) for _ in range(count + 1)]
        honest, *greedy = lines
        if begun[0] != ord("G"):
            assert all(b" 101 " in line.upgrade() for line in greedy)
        honest.sendall(GET % b"")
        for line in greedy:
            line.pour(begun, 1)
        ends = time.monotonic() + 60
        while len(still := [line for line in greedy if line.is_open()]) * len(begun) > unfinished.TOGETHER:
            assert time.monotonic() < ends, len(still)
        assert still
        honest.sendall(b"\r\n")
        assert b" 200 " in honest.recv(100)


UNFINISHED = {  # what opens a connection; then one byte at a time
    "nothing": (b"", b""),
    "a line": (GET % b"", b""),
    "half a head": (GET % b"" + b"a: b", b""),
    "a head that drips": (GET % b"" + b"a: ", b"b"),
    "a body that drips": (b"POST /direct HTTP/1.1\r\nHost: x\r\nContent-Length: 900\r\n\r\n", b"1"),
    "a body that drips after its answer": (GET % b"" + b"Content-Length: 900\r\n\r\n", b"1"),
    "an upload that drips": (
        b"PUT /_stcore/upload_file/a/b HTTP/1.1\r\nHost: x\r\nContent-Length: 9000\r\n\r\n",
        b"1",
    ),
    "a request after another": (GET % b"" + b"\r\n" + GET % b"", b"a"),
    "half a frame": (frame(BYTES, b"a" * 1_000)[:-1], b""),
    "a frame that drips": (frame(BYTES, b"a" * 1_000)[:-900], b"a"),
    "a message that drips": (frame(BYTES, b"a", ends=False), frame(CONTINUED, b"a", ends=False)),
    "pongs in a message": (frame(BYTES, b"a", ends=False), frame(PONG)),
}


@pytest.mark.slow  # it waits for the time limit
def test_what_is_not_finished_in_time_is_ended_and_a_quiet_visit_goes_on(server):
    with ExitStack() as stack:
        dripping = {}
        for kind, (opens, drop) in UNFINISHED.items():
            line = stack.enter_context(Line(server))
            if "frame" in kind or "message" in kind:
                assert b" 101 " in line.upgrade()
            line.sendall(opens)
            dripping[kind] = line, drop
        quiet = stack.enter_context(Line(server))
        assert b" 101 " in quiet.upgrade()
        ends = time.monotonic() + 6 * unfinished.SECONDS
        while left := {kind: one for kind, one in dripping.items() if one[0].is_open()}:
            assert time.monotonic() < ends, left.keys()
            for line, drop in left.values():
                with suppress(ConnectionError):
                    line.send(drop)
            time.sleep(0.3)
            dripping = left
        assert quiet.is_open() and is_well(server)
        quiet.setblocking(True)
        quiet.sendall(frame(PING, b"here"))
        assert quiet.recv(100).endswith(b"\x8a\x04here")


@pytest.mark.parametrize("size", [0, 100, 16_000, LONGEST])
@pytest.mark.parametrize("segment", [1_448, LONGEST * 2])
def test_a_link_of_any_length_that_is_made_is_opened_in_whatever_pieces_it_comes(server, port, size, segment):
    """An Ethernet brings 1,448 bytes at a time."""
    request = GET % (b"x=" + b"1" * (size - 2) if size else b"") + b"Cookie: " + b"c" * 4_000 + b"\r\n\r\n"
    with Line(port) as line:
        line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for at in range(0, len(request), segment):
            line.sendall(request[at : at + segment])
        assert b" 200 " in line.recv(100)


SECRET = b"sent-by-a-stranger"
REFUSED = {  # headers, and what is sent after the answer
    "a foreign origin": ([b"Origin: http://" + SECRET + b".test"], b""),
    "no address as the origin": ([b"Origin: http://[" + SECRET], b""),
    "a text": ([], frame(TEXT, SECRET)),
    "no message": ([], frame(BYTES, b"\xff" + SECRET)),
    "a message of no kind": ([], frame(BYTES)),
    "a frame of no kind": ([], frame(3, SECRET)),
    "a frame without a mask": ([], b"\x82\x12" + SECRET),
    "a fragment of nothing": ([], frame(CONTINUED, SECRET)),
    "two beginnings": ([], frame(BYTES, SECRET, ends=False) * 2),
    "too long a message": ([], b"\x82\xff" + b"\x7f" * 8 + SECRET),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_what_is_refused_costs_one_line_in_the_log_without_its_text(server, server_log, kind):
    """The fixture looks for stacks."""
    headers, sent = REFUSED[kind]
    before = server_log.stat().st_size
    with Line(server) as line:
        with suppress(ConnectionError):
            accepted = b" 101 " in line.upgrade(*headers)
            assert accepted == bool(sent)
            line.sendall(sent + frame(8))  # its end, for what is not refused
        line.read_to_the_end()
    assert is_well(server)
    said = server_log.read_bytes()[before:]
    assert SECRET not in said and said.count(b"\n") <= 1


def test_the_log_says_if_the_limits_are_not_in_force(server_log, server, monkeypatch):
    """A server that other tests have filled with requests has not said so."""
    said = []
    monkeypatch.setattr(logging.Logger, "error", lambda logger, text: said.append(text))
    monkeypatch.setitem(unfinished._state, "in force", 0)
    unfinished.check()
    assert len(said) == 1 and "no limits" in said[0]
    assert "no limits" not in server_log.read_text()
