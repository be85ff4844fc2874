"""What a stranger sends to a server, who does not use the page: nothing of it shows or logs an exception.

The visitor speaks Streamlit's protocol to a server that runs as README says. In the environment,
HOSTILE_CASES sets how many cases there are of each kind, HOSTILE_SECONDS for how long a kind goes on with
further cases, and HOSTILE_SEED which cases they are; without it they are the same in each run.
"""

import contextlib
import io
import json
import os
import time
from inspect import iscoroutinefunction
from urllib.parse import urlencode

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, seed
from hypothesis import settings as limits
from hypothesis import strategies as st
from streamlit.proto.ClientState_pb2 import ContextInfo
from streamlit.proto.Common_pb2 import DoubleArray, StringArray
from streamlit.proto.WidgetStates_pb2 import WidgetState

from pages.model.course import OF_PLACE, OF_SETTINGS
from pages.model.handout import Plan, Stop, write
from tests.hostile.damage import damaged
from tests.hostile.stranger import Stranger
from tests.support.course import LESSONS, PLACES, REFERENCE
from tests.support.visitor import apart

pytestmark = pytest.mark.slow
CASES = int(os.environ.get("HOSTILE_CASES", "40"))
SECONDS = float(os.environ.get("HOSTILE_SECONDS", "60"))
SEED = int(os.environ.get("HOSTILE_SEED", "0"))
# Shrinking would take minutes, for each case is a visit; the first case that fails is told as it is.
limited = limits(
    max_examples=CASES,
    deadline=None,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
    database=None,
)


def hostile(test):
    return seed(SEED)(limited(test))


texts = st.text(max_size=30) | st.sampled_from(
    [
        "<script>alert(1)</script>",
        "{x}",
        "${1}",
        "$\\frac{1}{0}$",
        "__import__('os')",
        "%00",
        "a,b",
        "\\",
        "nan",
        "inf",
        "0e999",
        "1e999/1e999",
        "0√1e999",
        "٣",
        "1" * 40 + "√" + "1" * 40 + "/" + "1" * 40 + "√" + "1" * 40 + "x",
    ]
)
numbers = st.integers(-3, 20) | st.integers() | st.floats() | st.just(10**400)
values = st.recursive(
    st.none() | st.booleans() | numbers | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)


@pytest.fixture
def visit(server):
    """visit(lesson, link, *messages) is a visit that sends messages, made from what is on the page.

    It raises what the page shows. A message that is a coroutine function does all by itself. After SECONDS
    there are no more visits.
    """
    ends = time.monotonic() + SECONDS

    def visit(lesson: str, link: str | dict, *messages) -> None:
        if time.monotonic() > ends:
            return
        with apart() as wait_for:
            visitor = Stranger(server)
            try:
                wait_for(visitor.open(link, page=lesson))
                for message in messages:
                    if iscoroutinefunction(message):
                        wait_for(message(visitor))
                    elif (recipe := message(visitor)) is not None:
                        wait_for(visitor.run(recipe[0], fragment=recipe[1]))
                        there = {at for _, _, at in visitor.elements.values()}
                        wait_for(visitor.run(fragment=recipe[1] if recipe[1] in there else ""))
            finally:
                wait_for(visitor.close())

    return visit


async def open_a_vote(visitor):
    keys = [getattr(one, "id", "").rpartition("-vote_open-") for _, one, _ in visitor.elements.values()]
    for question in [question for _, result, question in keys if result][:1]:
        await visitor.press(f"vote_open-{question}")


of_a_plan = ("plan", "stop", "goto", "free")
keys = st.sampled_from((*OF_SETTINGS, *OF_PLACE, *of_a_plan, "lang", "guess")) | texts


addresses = st.sampled_from(
    ("http://[bad", "//[", "x" * 5_000, "字" * 5_000, "http://a:b:c/", "javascript:1", "http://a/\n[x](y)")
)


@hostile
@given(st.sampled_from(PLACES), addresses | texts)
def test_addresses_that_a_browser_names(visit, place, address):
    """The page has links and QR codes with it."""

    async def name_it(visitor):
        visitor.context.url = address
        await open_a_vote(visitor)
        await visitor.open_again()

    lesson, part, topic = place
    visit(lesson, {"lang": "en", "part": part} | ({"topic": topic} if topic else {}), name_it)


@hostile
@given(st.sampled_from((*LESSONS, *REFERENCE)), st.dictionaries(keys, texts | numbers.map(str), max_size=6))
def test_links(visit, lesson, query):
    visit(lesson, query)


