"""The events of a room, sent to its browsers: server-sent events, at an address of the app's own.

A browser opens the stream with a header that names its visit, and the visit says which room it is in: so
nobody listens to a room without its code, and no code can be guessed here. A visit has one stream; a new one
ends the former. A stream has one place for each kind of event, and for each topic that people speak about,
in which the newest replaces the last: a slow browser gets fewer events and holds no memory. As long as a
stream is open, its person is in the room. The first events of a stream are the state of the room and the
person's own vote, and they come again while nothing happens: a page that missed a change asks for one run of
its fragment. Streams are limited in number and in time, and browsers open them again. If none opens,
as on a host that passes on only Streamlit's own addresses, the page asks at intervals (see channel.js).
"""

import asyncio
import contextlib
import functools
import signal
from collections import defaultdict
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass, field
from typing import Any

import orjson
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from .rules import state_of
from .store import CHANGED, SAID, Event, Room, RoomError, Store

PATH = "/room/events"
MOVED = "moved"  # kind of event: the owner drags numbers
PRESENT = "here"  # kind of event: the owner's page is there
YOURS = "yours"  # kind of event, for one person: what the person has said on another page
MOST_STREAMS = 2_000  # of all visits
LONGEST = 15 * 60.0  # seconds of a stream
HEARTBEAT = 15.0  # seconds without an event
PAUSE = 0.1  # seconds between two messages to one browser
# Browsers that hear of a change ask for a run each, and the owner's next act must not wait for all of these
# runs. So one browser hears after the other: seconds between two of them, and the most of these pauses while
# runs are waiting.
SPREAD = 0.01
MOST_PAUSES = 10
STOPS = 0.5  # seconds between two looks at whether the server has to stop
PATIENCE = 10.0  # seconds in which a browser has to take a message
NO_ROOM, BUSY = 204, 503
HEADERS = (
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"cache-control", b"no-store"),
    (b"content-encoding", b"identity"),  # a compressor would keep events back
    (b"x-accel-buffering", b"no"),  # so would nginx
)


@dataclass(frozen=True)
class Listener:
    """A person in a room."""

    code: str
    person: str


@dataclass(eq=False)
class Stream:
    """The way to one browser. waiting: events that were not sent yet, by their slots."""

    listener: Listener
    owns: bool = False
    waiting: dict[str, Event] = field(default_factory=dict)
    news: asyncio.Event = field(default_factory=asyncio.Event)
    ended: bool = False

    def put(self, event: Event, *, later: bool = False) -> None:
        """later: it is sent when the stream's turn comes, or with the next event."""
        if self.owns or not event.for_owner:
            self.waiting[event.slot] = event
            if not later:
                self.news.set()

    def end(self) -> None:
        self.ended = True
        self.news.set()


def is_stopping() -> bool:
    """Whether uvicorn has got the signal to stop."""
    server = getattr(signal.getsignal(signal.SIGTERM), "__self__", None)
    return bool(getattr(server, "should_exit", False))


@dataclass(frozen=True)
class People:
    """What a channel has to know of the visits.

    listener  the person of a visit, by the visit's secret name; None if it is unknown or in no room
    stay      called several times a minute while the visit listens, in a thread
    word      what this person has said in the room, None if nothing
    draw      the pictures that follow a drag of the owner, for these visits; in a thread of its own
    is_busy   whether runs of pages are waiting
    """

    listener: Callable[[str], Listener | None]
    stay: Callable[[str], object] = lambda visit: None
    word: Callable[[Room, str], str | None] = lambda room, person: None
    draw: Callable[[Any, list[str]], Mapping[str, object]] = lambda event, visits: {}
    is_busy: Callable[[], bool] = lambda: False


