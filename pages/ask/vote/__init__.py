"""A vote of the class on a question: opened with one press, answered on phones, shown as bars.

The owner, who has opened the vote, closes it, shows the bars and reveals the answer, here and on all phones.

seat   the owner's and the voters' actions
card   the vote in the card of the question

Only pages that take part in a vote listen to its room. Its data are in pages.room.votes.
"""

from .card import Names, around, ballot, button, draw, entry, hold, suffix
from .seat import (
    CHANNEL,
    commit,
    follow,
    holds,
    is_open,
    lead,
    may_answer,
    results,
    reveal_by_key,
    sight_of,
    takes_part,
    withheld,
)
