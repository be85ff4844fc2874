"""The rules of a room, without a store and without Streamlit: what its owner does, and what each person sees.

A room has one document. Its scene is the place and the numbers on the owner's page, and the class is there:
each phone opens the newest scene, in its own language. A vote is on a question of the scene. While the vote
is open the scene stays, wherever the owner looks; then the owner closes it, shows the bars and reveals the
answer, in three acts, and the class stays at the question until the owner's page shows something else.

    room                  who                  the page shows
    -------------------   ------------------   ------------------------------------------------------
    no scene, or ended    anybody              its own place and numbers
    no scene, a plan      who comes by its     the plan of the owner's page, at its first stop and without
                          link               notes, to be walked alone
    leads                 the owner            its own place and numbers, which are the scene
    leads                 who follows, a late  the scene
                          comer, a reload
    leads                 who has left         its own place and numbers, and a way back
    a vote begins         who has left         the scene: a vote brings everybody
    the vote is open      who follows          the scene, whose numbers rest; the options, to choose
    the vote is open      who leaves now       nothing but the way back, until the answer
    closed, bars          who follows          the scene, the options, the own choice, no answer
    the answer            who follows          the scene, the own choice and the verdict
    the owner goes on     who follows          the next scene; the open question has no answer there
    the owner goes on     who leaves now       its own place and numbers; likewise
    the room has gone     anybody              its own place and numbers, and a sentence that says so
    no newcomers          who was here         as before
    no newcomers          a newcomer           its own place and numbers, and a sentence that says so
    removed               who comes back       what a newcomer sees

A round of a vote is a topic of the store, whose name has the numbers of the vote and of the round: a vote
that comes too late finds no open topic, and a vote that is sent twice counts once.
"""

import functools
import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any, Literal

import orjson

from pages.model.ballots import Form, NumberForm, form_of, written
from pages.model.entries import SettingsError

from .reading import fact_of, made, reading
from .store import CHANGED, LIFETIMES, MAX_PEOPLE, MAX_TOPICS, Event, Room

MAX_VOTERS = MAX_PEOPLE  # in one round
MAX_TEXT = 600  # characters of a question's or an answer's words
MAX_ANSWERS = 8  # typed answers in the distribution: the most frequent ones
OTHERS = ""  # in the distribution: all other answers
KEPT_ROUNDS = 2  # that are shown
EARLIER = 30  # votes before the present one whose rounds the room keeps, until it ends
TOPIC = re.compile(r"\bvote-([0-9]{1,9})-")  # of a round
HERE = "here"  # topic: who is in the room, see attendance.py
STAYS = tuple(LIFETIMES)
DISCUSS = 0.3, 0.7  # peer instruction: between these shares of right votes a discussion pays

Counts = tuple[tuple[str, int], ...]
Ticket = tuple[int, int, str]  # serial number of the vote, round, question


# ---- the document


@dataclass(frozen=True)
class Scene:
    """What the owner's page shows. query: as in a link. shown: the questions whose answers are shown."""

    lesson: str
    query: Mapping[str, str]
    shown: tuple[str, ...] = ()
    serial: int = 0

    def is_like(self, other: "Scene | None") -> bool:
        """Whether both show the same."""
        return other is not None and replace(other, serial=self.serial) == self


@dataclass(frozen=True)
class Vote:
    """A vote, as the room keeps it."""

    serial: int  # of the vote, from 1
    lesson: str
    question: str
    form: Any  # of an answer, as JSON
    scene: int = 0  # the serial number of the scene that it is about
    round: int = 1
    bars: bool = False
    revealed: bool = False
    times: tuple[tuple[float, float], ...] = ()  # of each round: opened, and closed or 0
    title: str = ""  # of the question, as the owner has read it
    told: Mapping[str, str] = field(default_factory=dict)  # answer → its text, likewise
    right: tuple[str, ...] = ()  # of these answers; for the results alone
    secret: str = ""  # what the scene must not say before the answer is revealed

    @property
    def ticket(self) -> Ticket:
        return self.serial, self.round, self.question

    @property
    def topics(self) -> list[str]:
        """Of all rounds."""
        return [topic_of(self.serial, number) for number in range(1, self.round + 1)]

    @property
    def topic(self) -> str:
        return self.topics[-1]


