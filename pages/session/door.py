"""The way into a vote: the code in a link. Only here codes are looked up and wrong codes counted."""

from pages.model.entries import SettingsError
from pages.model.guesses import Guesses
from pages.model.votes import VOTES, tidy

Link = dict[str, str]


def with_vote(link: Link, guesses: Guesses) -> tuple[Link, list[SettingsError]]:
    """The link together with the vote's setup. A code that opens no vote is left out, with the reason."""
    try:
        code = tidy(link.get("vote", ""))
    except ValueError:  # reported when the link is read
        return link, []
    if not code:
        return link, []
    try:
        return with_setup(link, VOTES.enter(code, guesses)), []
    except SettingsError as problem:
        return {key: part for key, part in link.items() if key != "vote"}, [problem]


def with_setup(link: Link, setup: Link) -> Link:
    """The link, together with the vote's setup unless the link has numbers of its own."""
    return link if "example" in link else setup | link
