"""The results of a room: votes, questions and targets of the hour, to print and as CSV, for the room's owner.

They have counts and times, and nothing of the people. They last as long as the room.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from html import escape
from pathlib import Path
from typing import NamedTuple
from zoneinfo import ZoneInfo

import streamlit as st

from pages.ask import answers, vote
from pages.draw import saving, say, targets
from pages.draw.messages import sentence
from pages.draw.page import Page
from pages.draw.texts import Texts, plain
from pages.model.entries import SettingsError
from pages.model.languages import LANGUAGES
from pages.room import Away
from pages.room.attendance import Attendance, Success
from pages.room.rooms import VoteResult
from pages.room.rules import MAX_VOTERS, OTHERS

STYLE = (Path(__file__).parent / "export" / "sheet" / "sheet.css").read_text("utf-8")
COLUMNS = ("kind", "lesson", "question", "opened", "closed", "round", "answer", "count", "right")


class ResultLine(NamedTuple):
    """A line of the results. answer: "" for a target. right: how many of the total, if it is known."""

    kind: str
    lesson: str
    question: str
    opened: str
    closed: str
    round: str
    answer: str
    total: str
    right: str = ""


@dataclass(frozen=True)
class Hour:
    """What the class has done in the room."""

    votes: list[VoteResult]
    attendance: Attendance

    @property
    def questions(self) -> dict[str, None]:
        """The answered questions without those of votes, whose results say more."""
        of_votes = {result.vote.question for result in self.votes}
        names = dict.fromkeys(name for other in self.attendance.everybody for name in other.replies)
        return {name: None for name in names if name not in of_votes}

    def left_out(self, t: Texts) -> list[str]:
        """What the results do not have, in sentences."""
        last = self.votes[-1].vote.serial if self.votes else 0
        dropped, cut = last - len(self.votes), sum(other.cut for other in self.attendance.everybody)
        full = any(sum(dict(counts).values()) >= MAX_VOTERS for vote in self.votes for counts in vote.rounds)
        sentences = (
            self.attendance.full and t("results.full"),
            full and t("results.full_vote", limit=MAX_VOTERS),
            cut and t("results.cut", count=cut),
            dropped > 0 and t("results.dropped", count=dropped, kept=len(self.votes)),
        )
        return [text for text in sentences if text]

    @property
    def targets(self) -> dict[str, list[Success]]:
        names = dict.fromkeys(name for other in self.attendance.everybody for name in other.reached)
        return {name: self.attendance.successes(name) for name in names}


def draw(page: Page) -> None:
    """The two files, and the way to the overview, if the visit owns the room."""
    code, t = page.view.vote, page.t
    if not code or (hour := _of(page)) is None:
        return
    say.markdown(f"**{t('results.title', code=code)}** {t('results.why')}")
    with st.container(horizontal=True, gap="small"):
        if hour.votes or hour.questions or hour.targets:
            files(page)
        vote.overview(page)
    for text in hour.left_out(t):
        say.caption(text)


def files(page: Page) -> None:
    """The two files."""
    t, name = page.t, f"attention-{page.view.vote}"
    saving.button(
        "results_sheet",
        t("results.sheet"),
        f"{name}.html",
        "text/html",
        lambda: sheet(page, _of(page)),
    )
    saving.button("results_csv", t("results.csv"), f"{name}.csv", "text/csv", lambda: table(page, _of(page)))


def _of(page: Page) -> Hour | None:
    """The hour in the room of the visit; None if it is somebody else's, or cannot be read now."""
    try:
        attendance = vote.of_class(page.view.vote)
        return None if attendance is None else Hour(vote.results(page.view.vote), attendance)
    except Away:
        return None


def _notes(page: Page, hour: Hour | None) -> list[str]:
    """What a file does not have, in sentences. hour: None if the room could not be read."""
    return [sentence(page.t, SettingsError("vote_away"))] if hour is None else hour.left_out(page.t)


def table(page: Page, hour: Hour | None) -> bytes:
    """The results as CSV: a line for each answer in each round, and for each target."""
    from pages.draw.plots import csv_of_rows  # here, for charts take a while to import

    notes = [ResultLine(page.t("results.of_note"), "", text, *[""] * 5) for text in _notes(page, hour)]
    lines = _lines(page, hour) if hour else ()
    heads = [page.t(f"results.{name}", zone=_zone().key) for name in COLUMNS]
    return csv_of_rows([heads, *notes, *lines])


def _lines(page: Page, hour: Hour) -> Iterator[ResultLine]:
    t = page.t
    for result in hour.votes:
        facts = _lesson(page, result.vote.lesson), plain(result.vote.title)
        rounds = zip(result.rounds, result.vote.times, strict=True)
        for number, (counts, (opened, closed)) in enumerate(rounds, start=1):
            times = _time(opened), _time(closed)
            for answer, count in counts:
                told, of_right = _told(t, result, answer), str(count if answer in result.vote.right else 0)
                numbers = str(count), of_right if result.vote.right else ""
                yield ResultLine(t("results.of_vote"), *facts, *times, str(number), told, *numbers)
    for asked, name in _asked(page, hour):
        replies = hour.attendance.replies(name)
        facts = _lesson(page, asked.lesson), plain(asked.words)
        times = _span(reply.time for reply in replies)
        totals = Counter(reply.word for reply in replies)
        right = Counter(reply.word for reply in replies if reply.right)
        for word in asked.in_order(totals):
            told, numbers = plain(asked.text(word)), (str(totals[word]), str(right[word]))
            yield ResultLine(t("results.of_question"), *facts, *times, "", told, *numbers)
    for lesson, goal, successes in _reached(page, hour):
        times = _span(success.time for success in successes)
        yield ResultLine(
            t("results.of_target"), _lesson(page, lesson), goal, *times, "", "", str(len(successes))
        )


