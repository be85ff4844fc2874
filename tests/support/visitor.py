"""A visitor without a browser: speaks Streamlit's own protocol, whose messages come with the package."""

import asyncio
import functools
import json
import re
import time
from collections.abc import Callable, Coroutine, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from urllib.parse import urlencode

import aiohttp
import websockets
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState

from tests.support.picture_data import Pieces

DONE = (ForwardMsg.FINISHED_SUCCESSFULLY, ForwardMsg.FINISHED_FRAGMENT_RUN_SUCCESSFULLY)
OK, BUSY = 200, 503
PATIENCE = 60  # s without a word from the server, then it is a fault


class Fault(AssertionError):
    """The server showed an exception, or numbers that are wrong."""


@contextmanager
def apart() -> Iterator[Callable[[Coroutine], object]]:
    """A function that waits for what a coroutine gives, in a thread with a loop of its own.

    Where a test before has used Playwright, its loop is still running in the thread of the tests.
    """
    with ThreadPoolExecutor(1) as pool:
        runner = asyncio.Runner()
        try:
            yield lambda work: pool.submit(runner.run, work).result()
        finally:
            pool.submit(runner.run, _end_tasks()).result()
            pool.submit(runner.close).result()


def in_a_loop(test: Callable[..., Coroutine]) -> Callable[..., None]:
    """The test, which is a coroutine, as pytest runs it (see `apart`)."""

    @functools.wraps(test)
    def run(**fixtures: object) -> None:
        with apart() as wait_for:
            wait_for(test(**fixtures))

    return run


async def _end_tasks() -> None:
    """Cancels what a failed test has left, until it has ended.

    In Python 3.11 a task misses a cancellation in the moment in which `asyncio.wait_for` has its result; the
    runner cancels once, and would wait for ever.
    """
    while tasks := asyncio.all_tasks() - {asyncio.current_task()}:
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks, timeout=1)


