"""Matrices of a text or a file before they are used: each can be corrected or left out."""

import zlib
from collections.abc import Callable, Sequence

import streamlit as st

from pages import session
from pages.model.reading import ReadTable, corrected

from .messages import sentence
from .page import Page
from .texts import literal

COLUMNS = 3
MOST = 24  # matrices that are shown


def draw(
    page: Page,
    source: str,
    tables: Sequence[ReadTable],
    titles: Sequence[str],
    used: Sequence[bool],
    on_change: Callable[[], None] | None = None,
) -> None:
    """source: the text, or a name of the file's content; another source forgets all corrections."""
    kept = _kept(source)
    for i, (table, title, use) in enumerate(zip(tables[:MOST], titles, used, strict=False)):
        use_key, rows_key = _keys(source, i)
        if i % COLUMNS == 0:
            columns = st.columns(COLUMNS)
        with columns[i % COLUMNS]:
            rows, cols = table.shape
            st.checkbox(
                literal(f"{title} ({rows} × {cols})") if rows else literal(title),
                bool(kept.get(use_key, use)),
                key=use_key,
                on_change=_keep,
                args=(source, use_key, on_change),
                disabled=not table.rows,
            )
            if table.rows:
                st.text_area(
                    page.t("share.numbers"),
                    kept.get(rows_key, written(table)),
                    key=rows_key,
                    height="content",
                    label_visibility="collapsed",
                    on_change=_keep,
                    args=(source, rows_key, on_change),
                )
            for note in table.notes:
                st.caption(sentence(page.t, note))
            if table.fault is not None:
                st.caption(f":orange[{sentence(page.t, table.fault)}]")


def chosen(source: str, tables: Sequence[ReadTable], used: Sequence[bool]) -> dict[int, ReadTable]:
    """The matrices that are not left out, as they were corrected. Raises SettingsError."""
    kept, result = _kept(source), {}
    for i, (table, use) in enumerate(zip(tables, used, strict=True)):
        use_key, rows_key = _keys(source, i)
        if kept.get(use_key, use):
            text = kept.get(rows_key)
            result[i] = table if text is None else corrected(table, str(text))
    return result


def written(table: ReadTable) -> str:
    """The rows, in columns of equal width."""
    widths = [max(map(len, column)) for column in zip(*table.rows, strict=False)]
    lines = (
        "  ".join(
            entry.rjust(width)
            for entry, width in zip(row, [*widths, *map(len, row[len(widths) :])], strict=False)
        )
        for row in table.rows
    )
    return "\n".join(lines)


def _keys(source: str, i: int) -> tuple[str, str]:
    mark = zlib.crc32(source.encode(errors="replace"))
    return f"reading-{mark}-use-{i}", f"reading-{mark}-rows-{i}"


def _kept(source: str) -> dict[str, object]:
    """What the learner changed in the matrices of this source; a closed expander has no widgets to ask."""
    every = session.memory("readings", dict[str, object])
    mark = _keys(source, 0)[0].rpartition("-use")[0]
    for key in [key for key in every if not key.startswith(mark)]:
        del every[key]
    return every


def _keep(source: str, key: str, then: Callable[[], None] | None) -> None:
    _kept(source)[key] = session.widget_value(key)
    if then is not None:
        then()
