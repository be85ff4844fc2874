"""What a class follows: the place, the numbers, the step and the cell on the screen of the room's owner.

The owner's page writes each change as a scene with a serial number: a link without the language, and the
questions whose answers the page shows. A follower's page opens the newest scene, so that scenes may be
skipped. While the owner drags a number, the edits are an event that nothing keeps (see shell/following.py).
"""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from .reading import made, reading
from .store import Change, Event, Room, Store

PRESENT, COPY = "scene", "copy"  # facts of the room
SCENE = "scene"  # kind of event: what the class follows has changed; its data is the state (see `state_of`)
MOVED = "moved"  # kind of event: the owner drags numbers
HERE = "here"  # kind of event: the owner's page is there


@dataclass(frozen=True)
class Scene:
    """What the owner's page shows.

    query: as in a link. shown: the questions whose answers are shown. on: the class follows it.
    """

    lesson: str
    query: Mapping[str, str]
    shown: tuple[str, ...] = ()
    serial: int = 0
    on: bool = True

    def is_like(self, other: "Scene | None") -> bool:
        """Whether both show the same."""
        return other is not None and replace(other, serial=self.serial) == self


@dataclass(frozen=True)
class Lead:
    """One person's view of what the class follows. scene: None if it follows nothing."""

    code: str
    mine: bool
    state: tuple[int, int]
    version: int  # of the room's record
    scene: Scene | None
    copy: Scene | None  # what everybody has got a copy of last; its serial number counts the copies


def look(store: Store, code: str, person: str) -> Lead | None:
    """None if the room does not exist. Raises Away."""
    room = store.seen(code)
    if room is None:
        return None
    scene = _scene(room, PRESENT)
    present = scene if scene is not None and scene.on else None
    return Lead(code, room.is_of(person), state_of(room), room.version, present, _scene(room, COPY))


def state_of(room: Room | None) -> tuple[int, int]:
    """The serial number of the scene that the class follows, 0 if it follows none; the number of copies."""
    scene, copied = (None if room is None else _scene(room, fact) for fact in (PRESENT, COPY))
    return scene.serial if scene is not None and scene.on else 0, 0 if copied is None else copied.serial


def has_led(room: Room | None) -> bool:
    """Whether the class has ever followed the owner."""
    return room is not None and PRESENT in room.facts


def begin(store: Store, code: str, owner: str, scene: Scene) -> Scene:
    """The class follows from now on. Raises RoomError."""
    return _write(store, code, owner, lambda room: _after(room, replace(scene, on=True)))


def show(store: Store, code: str, owner: str, scene: Scene) -> Scene:
    """The owner's page shows this; the class follows if it follows at all. Raises RoomError."""

    def shown(room: Room) -> Scene | None:
        before = _scene(room, PRESENT)
        return _after(room, scene) if before is not None and before.on else before

    return _write(store, code, owner, shown)


def end(store: Store, code: str, owner: str) -> None:
    """The class follows no longer. Raises RoomError."""

    def ended(room: Room) -> Room:
        before = _scene(room, PRESENT)
        return room if before is None else room.having(**{PRESENT: asdict(replace(before, on=False))})

    _change(store, code, owner, ended)


def copy(store: Store, code: str, owner: str) -> None:
    """Everybody gets the numbers of the present scene. Raises RoomError."""

    def copied(room: Room) -> Room:
        scene, before = _scene(room, PRESENT), _scene(room, COPY)
        if scene is None:
            return room
        number = 1 if before is None else before.serial + 1
        return room.having(**{COPY: asdict(replace(scene, serial=number))})

    _change(store, code, owner, copied)


def _write(store: Store, code: str, owner: str, after: Callable[[Room], Scene | None]) -> Scene:
    """Writes the scene unless it is the present one; returns the present one."""
    room = store.owned(code, owner)
    before, scene = _scene(room, PRESENT), after(room)
    if scene is not None and scene.is_like(before):
        scene = before
    elif scene is not None:
        scene = _scene(_change(store, code, owner, lambda room: _having(room, after(room))), PRESENT)
    return scene if scene is not None else Scene("", {}, on=False)


def _change(store: Store, code: str, owner: str, change: Change) -> Room:
    """Changes the room, with an event for the pages that follow."""
    state = state_of(change(store.owned(code, owner)))
    return store.change(code, owner, change, Event(SCENE, list(state)))


def _having(room: Room, scene: Scene | None) -> Room:
    return room if scene is None else room.having(**{PRESENT: asdict(scene)})


def _after(room: Room, scene: Scene) -> Scene:
    before = _scene(room, PRESENT)
    return replace(scene, serial=1 if before is None else before.serial + 1)


def _scene(room: Room, fact: str) -> Scene | None:
    kept: Any = room.facts.get(fact)
    if kept is None:
        return None
    return reading("scene", lambda: made(Scene, {**kept, "shown": tuple(kept["shown"])}), None)
