"""The way into a room: the code in a link. Only here codes are looked up and wrong codes counted."""

from pages.model.codes import tidy
from pages.model.entries import SettingsError, short_text
from pages.room.guesses import Guesses
from pages.room.rooms import ROOMS

KEY, FORMER = "room", "vote"  # in a link; old links have the former key
OVERVIEW = "teacher"  # likewise, in the address of the overview, which the room's owner may open

Link = dict[str, str]


def with_room(link: Link, guesses: Guesses) -> tuple[Link, list[SettingsError]]:
    """The link without a code of no room, which is said."""
    others = {key: part for key, part in link.items() if key not in (KEY, FORMER, OVERVIEW)}
    typed = link.get(KEY) or link.get(FORMER) or link.get(OVERVIEW, "")
    try:
        code = tidy(typed)
    except ValueError:  # reported when the link is read
        return others | {KEY: typed}, []
    if not code:
        return others, []
    try:
        ROOMS.enter(code, guesses)
        return others | {KEY: code}, []
    except SettingsError as problem:
        return others, [problem]


def room_of(typed: str, guesses: Guesses) -> str:
    """The code in a typed text, if there is such a room. Raises a SettingsError."""
    try:
        code = tidy(typed)
    except ValueError:
        code = ""
    if not code:
        raise SettingsError("vote_gone", room=short_text(typed.strip()))
    ROOMS.enter(code, guesses)
    return code
