"""A vote of the class on a question: opened with one press, answered on phones, shown as bars.

The owner, who has opened the vote, closes it, shows the bars and reveals the answer, here and on all phones.

seat   the owner's and the voters' actions
card   the vote in the card of the question

Only pages that take part in a vote listen to its room. Its data are in pages.room.votes.
"""

from .card import Names, around, ballot, button, draw, entry, hold, introduce, suffix
from .seat import (
    CHANNEL,
    asks_for_name,
    commit,
    current_sight,
    end,
    follow,
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