class Channel:
    """The streams of this process. store: whose events are sent. people: given when the app starts."""

    def __init__(self, store: Store, people: People | None = None):
        self.store = store
        self.people = people or People(lambda name: None)
        self.of_visits: dict[str, Stream] = {}
        self._rooms: defaultdict[str, set[Stream]] = defaultdict(set)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._moves: dict[str, Event | None] = {}  # by rooms: the newest drag that is not drawn yet
        self._in_turn: dict[Stream, None] = {}  # streams with an event that is sent in their turn
        self._is_waking = False

    @property
    def route(self) -> Route:
        return Route(PATH, self.answer, methods=["GET"])

    async def answer(self, request: Request) -> ASGIApp:
        """Answers with the events of the room in which the visit is that the header names."""
        visit = request.headers.get("x-visit", "")
        listener = self.people.listener(visit)
        if listener is None:
            return Response(status_code=NO_ROOM)
        is_full = visit not in self.of_visits and len(self.of_visits) >= MOST_STREAMS
        if is_full or is_stopping():
            return Response(status_code=BUSY)
        if self._loop is None:  # the first stream
            self._loop = asyncio.get_running_loop()
            self._do(self._end_with_server())
            self.store.listen(self.take)
        return functools.partial(self._send, visit, Stream(listener))

    def take(self, code: str, event: Event) -> None:
        """Passes an event on to the streams of its room. It may be called from any thread."""
        loop = self._loop
        if loop is not None and not loop.is_closed() and (not code or code in self._rooms):
            loop.call_soon_threadsafe(self._pass, code, event)

    def _pass(self, code: str, event: Event) -> None:
        if event.kind == MOVED:
            is_drawing = code in self._moves
            self._moves[code] = event
            if not is_drawing:
                self._do(self._draw_moves(code))
            return
        for stream in self._rooms.get(code, ()):
            later = event.kind == CHANGED and not stream.owns
            stream.put(event, later=later)
            if later:
                self._in_turn[stream] = None
        if self._in_turn and not self._is_waking:
            self._is_waking = True
            self._do(self._wake())
        if not code:
            self._do(self._catch_up())

    async def _wake(self) -> None:
        """Wakes the streams in their turns."""
        while self._in_turn:
            stream = next(iter(self._in_turn))
            del self._in_turn[stream]
            stream.news.set()
            await asyncio.sleep(SPREAD)
            for _ in range(MOST_PAUSES):
                if self.people.is_busy():
                    await asyncio.sleep(SPREAD)
        self._is_waking = False

    async def _draw_moves(self, code: str) -> None:
        """Sends each follower the picture of the newest drag; drags that come meanwhile are skipped."""
        try:
            while (event := self._moves[code]) is not None:
                self._moves[code] = None
                streams = {
                    visit: stream for visit, stream in self.of_visits.items() if stream.listener.code == code
                }
                pictures = await asyncio.to_thread(self.people.draw, event.data, list(streams))
                for visit, data in pictures.items():
                    streams[visit].put(Event(MOVED, data))
        finally:
            del self._moves[code]

    def tell_person(self, code: str, person: str, event: Event) -> None:
        """Sends an event to the pages of one person in this process, which are those of one browser."""
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._pass_to, Listener(code, person), event)

    def _pass_to(self, listener: Listener, event: Event) -> None:
        for stream in self._rooms.get(listener.code, ()):
            if stream.listener == listener:
                stream.put(event)

    def rename(self, visit: str) -> None:
        """The stream of this visit goes on for the person that the visit is now. Call it in any thread."""
        stream = self.of_visits.get(visit)
        if stream is not None and self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(stream.news.set)

    def _do(self, work: Coroutine[object, object, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _end_with_server(self) -> None:
        """Ends all streams when the server has to stop: it waits for them."""
        while not is_stopping():
            await asyncio.sleep(STOPS)
        for stream in self.of_visits.values():
            stream.end()

    async def _catch_up(self) -> None:
        """Sends the state of every room, as events may have been missed."""
        for code in list(self._rooms):
            try:
                room = await asyncio.to_thread(self.store.room, code)
            except RoomError:
                return  # the store says so again when it is back
            self._pass(code, _state(room))

    # ---- one stream

    async def _send(self, visit: str, stream: Stream, scope: Scope, receive: Receive, send: Send) -> None:
        code, former = stream.listener.code, self.of_visits.get(visit)
        if former is not None:
            former.end()
        self.of_visits[visit] = stream
        self._rooms[code].add(stream)
        leaving = asyncio.create_task(_end_with(stream, receive))
        try:
            await send({"type": "http.response.start", "status": 200, "headers": HEADERS})
            await self._go_on(visit, stream, send)
            await send({"type": "http.response.body", "body": b""})
        except (TimeoutError, OSError):
            pass  # a browser that takes nothing, or that has gone
        finally:
            leaving.cancel()
            self._rooms[code].discard(stream)
            if not self._rooms[code]:
                del self._rooms[code]
            if self.of_visits.get(visit) is stream:
                del self.of_visits[visit]

    async def _go_on(self, visit: str, stream: Stream, send: Send) -> None:
        """Sends events until the stream ends. It ends too when its visit has ended or left the room."""
        ends = asyncio.get_running_loop().time() + LONGEST
        await self._greet(visit, stream)
        while not stream.ended and (listener := self.people.listener(visit)) is not None:
            if listener.code != stream.listener.code or asyncio.get_running_loop().time() > ends:
                return
            if listener != stream.listener:
                stream.listener = listener
                await self._greet(visit, stream)
            waiting, stream.waiting = stream.waiting, {}
            stream.news.clear()
            text = "".join(map(_written, waiting.values())) or ":\n\n"
            async with asyncio.timeout(PATIENCE):
                await send({"type": "http.response.body", "body": text.encode(), "more_body": True})
            await asyncio.sleep(PAUSE)
            try:
                async with asyncio.timeout(HEARTBEAT):
                    await stream.news.wait()
            except TimeoutError:
                await self._greet(visit, stream)

    async def _greet(self, visit: str, stream: Stream) -> None:
        """Says the state of the room; to its owner how many have said something, to others their vote."""
        try:
            room, more = await asyncio.to_thread(self._read, visit, stream.listener)
        except RoomError:
            return  # the store says so when it is back
        stream.owns = room is not None and room.is_of(stream.listener.person)
        for event in (_state(room), *more):
            stream.put(event)
        if stream.owns:
            await asyncio.to_thread(self._tell_here, stream.listener.code)

    def _tell_here(self, code: str) -> None:
        with contextlib.suppress(RoomError):
            self.store.tell(code, Event(PRESENT))

    def _read(self, visit: str, listener: Listener) -> tuple[Room | None, list[Event]]:
        self.people.stay(visit)
        room = self.store.room(listener.code)
        if room is None:
            return room, []
        if not room.is_of(listener.person):
            word = self.people.word(room, listener.person)
            return room, [] if word is None else [Event(YOURS, word)]
        self.store.look(room)
        counts = {
            topic: self.store.word(room.code, topic, "")[0] for topic, most in room.topics.items() if most
        }
        return room, [
            Event(SAID, {"topic": topic, "count": count}, for_owner=True) for topic, count in counts.items()
        ]


def _state(room: Room | None) -> Event:
    """What a page has to know that may have missed events."""
    return Event(CHANGED, None if room is None else state_of(room))


async def _end_with(stream: Stream, receive: Receive) -> None:
    """Ends the stream when its browser goes."""
    while (await receive())["type"] != "http.disconnect":
        pass
    stream.end()


def _written(event: Event) -> str:
    return f"event: {event.kind}\ndata: {orjson.dumps(event.data).decode()}\n\n"
