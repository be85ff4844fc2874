"""One way for every number: however a number comes to the screen, the page is the same."""

import json

import pytest
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from streamlit.testing.v1 import AppTest

from pages.model import edits
from pages.model.entries import MAX_VALUE
from pages.model.link import to_query
from pages.model.state import State
from pages.model.view import View
from pages.shell import early
from tests.support.course import PLACES, gives_blocks, link_of
from tests.support.fresh_numbers import Fresh
from tests.support.picture_data import Pieces
from tests.support.screen import picks, shown
from tests.support.states import start_of
from tests.support.visitor import OK, Visitor, apart

ALL = [(place.lesson, place) for place in PLACES]
# What differs from visit to visit, or says what the visit has done.
OF_THE_VISIT = {"seq", "done", "visit", "stamp", "idle"}
# Places that tell by which changes the learner got the numbers. A link to the numbers has no changes.
TELLS_THE_WAY = {("train_a_head", "optimiser")}
EARLY = [(lesson.name, lesson.parts[0].name) for lesson in early.LESSONS]


def name_of(value: object) -> str:
    return "-".join(filter(None, value)) if isinstance(value, tuple) else str(value)


IN_BLOCKS = [(at.lesson, at) for at in PLACES if gives_blocks(at)]


class Reader(Visitor):
    """A visitor who looks at all of a page, with every answer unfolded."""

    def _draw(self, message: ForwardMsg) -> None:
        super()._draw(message)
        if message.delta.add_block.expandable.id:
            block = message.delta.add_block.expandable
            self.elements[tuple(message.metadata.delta_path)] = ("expander", block, message.delta.fragment_id)

    async def read(self, link: dict | str, page: str, *, answered: bool = True) -> None:
        await self.open(link, page=page, answers=dict(shown(page)) if answered else {})
        begun = self.keys()
        for _, block, fragment in list(self.elements.values()):
            if "-answered-" in getattr(block, "id", ""):
                await self.run(WidgetState(id=block.id, bool_value=True), fragment=fragment)
        assert self.keys() >= begun  # no picture goes

    def keys(self) -> set[str]:
        return {data["key"] for _, _, data in self.pictures()}

    async def drag(self, matrix: str, row: int, col: int, numbers: list[float]) -> dict | None:
        """Each step directly, where the picture asks so, and by a run of the page: the last direct answer."""
        answer = None
        for number in numbers:
            if self.picture_with(matrix)[2]["direct"]:
                answer = await self.hold(matrix, row, col, number)
            await self.edit(matrix, row, col, number, held=True)
        held = self.sees_pictures()
        await self.edit(matrix, row, col, numbers[-1])
        assert held == self.sees_pictures(), "a held number"
        return answer

    def sees(self) -> list[tuple[str, str]]:
        return [self._seen(place) for place in sorted(self.elements) if self._is_seen(place)]

    def sees_pictures(self) -> list[dict]:
        return [of_any_visit(data) for _, _, data in self.pictures()]

    def _is_seen(self, place: tuple[int, ...]) -> bool:
        kind, _, _ = self.elements[place]
        return kind != "empty" and (kind != "bidi_component" or place in self.drawn)

    def _seen(self, place: tuple[int, ...]) -> tuple[str, str]:
        kind, element, _ = self.elements[place]
        if place in self.drawn:
            data, _ = self.drawn[place]
            return kind, json.dumps(of_any_visit(data), sort_keys=True)
        copy = type(element)()
        copy.CopyFrom(element)
        for field in copy.DESCRIPTOR.fields:
            if field.name in ("id", "expanded"):
                copy.ClearField(field.name)
        return kind, str(copy)


def of_any_visit(data: dict) -> dict:
    return {key: data[key] for key in data.keys() - OF_THE_VISIT}


def numbers_on(visitor: Visitor) -> list[dict]:
    matrices = [one for _, _, data in visitor.pictures() for one in data["matrices"]]
    return [one for one in matrices if one["editable"] and one["kind"] not in ("text", "mask")]


