"""A class follows over the wire, on both stores: drags, scenes, and what strangers get to know."""

import asyncio
import functools
import json

import pytest

from tests.room.test_over_the_wire import fragile, leave, school, wait_for  # noqa: F401
from tests.support.classroom import LESSON, Person, together

pytestmark = pytest.mark.slow
FIRST = ("x", 0, 0)


def shown(picture: dict, matrix: str = "x") -> float:
    [values] = [part["values"] for part in picture["matrices"] if part["id"] == matrix]
    return values[0][0]


def on_page(person: Person) -> float | None:
    """The first cell of X; None while the page is being drawn."""
    pictures = [data for _, _, data in person.pictures()]
    return next(
        (shown(data) for data in pictures if any(part["id"] == "x" for part in data["matrices"])), None
    )


async def in_class(address: str, languages: tuple[str, ...]) -> tuple[Person, list[Person], str]:
    """A teacher who leads, and followers with these languages."""
    host, people = Person(address), [Person(address) for _ in languages]
    code = await host.lead()
    await together(
        [person.enter(code, lang=language) for person, language in zip(people, languages, strict=True)]
    )
    for person in people:
        await person.until(lambda person=person: person.led.get("follows"))
    return host, people, code


def test_a_drag_reaches_all_followers_in_their_languages_and_its_end_their_pages(school, wait_for):  # noqa: F811
    async def drag() -> None:
        host, people, _ = await in_class(school.address, ("en", "zh", "zh", "en"))
        await together([asyncio.wait_for(_listens(person), 60) for person in people])
        for value in (1.5, 2.5, 3.5):
            await host.hold(*FIRST, value)
        for person in people:
            await person.until(lambda person=person: person.moved and shown(person.moved) == 3.5)
            async with person.turn:
                assert on_page(person) == 1.0  # no run
        titles = {json.dumps(person.moved["texts"], sort_keys=True) for person in people}
        assert len(titles) == 2 and {person.moved["visit"] for person in people} == {""}
        # What no picture sends goes to nobody, and stops nothing.
        question = host.question(*FIRST, 4.0) | {"more": functools.reduce(lambda deep, _: [deep], range(300))}
        assert (await host.post(json.dumps(question).encode()))[0] == 200
        for person in people:
            await person.until(lambda person=person: shown(person.moved) == 4.0)
        await host.edit(*FIRST, 4.5)
        for person in people:
            await person.until(lambda person=person: on_page(person) == 4.5)
        await leave(host, *people)

    wait_for(drag())


async def _listens(person: Person) -> None:
    while person.statuses[-1:] != [200] or not person.heard:
        await asyncio.sleep(0.05)


def test_a_late_phone_and_one_that_left_get_what_they_should(school, wait_for):  # noqa: F811
    async def look() -> None:
        host, (ann,), code = await in_class(school.address, ("en",))
        await ann.press("class_leave")
        await host.edit(*FIRST, 4.5)
        late = Person(school.address)
        await late.enter(code)
        assert on_page(late) == 4.5
        await together([asyncio.wait_for(_listens(person), 60) for person in (ann, late)])
        await host.hold(*FIRST, 5.5)
        await late.until(lambda: late.moved and shown(late.moved) == 5.5)
        assert not ann.moved and on_page(ann) != 4.5
        await ann.press("class_follow")
        assert on_page(ann) == 4.5
        await leave(host, ann, late)

    wait_for(look())


def test_nobody_but_the_owner_leads_and_no_stranger_hears_of_it(school, wait_for):  # noqa: F811
    async def try_it() -> None:
        host, (ann, hostile), _ = await in_class(school.address, ("en", "en"))
        stranger = Person(school.address)
        await stranger.open({"lang": "en"}, page=LESSON)
        for key in ("class_copy", "class_stop", "class_lead"):
            with pytest.raises(LookupError):
                hostile.widget(key)
        await together([asyncio.wait_for(_listens(person), 60) for person in (ann, hostile)])
        # A follower's own drag goes to nobody else, with any key and number.
        question = hostile.question(*FIRST, 9.0)
        assert (await hostile.post(json.dumps(question | {"serial": 1}).encode()))[0] == 200
        await host.hold(*FIRST, 2.0)
        await ann.until(lambda: ann.moved and shown(ann.moved) == 2.0)
        assert sum(kind == "moved" for kind, _ in ann.heard) == 1
        await leave(host, ann, hostile, stranger)

    wait_for(try_it())
