"""A visitor who knows Streamlit's protocol and means no good, and the most expensive inputs known.

    python -m tests.hostile.stranger http://127.0.0.1:8501

sends all inputs in turn to a server on this machine, without a pause, and prints the name of each.
"""

import asyncio
import contextlib
import functools
import itertools
import json
import sys
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, replace
from http.cookies import SimpleCookie
from urllib.error import URLError
from urllib.parse import urlencode
from urllib.request import Request, urlopen

from streamlit.proto.Common_pb2 import FileUploaderState, FileURLs, UploadedFileInfo
from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets.exceptions import ConnectionClosed

from pages.model import edits, handout
from pages.model.link import to_query
from pages.model.matrices import MAX_HEADS, MAX_TOKENS, MAX_WIDTH
from pages.model.settings import Settings
from pages.model.state import State
from pages.model.view import Place, View
from pages.shell.direct import MOST_EDITS
from tests.support.course import LESSONS
from tests.support.screen import shown
from tests.support.states import with_own
from tests.support.visitor import Fault, Visitor

TIMES = 3  # that an input is sent after its page was opened
IMPATIENT = 3.0  # seconds, then the visitor goes on to the next input
EDITS = 2_000  # in one message
QUESTIONS = 40  # at a time
MB = 1_000_000
DIGITS = 40
SETUPS = 8  # large setups, made once
DOCUMENT, PRINTED = 20_000, 5_000  # characters


class Stranger(Visitor):
    """A visitor who knows Streamlit's protocol and means no good."""

    async def visit(self, page: str, link: dict[str, str]) -> None:
        """Opens a link in this session, or in a new one where the server has closed it."""
        try:
            if self.socket is None:
                await self.open({"lang": "en"})
            await self.go(page)
            self.query = urlencode({"lang": "en"} | link)
            await self.run()
            await self.recall(dict(shown(page)))
        except ConnectionClosed:
            await self.come_back()

    async def come_back(self) -> None:
        self.__init__(self.server)
        await self.open({"lang": "en"})

    async def press(self, key: str, *changed: WidgetState) -> None:
        """Presses a button, if it is there, in the same message in which widgets have changed."""
        try:
            _, element, fragment = self.widget(key)
        except LookupError:
            return
        await self.run(*changed, WidgetState(id=element.id, trigger_value=True), fragment=fragment)

    async def submit(self, text: WidgetState) -> None:
        """Sends a form with this text."""
        [(button, at)] = [
            (one, at) for kind, one, at in self.elements.values() if getattr(one, "is_form_submitter", False)
        ]
        await self.run(text, WidgetState(id=button.id, trigger_value=True), fragment=at)

    def state(self, key: str, **value: object) -> WidgetState:
        return WidgetState(id=self.widget(key)[1].id, **value)

    async def open_share(self) -> None:
        _, popover, fragment = self.widget("share")
        await self.run(WidgetState(id=popover.id, bool_value=True), fragment=fragment)

    async def send(self, matrix: str, value: float) -> None:
        """As many edits as a message may have."""
        sent, fragment = self.edit_message(matrix, 0, 0, value)
        body = json.loads(sent.json_value)
        one = body["edit"]["edits"][0]
        body["edit"]["edits"] = [one | {"row": i % 3, "col": i % 4} for i in range(EDITS)]
        await self.run(WidgetState(id=sent.id, json_value=json.dumps(body)), fragment=fragment)

    async def export(self, key: str, number: int) -> None:
        """Asks for the file of a button, whose component sends something new with each press."""
        _, element, fragment = self.widget(key)
        asked = json.dumps({"asked": str(number)})
        await self.run(WidgetState(id=element.id, json_value=asked), fragment=fragment)

    async def upload(self, key: str, name: str, content: bytes) -> None:
        await asyncio.to_thread(self._put, self.place_of(name), name, content)
        await self.name_file(key, name, len(content))

    def place_of(self, name: str) -> str:
        return f"/_stcore/upload_file/{self.session}/{name}"

    async def name_file(self, key: str, name: str, size: int) -> None:
        """Tells the page that this file was uploaded."""
        _, element, fragment = self.widget(key)
        place = self.place_of(name)
        where = FileURLs(file_id=name, upload_url=place, delete_url=place)
        file = UploadedFileInfo(name=name, size=size, file_id=name, file_urls=where)
        state = FileUploaderState(uploaded_file_info=[file])
        await self.run(WidgetState(id=element.id, file_uploader_state_value=state), fragment=fragment)

    def _put(self, place: str, name: str, content: bytes) -> None:
        with urlopen(f"{self.server}/_stcore/health") as answer:
            token = SimpleCookie(answer.headers["Set-Cookie"])["_streamlit_xsrf"].value
        head = f'--b\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n\r\n'.encode()
        headers = {"Cookie": f"_streamlit_xsrf={token}", "X-Xsrftoken": token}
        headers |= {"Content-Type": "multipart/form-data; boundary=b"}
        body = head + content + b"\r\n--b--\r\n"
        with contextlib.suppress(URLError):  # it was refused
            urlopen(Request(self.server + place, data=body, headers=headers, method="PUT")).close()


