"""What a page and Streamlit's server say to each other: whether all is done, what pictures should show."""

from contextlib import suppress
from http import HTTPStatus

from playwright.sync_api import Error, Route
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from tests.support.picture_data import Pieces

IN_PEACE = (ForwardMsg.FINISHED_SUCCESSFULLY, ForwardMsg.FINISHED_FRAGMENT_RUN_SUCCESSFULLY)
# What unfolds or folds has done so, too: Streamlit lets an expander grow for half a second.
PAINTED = """async () => {
  await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  const growing = [...document.querySelectorAll('details')].flatMap((node) => node.getAnimations());
  await Promise.allSettled(growing.map((one) => one instanceof CSSTransition || one.finished));
}"""
UNANSWERED = 300  # looks at the page, 20 ms apart at least
# Streamlit fetches the code of a kind of widget when a page first has one; a grey bar is there meanwhile.
# And before that, the first page's picture may be there alone (see shell/early.py).
RESTS = 'body:not(:has(> #early)) [data-test-script-state="notRunning"]:not(:has([data-testid="stSkeleton"]))'


class Wire:
    """Listens to the page's web socket from its first message on. Make it before the page is opened."""

    def __init__(self, page):
        self.page = page
        self.asked = False  # a run was asked for and has not begun yet
        self.running = False
        self.pictures: dict[str, dict] = {}  # picture → the newest data that the server sent for it
        self.drawn: dict[str, tuple[int, ...]] = {}  # the pictures of the last run, each with its place
        self.pieces = Pieces()
        self.kept: dict[str, ForwardMsg] = {}  # a large message is sent once, and later by its hash
        self.recalled: list[ForwardMsg] = []  # messages that the server sent by their hash
        page.on("websocket", self._watch)
        page.route("**/direct", self._direct)

    def _watch(self, socket) -> None:
        socket.on("framesent", self._sent)
        socket.on("framereceived", self._received)

    def _sent(self, frame: bytes | str) -> None:
        if isinstance(frame, bytes) and BackMsg.FromString(frame).WhichOneof("type") == "rerun_script":
            self.asked = True

    def _received(self, frame: bytes | str) -> None:
        message = ForwardMsg.FromString(frame)
        place = tuple(message.metadata.delta_path)
        if message.WhichOneof("type") == "ref_hash":
            message = self.kept.get(message.ref_hash, message)
            self.recalled.append(message)
        elif message.metadata.cacheable:
            self.kept[message.hash] = message
        kind = message.WhichOneof("type")
        if kind == "new_session":
            self.asked, self.running, self.drawn = False, True, {}
        elif kind == "script_finished":
            self.running = message.script_finished not in IN_PEACE
        elif kind == "delta":
            # A container that comes again replaces what is in it.
            self.drawn = {key: at for key, at in self.drawn.items() if at[: len(place)] != place}
            self._take(place, message.delta.new_element.bidi_component.bytes)

    def _direct(self, route: Route) -> None:
        """Passes a direct answer on, and keeps its still piece, which a later run may leave out."""
        with suppress(Error):  # where the browser no longer waits for the answer
            answer = route.fetch()
            if answer.status == HTTPStatus.OK:
                with suppress(LookupError):
                    self.pieces.read(answer.body())
            route.fulfill(response=answer)

    def _take(self, place: tuple[int, ...], data: bytes) -> None:
        if data:
            try:
                picture = self.pieces.read(data)
            except LookupError:  # the browser has not got it either, and asks for it
                return
            self.pictures[picture["key"]] = picture
            self.drawn[picture["key"]] = place

    def rest(self) -> None:
        """Waits until no run is asked for or going on, and the page has painted the result."""
        self.page.wait_for_selector(RESTS, timeout=60_000)
        for look in range(3000):
            self.page.evaluate(PAINTED)
            # A run that a timer asks of a fragment which is gone has no answer: after so long none will come.
            done = look > UNANSWERED or not (self.asked or self.running)
            if done and self.page.locator(RESTS).count():
                self.asked = self.running = False
                return
            self.page.wait_for_timeout(20)
        raise AssertionError("the server was still running the script after a minute")
