"""People in a room, without a browser: they speak Streamlit's protocol and listen to the room's events."""

import asyncio
import contextlib
import json
import re
from base64 import b64decode
from collections.abc import Awaitable, Callable
from typing import Any

import aiohttp
import websockets
from streamlit.proto.WidgetStates_pb2 import WidgetState

from pages.model.view import SHOWN
from tests.support.course import lesson
from tests.support.visitor import Visitor

QUESTION, LESSON = "swap", "one_head"
START = {"lang": "en", "part": "predict", "topic": QUESTION}
FOLLOWED = {"lang": "en", "example": "cats"}
EVENTS = "/room/events"
PATIENCE = 60  # seconds


class Person(Visitor):
    """A person in a room: does with events what the page's script does with them."""

    def __init__(self, address: str):
        super().__init__(address)
        self.heard: list[tuple[str, object]] = []
        self.statuses: list[int] = []  # of the streams
        self.count = 0  # of votes, as the page shows it
        self.runs = 0  # that events have caused
        self.moved: dict = {}  # the picture of the teacher's last drag
        self.news = asyncio.Condition()
        self.turn = asyncio.Lock()  # one run at a time
        self.ear: asyncio.Task | None = None

    async def enter(self, code: str, page: str = LESSON, **link: str) -> None:
        """Opens the link of a room, as a phone does."""
        await self.open({"lang": "en", "room": code} | link, page=page)
        self.listen()

    async def start(self) -> str:
        """Opens a vote; returns the code of the room."""
        await self.open(START, page=LESSON)
        await self.press(f"vote_open-{QUESTION}")
        self.listen()
        return self.memory["code"]

    async def press(self, key: str) -> None:
        async with self.turn:
            _, element, fragment = self.widget(key)
            await self.run(WidgetState(id=element.id, trigger_value=True), fragment=fragment)
        await self.tell()

    async def vote(self, option: str) -> None:
        watch = self.watch
        await self.press(f"ballot-{QUESTION}-{option}-{watch['topic'].removeprefix('vote-')}")

    def data_of(self, component: str) -> dict:
        """The newest data of the component of this name; empty if it is not on the page."""
        for element, _ in self.components():
            if element.component_name.endswith(component) and element.json:
                return json.loads(element.json)
        return {}

    @property
    def watch(self) -> dict:
        return self.data_of("attention_room")

    @property
    def led(self) -> dict:
        """What the page knows of the class that it leads or follows."""
        return self.data_of("attention_class")

    async def lead(self, page: str = LESSON) -> str:
        """Opens a room whose class follows this page, with all answers; returns its code."""
        await self.open(FOLLOWED, page=page, answers=dict.fromkeys(lesson(page).questions, SHOWN))
        await self.set("share", bool_value=True)
        await self.press("class_lead")
        self.listen()
        return self.memory["code"]

    @property
    def memory(self) -> dict:
        return self.data_of("attention_vote")

    @property
    def ballot(self) -> dict[str, Any]:
        """The buttons of the options."""
        name = f"-ballot-{QUESTION}-"
        buttons = [element for kind, element, _ in self.elements.values() if kind == "button"]
        return {one.id.partition(name)[2].split("-")[0]: one for one in buttons if name in one.id}

    @property
    def choice(self) -> str | None:
        """The option that is marked on the ballot."""
        return next((option for option, one in self.ballot.items() if one.type == "primary"), None)

    @property
    def is_closed(self) -> bool:
        """Whether the options are on the page and cannot be chosen."""
        return bool(self.ballot) and all(one.disabled for one in self.ballot.values())

    @property
    def bars(self) -> list[int]:
        """The votes for each option, as the bars say; empty unless they are shown."""
        texts = [element.text for kind, element, _ in self.elements.values() if kind == "progress"]
        return [int(count[1]) for text in texts if (count := re.search(r"\((\d+)\) · ", text))]

    # ---- the channel

    def listen(self) -> None:
        self.ear = asyncio.create_task(self._listen())

    async def _listen(self) -> None:
        while True:
            with contextlib.suppress(aiohttp.ClientError, TimeoutError, OSError, websockets.ConnectionClosed):
                await self._read()
            await asyncio.sleep(0.5)

    async def _read(self) -> None:
        visit = self.watch.get("visit") or self.led.get("visit", "")
        if self.client is None:
            self.client = aiohttp.ClientSession(headers={"Cookie": self.cookie} if self.cookie else {})
        endless = aiohttp.ClientTimeout(total=None)
        headers = {"x-visit": visit}
        async with self.client.get(self.server + EVENTS, headers=headers, timeout=endless) as answer:
            self.statuses.append(answer.status)
            if answer.status != 200:
                return
            kind = ""
            async for line in answer.content:
                text = line.decode().strip()
                if text.startswith("event: "):
                    kind = text.removeprefix("event: ")
                elif text.startswith("data: "):
                    await self._hear(kind, json.loads(text.removeprefix("data: ")))

    async def _hear(self, kind: str, data: object) -> None:
        self.heard.append((kind, data))
        async with self.turn:  # the page is whole
            watch, led = self.watch, self.led
        if kind == "moved" and led.get("follows") and data["serial"] == led["serial"]:
            self.moved = self.pieces.read(b64decode(data["picture"]))
        if kind == "said" and isinstance(data, dict) and data["topic"] == watch.get("topic"):
            self.count = data["count"]
        if kind == "changed" and watch and (data is None or data["vote"] != watch["stage"]):
            await self.look()
        elif kind == "changed" and led and (data is None or self._has_to_follow(led, data)):
            await self.look("attention_class")
        await self.tell()

    @staticmethod
    def _has_to_follow(led: dict, state: dict) -> bool:
        """As follow.js decides it."""
        follows = not led["stays"]
        wants = {"vote": led["votes"], "scene": follows and led["wants"], "copies": follows}
        return any(wanted and state[part] != led["state"][part] for part, wanted in wants.items())

    async def look(self, component: str = "attention_room") -> None:
        """Has the fragment look at the room, as the script does."""
        async with self.turn:
            for element, fragment in self.components():
                if element.component_name.endswith(component):
                    self.runs += 1
                    event = json.dumps([{"event": "ask", "value": True}])
                    events = f"$$STREAMLIT_INTERNAL_KEY_{element.id}__events"
                    await self.run(WidgetState(id=events, json_trigger_value=event), fragment=fragment)
                    return

    async def tell(self) -> None:
        async with self.news:
            self.news.notify_all()

    async def until(self, holds: Callable[[], object]) -> None:
        async with self.news, asyncio.timeout(PATIENCE):
            await self.news.wait_for(holds)

    # ---- a cut connection

    async def is_cut_off(self) -> bool:
        """Whether the process of this person has gone."""
        async with self.turn:
            try:
                await asyncio.wait_for(await self.socket.ping(), 5)
            except (websockets.ConnectionClosed, TimeoutError):
                return True
            return False

    async def come_back(self) -> None:
        """Opens the link again as the browser does, which keeps the person's name."""
        name = self.memory.get("person")
        await self.stop()
        if self.client is not None:
            await self.client.close()
            self.client = None
        for _ in range(PATIENCE):
            try:
                await self.open_again()
                break
            except (OSError, websockets.WebSocketException):
                await asyncio.sleep(1)
        await self.introduce(name)
        self.listen()

    async def introduce(self, name: object) -> None:
        """Tells the server the name that the browser keeps."""
        async with self.turn:
            for element, fragment in self.components():
                if element.component_name.endswith("attention_vote"):
                    sent = WidgetState(id=element.id, json_value=json.dumps({"known": name}))
                    await self.run(sent, fragment=fragment)
                    return

    async def stop(self) -> None:
        """Stops listening, after the run that goes on."""
        async with self.turn:
            if self.ear is not None:
                self.ear.cancel()
                self.ear = None

    async def close(self) -> None:
        await self.stop()
        await super().close()


async def together(acts: list[Awaitable], at_once: int = 20) -> list:
    """All acts, so many at the same time."""
    gate = asyncio.Semaphore(at_once)

    async def act(work: Awaitable):
        async with gate:
            return await work

    return await asyncio.gather(*map(act, acts))