marks = st.lists(
    st.sampled_from(("x", "w_q", "mask", "heads", "part", "weights", "logits", "swap", "causal", "no_such")),
    max_size=4,
).map(tuple)
handed = st.builds(
    Stop,
    st.sampled_from((*LESSONS, *REFERENCE)),
    st.dictionaries(keys, texts | numbers.map(str), max_size=4).map(urlencode),
    *(marks for _ in range(4)),
)


@hostile
@given(
    st.sampled_from((*LESSONS, *REFERENCE)),
    st.builds(Plan, st.lists(handed, max_size=3).map(tuple), texts, st.booleans()),
    st.dictionaries(st.sampled_from(of_a_plan[1:]), texts | numbers.map(str)),
)
def test_plans_in_links(visit, lesson, plan, query):
    visit(lesson, {"plan": write(plan)} | query)


urls = texts | st.sampled_from(
    (
        "http://[bad",
        "//[",
        "http://x:y/one_head",
        "http://x/" + "y/" * 5_000,
        "x:one_head",
        "http:///?#",
        "\0",
    )
)
of_the_browser = {"url": urls, "locale": texts, "timezone": texts, "color_scheme": texts}
of_the_browser["timezone_offset"] = st.integers(-(2**31), 2**31 - 1)
asked_for = st.sampled_from(("query_string", "page_name", "page_script_hash"))


@hostile
@given(
    st.sampled_from((*LESSONS, *REFERENCE)),
    st.fixed_dictionaries({}, optional=of_the_browser),
    st.dictionaries(asked_for, texts | st.just("x=%FF%00&&=&lang"), max_size=2),
)
def test_what_the_browser_says_of_itself(visit, lesson, said, asked):
    async def say(visitor):
        visitor.context = ContextInfo(**said)
        await visitor.run()
        with contextlib.suppress(LookupError):  # not every page has it
            await visitor.open_share()
        await visitor.run(**asked)

    visit(lesson, {"lang": "en"}, say)


KINDS = {
    "edit": ("seq", "gesture", "held", "edits"),
    "command": ("id", "name", "matrix", "how", "seed", "row", "by"),
    "pick": ("matrix", "row", "col", "choose", "follow"),
    "view": ("step", "cell"),
}


@st.composite
def sent(draw):
    """A message of a picture: of the right form in the main, with a few things that are not."""
    kind = draw(st.sampled_from(tuple(KINDS)))
    matrix = st.sampled_from(("x", "w_q", "tokens", "mask", "weights", "temperature", "scores")) | values
    row = st.integers(-1, 4) | values
    edit = st.fixed_dictionaries(
        {}, optional={"matrix": matrix, "row": row, "col": row, "value": values, "text": values}
    )
    form = {
        "seq": st.integers(1, 99) | values,
        "gesture": st.integers(0, 9) | values,
        "held": st.booleans() | values,
        "edits": st.lists(edit | values, max_size=3) | values,
        "id": values,
        "name": st.sampled_from(("fill", "round", "add_token", "remove_token", "grow")) | values,
        "matrix": matrix,
        "how": st.sampled_from(("zeros", "identity", "normal", "1")) | values,
        "seed": row,
        "row": row,
        "by": row,
        "col": row,
        "choose": row,
        "follow": row,
        "step": matrix,
        "cell": st.tuples(matrix, row, row) | values,
    }
    chosen = draw(st.lists(st.sampled_from(KINDS[kind]), unique=True)) if draw(st.booleans()) else KINDS[kind]
    body = {name: draw(form[name]) for name in chosen}
    return {kind: body if draw(st.integers(0, 9)) else draw(values)}


@hostile
@given(st.sampled_from(PLACES), st.lists(sent(), min_size=1, max_size=3), st.integers(0, 5))
def test_messages_of_pictures(visit, place, bodies, number):
    def message(body):
        def attack(visitor):
            pictures = visitor.pictures()
            if pictures:
                element, fragment, _ = pictures[number % len(pictures)]
                return WidgetState(id=element.id, json_value=json.dumps(body)), fragment

        return attack

    lesson, part, topic = place
    link = {"lang": "en", "part": part} | ({"topic": topic} if topic else {})
    visit(lesson, link, *map(message, bodies))


parts = st.sampled_from(("known", "new", "end", "reveal", "filled", "edit", "view", "text")) | texts
SECRET = "a" * 22  # as long as a person's name in a vote
unlike = values.filter(
    lambda value: not isinstance(value, str)
)  # Streamlit itself logs a text with its stack


