"""What one socket can do to a vote, and that a class that votes at the same time does not notice.

The visitors speak Streamlit's protocol to a server that runs as README says. They have no timers: a phone
looks at a vote again only where the test lets it run.
"""

import asyncio
import json
import secrets
from urllib.parse import urlencode

from streamlit.proto.WidgetStates_pb2 import WidgetState

from pages.draw.texts import Texts
from pages.model.guesses import PER_VISIT
from tests.support.visitor import Visitor, apart

QUESTION = "soft_three"
HOST = {"lang": "en", "example": "cats", "part": "bars"}
OPTIONS = ("exps", "shares", "largest", "equal")


async def press(visitor: Visitor, key: str) -> None:
    _, element, fragment = visitor.widget(key)
    await visitor.run(WidgetState(id=element.id, trigger_value=True), fragment=fragment)


async def look(visitor: Visitor) -> None:
    """The page again, as after a timer."""
    await visitor.run()


def texts(visitor: Visitor) -> str:
    return "\n".join(str(getattr(one, "body", "")) for _, one, _ in visitor.elements.values())


def on_page(visitor: Visitor, key: str) -> bool:
    try:
        visitor.widget(key)
    except LookupError:
        return False
    return True


def component(visitor: Visitor, name: str) -> tuple[object, str]:
    [result] = [one for one in visitor.components() if one[0].component_name == f"attention_{name}"]
    return result


async def take_a_name(visitor: Visitor) -> None:
    """What the browser sends that knows this visitor by another name."""
    memory, fragment = component(visitor, "vote")
    sent = json.dumps({"known": secrets.token_urlsafe(16)})
    await visitor.run(WidgetState(id=memory.id, json_value=sent), fragment=fragment)
    await look(visitor)


async def opened(host: Visitor, question: str = QUESTION) -> str:
    """The code of a vote that is opened on the page of this visitor."""
    await press(host, f"vote_open-{question}")
    [code] = {part.removeprefix("vote=") for part in host.query.split("&") if part.startswith("vote=")}
    return code


def test_a_press_of_a_phone_that_has_not_looked_again_harms_nobody(server):
    async def story():
        t = Texts("en")
        async with Visitor(server) as host, Visitor(server) as phone:
            await host.open(HOST, page="softmax")
            code = await opened(host)
            await phone.open({"vote": code}, page="softmax")
            await host.go("masks")
            assert await opened(host, "causal") == code
            await press(phone, f"ballot-{QUESTION}-shares-1-1")
            assert t("error.vote_late") in texts(phone)
            for act in ("close", "bars", "reveal"):
                await press(host, f"vote_{act}-causal")
                await look(phone)
            assert t("vote.result", count=0) in texts(host)
            await press(host, "vote_end-causal")
            await look(phone)
            assert t("error.vote_gone", room=code) in texts(phone)

    with apart() as wait_for:
        wait_for(story())


def test_a_visit_has_one_voice_however_many_names_it_sends(server):
    async def story():
        async with Visitor(server) as host, Visitor(server) as phone, Visitor(server) as honest:
            await host.open(HOST, page="softmax")
            code = await opened(host)
            await phone.open({"vote": code}, page="softmax")
            for number in range(10):
                await take_a_name(phone)
                await press(phone, f"ballot-{QUESTION}-{OPTIONS[number % 2]}-1-1")
            await honest.open({"vote": code}, page="softmax")
            await press(honest, f"ballot-{QUESTION}-equal-1-1")
            await look(host)
            assert Texts("en")("vote.count", count=2) in texts(host)

    with apart() as wait_for:
        wait_for(story())


def test_a_visit_has_one_room_however_many_names_it_sends(server):
    async def story():
        async with Visitor(server) as hostile:
            await hostile.open(HOST, page="softmax")
            codes = set()
            for _ in range(5):
                codes.add(await opened(hostile))
                await take_a_name(hostile)
                await press(hostile, f"vote_close-{QUESTION}")  # it is still the owner's page
                hostile.query = urlencode(HOST)  # and leaves the vote
                await look(hostile)
            assert len(codes) == 1

    with apart() as wait_for:
        wait_for(story())


def test_the_key_a_reveals_nothing_while_a_vote_is_open(server):
    async def reveal(visitor: Visitor) -> None:
        presenting, fragment = component(visitor, "present")
        sent = json.dumps([{"event": "reveal", "value": QUESTION}])
        events = f"$$STREAMLIT_INTERNAL_KEY_{presenting.id}__events"
        await visitor.run(WidgetState(id=events, json_trigger_value=sent), fragment=fragment)
        await look(visitor)

    async def story():
        why = "each weight is an exponential"
        async with Visitor(server) as host, Visitor(server) as phone:
            await host.open(HOST | {"present": "on"}, page="softmax")
            code = await opened(host)
            await phone.open({"vote": code, "present": "on"}, page="softmax")
            for visitor in (host, phone):
                await reveal(visitor)
                assert why not in texts(visitor)
            assert on_page(host, f"vote_close-{QUESTION}") and on_page(phone, f"ballot-{QUESTION}-exps-1-1")
            await press(host, f"vote_close-{QUESTION}")
            await reveal(phone)
            assert why not in texts(phone)
            await reveal(host)
            await look(phone)
            assert why in texts(host) and why in texts(phone)

    with apart() as wait_for:
        wait_for(story())


def test_one_socket_cannot_guess_codes_quickly(server):
    async def story():
        t = Texts("en")
        async with Visitor(server) as host, Visitor(server) as guesser:
            await host.open(HOST, page="softmax")
            code = await opened(host)
            await guesser.open({"lang": "en"}, page="softmax")
            for number in range(PER_VISIT):
                guesser.query = f"lang=en&vote=X0000{number}"
                await look(guesser)
                assert t("error.vote_gone", room=f"X0000{number}") in texts(guesser)
            guesser.query = f"lang=en&vote={code}"
            await look(guesser)
            assert code in texts(guesser) and t("error.vote_wait", room=code, seconds=0)[:30] in texts(
                guesser
            )
            assert not on_page(guesser, f"ballot-{QUESTION}-exps-1-1")

    with apart() as wait_for:
        wait_for(story())


def test_a_class_behind_one_address_mistypes_and_votes_while_somebody_guesses(server):
    async def student(code: str, number: int) -> None:
        async with Visitor(server) as phone:
            for wrong in range(number % 4):
                await phone.open({"lang": "en", "vote": f"Y{number:03}0{wrong}"}, page="softmax")
                await phone.close()
            await phone.open({"vote": code}, page="softmax")
            await press(phone, f"ballot-{QUESTION}-{OPTIONS[number % 4]}-1-1")
            assert Texts("en")("vote.voted", code=code) in texts(phone)

    async def guess(until: asyncio.Event) -> None:
        async with Visitor(server) as guesser:
            await guesser.open({"lang": "en"}, page="softmax")
            number = 0
            while not until.is_set():
                guesser.query = f"lang=en&vote=Z{number:05}"
                await look(guesser)
                number += 1

    async def story():
        async with Visitor(server) as host:
            await host.open(HOST, page="softmax")
            code, done = await opened(host), asyncio.Event()
            async with asyncio.TaskGroup() as group:
                group.create_task(guess(done))
                async with asyncio.TaskGroup() as school:
                    for number in range(12):
                        school.create_task(student(code, number))
                done.set()
            await look(host)
            assert Texts("en")("vote.count", count=12) in texts(host)

    with apart() as wait_for:
        wait_for(story())