class Visitor:
    """One session. Its elements are those of the newest run, by the keys that the app gives them."""

    def __init__(self, address: str):
        self.address = address.replace("http", "ws", 1) + "/_stcore/stream"
        self.server = address
        self.url = ""  # the address of the page that it names, if any
        self.socket: websockets.ClientConnection | None = None
        self.client: aiohttp.ClientSession | None = None  # for direct questions
        self.cookie = ""  # a proxy's, which leads back to the session's process
        self.session = ""
        self.query = ""
        self.page = ""  # the hash of the present page
        self.pages: dict[str, str] = {}  # a page's address → its hash
        self.elements: dict[tuple[int, ...], tuple[str, object, str]] = {}  # place → kind, element, fragment
        self.values: dict[str, WidgetState] = {}  # what the browser keeps of each widget
        self.kept: dict[str, ForwardMsg] = {}  # a large message is sent once, and later by its hash
        self.done = True  # the last run was not broken off for a newer one
        self.pieces = Pieces()
        self.drawn: dict[tuple[int, ...], tuple[dict, str]] = {}  # place → a picture's data, its still piece
        self.seq: dict[str, int] = {}  # of each picture's last message
        self.gesture, self.holding = 0, False

    # ---- what the server says

    async def open(
        self, link: dict[str, str] | str = "", page: str = "", answers: Mapping[str, str] | None = None
    ) -> float:
        """Opens a link; seconds until all of the page was sent. answers: what the browser keeps."""
        self.query = link if isinstance(link, str) else urlencode(link)
        await self._connect()
        took = await self.run(page_name=page)
        return took + (await self.recall(answers) if answers else 0)

    async def recall(self, answers: Mapping[str, str]) -> float:
        """Tells the server the answers that the browser keeps."""
        _, element, fragment = self.widget("progress")
        kept = {"record": json.dumps({"options": dict(answers)}), "tab": ""}
        sent = json.dumps([{"event": "kept", "value": kept}])
        events = f"$$STREAMLIT_INTERNAL_KEY_{element.id}__events"
        return await self.run(WidgetState(id=events, json_trigger_value=sent), fragment=fragment)

    async def open_again(self) -> float:
        """Connects again, as a browser that was cut off: with its link and what it keeps of the widgets."""
        await self._connect()
        return await self.run()

    async def _connect(self) -> None:
        headers = {"Cookie": self.cookie} if self.cookie else {}
        self.socket = await websockets.connect(
            self.address, subprotocols=["streamlit"], max_size=None, additional_headers=headers
        )
        self.cookie = self.socket.response.headers.get("Set-Cookie", self.cookie).split(";")[0]

    async def __aenter__(self) -> "Visitor":
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.close()

    async def close(self) -> None:
        if self.socket is not None:
            await self.socket.close()
        if self.client is not None:
            await self.client.close()

    async def run(self, *changed: WidgetState, fragment: str = "", **client: str) -> float:
        """Asks for a run and reads what it sends; seconds from the question to the end of the answer."""
        start = time.perf_counter()
        await self.ask(*changed, fragment=fragment, **client)
        await self.answer()
        return time.perf_counter() - start

    async def ask(self, *changed: WidgetState, fragment: str = "", **client: str) -> None:
        message = BackMsg()
        state = message.rerun_script
        state.query_string, state.page_script_hash, state.fragment_id = self.query, self.page, fragment
        state.cached_message_hashes.extend(self.kept)
        if self.url:
            state.context_info.url = self.url
        for field, value in client.items():
            setattr(state, field, value)
        for one in changed:
            self.values[one.id] = one
        state.widget_states.widgets.extend(self.values.values())
        for one in changed:
            if one.WhichOneof("value") in ("trigger_value", "json_trigger_value"):
                del self.values[one.id]
        await self.socket.send(message.SerializeToString())

    async def answer(self) -> None:
        """Reads what the server sends, until it rests."""
        while not self._take(await asyncio.wait_for(self.socket.recv(), PATIENCE)):
            pass

    def _take(self, data: bytes) -> bool:
        message = ForwardMsg.FromString(data)
        if message.WhichOneof("type") == "ref_hash":
            place = message.metadata.delta_path
            known = ForwardMsg()
            known.CopyFrom(self.kept[message.ref_hash])
            known.metadata.delta_path[:] = place
            message = known
        elif message.metadata.cacheable:
            self.kept[message.hash] = message
        kind = message.WhichOneof("type")
        if kind == "new_session":
            self.done = False
        if kind == "new_session" and not message.metadata.run.fragment_ids:
            self.page = message.new_session.page_script_hash
            self.session = message.new_session.initialize.session_id
            self.elements.clear()
            self.drawn.clear()
        elif kind == "navigation":
            self.page = message.navigation.page_script_hash
            self.pages = {one.url_pathname: one.page_script_hash for one in message.navigation.app_pages}
        elif kind == "page_info_changed":
            self.query = message.page_info_changed.query_string
        elif kind == "delta":
            self._draw(message)
        elif kind == "script_finished":
            self.done = message.script_finished in DONE
            # A browser forgets what was on controls that are gone.
            here = {getattr(element, "id", "") for _, element, _ in self.elements.values()}
            self.values = {widget: value for widget, value in self.values.items() if widget in here}
        return (
            self.done
            and kind == "session_status_changed"
            and not message.session_status_changed.script_is_running
        )

    def _draw(self, message: ForwardMsg) -> None:
        place, delta = tuple(message.metadata.delta_path), message.delta
        # What was at this place goes, and what was inside of it.
        self.elements = {at: one for at, one in self.elements.items() if at[: len(place)] != place}
        self.drawn = {at: one for at, one in self.drawn.items() if at[: len(place)] != place}
        if delta.add_block.popover.id:
            self.elements[place] = ("popover", delta.add_block.popover, delta.fragment_id)
        if delta.WhichOneof("type") != "new_element":
            return
        kind = delta.new_element.WhichOneof("type")
        element = getattr(delta.new_element, kind)
        if kind == "exception":
            raise Fault(f"{element.type}: {element.message}")
        self.elements[place] = (kind, element, delta.fragment_id)
        if kind == "bidi_component" and element.bytes:
            self.drawn[place] = self.pieces.read(element.bytes), self.pieces.still
        if kind == "bidi_component" and element.component_name == "attention_address":
            # The page fills in an address bar that says nothing.
            self.query = self.query or urlencode(json.loads(element.json)[0]["fill"] or "")

    # ---- what the page shows

    def widget(self, key: str) -> tuple[str, object, str]:
        """The kind, the element and the fragment of the widget with this key, made again or not."""
        for kind, element, fragment in self.elements.values():
            if re.search(rf"-{key}(-\d+)?$", getattr(element, "id", "")):
                return kind, element, fragment
        raise LookupError(f"no widget {key} on the page")

    def fragment(self, widget: str) -> str:
        """The fragment that draws the widget with this id now."""
        return next(at for _, one, at in self.elements.values() if getattr(one, "id", "") == widget)

    def components(self) -> list[tuple[object, str]]:
        """The components on the page, each with its fragment."""
        return [(one, at) for kind, one, at in self.elements.values() if kind == "bidi_component"]

    def pictures(self) -> list[tuple[object, str, dict]]:
        """The pictures: the element, its fragment, and what it draws."""
        return [(*self.elements[place][1:], data) for place, (data, _) in self.drawn.items()]

    def picture_with(self, matrix: str) -> tuple[object, str, dict]:
        return self._drawn_with(matrix)[0]

    def _drawn_with(self, matrix: str) -> tuple[tuple[object, str, dict], str]:
        """The picture in which the matrix can be edited, and its still piece."""
        for place, (data, still) in self.drawn.items():
            if any(one["id"] == matrix and one["editable"] for one in data["matrices"]):
                return (*self.elements[place][1:], data), still
        there = [(data["key"], [one["id"] for one in data["matrices"]]) for _, _, data in self.pictures()]
        raise LookupError(f"no picture lets one edit {matrix}: {there}")

    # ---- gestures

    def _edit_body(self, matrix: str, row: int, col: int, value: float, held: bool) -> dict:
        (element, _, data), still = self._drawn_with(matrix)
        self.gesture += not self.holding
        self.holding = held
        seq = self.seq[element.id] = max(self.seq.get(element.id, 0), data["seq"]) + 1
        edit = {"matrix": matrix, "row": row, "col": col, "value": value}
        return {"seq": seq, "gesture": self.gesture, "held": held, "edits": [edit], "still": still}

    def question(self, matrix: str, row: int, col: int, value: float) -> dict:
        """What a picture asks while the number is held."""
        _, _, data = self.picture_with(matrix)
        return self._edit_body(matrix, row, col, value, held=True) | {"key": data["key"]}

    @property
    def visit(self) -> str:
        """The name that its pictures know."""
        return next((data["visit"] for _, _, data in self.pictures()), "")

    async def post(self, body: bytes, visit: str | None = None) -> tuple[int, bytes]:
        """The status and the content of the answer to a direct question."""
        return await self.fetch("POST", "/direct", body, {"x-visit": self.visit if visit is None else visit})

    async def fetch(
        self, method: str, path: str, body: bytes = b"", headers: dict[str, str] | None = None
    ) -> tuple[int, bytes]:
        """The status and the content of an answer over HTTP."""
        if self.client is None:
            self.client = aiohttp.ClientSession(headers={"Cookie": self.cookie} if self.cookie else {})
        async with self.client.request(method, self.server + path, data=body, headers=headers) as answer:
            return answer.status, await answer.read()

    async def hold(self, matrix: str, row: int, col: int, value: float) -> dict:
        """The picture's data while the number is held at this value. A busy server is asked again."""
        status, content = BUSY, b""
        while status == BUSY:
            status, content = await self.post(json.dumps(self.question(matrix, row, col, value)).encode())
            await asyncio.sleep(0.1 * (status == BUSY))
        if status != OK:
            raise Fault(f"a direct question is answered with {status}")
        return self.pieces.read(content)

    async def edit(self, matrix: str, row: int, col: int, value: float, *, held: bool = False) -> float:
        """Sends what a picture sends when one of its cells is edited."""
        element, fragment, _ = self.picture_with(matrix)
        sent = {"edit": self._edit_body(matrix, row, col, value, held)}
        return await self.run(WidgetState(id=element.id, json_value=json.dumps(sent)), fragment=fragment)

    async def set(self, key: str, **value: object) -> float:
        """Sets a widget, as in set("set_num_heads", int_value=2)."""
        _, element, fragment = self.widget(key)
        return await self.run(WidgetState(id=element.id, **value), fragment=fragment)

    async def go(self, page: str) -> float:
        """Follows the sidebar to another lesson."""
        self.page, self.query = self.pages[page], ""
        return await self.run()
