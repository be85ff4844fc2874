"""A vote of the class on a question: opened with one press, answered on phones, shown as bars.

seat   who takes part: the one who has opened the vote, or one who votes
card   what is in the question's card while there is a vote

Only a page that takes part in a vote looks at it again and again. What is kept of it is in pages.model.votes.
"""

from .card import around, ballot, button, draw
from .seat import commit, follow, may_answer, seen

__all__ = ["around", "ballot", "button", "commit", "draw", "follow", "may_answer", "seen"]
