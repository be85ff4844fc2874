"""What one socket can do to a vote: it has one voice and one room, and guesses no code.

The visitors speak Streamlit's protocol to a server that runs as README says. They have no timers: a phone
looks at a vote again only where the test lets it run.
"""

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
