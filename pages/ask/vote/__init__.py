"""The room of a class, on the pages of its people: where they are, and votes on a question.

seat      who a visit is in its room, what it sees there, and where its page is
acts      what people do: the owner leads, asks and shows the answer; the others vote
card      the vote in the card of the question
presence  where the people of the room are, with which answers

The rules are in room/rules.py. The card listens to the room; on pages without a vote shell/following does.
"""

from .acts import (
    act,
    catch_up,
    close,
    commit,
    end,
    lead,
    lifetimes,
    publish,
    results,
    resume,
    reveal_by_key,
    welcome,
)
from .card import Names, around, ballot, button, draw, entry, hold, introduce, overview, suffix
from .presence import (
    count,
    count_of,
    is_uncounted,
    note_answer,
    note_place,
    note_target,
    of_class,
    people,
    plan_of,
    remove_idle,
    removed,
    watch_class,
)
from .seat import (
    CHANNEL,
    arrive,
    asks_for_name,
    follow,
    holds,
    is_due,
    is_on,
    is_open,
    keep_up,
    look,
    may_answer,
    note_vote,
    of,
    person,
    sight_of,
    takes_part,
    withheld,
)
