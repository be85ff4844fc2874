"""A vote of the class on a question: opened with one press, answered on phones, shown as bars.

Its owner closes it, shows the bars and reveals the answer. Phones see only what the owner shows.

seat   who takes part: the one who has opened the vote, or one who votes
card   what is in the question's card while there is a vote

Only a page that takes part in a vote looks at it again and again. What is kept of it is in pages.model.votes.
"""

from .card import around, ballot, button, draw, hold, suffix
from .seat import (
    commit,
    follow,
    holds,
    is_open,
    lead,
    may_answer,
    reveal_by_key,
    sight_of,
    takes_part,
    withheld,
)
