"""Messages of a picture that are lost, repeated or reordered: the numbers on the screen stay the core's."""

from collections import Counter
from itertools import cycle
from urllib.parse import urlencode, urlsplit

import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from pages.model import edits
from tests.browser.gestures import press_and_move, type_into, wait_link, wait_output
from tests.browser.whole_picture import core_numbers
from tests.support.course import from_query

FAULTS = (
    "lost",
    "",
    "twice",
    "",
    "late",
    "lost",
    "late",
    "",
    "",
)  # what happens to one message after the other
LINK = {"lang": "en", "tokens": "a,b,c,d", "heads": "2"}
SHOWN = """(name) => [...document.querySelectorAll(`.pic-cell[data-matrix="${name}"]`)]
  .map(({dataset: {row, col, value}}) => [Number(row), Number(col), Number(value)])"""


class Storm:
    """Between a page and its server: loses, repeats and reorders edits, and the pictures of the answers.

    In place of a lost picture an older one comes, for without any Streamlit's page would take it away.
    """

    def __init__(self, page, start: int):
        """start: the first of the faults."""
        self.faults, self.blows = cycle((*FAULTS[start:], *FAULTS[:start])), False
        self.happened: Counter[str] = Counter()
        page.route_web_socket("**/_stcore/stream", self._between)

    def _between(self, page):
        server = page.connect_to_server()
        page.on_message(self._carrier(server.send, is_edit, {"lost": [], "late": ["old", "new"]}))
        server.on_message(self._carrier(page.send, is_picture, {"lost": ["old"], "late": ["new", "old"]}))

    def _carrier(self, send, matters, sent: dict[str, list[str]]):
        """sent: at a fault, the newest message or the one before it."""
        before: list[bytes] = []

        def carry(data):
            if not (self.blows and matters(data) and before):
                before[:] = [data] if matters(data) else before
                return send(data)
            fault = next(self.faults)
            self.happened[fault] += 1
            for one in {"": ["new"], "twice": ["new", "new"], **sent}[fault]:
                send(data if one == "new" else before[0])
            before[:] = [data]

        return carry


def is_edit(data) -> bool:
    run = BackMsg.FromString(data).rerun_script
    return bool(run.fragment_id) and any('"edits"' in one.json_value for one in run.widget_states.widgets)


def is_picture(data) -> bool:
    return bool(ForwardMsg.FromString(data).delta.new_element.bidi_component.bytes)


@pytest.mark.parametrize("start", (0, 3))
def test_lost_repeated_and_reordered_messages_leave_the_core_s_numbers(blank_page, address, start):
    page, now = blank_page(fresh=True), from_query(LINK)[0].core
    storm = Storm(page, start)
    page.goto(f"{address}/one_head?{urlencode(LINK)}")
    wait_output(page, now)
    storm.blows = True
    mouse = press_and_move(page, "x", 1, 1, dx=200, steps=60)
    mouse.up()
    for number in range(80):
        if number >= 8 and {*FAULTS} == {*storm.happened}:
            break  # a busy server answers several edits at once, so it takes more of them
        place, value = divmod(number % 8, 2), f"{1.2 + number / 100:.2f}"
        type_into(page, "w_q", *place, value)
        now = edits.set_cell(now, "w_q", *place, float(value))
    storm.blows = False
    type_into(page, "x", 1, 1, "0.7654")
    now = edits.set_cell(now, "x", 1, 1, 0.7654)
    wait_output(page, now)
    wait_link(page, now)
    assert {*FAULTS} == {*storm.happened}
    for name, wanted in core_numbers("one_head", urlsplit(page.url).query).items():
        for row, col, value in page.evaluate(SHOWN, name):
            assert value == pytest.approx(wanted[row][col], rel=1e-12), (name, row, col)