def topic_of(serial: int, number: int) -> str:
    """The topic of a round."""
    return f"vote-{serial}-{number}"


@dataclass(frozen=True)
class RoomPlan:
    """The owner's plan as a link has it, and the time at which the owner has opened the room's first page."""

    text: str = ""
    begun: float = 0.0


@dataclass(frozen=True)
class RoomDocument:
    """The facts of a room. What cannot be read, from another version, is as if it were not there."""

    scene: Scene | None = None
    leads: bool = False  # the class is at the scene
    copies: int = 0  # that everybody has got
    copied: Scene | None = None  # the last of them
    vote: Vote | None = None
    plan: RoomPlan = RoomPlan()
    newcomers: bool = True  # may come
    stays: str = STAYS[0]  # how long the room stays after the owner's last act, see store.LIFETIMES

    @property
    def is_asking(self) -> bool:
        """Whether the class is at a question whose answer is not revealed."""
        vote, scene = self.vote, self.scene
        return vote is not None and not vote.revealed and scene is not None and scene.serial == vote.scene


def document(room: Room) -> RoomDocument:
    """The document of a room."""
    read: dict[str, Callable[[Any], Any]] = {"vote": _vote, "scene": _scene, "copied": _scene, "plan": _plan}
    read["stays"] = {name: name for name in STAYS}.__getitem__
    found: dict[str, Any] = {}
    for part in fields(RoomDocument):
        kept = room.facts.get(part.name)
        if kept is not None:
            entry = functools.partial(
                read.get(part.name, functools.partial(fact_of, RoomDocument, part.name)), kept
            )
            found[part.name] = reading(part.name, entry, part.default)
    return RoomDocument(**found)


def _plan(kept: Any) -> RoomPlan:
    return made(RoomPlan, kept)


def _scene(kept: Any) -> Scene:
    return made(Scene, {**kept, "shown": tuple(kept["shown"])})


def _vote(kept: Any) -> Vote:
    vote = made(Vote, kept)
    if not 1 <= vote.round <= MAX_TOPICS or len(vote.times) != vote.round:
        raise ValueError
    times = tuple((opened, closed) for opened, closed in vote.times)
    form = form_of(vote.form)
    hash(form), form.takes("0"), form.takes("0_0")  # raise if its facts are of other types
    return replace(vote, right=tuple(vote.right), times=times)


def past(room: Room) -> list[Vote]:
    """The votes before the present one."""
    kept = room.facts.get("past", ())
    ones = kept if isinstance(kept, list) else []
    votes = [reading("vote", functools.partial(_vote, one), None) for one in ones]
    return [vote for vote in votes if vote is not None]


def _having(room: Room, **facts: Any) -> Room:
    """The room with these parts of its document."""
    written = {
        name: asdict(fact) if isinstance(fact, (Scene, Vote, RoomPlan)) else fact
        for name, fact in facts.items()
    }
    return room.having(**orjson.loads(orjson.dumps(written)))  # as the store gives it back, to be compared


def is_open(room: Room) -> bool:
    """Whether people may vote now."""
    vote = document(room).vote
    return vote is not None and bool(room.topics.get(vote.topic))


def state_of(room: Room) -> dict[str, Any]:
    """What a page compares to know whether it has to be drawn again: scene, copies, and stage of the vote.

    scene: its serial number, 0 if the class is nowhere.
    """
    now = document(room)
    vote, stage = now.vote, ""
    if vote is not None:
        opened = bool(room.topics.get(vote.topic))
        stage = f"{vote.serial} {vote.round} {opened:d}{vote.bars:d}{vote.revealed:d}"
    return {"scene": now.scene.serial if now.leads and now.scene else 0, "copies": now.copies, "vote": stage}


def news(before: Room, after: Room) -> Event:
    """What the pages in the room hear of a change: all of them if they show something else now."""
    state = state_of(after)
    return Event(CHANGED, state, for_owner=state == state_of(before))


# ---- what the owner does: each act takes the room and returns it


Act = Callable[[Room], Room]


def leads(scene: Scene) -> Act:
    """The class follows from now on. While it votes it stays at the question."""
    return lambda room: room if is_open(room) else _led(room, scene)