# ---------------------------------------------------------------- the inputs

Send = Callable[[Stranger, int], Awaitable[object]]


async def nothing(stranger: Stranger, number: int) -> None:
    """The link was all."""


@dataclass(frozen=True)
class Input:
    """A page with a link, and what is sent from there; both for the n-th time."""

    name: str
    page: str
    link: Callable[[int], dict[str, str]]
    send: Send = nothing


def wide(number: int) -> Settings:
    """The largest setup, with entries that are as long as they may be."""
    now = Settings()
    while len(now.tokens) < MAX_TOKENS:
        now = edits.add_token(now)
    now = edits.resize(now, d_model=MAX_WIDTH, num_heads=MAX_HEADS, d_k=MAX_WIDTH, d_v=MAX_WIDTH)
    for name in ("x", "w_q", "w_k", "w_v", "w_o"):
        now = edits.fill(now, name, "normal", number)
    return now


def link_of(now: State, part: str = "", **more: str) -> dict[str, str]:
    view = View(language="en", answers=())
    return to_query(now, view, Place(part=part or None)) | more


@functools.cache
def _wide_link(number: int) -> dict[str, str]:
    return link_of(State(core=wide(number)))


def wide_link(number: int) -> dict[str, str]:
    return _wide_link(number % SETUPS)


def digits(number: int) -> dict[str, str]:
    run = "1" * (DIGITS - number % 3)
    return {"x": f"1-1_{run}√{run}/{run}√{run}x"}


def plan(number: int) -> dict[str, str]:
    stops = [handout.Stop(name, f"seed={number}&tokens=a,b,c,d,e,f") for name in LESSONS * 2]
    marks = {"locked": ("x", "w_q"), "hidden": ("weights",)}
    return {
        "plan": handout.write(handout.Plan(tuple(replace(one, **marks) for one in stops[:20]))),
        "stop": "1",
    }


