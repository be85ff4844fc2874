"""The form in which a teacher writes an instruction and a question for a stop, with a preview."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st

from pages.ask.questions import lettered
from pages.draw import say
from pages.draw.page import Page
from pages.model.handout import (
    LEAST_OPTIONS,
    MARK,
    MAX_EXPLANATION,
    MAX_INSTRUCTION,
    MAX_OPTION,
    MAX_OPTIONS,
    MAX_QUESTION,
    OwnQuestion,
    in_languages,
    told,
)
from pages.model.languages import LANGUAGES


def line(text: str | None) -> str:
    """The text in one line, of characters that can be seen."""
    return "".join(filter(str.isprintable, " ".join((text or "").split())))


@dataclass(frozen=True)
class TextFields:
    """The fields for a teacher's own texts.

    where: the end of their keys. both: each text has a second field, in the other language.
    """

    page: Page
    where: str
    both: bool

    def one(self, name: str, before: str, most: int, **look: bool) -> str:
        """A text of one line."""
        lines = self._typed(name, [before] if before else [], most, lambda text: [text], **look)
        return next(iter(lines), "")

    def several(self, name: str, before: Sequence[str], most: int) -> list[str]:
        """A text in each line."""
        return self._typed(name, before, most, str.splitlines, height=120)

    def _typed(
        self,
        name: str,
        before: Sequence[str],
        most: int,
        split: Callable[[str], list[str]],
        *,
        area: bool = True,
        height: int = 68,
    ) -> list[str]:
        """The texts in both languages: the second field has as many lines as the first, or is left out."""
        t = self.page.t
        others = [code for text in before for code in in_languages(text)[1]]
        code = next(iter(others), next(code for code in LANGUAGES if code != t.language))

        def field(language: str) -> list[str]:
            label, key = t(f"handout.{name}"), f"handout_{name}-{self.where}{language}"
            if language:
                label = f"{label} · {LANGUAGES[language].name}"
            start = "\n".join(told(text, language) for text in before) if others or not language else ""
            about: dict[str, Any] = {"max_chars": most, "key": key, "help": t(f"handout.{name}_help")}
            text = (
                st.text_area(label, start, height=height, **about)
                if area
                else st.text_input(label, start, **about)
            )
            return [*filter(None, map(line, split((text or "")[:most])))]

        if not self.both:
            return field("")
        with st.container(horizontal=True):
            first, second = field(""), field(code)
        if second and len(second) != len(first):
            say.caption(t("handout.unpaired"))
            return first
        pairs = zip(first, second or first, strict=True)
        return [text if other == text else f"{text}{MARK}{code} {other}" for text, other in pairs]


def draw(fields: TextFields, instruction: str, before: OwnQuestion | None) -> tuple[str, OwnQuestion | None]:
    """What is typed; the question may not be whole yet. before: at the opening of the panel."""
    t, known = fields.page.t, before or OwnQuestion("", (), ())
    instruction = fields.one("instruction", instruction, MAX_INSTRUCTION)
    with st.expander(t("handout.own"), expanded=before is not None, key=f"handout_own-{fields.where}"):
        say.caption(t("handout.own_about"))
        text = fields.one("question", known.text, MAX_QUESTION)
        options = fields.several("options", known.options, (MAX_OPTION + 1) * MAX_OPTIONS)
        right: Sequence[int] = ()
        if options:
            shown = lettered(map(t.own, options))
            right = st.pills(
                t("handout.right"),
                range(len(shown)),
                selection_mode="multi",
                default=[number for number, is_right in enumerate(known.right[: len(shown)]) if is_right],
                format_func=shown.__getitem__,
                key=f"handout_right-{fields.where}",
                help=t("handout.right_help"),
            )
        explanation = fields.one("explanation", known.explanation, MAX_EXPLANATION)
        if not (text or options or explanation):
            return instruction, None
        chosen = tuple(number in right for number in range(len(options)))
        question = OwnQuestion(text, tuple(options), chosen, explanation)
        _preview(fields.page, question)
    return instruction, question


def _preview(page: Page, question: OwnQuestion) -> None:
    """The card of the question with its answer, or what it still needs to be in the link."""
    t = page.t
    if not question.is_whole():
        limits = {"least": LEAST_OPTIONS, "most": MAX_OPTIONS, "limit": MAX_OPTION}
        say.info(t("handout.not_whole", **limits))
        return
    with st.container(border=True, key="handout_preview"):
        say.markdown(f"**{t('question.own')}** {t.own(question.text)}")
        lines = [
            f"{text} :material/check:" if right else text
            for text, right in zip(lettered(map(t.own, question.options)), question.right, strict=True)
        ]
        say.markdown("  \n".join(lines))
        if question.explanation:
            say.markdown(t.own(question.explanation))