@pytest.mark.exhaustive("name")
@pytest.mark.parametrize("answered", (True, False), ids=("answered", "asked"))
@pytest.mark.parametrize(("name", "place"), ALL, ids=name_of)
def test_a_typed_number_a_drag_a_link_an_early_and_a_direct_answer_show_the_same_page(
    name, place, answered, server
):
    async def compare() -> None:
        fresh, state = Fresh(), State(core=start_of(name))
        link = to_query(state, View(), place.place)
        async with Reader(server) as typing, Reader(server) as dragging:
            for visitor in (typing, dragging):
                await visitor.read(link, name, answered=answered)
            for matrix in numbers_on(typing):
                row, col = (matrix["open"] or [(0, matrix["offset"])])[0]
                numbers = [fresh.number(matrix, matrix["values"][row][col - matrix["offset"]]) for _ in "123"]
                await typing.edit(matrix["id"], row, col, numbers[-1])
                answer = await dragging.drag(matrix["id"], row, col, numbers)
                _, _, drawn = dragging.picture_with(matrix["id"])
                assert answer is None or of_any_visit(answer) == of_any_visit(drawn), matrix["id"]
                same = dragging.query == typing.query  # else the end of a drag depends on its way
                if same:
                    assert dragging.sees() == typing.sees(), matrix["id"]
                for visitor in (typing,) if same else (typing, dragging):
                    if matrix["open"] or name == "practice":  # an entry in an exercise is in no link
                        continue
                    async with Reader(server) as other:
                        await other.read(visitor.query, name, answered=answered)
                        if (name, place.part) in TELLS_THE_WAY:
                            assert other.sees_pictures() == visitor.sees_pictures(), matrix["id"]
                        else:
                            assert other.sees() == visitor.sees(), matrix["id"]
                    if (name, place.part) in EARLY:
                        status, content = await visitor.fetch(
                            "GET", f"/early?{visitor.query}&{early.PAGE}={name}"
                        )
                        _, _, drawn = visitor.picture_with(matrix["id"])
                        assert status == OK
                        assert of_any_visit(Pieces().read(content)) == of_any_visit(drawn)

    with apart() as result_of:
        result_of(compare())


@pytest.mark.exhaustive("name")
@pytest.mark.parametrize(("name", "place"), IN_BLOCKS, ids=name_of)
def test_a_choice_in_a_picture_shows_what_a_link_to_it_shows(name, place, server):
    """What can be edited in a part with places is in one: an edit elsewhere would draw the toolbar too."""
    state = State(core=edits.resize(State().core, num_heads=4))
    link = to_query(state, View(), place.place)

    async def choose() -> None:
        async with Reader(server) as visitor, Reader(server) as other:
            await visitor.read(link, name)
            outer = {at for kind, _, at in visitor.elements.values() if kind in ("heading", "page_link")}
            for element, fragment, data in visitor.pictures():
                assert fragment not in outer or not any(one["editable"] for one in data["matrices"])
                for pick in picks(data["matrices"]):
                    sent = json.dumps({"pick": pick})
                    await visitor.run(WidgetState(id=element.id, json_value=sent), fragment=fragment)
            await other.read(visitor.query, name)
            assert visitor.sees() == other.sees()

    with apart() as result_of:
        result_of(choose())


def test_what_is_refused_in_a_place_is_said_until_the_next_edit(server):
    """It is said outside of what an edit draws."""

    async def edit_twice() -> None:
        place = next(place for _, place in IN_BLOCKS if place.part == "alibi")
        async with Reader(server) as visitor:
            await visitor.open(link_of(place), page=place.lesson, answers=dict(shown(place.lesson)))
            for number, alerts in ((MAX_VALUE * 2, 1), (0.5, 0)):
                await visitor.edit("x", 0, 0, number)
                assert sum(kind == "alert" for kind, _ in visitor.sees()) == alerts

    with apart() as result_of:
        result_of(edit_twice())


def refusal_of(case: str) -> str:
    def script(case: str) -> None:
        from dataclasses import replace

        import streamlit as st

        from pages.draw import inputs, live
        from tests.support.states import page_in

        def picture(page):
            inputs.draw_sliders(page, "first_position")
            if case == "more":
                st.markdown("more")
            if case == "two":
                inputs.draw_sliders(page, "position_base")

        def runs_by_itself(page):
            live.fragment(lambda: None, run_every=1)()

        page, places = page_in("order"), live.LivePlaces()
        leaving = replace(page, canvas=places)
        if case == "fragment":
            live.draw(leaving, runs_by_itself)
        else:
            live.picture(leaving, picture)
        st.session_state.problem = ""
        try:
            live.fill(page, places)
        except TypeError as problem:
            st.session_state.problem = str(problem)

    app = AppTest.from_function(script, args=(case,)).run()
    assert not app.exception
    return app.session_state["problem"]


def test_a_place_for_a_picture_takes_one_picture_and_nothing_else():
    assert not refusal_of("one")
    for case, words in {"more": "nothing else", "two": "one picture", "fragment": "no fragment"}.items():
        assert words in refusal_of(case)
