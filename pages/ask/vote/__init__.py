"""A vote of the class on a question: opened with one press, answered on phones, shown as bars.

The owner, who has opened the vote, closes it, shows the bars and reveals the answer, here and on all phones.

seat      the owner's and the voters' actions
card      the vote in the card of the question
presence  where the people of the room are, with which answers

The card listens to the room; on pages without a vote shell/following does. The data are in pages.room.votes.
"""

from .card import Names, around, ballot, button, draw, entry, hold, introduce, overview, suffix
from .presence import (
    count,
    count_of,
    is_uncounted,
    note_answer,
    note_place,
    note_target,
    of_class,
    plan_of,
    watch_class,
)
from .seat import (
    CHANNEL,
    asks_for_name,
    catch_up,
    close,
    commit,
    current_sight,
    end,
    holds,
    is_on,
    is_open,
    lead,
    may_answer,
    open_room,
    person,
    results,
    reveal_by_key,
    sight_of,
    stay,
    takes_part,
    withheld,
)