def _led(room: Room, scene: Scene) -> Room:
    return _at(_having(room, leads=True), scene)


def shows(scene: Scene) -> Act:
    """The owner's page shows this; the class goes there unless a vote is open."""

    def act(room: Room) -> Room:
        return _at(room, scene) if document(room).leads and not is_open(room) else room

    return act


def _at(room: Room, scene: Scene) -> Room:
    before = document(room).scene
    if scene.is_like(before):
        return room
    return _having(room, scene=replace(scene, serial=1 if before is None else before.serial + 1))


def stops(room: Room) -> Room:
    """The class follows no longer. A later scene has another number: no page takes it for this one."""
    scene = document(_closed(room)).scene
    return (
        room if scene is None else _having(room, leads=False, scene=replace(scene, serial=scene.serial + 1))
    )


def copies(room: Room) -> Room:
    """Everybody gets the numbers of the present scene."""
    now = document(room)
    return room if now.scene is None else _having(room, copied=now.scene, copies=now.copies + 1)


def plans(text: str, moment: float) -> Act:
    """The owner's page has this plan."""

    def act(room: Room) -> Room:
        begun = document(room).plan.begun or moment
        room = room if HERE in room.topics else room.opening(HERE, MAX_PEOPLE)
        return _having(room, plan=RoomPlan(text, begun))

    return act


def welcomes(on: bool, people: int) -> Act:
    """Newcomers may come, or only those who are here already: so many people."""
    return lambda room: _having(room, newcomers=on).opening(HERE, MAX_PEOPLE if on else max(people, 1))


def stays(name: str) -> Act:
    """The room stays so long after the owner's last act."""
    return lambda room: _having(room, stays=name)


def asks(scene: Scene, question: str, form: Form, moment: float, secret: str = "") -> Act:
    """Opens a vote on a question of this scene, after the last vote; everybody comes to it.

    form: of the answers. secret: see Vote.
    """

    def act(room: Room) -> Room:
        last, former = document(room).vote, past(room)
        numbers = [int(number) for number in TOPIC.findall(" ".join(room.topics))]
        serial = 1 + max(numbers, default=0)  # no vote has words of another one, whatever was read
        if last is not None:
            former = [*former, replace(last, secret="")][-EARLIER:]
        room = _led(room, scene)
        at = document(room).scene
        vote = Vote(serial, scene.lesson, question, written(form), at.serial if at else 0, secret=secret)
        vote = replace(vote, times=((moment, 0.0),))
        kept = {topic for one in former for topic in one.topics}
        topics = {topic: 0 if topic.startswith("vote-") else most for topic, most in room.topics.items()}
        topics = {topic: most for topic, most in topics.items() if most or topic in kept}
        room = replace(room, topics={HERE: MAX_PEOPLE} | topics).opening(vote.topic, MAX_VOTERS)
        return _having(room, vote=vote, past=list(map(asdict, former)))

    return act


def closes(
    counts: Counts, moment: float, title: str, tell: Callable[[str], str], is_right: Callable[[str], bool]
) -> Act:
    """Ends the round, without showing anything.

    counts: of its votes. title, tell, is_right: the words of the question and of an answer, and whether it is
    right, for the results.
    """

    def change(room: Room, vote: Vote) -> tuple[Room, Vote]:
        names = [answer for answer, _ in counts if answer != OTHERS]
        told = {**vote.told, **{answer: tell(answer)[:MAX_TEXT] for answer in names}}
        right = tuple(dict.fromkeys((*vote.right, *filter(is_right, names))))
        *former, (opened, _) = vote.times
        times = (*former, (opened, moment))
        kept = title[:MAX_TEXT] or vote.title
        return room.closing(vote.topic), replace(vote, times=times, title=kept, told=told, right=right)

    return _on_vote(change)


def shows_bars(room: Room) -> Room:
    """Shows the distributions to all."""
    return _on_vote(lambda room, vote: (_closed(room), replace(vote, bars=True)))(room)


def reveals(room: Room) -> Room:
    """Shows the answer to all."""
    return _on_vote(lambda room, vote: (_closed(room), replace(vote, revealed=True)))(room)


