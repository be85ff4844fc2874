"""Questions that were answered wrong, a day and a week later once more."""

import datetime

from pages import session
from pages.ask import links
from pages.draw import say
from pages.draw.page import Page
from pages.draw.texts import Texts

MOST = 10  # questions in one list


def draw(page: Page) -> None:
    """The questions that are due, each with the way to it; or when the next one is."""
    t, progress, day = page.t, session.visit().record.progress, session.today()
    due = progress.due(day)
    session.ask_again(due)  # now they are open, wherever the way to them leads
    wrong = [at for answer in progress.answers.values() if (at := answer.due()) is not None]
    say.markdown(t("again.what"))
    if due:
        say.markdown(t("again.due", n=len(due)))
    elif wrong:
        soonest = datetime.date(1970, 1, 1) + datetime.timedelta(days=min(wrong))
        say.markdown(t("again.next", n=len(wrong), day=soonest.isoformat()))
    else:
        say.markdown(t("again.none"))
    for question in due[:MOST]:
        _link(page, question)


def _link(page: Page, question: str) -> None:
    """The way to a question, which is open there."""
    place, t = page.course.asked_at(question), page.t
    lesson, texts = page.course.pages[place.lesson], Texts(t.language, place.lesson)
    names = [texts("lesson.title"), texts(f"part.{place.part}")]
    names += [texts(f"topic.{place.topic}")] if place.topic else []
    links.to_lesson(lesson.name, t.listed(names), place.place)