DOCUMENTS = (
    lambda: "S = " + "1" * DOCUMENT,
    lambda: "Q = " + "0123456789012345 " * (DOCUMENT // 18),
    lambda: "| Q |\n|" + "---|" * (DOCUMENT // 5) + "x",
    lambda: "\n".join(f"Q{i} = [[1, {i}], [√{i}, 1/3]]" for i in range(DOCUMENT // 32)),
)


def document(number: int) -> str:
    return DOCUMENTS[number % len(DOCUMENTS)]()[:DOCUMENT]


def table(number: int) -> str:
    """1 MB of numbers, in one of several forms."""
    forms = ("1,2,3,4\n", "[[1.5, 2.5],\n", "tensor([[1, 2]], grad_fn=<", "1" * 39 + " ")
    form = forms[number % len(forms)]
    return form * (MB // len(form))


async def paste(stranger: Stranger, number: int) -> None:
    if number % TIMES == 0:
        await stranger.open_share()
    await stranger.press("import_take", stranger.state("import_text", string_value=table(number)))


async def upload(stranger: Stranger, number: int) -> None:
    if number % TIMES == 0:
        await stranger.open_share()
    suffix = ("csv", "json", "npy", "npz")[number % 4]
    await stranger.upload("import_file", f"{number}.{suffix}", table(number).encode())


async def exported(stranger: Stranger, number: int) -> None:
    if number % TIMES == 0:
        await stranger.open_share()
    await stranger.export(("export_notebook", "export_worksheet", "export_npz")[number % 3], number)


async def edit(stranger: Stranger, number: int) -> None:
    await stranger.edit("x", number % MAX_TOKENS, 0, number % 40 / 10)


async def ask_directly(stranger: Stranger, number: int) -> None:
    """Many direct questions at a time, with as many edits as one may have."""
    cells = [{"matrix": "x", "row": i % MAX_TOKENS, "col": i // MAX_TOKENS} for i in range(MOST_EDITS)]
    held = [cell | {"value": number % 40 / 10} for cell in cells]
    body = json.dumps(stranger.question("x", 0, 0, 0.0) | {"edits": held}).encode()
    await asyncio.gather(*(stranger.post(body) for _ in range(QUESTIONS)))


async def ask_early(stranger: Stranger, number: int) -> None:
    """Many early pictures at a time (see pages/shell/early.py)."""
    links = [wide_link(number + i) for i in range(QUESTIONS)]
    await asyncio.gather(*(stranger.fetch("GET", f"/early?{urlencode(link)}") for link in links))


async def train(stranger: Stranger, number: int) -> None:
    await stranger.press("train_start")
    await stranger.press("stop_training")


async def measure(stranger: Stranger, number: int) -> None:
    await stranger.press("start_run")
    await stranger.press("stop_run")


async def vote(stranger: Stranger, number: int) -> None:
    await stranger.press("vote_open-soft_three")
    await stranger.press("vote_close-soft_three")
    await stranger.press("vote_end-soft_three")


INPUTS = (
    Input("link: runs of digits", "one_head", digits),
    Input("link: largest matrices", "one_head", wide_link),
    Input("link: plan of 20 stops", "one_head", plan),
    Input("link: document", "worked_examples", lambda n: {"part": "own", "document": document(n)}),
    Input("link: guess a vote's code", "softmax", lambda n: {"vote": f"AB{n % 10000:04}".replace("0", "Z")}),
    Input("edits, 2,000 refused", "one_head", lambda n: {}, lambda one, n: one.send("x", 1e300)),
    Input("edits, 2,000 taken", "one_head", lambda n: {}, lambda one, n: one.send("x", n % 40 / 10)),
    Input("edit of a large setup", "one_head", wide_link, edit),
    Input("direct questions", "one_head", wide_link, ask_directly),
    Input("early pictures", "one_head", wide_link, ask_early),
    Input("large setup, many heads", "many_heads", wide_link, edit),
    Input("large setup, masks", "masks", wide_link, edit),
    Input("pasted text, 1 MB", "one_head", lambda n: {}, paste),
    Input("uploaded file, 1 MB", "one_head", lambda n: {}, upload),
    Input(
        "document at the limit",
        "worked_examples",
        lambda n: {"part": "own"},
        lambda one, n: one.submit(one.state("own_text", string_value=document(n))),
    ),
    Input(
        "printed result at the limit",
        "practice",
        lambda n: {"part": "your_code"},
        lambda one, n: one.submit(
            one.state("pasted-square", string_value=("1" * 4_900, "[1." * 1_600)[n % 2])
        ),
    ),
    Input("exports of a large setup", "one_head", wide_link, exported),
    Input(
        "training",
        "train_a_head",
        lambda n: link_of(with_own(train_seed=n % 10000), "train"),
        train,
    ),
    Input("measurement", "cost", lambda n: {"part": "measured"}, measure),
    Input(
        "long draw",
        "why_scale",
        lambda n: {
            "part": "assumptions",
            "pairs": "50000",
            "seed": str(n),
        },
    ),
    Input("votes opened and closed", "softmax", lambda n: {"part": "bars"}, vote),
)


async def send(stranger: Stranger, one: Input, count: Iterator[int]) -> str:
    """Opens the page and sends the input; what went wrong."""
    try:
        first = next(count) * TIMES
        await stranger.visit(one.page, one.link(first))
        for number in range(first, first + TIMES) if one.send is not nothing else ():
            await one.send(stranger, number)
    except (ConnectionClosed, Fault, LookupError, ValueError, TimeoutError) as error:
        await stranger.close()
        await stranger.come_back()
        return f"{type(error).__name__}: {error}"[:70]
    return ""


async def attack(address: str) -> None:
    """All inputs in turn, as fast as the answers come."""
    stranger, count = Stranger(address), itertools.count()
    for one in itertools.cycle(INPUTS):
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(IMPATIENT):
                await send(stranger, one, count)
        print(one.name, flush=True)


if __name__ == "__main__":
    asyncio.run(attack(sys.argv[1]))
