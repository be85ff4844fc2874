"""The way into a vote: its code in a link. Only here a code is looked up, and wrong codes are counted."""

from pages.model.entries import SettingsError
from pages.model.guesses import Guesses
from pages.model.votes import VOTES, tidy

Link = dict[str, str]


def with_vote(link: Link, guesses: Guesses) -> tuple[Link, list[SettingsError]]:
    """The link with the parts of what is voted on. A code that opens no vote is left out, with the reason."""
    try:
        code = tidy(link.get("vote", ""))
    except ValueError:  # said where the link is read
        return link, []
    if not code:
        return link, []
    try:
        return with_setup(link, VOTES.enter(code, guesses)), []
    except SettingsError as problem:
        return {key: part for key, part in link.items() if key != "vote"}, [problem]


def with_setup(link: Link, setup: Link) -> Link:
    """The link, and what is voted on unless the link has numbers of its own."""
    return link if "example" in link else setup | link