@hostile
@given(
    st.sampled_from(PLACES),
    st.booleans(),
    st.lists(st.dictionaries(parts, values | st.just(SECRET), max_size=2) | unlike, min_size=1, max_size=3),
    st.integers(0, 9),
)
def test_messages_of_other_components(visit, place, presenting, bodies, number):
    """The address, a vote, the tour, a presentation, exported pictures: what they send has no one form."""

    def message(body):
        def attack(visitor):
            results = [(one, at) for one, at in visitor.components() if not one.bytes]
            if results:
                element, fragment = results[number % len(results)]
                return WidgetState(id=element.id, json_value=json.dumps(body)), fragment

        return attack

    lesson, part, topic = place
    link = {"lang": "en", "part": part} | ({"topic": topic} if topic else {})
    visit(lesson, link | ({"present": "on"} if presenting else {}), open_a_vote, *map(message, bodies))


def packed(kind: str) -> bytes:
    """A good file of that kind."""
    with io.BytesIO() as file:
        (np.save if kind == "npy" else np.savez_compressed)(file, np.arange(12.0).reshape(3, 4))
        return file.getvalue()


FILES = {
    "npy": packed("npy"),
    "npz": packed("npz"),
    "json": json.dumps({"tokens": "a,b,c", "x": "1,2,3,4_5,6,7,8_9,1,2,3"}).encode(),
    "csv": b"1,2,3,4\n5,6,7,8\n9,1,2,3\n",
    "txt": b"tensor([[1., 2., 3., 4.], [5., 6., 7., 8.], [9., 1., 2., 3.]], grad_fn=<MmBackward0>)",
}
READ = {"import_file": ("json", "npz", "npy", "csv", "txt"), "own_file": ("txt", "md", "csv", "json")}


@hostile
@given(st.sampled_from(tuple(READ)), st.integers(0, 9), damaged(FILES))
def test_damaged_files(visit, where, number, content):
    """Over HTTP, as the browser sends them, to both pages that read files."""
    suffix = READ[where][number % len(READ[where])]

    async def upload(visitor):
        if where == "import_file":
            await visitor.open_share()
        await visitor.upload(where, f"a.{suffix}", content)
        await visitor.run()

    lesson, part = ("one_head", "picture") if where == "import_file" else ("worked_examples", "own")
    visit(lesson, {"lang": "en", "part": part}, upload)


@pytest.mark.parametrize("where", READ)
def test_a_file_that_the_server_does_not_have(visit, where):
    """It was refused, or the server was restarted: the message names it all the same."""

    async def name_it(visitor):
        if where == "import_file":
            await visitor.open_share()
        await visitor.name_file(where, "a.csv", 12)
        await visitor.run()

    lesson, part = ("one_head", "picture") if where == "import_file" else ("worked_examples", "own")
    visit(lesson, {"lang": "en", "part": part}, name_it)


whole, real = st.integers(-(2**31), 2**31), st.floats()
# What widgets may be said to be, in the type that Streamlit reads for each: it does not look at types itself.
TYPED = {
    "checkbox": ("bool_value", st.booleans()),
    "number_input": ("int_value", whole),
    "selectbox": ("string_value", texts),
    "text_input": ("string_value", texts),
    "text_area": ("string_value", texts),
    "slider": ("double_array_value", real.map(lambda value: DoubleArray(data=[value]))),
    "button_group": (
        "string_array_value",
        st.lists(texts, max_size=2).map(lambda some: StringArray(data=some)),
    ),
    "button": ("trigger_value", st.just(True)),
}


@hostile
@given(st.sampled_from(PLACES), st.lists(st.integers(0, 60), min_size=1, max_size=4), st.data())
def test_states_of_widgets(visit, place, chosen, data):
    def message(number):
        def attack(visitor):
            widgets = [one for one in visitor.elements.values() if one[0] in TYPED]
            kind, element, fragment = widgets[number % len(widgets)]
            field, states = TYPED[kind]
            if kind == "number_input" and element.data_type == element.FLOAT:
                field, states = "double_value", real
            return WidgetState(id=element.id, **{field: data.draw(states)}), fragment

        return attack

    lesson, part, topic = place
    link = urlencode({"lang": "en", "part": part} | ({"topic": topic} if topic else {}))
    visit(lesson, link, *map(message, chosen))