def sheet(page: Page, hour: Hour | None) -> str:
    """The results as a page to print, as HTML: a table for each vote, its rounds side by side; and so on."""
    t, code = page.t, page.view.vote
    title = escape(t("results.title", code=code))
    zone = _zone()
    day = escape(t("results.day", day=datetime.now(zone).strftime("%Y-%m-%d"), zone=zone.key))
    notes = "".join(f"<p class='note'>{escape(text)}</p>" for text in _notes(page, hour))
    sections = hour and [
        *(_vote(page, result) for result in hour.votes),
        *(_question(page, hour, asked, name) for asked, name in _asked(page, hour)),
        *(_target(page, *reached) for reached in _reached(page, hour)),
    ]
    return (
        f'<!doctype html>\n<html lang="{LANGUAGES[t.language].html}"><head><meta charset="utf-8">'
        f'<meta name="viewport" content="width=device-width"><title>{title}</title>'
        f"<style>{STYLE}</style></head>\n"
        f'<body class="upright"><main><h1>{title}</h1><p class="subject">{day}</p>{notes}'
        f"{''.join(sections or ())}</main></body></html>\n"
    )


def _section(page: Page, lesson: str, title: str, note: str, table: str = "") -> str:
    head = f"{escape(_lesson(page, lesson))}: {escape(plain(title))}"
    return f"<section><h2>{head}</h2><p class='note'>{escape(note)}</p>{table}</section>"


def _table(heads: Iterable[str], rows: Iterable[tuple[str, list[str]]]) -> str:
    """A table as HTML: each row has a name and cells."""
    head = "".join(f"<th scope='col'>{escape(name)}</th>" for name in heads)
    body = "".join(
        f"<tr><th scope='row'>{escape(name)}</th>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>"
        for name, cells in rows
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _vote(page: Page, result: VoteResult) -> str:
    """One vote. Its answers are in the order of the question; typed answers are the most frequent ones."""
    t, rounds = page.t, [dict(counts) for counts in result.rounds]
    names = dict.fromkeys(answer for counts in rounds for answer in counts)
    heads = [t("results.answer"), *(t("results.round_votes", number=i) for i in range(1, len(rounds) + 1))]
    marks = {name: "✓ " if name in result.vote.right else "" for name in names}
    rows = (
        (marks[name] + _told(t, result, name), [_share(counts, name) for counts in rounds]) for name in names
    )
    times = t.joined(
        t("results.times", number=number, opened=_time(opened), closed=_time(closed) or "–")
        for number, (opened, closed) in enumerate(result.vote.times, start=1)
    )
    return _section(page, result.vote.lesson, result.vote.title, times, _table(heads, rows))


def _question(page: Page, hour: Hour, asked: answers.AskedQuestion, name: str) -> str:
    t, replies = page.t, hour.attendance.replies(name)
    counts = dict(Counter(reply.word for reply in replies))
    right = sum(reply.right for reply in replies)
    marks = {word: "✓ " if word in asked.right else "" for word in counts}
    rows = (
        (marks[word] + plain(asked.text(word)), [_share(counts, word)]) for word in asked.in_order(counts)
    )
    note = t("results.answered", count=len(replies), right=right)
    heads = t("results.answer"), t("results.count")
    return _section(page, asked.lesson, asked.words, note, _table(heads, rows))


def _target(page: Page, lesson: str, goal: str, successes: list[Success]) -> str:
    return _section(page, lesson, goal, page.t("results.reached", count=len(successes)))


def _asked(page: Page, hour: Hour) -> Iterator[tuple[answers.AskedQuestion, str]]:
    plan = vote.plan_of(hour.attendance.plan)
    for name in hour.questions:
        asked = answers.asked(page.course, page.t, name, plan)
        if asked is not None:
            yield asked, name


def _reached(page: Page, hour: Hour) -> Iterator[tuple[str, str, list[Success]]]:
    """Lesson, goal and successes of each target."""
    places = {target.name: place for place, target in page.course.targets}
    for name, successes in hour.targets.items():
        link = next((success.link for success in successes if success.link), "")
        if name in places:
            lesson, _, part = places[name].partition("/")
            link = link or f"{lesson}?part={part}&target={name}"
        if link.partition("?")[0] in page.course.pages:
            yield link.partition("?")[0], plain(targets.goal_at(page, link)), successes


def _share(counts: dict[str, int], answer: str) -> str:
    total, count = sum(counts.values()), counts.get(answer, 0)
    return f"{count} ({count / total:.0%})" if total else "0"


def _told(t: Texts, result: VoteResult, answer: str) -> str:
    return t("vote.others") if answer == OTHERS else plain(result.vote.told.get(answer, answer))


def _lesson(page: Page, lesson: str) -> str:
    return Texts(page.t.language, lesson)("lesson.title") if lesson in page.course.pages else lesson


def _zone() -> ZoneInfo:
    """The reader's time zone, as the browser says it, or UTC."""
    with suppress(KeyError, ValueError, OSError):
        return ZoneInfo(st.context.timezone or "UTC")
    return ZoneInfo("UTC")


def _time(moment: float) -> str:
    return datetime.fromtimestamp(moment, _zone()).strftime("%Y-%m-%d %H:%M:%S") if moment else ""


def _span(moments: Iterable[float]) -> tuple[str, str]:
    """The first and the last moment."""
    known = list(moments)
    return _time(min(known, default=0.0)), _time(max(known, default=0.0))
