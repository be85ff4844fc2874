"""The words of questions and answers away from their page, where the numbers of the page are not known."""

import re
import string
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from pages.draw.texts import FORMS, NAMED, Texts, literal, plain
from pages.model.ballots import cell_of
from pages.model.course import Course
from pages.model.handout import Plan, is_own

IN_DOLLARS = re.compile(r"\$[^$]*\$")
CELL = re.compile(r"[0-9]{1,3}_[0-9]{1,3}", re.ASCII)


@dataclass(frozen=True)
class AskedQuestion:
    """A question.

    title    its name, as Markdown
    words    the whole question, as Markdown; its name where the question has numbers of the page
    options  their texts in their order: Markdown
    right    the answers that are right whatever the numbers of the page are
    """

    lesson: str
    title: str
    t: Texts = field(repr=False)
    options: Mapping[str, str] = field(default_factory=dict)
    is_cell: bool = False
    words: str = ""
    right: frozenset[str] = frozenset()

    @property
    def kept(self) -> tuple[str, Callable[[str], str], Callable[[str], bool]]:
        """What the results of a vote keep (see Votes.close)."""
        return plain(self.words), self.text, self.right.__contains__

    def text(self, answer: str) -> str:
        """An answer, as Markdown."""
        if self.is_cell and CELL.fullmatch(answer):
            row, col = cell_of(answer)
            return self.t("overview.cell", row=row + 1, col=col + 1)
        return self.options.get(answer, literal(answer))

    def in_order(self, answers: Iterable[str]) -> list[str]:
        """Options in their order, other answers from the smallest to the largest."""
        known = list(self.options)
        return sorted(
            answers, key=lambda answer: (known.index(answer) if answer in known else -1, len(answer), answer)
        )


def asked(course: Course, t: Texts, question: str, plan: Plan | None = None) -> AskedQuestion | None:
    """The question of that name: of the course, or of the teacher's plan; None if it is in neither."""
    if is_own(question):
        return _own(t, question, plan)
    if question not in course.questions:
        return None
    lesson = course.asked_at(question).lesson
    declared, own = course.pages[lesson].by_name[question], Texts(t.language, lesson)
    options = {}
    for letter, option in zip(string.ascii_uppercase, declared.options, strict=False):
        text = option if option.isdecimal() else own.section("option").get(f"{question}_{option}", "")
        options[option] = f"{letter}. {text}" if text and not _has_places(text) else letter
    title, words = own(f"short.{question}"), own(f"ask.{question}")
    if _has_places(words):
        words = title
    right = frozenset(filter(None, [declared.right]))
    return AskedQuestion(lesson, title, t, options, declared.kind == "cell", words, right)


def _own(t: Texts, question: str, plan: Plan | None) -> AskedQuestion | None:
    for stop in plan.stops if plan is not None else ():
        if stop.question is not None and stop.question.name == question:
            texts = zip(string.ascii_uppercase, map(t.own, stop.question.options), strict=False)
            options = dict(
                zip(stop.question.words, (f"{letter}. {text}" for letter, text in texts), strict=True)
            )
            text, right = t.own(stop.question.text), filter(stop.question.is_right, stop.question.words)
            return AskedQuestion(stop.lesson, text, t, options, words=text, right=frozenset(right))
    return None


def _has_places(text: str) -> bool:
    """Whether the text has places for numbers of the page."""
    plain = IN_DOLLARS.sub("", text)
    return bool(NAMED.search(plain) or FORMS.search(plain))
