"""After an edit a page shows what a link to the new numbers shows, whatever of it the edit drew again."""

import json

import pytest
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState

from pages.model import edits
from pages.model.entries import MAX_VALUE
from pages.model.link import to_query
from pages.model.state import State
from pages.model.view import Place, View
from tests.support.course import PLACES, lesson, link_of
from tests.support.fresh_numbers import Fresh
from tests.support.screen import picks, shown
from tests.support.visitor import Visitor, apart

# What the learner enters in an exercise is in no link.
LINKED = [place for place in PLACES if place[0] != "practice"]
LIVE = [place for place in PLACES if lesson(place[0]).part(place[1]).live]
# What differs from visit to visit, or says what the visit has done.
OF_THE_VISIT = {"seq", "done", "visit", "stamp", "idle"}


class Reader(Visitor):
    """A visitor who looks at all of a page, with every answer unfolded."""

    def _draw(self, message: ForwardMsg) -> None:
        super()._draw(message)
        if message.delta.add_block.expandable.id:
            block = message.delta.add_block.expandable
            self.elements[tuple(message.metadata.delta_path)] = ("expander", block, message.delta.fragment_id)

    async def unfold(self) -> None:
        for _, block, fragment in list(self.elements.values()):
            if "-answered-" in getattr(block, "id", ""):
                await self.run(WidgetState(id=block.id, bool_value=True), fragment=fragment)

    def sees(self) -> list[tuple[str, str]]:
        return [self._seen(place) for place in sorted(self.elements) if self._is_seen(place)]

    def _is_seen(self, place: tuple[int, ...]) -> bool:
        kind, _, _ = self.elements[place]
        return kind != "empty" and (kind != "bidi_component" or place in self.drawn)

    def _seen(self, place: tuple[int, ...]) -> tuple[str, str]:
        kind, element, _ = self.elements[place]
        if place in self.drawn:
            data, _ = self.drawn[place]
            return kind, json.dumps({key: data[key] for key in data.keys() - OF_THE_VISIT}, sort_keys=True)
        copy = type(element)()
        copy.CopyFrom(element)
        for field in copy.DESCRIPTOR.fields:
            if field.name in ("id", "expanded"):
                copy.ClearField(field.name)
        return kind, str(copy)


@pytest.mark.exhaustive
@pytest.mark.parametrize("held", (False, True), ids=("typed", "dragged"))
@pytest.mark.parametrize("place", LINKED, ids=lambda place: "-".join(filter(None, place)))
def test_an_edit_shows_what_a_link_to_its_numbers_shows(place, held, server):
    name = place[0]

    async def compare() -> None:
        fresh = Fresh()
        async with Reader(server) as visitor:
            await visitor.open(link_of(place), page=name, answers=dict(shown(name)))
            await visitor.unfold()
            matrices = [one for _, _, data in visitor.pictures() for one in data["matrices"]]
            matrices = [one for one in matrices if one["editable"] and one["kind"] not in ("text", "mask")]
            for matrix in matrices:
                row, col = (matrix["open"] or [(0, matrix["offset"])])[0]
                numbers = [fresh.number(matrix, matrix["values"][row][col - matrix["offset"]]) for _ in "123"]
                for number in numbers if held else ():
                    await visitor.edit(matrix["id"], row, col, number, held=True)
                await visitor.edit(matrix["id"], row, col, numbers[-1])
                async with Reader(server) as other:
                    await other.open(visitor.query, page=name, answers=dict(shown(name)))
                    await other.unfold()
                    assert visitor.sees() == other.sees(), matrix["id"]

    with apart() as result_of:
        result_of(compare())


def test_what_is_refused_in_a_live_part_is_said_until_the_next_edit(server):
    """It is said outside of what an edit draws."""

    async def edit_twice() -> None:
        place = next(place for place in LIVE if place[1] == "alibi")
        async with Reader(server) as visitor:
            await visitor.open(link_of(place), page=place[0], answers=dict(shown(place[0])))
            for number, alerts in ((MAX_VALUE * 2, 1), (0.5, 0)):
                await visitor.edit("x", 0, 0, number)
                assert sum(kind == "alert" for kind, _ in visitor.sees()) == alerts

    with apart() as result_of:
        result_of(edit_twice())


@pytest.mark.parametrize("place", LIVE, ids=lambda place: "-".join(filter(None, place)))
def test_a_choice_in_a_picture_shows_what_a_link_to_it_shows(place, server):
    state = State(core=edits.resize(State().core, num_heads=4))
    link = to_query(state, View(), Place(place[1], topic=place[2]))

    async def choose() -> None:
        async with Reader(server) as visitor:
            await visitor.open(link, page=place[0], answers=dict(shown(place[0])))
            for element, fragment, data in visitor.pictures():
                for pick in picks(data["matrices"]):
                    sent = json.dumps({"pick": pick})
                    await visitor.run(WidgetState(id=element.id, json_value=sent), fragment=fragment)
            async with Reader(server) as other:
                await other.open(visitor.query, page=place[0], answers=dict(shown(place[0])))
                assert visitor.sees() == other.sees()

    with apart() as result_of:
        result_of(choose())


def test_what_can_be_edited_in_a_live_part_is_in_a_place_of_its_own(server):
    """An edit elsewhere would draw the toolbar too."""

    async def compare(place: tuple) -> None:
        async with Reader(server) as visitor:
            await visitor.open(link_of(place), page=place[0], answers=dict(shown(place[0])))
            [toolbar] = {at for kind, _, at in visitor.elements.values() if kind == "heading"}
            for _, fragment, data in visitor.pictures():
                assert fragment != toolbar or not any(one["editable"] for one in data["matrices"]), place

    with apart() as result_of:
        for place in LIVE:
            result_of(compare(place))
