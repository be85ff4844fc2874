"""What a page showed in one state, as plain data: checkers look at it, and two commits are compared by it."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from pages.model.course import Location
from pages.model.view import Place
from tests.support.elements import Element, elements, is_picture
from tests.support.example_states import DRAWN, Case
from tests.support.screen import clicked, open_page, said, visit

OF_THE_VISIT = {"seq", "done", "visit", "stamp", "idle"}


@dataclass
class Record:
    """A place in one state."""

    place: Location
    language: str
    case: Case
    elements: list[Element]
    faults: list[str]  # exceptions, errors, and whether the state is another than before
    said: str
    link: dict[str, str]
    clicks: list[tuple[dict, str]] = field(default_factory=list)  # what is picked, what follows

    def of(self, *kinds: str) -> list[Element]:
        return [one for one in self.elements if one.kind in kinds]

    def texts(self, *kinds: str) -> list[str]:
        return [one.text for one in self.of(*kinds)]

    @property
    def pictures(self) -> list[dict]:
        return [one.data for one in self.of("bidi_component") if is_picture(one)]

    def write(self, folder: Path) -> None:
        """One file, a line for each element and each matrix."""
        name = "-".join(filter(None, (*self.place, self.language, self.case.name)))
        rows = [
            {"link": self.link, "faults": self.faults, "clicks": self.clicks},
            *(row for element in self.elements for row in _rows(element)),
        ]
        text = "\n".join(json.dumps(row, ensure_ascii=False, sort_keys=True, default=str) for row in rows)
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{name.replace(' ', '_')}.jsonl").write_text(text + "\n", "utf-8")


def _rows(element: Element) -> Iterator[dict]:
    row = vars(element)
    if is_picture(element):
        data = {key: value for key, value in element.data.items() if key not in OF_THE_VISIT}
        matrices = data.pop("matrices")
        yield row | {"data": data}
        yield from ({"matrix": one["id"], **one} for one in matrices)
    else:
        yield row | {"data": _of_any_visit(element.data)}


def _of_any_visit(data: object) -> object:
    if isinstance(data, list):
        return [_of_any_visit(one) for one in data]
    if isinstance(data, dict):
        return {key: _of_any_visit(value) for key, value in data.items() if key not in OF_THE_VISIT}
    return data


def record(place: Location, language: str, case: Case, *, clicks: bool = False) -> Record:
    """The place, opened once in this state; clicks: and all that can be clicked in its pictures."""
    app = open_page(
        place.lesson,
        case.state,
        case.view(place.lesson, language),
        Place(place.part, step=case.step, topic=place.topic),
    )
    every = list(elements(app))
    drawn = [one.data for one in every if is_picture(one)]
    faults = [one.message for one in app.exception] + [one.value for one in app.error]
    rounded = case.kind == DRAWN  # the link has fewer digits
    if not app.exception and not rounded and visit(app).state != case.state:
        faults.append("the state is another one after the page was drawn")
    link = {key: app.query_params[key] for key in app.query_params}
    result = Record(place, language, case, every, faults, said(app, drawn), link)
    if clicks and not faults:
        result.clicks += clicked(app)
    return result