def asks_again(scene: Scene, moment: float) -> Act:
    """Starts another round on the same question, which hides bars and answer. scene: of the question now."""

    def change(room: Room, vote: Vote) -> tuple[Room, Vote]:
        if room.topics.get(vote.topic):
            return room, vote
        room = _led(room, scene)
        at = document(room).scene
        times = (*vote.times, (moment, 0.0))
        vote = replace(vote, round=vote.round + 1, scene=at.serial if at else 0, times=times)
        vote = replace(vote, bars=False, revealed=False)
        return room.opening(vote.topic, MAX_VOTERS), vote

    return _on_vote(change)


def _on_vote(change: Callable[[Room, Vote], tuple[Room, Vote]]) -> Act:
    def act(room: Room) -> Room:
        vote = document(room).vote
        if vote is None:
            raise SettingsError("vote_gone", room=room.code)
        room, vote = change(room, vote)
        return _having(room, vote=vote)

    return act


def _closed(room: Room) -> Room:
    if is_open(room):
        raise SettingsError("vote_open")
    return room


# ---- what each person sees


@dataclass(frozen=True)
class VoteSight:
    """One person's view of a vote."""

    code: str
    lesson: str
    form: Form
    ticket: Ticket
    open: bool
    bars: bool  # the distributions are shown to all
    revealed: bool  # the answer is shown to all
    count: int  # of votes in this round
    choice: str | None  # the person's own in this round
    mine: bool  # the person is the owner
    rounds: tuple[Counts, ...] = ()  # the distributions of the last rounds; empty unless they are shown
    again: bool = False  # the owner had better ask again, see advice

    @property
    def serial(self) -> int:
        return self.ticket[0]

    @property
    def round(self) -> int:
        return self.ticket[1]

    @property
    def question(self) -> str:
        return self.ticket[2]

    @property
    def topic(self) -> str:
        return topic_of(self.serial, self.round)

    @property
    def stage(self) -> tuple[object, ...]:
        """The part of the state that the owner changes."""
        return self.code, *self.ticket, self.open, self.bars, self.revealed

    @property
    def full(self) -> bool:
        """Whether nobody else can vote in this round."""
        return self.count >= MAX_VOTERS

    @property
    def asks(self) -> bool:
        """Whether the person may vote now."""
        return self.open and not self.mine

    @property
    def discusses(self) -> bool:
        """Whether the person sees the options and the own choice, and no answer."""
        return not self.open and not self.mine and not self.revealed


@dataclass(frozen=True)
class Sight:
    """One person's view of a room. vote: the present or the last one."""

    code: str
    mine: bool
    state: Mapping[str, Any]
    document: RoomDocument
    vote: VoteSight | None

    @property
    def scene(self) -> Scene | None:
        """Where the class is; None if it is nowhere."""
        return self.document.scene if self.document.leads else None


Where = Literal["own", "scene", "held"]


def where(sight: Sight, *, follows: bool) -> Where:
    """What the page of this person shows (see the table above). follows: the person has not left the class.

    own: the place and the numbers of the page. held: nothing but the way to the class.
    """
    if sight.mine or sight.scene is None:
        return "own"
    if follows:
        return "scene"
    return "held" if sight.document.is_asking else "own"


def counts_of(form: Form, votes: Mapping[str, str]) -> Counts:
    """The number of votes for each option or cell; of numbers, for the most frequent ones, in order."""
    counted = Counter(votes.values())
    if form.options:
        return tuple((option, counted[option]) for option in form.options)
    limit = MAX_ANSWERS if isinstance(form, NumberForm) else len(counted)  # a picture has room for all cells
    ranked = sorted(counted.items(), key=lambda pair: (-pair[1], pair[0]))
    others = sum(count for _, count in ranked[limit:])
    shown = sorted(ranked[:limit], key=lambda pair: (len(pair[0]), pair[0]))
    return (*shown, (OTHERS, others)) if others else tuple(shown)


def advice(vote: Vote, counts: Counts) -> tuple[float, bool] | None:
    """The share of right votes in the round, and whether a second vote after a discussion pays.

    None without votes, and once the class sees the bars or the answer.
    """
    total = sum(count for _, count in counts)
    if not total or vote.bars or vote.revealed:
        return None
    share = sum(count for answer, count in counts if answer in vote.right) / total
    return share, vote.round == 1 and DISCUSS[0] <= share <= DISCUSS[1]
