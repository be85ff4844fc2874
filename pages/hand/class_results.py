"""The results of a room: the votes of the hour, as a page to print and as CSV, for the room's owner.

They have counts and times, and nothing of the people. They last as long as the room.
"""

import csv
import io
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from html import escape
from pathlib import Path

import streamlit as st

from pages.ask import vote
from pages.draw import saving, say
from pages.draw.page import Page
from pages.draw.texts import Texts, plain
from pages.model.languages import LANGUAGES
from pages.room.votes import VoteResult

STYLE = (Path(__file__).parent / "export" / "sheet" / "sheet.css").read_text("utf-8")
FORMULAS = ("=", "+", "-", "@", "\t", "\r")  # with which a spreadsheet takes a text for a formula


def draw(page: Page) -> None:
    """The two files, if the visit owns a room with votes."""
    code, t = page.view.vote, page.t
    if not vote.results(code):
        return
    say.markdown(f"**{t('results.title', code=code)}** {t('results.why')}")
    with st.container(horizontal=True, gap="small"):
        name = f"attention-{code}"
        saving.button(
            "results_sheet", t("results.sheet"), f"{name}.html", "text/html", lambda: sheet(page, _of(page))
        )
        saving.button(
            "results_csv", t("results.csv"), f"{name}.csv", "text/csv", lambda: table(page, _of(page))
        )


def _of(page: Page) -> list[VoteResult]:
    return vote.results(page.view.vote)


def table(page: Page, results: list[VoteResult]) -> str:
    """The votes as CSV: a line for each answer in each round; times in UTC."""
    names = ("lesson", "question", "opened", "closed", "round", "answer", "votes")
    text = io.StringIO()
    lines = csv.writer(text)
    lines.writerow([page.t(f"results.{name}") for name in names])
    for result in results:
        for number, answer, count in _lines(result):
            facts = (
                _lesson(page, result),
                plain(result.vote.title),
                _time(result.vote.opened),
                _time(result.vote.closed),
            )
            lines.writerow([_cell(fact) for fact in (*facts, str(number), answer, str(count))])
    return "\ufeff" + text.getvalue()  # by this mark a spreadsheet knows UTF-8


def sheet(page: Page, results: list[VoteResult]) -> str:
    """The votes as a page to print, as HTML: a table for each vote, its rounds side by side."""
    t, code = page.t, page.view.vote
    title = escape(t("results.title", code=code))
    day = escape(t("results.day", day=datetime.now(UTC).strftime("%Y-%m-%d")))
    return (
        f'<!doctype html>\n<html lang="{LANGUAGES[t.language].html}"><head><meta charset="utf-8">'
        f'<meta name="viewport" content="width=device-width"><title>{title}</title>'
        f"<style>{STYLE}</style></head>\n"
        f'<body class="upright"><main><h1>{title}</h1><p class="subject">{day}</p>'
        f"{''.join(_section(page, result) for result in results)}</main></body></html>\n"
    )


def _section(page: Page, result: VoteResult) -> str:
    """One vote. Its answers are in the order of the question; typed answers are the most frequent ones."""
    t, rounds = page.t, [dict(counts) for counts in result.rounds]
    answers = dict.fromkeys(answer for counts in rounds for answer in counts)
    heads = [t("results.answer"), *(t("results.round_votes", number=i) for i in range(1, len(rounds) + 1))]
    rows = "".join(
        f"<tr><th scope='row'>{escape(_told(result, answer))}</th>"
        + "".join(f"<td>{_share(counts, answer)}</td>" for counts in rounds)
        + "</tr>"
        for answer in answers
    )
    head = "".join(f"<th scope='col'>{escape(name)}</th>" for name in heads)
    times = t("results.times", opened=_time(result.vote.opened), closed=_time(result.vote.closed) or "–")
    return (
        f"<section><h2>{escape(_lesson(page, result))}: {escape(plain(result.vote.title))}</h2>"
        f"<p class='note'>{escape(times)}</p>"
        f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></section>"
    )


def _share(counts: dict[str, int], answer: str) -> str:
    total, count = sum(counts.values()), counts.get(answer, 0)
    return f"{count} ({count / total:.0%})" if total else "0"


def _lines(result: VoteResult) -> Iterator[tuple[int, str, int]]:
    """Round, answer and count."""
    for number, counts in enumerate(result.rounds, start=1):
        for answer, count in counts:
            yield number, _told(result, answer), count


def _told(result: VoteResult, answer: str) -> str:
    return plain(result.vote.told.get(answer, answer))


def _lesson(page: Page, result: VoteResult) -> str:
    return Texts(page.t.language, result.vote.lesson)("lesson.title")


def _time(moment: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime(moment)) if moment else ""


def _cell(text: str) -> str:
    """The text, never a formula of a spreadsheet."""
    return f"'{text}" if text.startswith(FORMULAS) else text
