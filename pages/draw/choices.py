"""The choice of the shown head in a picture of several."""

from pages import session


def choose_head(picked: dict) -> None:
    """A click on a thumbnail shows its head."""
    if "choose" in picked:
        session.set_view(head=int(picked["choose"]))
