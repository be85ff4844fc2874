"""Which head is looked at in a picture of a whole computation."""

from . import session
from .page import Page
from .picture import Arrow, Flow, Group

# Thumbnails side by side: so the way to the output has room beside them.
COLUMNS = 4


def heads_band(page: Page) -> Flow:
    """The thumbnails of all heads, and the way from the concatenated heads to the output."""
    heads = [f"head_weights_{head + 1}" for head in range(page.now.num_heads)]
    bias = ["b_o"] if page.now.b_o is not None else []
    group = Group(heads, page.t("steps.heads"), columns=COLUMNS)
    return Flow([group, "concatenated", Arrow("· W_O"), "w_o", *bias, Arrow("="), "output"])


def choose_head(picked: dict) -> None:
    """A click on a thumbnail shows its head."""
    if "choose" in picked:
        session.look(head=int(picked["choose"]))
