"""What arrives before a request or a message is complete has a limit and a time.

Streamlit passes none of uvicorn's limits on, and uvicorn limits neither the time nor the frames of what never
ends. Endless headers took 300 MB of memory, a line of 120 MB stopped the server for half a minute, and so did
30 MB of empty frames of a WebSocket. So the server's connections get two classes with limits. The one for
requests uses h11, which uvicorn always has: httptools, its other parser, has no limit for headers.
"""

import asyncio
import logging
from functools import wraps
from typing import Any
from urllib.parse import urlsplit

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.frames import CloseCode

HEAD = 80 * 1024  # bytes of a request line with its headers; of these a link has at most 60,000
SECONDS = 20.0  # for a whole request, from the connection or the last answer on, and for a whole message
TOGETHER = 32 * 1024 * 1024  # bytes of all that is unfinished in this process; beyond it the largest ends
FRAMES = 1_000  # at a time, of which none ends a message; a browser sends a message in one
_sizes: dict["Limited", int] = {}  # connections with something unfinished → its bytes
_state = {"bytes": 0, "in force": 0}


class Limited(asyncio.Protocol):
    """A connection that ends if something stays unfinished for SECONDS, or is the largest of too much."""

    transport: asyncio.Transport
    timer: asyncio.TimerHandle | None = None

    def waits(self) -> bool:
        """Whether something is unfinished."""
        raise NotImplementedError

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self.note(0)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self.note(len(data))

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self.forget()

    def note(self, size: int) -> None:
        """Notes that so many bytes have come."""
        if self.transport.is_closing() or not self.waits():
            self.forget()
            return
        if self.timer is None:
            self.timer = asyncio.get_running_loop().call_later(SECONDS, self.transport.abort)
        _sizes[self] = _sizes.get(self, 0) + size
        _state["bytes"] += size
        if _state["bytes"] > TOGETHER:
            largest = max(_sizes, key=_sizes.__getitem__)
            largest.transport.abort()
            largest.forget()

    def forget(self) -> None:
        _state["bytes"] -= _sizes.pop(self, 0)
        if self.timer is not None:
            self.timer.cancel()
            self.timer = None


class Requests(Limited, H11Protocol):
    """A connection with requests."""

    def waits(self) -> bool:
        # A connection that has become a WebSocket has left the list.
        return self in self.connections and self.conn.their_state in (h11.IDLE, h11.SEND_BODY)

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self.note(0)


class Messages(Limited, WebSocketsSansIOProtocol):
    """A WebSocket."""

    frames_so_far = 0

    def waits(self) -> bool:
        return self.conn.current_size is not None or bool(self.conn.reader.buffer)

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self.conn.reader.discard()  # its memory would wait for a garbage collection
        self.frames.clear()

    def handle_connect(self, event: Any) -> None:
        try:
            for origin in event.headers.get_all("Origin"):
                urlsplit(origin)
        except ValueError:  # Streamlit would log a stack
            self.transport.abort()
        else:
            super().handle_connect(event)

    def handle_text(self, event: Any) -> None:
        """No page sends texts; Streamlit would log a stack for each."""
        self.refuse()

    def handle_bytes(self, event: Any) -> None:
        """No page sends an empty message; Streamlit would log a line for each."""
        if event.fin and not event.data:
            self.refuse()
        else:
            super().handle_bytes(event)

    def refuse(self) -> None:
        if not self.close_sent:
            self.conn.fail(CloseCode.UNSUPPORTED_DATA)
            self.handle_parser_exception()

    def handle_events(self) -> None:
        self.frames_so_far += len(self.conn.events)
        if self.frames_so_far > FRAMES:
            self.transport.abort()
        else:
            super().handle_events()

    def send_receive_event_to_app(self) -> None:
        self.frames_so_far = 0
        super().send_receive_event_to_app()

    def send_keepalive_ping(self) -> None:
        self.frames_so_far = 0  # a quiet visit sends nothing but its answers to the pings
        super().send_keepalive_ping()


def limit() -> None:
    """Gives the connections of the server that imports app.py their limits.

    Streamlit has chosen uvicorn's classes before it imports app.py, but no connection is there yet.
    """
    start = uvicorn.Server.startup
    if hasattr(start, "__wrapped__"):
        return

    @wraps(start)
    async def limited(self: uvicorn.Server, *args: Any, **options: Any) -> None:
        self.config.http_protocol_class, self.config.ws_protocol_class = Requests, Messages
        self.config.h11_max_incomplete_event_size = HEAD
        _state["in force"] = 1
        await start(self, *args, **options)

    uvicorn.Server.startup = limited  # type: ignore[method-assign]


def check() -> None:
    """Says in the log if the server that has started is another one."""
    if not _state["in force"]:
        logging.getLogger("streamlit").error(
            "Unfinished requests have no limits: the server is not uvicorn as `streamlit run app.py` starts "
            "it. Start the course with this command, or put a server with such limits in front."
        )
