"""Half a character, as JSON can have it, is refused wherever a text comes in: nobody can send or show it."""

import contextlib
import io
import json
from dataclasses import replace

import numpy as np
import pytest

from pages.draw.component import Inbound
from pages.draw.messages import sentence
from pages.draw.texts import Texts
from pages.lessons.worked_examples import documents
from pages.model import ballots, edits, files, handout, progress
from pages.model.entries import Refusal, SettingsError, parse_number, parse_token, short_text
from pages.model.languages import LANGUAGES
from pages.model.link import to_query
from pages.model.settings import Settings
from pages.model.state import State
from pages.model.view import Place, View
from pages.picture import Matrix
from tests.support.course import COURSE, from_query

HALVES = ("\ud800", "a\udfffb", "\udc00\ud800")
in_each_way = pytest.mark.parametrize("half", HALVES, ids=ascii)
STATE = json.loads(files.write_state("one_head", State(), View(), Place()))


def is_clean(*problems: SettingsError) -> bool:
    """What is said of it can be sent."""
    return all(sentence(Texts(language), one).encode() for one in problems for language in LANGUAGES)


@in_each_way
@pytest.mark.parametrize(
    "entries",
    [
        lambda half: {"typed": half},
        lambda half: {half: "1"},
        lambda half: {"x": [[half]]},
        lambda half: {"tokens": ["a", half]},
        lambda half: {"tokens": f"a,b,{half}"},
        lambda half: {"part": half, "step": half, "cell": f"{half},1,1"},
        lambda half: {"plan": half},
        lambda half: {"vote": half},
    ],
)
def test_in_a_file_and_in_a_link(half, entries):
    document = STATE | {"state": {"lang": "en", "example": "cats"} | entries(half)}
    with pytest.raises(SettingsError) as problem:
        files.read("a.json", json.dumps(document).encode(), "x")
    assert problem.value.code == "file_unreadable" and is_clean(problem.value)
    with io.BytesIO() as file:
        np.savez(file, x=np.eye(4), state=np.frombuffer(json.dumps(document).encode(), np.uint8))
        with pytest.raises(SettingsError):
            files.read("a.npz", file.getvalue(), "x")
    query = {key: half if isinstance(value, list) else value for key, value in entries(half).items()}
    state, view, place, problems = from_query(query)
    assert problems and is_clean(*problems)
    assert all((key + text).encode() for key, text in to_query(state, view, place).items())


@in_each_way
def test_in_an_array_of_names(half):
    with io.BytesIO() as file:
        np.savez(file, x=np.eye(4)[:3], tokens=np.array(["a", "b", half]))
        content = file.getvalue()
    with contextlib.suppress(SettingsError):
        brought = files.read("a.npz", content, "x")
        assert all(one.encode() for one in files.with_matrices(Settings(), brought.matrices).tokens)
    for read in (parse_number, parse_token):
        with contextlib.suppress(SettingsError):
            assert str(read(half)).encode()
    assert short_text(half).encode()
    with pytest.raises(SettingsError) as problem:
        files.with_matrices(Settings(), {"x": [[half] * 4] * 3})
    assert is_clean(problem.value)


@in_each_way
def test_in_what_the_browser_keeps(half):
    good = {"parts": ["one_head/picture"], "places": {"one_head": "lang=en&part=picture"}, "name": "a"}
    damaged = [
        {"name": half},
        {"last": half},
        {"parts": [*good["parts"], half]},
        {"places": good["places"] | {"masks": f"part={half}", half: "part=a"}},
        *({kind: {"swap": half, half: 1}} for kind in ("options", "answers", "exercises", "typed")),
    ]
    recalled = progress.read(json.dumps(good), COURSE)
    assert recalled.parts and recalled.places
    for entries in damaged:
        assert progress.read(json.dumps(good | entries), COURSE) == recalled
        assert progress.read_tab(json.dumps(good | entries), COURSE) == progress.OfTab()


@in_each_way
def test_in_an_edit(half):
    x = Matrix("x", "X", ["a"], ["1"], [[1.0]]).to_edit(names="tokens", col_names="dimensions")
    message = {"seq": 1, "gesture": 1, "held": False, "edits": []}
    for matrix in ("tokens", "dimensions"):
        entry = {"matrix": matrix, "row": 0, "text": half}
        assert Inbound([x]).read("edit", message | {"edits": [entry]}) == message
        with contextlib.suppress(SettingsError):
            assert repr(edits.RENAMES[matrix](Settings(), 0, half)).encode()
    assert Inbound([x]).read("edit", message | {"still": half}) is None


@in_each_way
def test_in_a_ballot_a_plan_and_a_document(half):
    for form in (ballots.OptionsForm(("a",)), ballots.NumberForm(9), ballots.CellForm(1, 1)):
        assert not form.takes(half)
    for plan in (
        handout.Plan((handout.Stop("one_head"),), half),
        handout.Plan((replace(handout.Stop("one_head"), note=half),)),
        handout.Plan((handout.Stop("one_head", locked=(half,)),)),
    ):
        with pytest.raises(SettingsError):
            handout.check_plan("plan", plan, None)
    for content in ({"tokens": [half], "Q": [[1]]}, {half: [[1]]}, {"Q": [[half]]}):
        with contextlib.suppress(Refusal):
            documents.written(documents.read(json.dumps(content))).encode()
