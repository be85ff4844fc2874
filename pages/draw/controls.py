"""Controls for the toolbar and for lessons, and their words."""

import streamlit as st

from pages import session
from pages.model import edits
from pages.model import settings as s
from pages.model.entries import parse_lengths
from pages.model.fields import specs
from pages.model.mask_kinds import KINDS

from .page import Page

MASKED_WORDS = {"-inf": "minus_inf", "-1e9": "minus_1e9"}


def choose_head(page: Page, count: int, help_key: str, where: str) -> int:
    """The choice of a head, and the head chosen. where: see session.bind."""
    head = min(page.view.head, count - 1)
    st.segmented_control(
        page.t("setting.head"),
        range(count),
        required=True,
        format_func=lambda head: str(head + 1),
        help=page.t(help_key),
        wrap=True,
        **session.bind("head", head, lambda head: session.set_view(head=head), where=where),
    )
    return head


def mask_numbers(page: Page, kinds: set[str], where: str = "") -> None:
    """The numbers of these kinds of mask. where: see session.bind."""
    t, settings = page.t, page.settings

    fields = [field for name, kind in KINDS.items() if name in kinds for field in kind.numbers]
    for field in dict.fromkeys(fields):
        if specs(s.Settings)[field].kind == "count":
            page.number(field, where=where)
        else:
            text = ", ".join(map(str, getattr(settings, field)))
            bound = session.bind(field, text, _set_lengths, where=where)
            st.text_input(t(f"setting.{field}"), help=t(f"help.{field}"), **bound)


def _set_lengths(typed: object) -> None:
    session.edit(lambda core: edits.with_choice(core, packed=parse_lengths(str(typed))))
