"""What a stranger sends to a server, who does not use the page: nothing of it shows or logs an exception.

The visitor speaks Streamlit's protocol to a server that runs as README says. HOSTILE_CASES in the environment
sets how many cases there are of each kind.
"""

import json
import os
from urllib.parse import urlencode

import pytest
from hypothesis import HealthCheck, Phase, given
from hypothesis import settings as limits
from hypothesis import strategies as st
from streamlit.proto.Common_pb2 import DoubleArray, StringArray
from streamlit.proto.WidgetStates_pb2 import WidgetState

from pages.lessons import LESSONS, REFERENCE
from pages.model.handout import Plan, Stop, write
from pages.model.link import OF_PLACE, OF_SETTINGS
from tests.asked import PLACES
from tests.benchmarks.protocol import Visitor, apart
from tests.browser_support import ROOT, serving

pytestmark = pytest.mark.slow
CASES = int(os.environ.get("HOSTILE_CASES", "70"))
# Shrinking would take minutes, for each case is a visit; the first case that fails is told as it is.
hostile = limits(
    max_examples=CASES,
    deadline=None,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
    derandomize=True,
)

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
    ]
)
numbers = st.integers(-3, 20) | st.integers() | st.floats() | st.just(10**400)
values = st.recursive(
    st.none() | st.booleans() | numbers | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    log = tmp_path_factory.mktemp("log") / "log"
    with serving(ROOT / "app.py", log=log) as (address, _):
        yield address
        assert "Traceback" not in log.read_text()


def visit(server: str, lesson: str, link: str | dict, *messages) -> None:
    """A visit by this link that sends these messages, made from what is on the page; raises what it shows."""

    with apart() as wait_for:
        visitor = Visitor(server)
        try:
            wait_for(visitor.open(link, page=lesson))
            for message in messages:
                if (made := message(visitor)) is not None:
                    wait_for(visitor.run(made[0], fragment=made[1]))
                    wait_for(visitor.run(fragment=made[1]))
        finally:
            wait_for(visitor.close())


of_a_plan = ("plan", "stop", "goto", "free")
keys = st.sampled_from((*OF_SETTINGS, *OF_PLACE, *of_a_plan, "lang", "guess")) | texts


@hostile
@given(st.sampled_from((*LESSONS, *REFERENCE)), st.dictionaries(keys, texts | numbers.map(str), max_size=6))
def test_links(server, lesson, query):
    visit(server, lesson, query)


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
def test_plans_in_links(server, lesson, plan, query):
    visit(server, lesson, {"plan": write(plan)} | query)


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
def test_messages_of_pictures(server, place, bodies, number):
    def message(body):
        def made(visitor):
            pictures = visitor.pictures()
            if pictures:
                element, fragment, _ = pictures[number % len(pictures)]
                return WidgetState(id=element.id, json_value=json.dumps(body)), fragment

        return made

    lesson, part, topic = place
    link = {"lang": "en", "part": part} | ({"topic": topic} if topic else {})
    visit(server, lesson, link, *map(message, bodies))


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
def test_states_of_widgets(server, place, chosen, data):
    def message(number):
        def made(visitor):
            widgets = [one for one in visitor.elements.values() if one[0] in TYPED]
            kind, element, fragment = widgets[number % len(widgets)]
            field, states = TYPED[kind]
            if kind == "number_input" and element.data_type == element.FLOAT:
                field, states = "double_value", real
            return WidgetState(id=element.id, **{field: data.draw(states)}), fragment

        return made

    lesson, part, topic = place
    link = urlencode({"lang": "en", "part": part} | ({"topic": topic} if topic else {}))
    visit(server, lesson, link, *map(message, chosen))
