"""A target for a hand-out: the numbers of the present computation that the class is to reach."""

import streamlit as st

from pages import session
from pages.draw import inputs, say, targets
from pages.draw.page import Page
from pages.model.entries import MAX_VALUE, SettingsError, parse_number
from pages.model.targets import (
    CHANGEABLE,
    LARGEST,
    MAX_NAMES,
    MEASURED,
    OF_A_HEAD,
    RELATIONS,
    Condition,
    Target,
    read,
    write,
)

KEY = "target"  # in the link
START = Condition("weights", 0, 0, "ge", 0.8)


def with_target(page: Page, query: dict[str, str], before: str) -> dict[str, str]:
    """The query of the stop with the target of the form, or with the one of the course that is tried.

    before: the target at the opening of the panel; some of it may be drawn only once a question is answered.
    """
    if page.target is not None and page.target.name:
        return query
    kept = {key: value for key, value in query.items() if key != KEY}
    known = read(before) if ":" in before else None
    measured, free = _measured(page), _free(page)
    if known is not None:
        measured += [(condition.matrix, condition.head) for condition in known.conditions]
        free += known.may
    if not measured or not free:
        return kept
    word = _form(page, [*dict.fromkeys(measured)], [*dict.fromkeys(free)], known)
    return kept | ({KEY: word} if word else {})


def _measured(page: Page) -> list[tuple[str, int]]:
    """The matrices of the part that can be measured, each with its head."""
    drawn = session.drawn_matrices(page.lesson.name, page.part.name)
    heads = range(page.settings.num_heads)
    return [
        (name, head)
        for name in MEASURED
        for head in (heads if name in OF_A_HEAD else heads[:1])
        if name in drawn or f"{name}_{head + 1}" in drawn
    ]


def _free(page: Page) -> list[str]:
    """What the part lets people change."""
    names = [matrix.id for matrix in inputs.of_part(page)] + [*page.part.switches]
    return [name for name in names if name in CHANGEABLE]


def _form(page: Page, measured: list[tuple[str, int]], free: list[str], known: Target | None) -> str:
    """The text of the target that is typed; "" without a target, or while something is missing."""
    t, where = page.t, f"{page.lesson.name}-{page.part.name}"
    is_set = st.toggle(
        t("target.form"), known is not None, key=f"target_form-{where}", help=t("target.form_help")
    )
    if not is_set:
        return ""
    conditions = list(known.conditions if known else (START,))
    count = 2 if st.toggle(t("target.second"), len(conditions) > 1, key=f"target_second-{where}") else 1
    conditions = [*conditions, *conditions[-1:]][:count]
    asked = [_condition(page, measured, entry, f"{where}-{i}") for i, entry in enumerate(conditions)]
    may = st.pills(
        t("target.free"),
        free,
        selection_mode="multi",
        default=list(known.may) if known else [],
        format_func=lambda name: say.with_formulas(targets.label(page, name)),
        key=f"target_free-{where}",
        help=t("target.free_help"),
    )
    if not may:
        say.caption(t("target.needs"))
        return ""
    target = Target(tuple(dict.fromkeys(asked)), tuple(may[:MAX_NAMES]), part=page.part.name)
    try:
        read(write(target))
    except SettingsError:
        return ""
    if target.is_reached(targets.trace_of(page)):
        say.warning(t("target.already"))
    say.markdown(targets.goal(page, target))
    return write(target)


def _condition(page: Page, measured: list[tuple[str, int]], known: Condition, where: str) -> Condition:
    """One number and its bound."""
    t = page.t
    wanted = (known.matrix, known.head)
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        matrix, head = st.selectbox(
            t("target.matrix"),
            measured,
            measured.index(wanted) if wanted in measured else 0,
            format_func=lambda entry: _title(page, *entry),
            key=f"target_matrix-{where}",
            width=190,
        )
        rows, cols = targets.sizes(page, matrix)
        row = _line(page, "row", rows, known.row, f"{where}-{matrix}")
        col = _line(page, "col", cols, known.col, f"{where}-{matrix}")
        relation = st.selectbox(
            t("target.relation"),
            RELATIONS,
            RELATIONS.index(known.relation),
            format_func=lambda name: t(f"target.relation_{name}"),
            key=f"target_relation-{where}",
            width=170,
        )
        bound = 0.0
        if relation != LARGEST:
            typed = st.number_input(
                t("target.bound"),
                -MAX_VALUE,
                MAX_VALUE,
                known.bound,
                0.1,
                key=f"target_bound-{where}",
                width=130,
            )
            bound = parse_number(typed)
    return Condition(matrix, row, col, relation, bound, head)


def _line(page: Page, name: str, labels: list[str], known: int, where: str) -> int:
    """A row or a column, by its name."""
    options = range(len(labels))
    return st.selectbox(
        page.t(f"target.{name}"),
        options,
        min(known, len(labels) - 1),
        format_func=labels.__getitem__,
        key=f"target_{name}-{where}",
        width=130,
    )


def _title(page: Page, matrix: str, head: int) -> str:
    title = targets.title(page, matrix)
    several = page.settings.num_heads > 1 and matrix in OF_A_HEAD
    return page.t("target.of_head", head=head + 1, what=title) if several else title
