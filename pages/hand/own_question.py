"""The form in which a teacher writes an instruction and a question for a stop, with a preview."""

from dataclasses import dataclass, replace

import streamlit as st

from pages.ask.questions import lettered
from pages.draw import say
from pages.draw.page import Page
from pages.draw.texts import literal
from pages.model.handout import (
    LEAST_OPTIONS,
    MAX_EXPLANATION,
    MAX_INSTRUCTION,
    MAX_OPTION,
    MAX_OPTIONS,
    MAX_QUESTION,
    OwnQuestion,
)


@dataclass(frozen=True)
class TypedWords:
    """What a teacher has typed. options: one in a line. right: numbers of the right ones."""

    instruction: str = ""
    text: str = ""
    options: str = ""
    right: tuple[int, ...] = ()
    explanation: str = ""

    @property
    def question(self) -> OwnQuestion | None:
        """The question, if something of it is typed; it may not be whole yet."""
        options = tuple(filter(None, map(line, self.options.splitlines())))
        if not (self.text or options):
            return None
        right = tuple(number in self.right for number in range(len(options)))
        return OwnQuestion(line(self.text), options, right, line(self.explanation))

    def marks(self) -> dict[str, str | OwnQuestion | None]:
        """The fields of a stop."""
        question = self.question
        whole = question if question is not None and question.is_whole() else None
        return {"instruction": line(self.instruction), "question": whole}


def words_of(instruction: str, question: OwnQuestion | None) -> TypedWords:
    """The instruction and the question of a stop, as they are typed."""
    words = TypedWords(instruction)
    if question is None:
        return words
    right = tuple(number for number, is_right in enumerate(question.right) if is_right)
    return replace(
        words,
        text=question.text,
        options="\n".join(question.options),
        right=right,
        explanation=question.explanation,
    )


def line(text: str | None) -> str:
    """The text in one line, of characters that can be seen."""
    return "".join(filter(str.isprintable, " ".join((text or "").split())))


def draw(page: Page, before: TypedWords) -> TypedWords:
    """The form. before: the words at the opening of the panel."""
    t, where = page.t, f"{page.lesson.name}-{page.part.name}"

    def typed(name: str, value: str, most: int, height: int = 68) -> str:
        text = st.text_area(
            t(f"handout.{name}"),
            value,
            max_chars=most,
            height=height,
            key=f"handout_{name}-{where}",
            help=t(f"handout.{name}_help"),
        )
        return text or ""

    words = TypedWords(typed("instruction", before.instruction, MAX_INSTRUCTION))
    with st.expander(t("handout.own"), expanded=bool(before.text), key=f"handout_own-{where}"):
        say.caption(t("handout.own_about"))
        words = replace(
            words,
            text=typed("question", before.text, MAX_QUESTION),
            options=typed("options", before.options, (MAX_OPTION + 1) * MAX_OPTIONS, 120),
        )
        options = words.question.options if words.question is not None else ()
        if options:
            shown = lettered(map(literal, options))
            right = st.pills(
                t("handout.right"),
                range(len(shown)),
                selection_mode="multi",
                default=[number for number in before.right if number < len(shown)],
                format_func=shown.__getitem__,
                key=f"handout_right-{where}",
                help=t("handout.right_help"),
            )
            words = replace(words, right=tuple(right))
        words = replace(words, explanation=typed("explanation", before.explanation, MAX_EXPLANATION))
        if words.question is not None:
            _preview(page, words.question)
    return words


def _preview(page: Page, question: OwnQuestion) -> None:
    """The card of the question with its answer, or what it still needs to be in the link."""
    t = page.t
    if not question.is_whole():
        limits = {"least": LEAST_OPTIONS, "most": MAX_OPTIONS, "limit": MAX_OPTION}
        say.info(t("handout.not_whole", **limits))
        return
    with st.container(border=True, key="handout_preview"):
        say.markdown(f"**{t('question.own')}** {literal(question.text)}")
        lines = [
            f"{text} :material/check:" if right else text
            for text, right in zip(lettered(map(literal, question.options)), question.right, strict=True)
        ]
        say.markdown("  \n".join(lines))
        if question.explanation:
            say.markdown(literal(question.explanation))
