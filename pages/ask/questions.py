"""Questions: the learner commits an answer, then sees the right answer and the reason."""

import functools
import string
from collections.abc import Callable, Iterable, Mapping, Sequence

import streamlit as st

from pages import session
from pages.draw import live, placing, say
from pages.draw.page import Page
from pages.draw.texts import Name, literal
from pages.model.ballots import CellForm, NumberForm, OptionsForm, cell_of, cell_word
from pages.model.handout import OwnQuestion, told
from pages.picture import Matrix
from pages.room.rules import VoteSight

from . import question_card, vote
from .question_card import AnswerVerdict, Asking

WHOLE = NumberForm(100_000)  # the whole numbers that can be asked for
DECLARED = ""  # the right option is declared in the course, whatever the numbers are


def only(holds: Mapping[str, bool]) -> str | None:
    """The only option that holds; None if none or several hold, so that the question cannot be asked."""
    right = [option for option, does in holds.items() if does]
    return right[0] if len(right) == 1 else None


def lettered(texts: Iterable[str]) -> list[str]:
    """The texts of options with letters from A."""
    return [f"{letter}. {text}" for letter, text in zip(string.ascii_uppercase, texts, strict=False)]


def judged(page: Page, question: str, ask: Callable[[Page], bool]) -> bool:
    """`ask(page)`, drawn again when the numbers change its verdict; once answered, when the hand rests."""
    return bool(live.draw(page, ask, when="moved" if page.answer(question) is None else "released"))


def ask(
    page: Page,
    question: str,
    picture: Callable[[], object] | None = None,
    *,
    matrices: Sequence[Matrix] = (),
    sources: Sequence[placing.Find] = (),
    answer: str | None = DECLARED,
    words: Mapping[str, str] | None = None,
    reasons: Mapping[str, str] | None = None,
    keep: bool = False,
    **facts: object,
) -> bool:
    """Asks `ask.<question>` with a button per option; True once the part may show the answer.

    picture: draws the figure of the open question; keep: also after the answer. matrices, sources: the
    figure, if it is a row of matrices. answer: the right option, if it follows from the numbers (see `only`).
    None: no option is right for these numbers, so `missing.<question>` explains the numbers that the question
    needs, and the part may show the answer; an earlier answer is kept. words: option → text, default
    `option.<question>_<option>`. reasons: option → why it is right or wrong, default
    `because.<question>_<option>`. facts: the values for the placeholders of all these texts.
    """
    declared = page.lesson.by_name[question]
    if answer == DECLARED and declared.right is None:
        raise TypeError(f"question {question} declares no right option, so questions.ask needs its answer")
    right = declared.right if answer == DECLARED else answer
    if right is None and page.is_asked(question):
        place = question_card.line(page, question) if page.is_offered(question) else st.container()
        if place is not None:
            with place:
                say.info(page.t(f"missing.{question}"))
        return True
    if not declared.options and not (words and reasons):
        raise TypeError(f"question {question} declares no options, so questions.ask needs words and reasons")
    texts = words or {
        option: option if option.isdecimal() else page.t(f"option.{question}_{option}", **facts)
        for option in declared.options
    }
    order = [option for option in declared.options or texts if option in texts]
    options = dict(zip(order, lettered(texts[option] for option in order), strict=True))
    form = OptionsForm(tuple(options))

    def offer(sight: VoteSight | None) -> None:
        _offer(page, question, options, sight)

    def judge() -> AnswerVerdict:
        why = reasons or {option: page.t(f"because.{question}_{option}", **facts) for option in options}
        return _judge(page, question, options, right or "", why)

    if matrices:
        picture = functools.partial(placing.draw, page, f"ask_{question}", matrices, sources=sources)
    asking = Asking(form, offer, judge, lambda option: options.get(option, option), (right or "").__eq__)
    return question_card.draw(page, question, asking, facts, picture, keep=keep)


def _offer(page: Page, question: str, options: Mapping[str, str], sight: VoteSight | None) -> None:
    """The options as buttons, in a vote or without."""
    if sight is not None and (sight.asks or sight.discusses):
        vote.ballot(sight, options)
    elif vote.may_answer(sight):
        with st.container(horizontal=True, gap="small", vertical_alignment="bottom"):
            for option, text in options.items():
                question_card.button(text, question, option)
            question_card.other_ways(page, question, sight, OptionsForm(tuple(options)))


def ask_own(page: Page, asked: OwnQuestion) -> None:
    """Asks the question of a teacher's link. Its options are in the order in which they were written."""
    t = page.t
    options = dict(zip(asked.words, lettered(map(t.own, asked.options)), strict=True))
    # A sentence has its own full stop: one at the end of an option is left out before it is escaped.
    own = (told(text, t.language).rstrip(".。") for text in asked.options)
    spoken = dict(zip(asked.words, lettered(map(literal, own)), strict=True))
    right = t.all_of(text for word, text in spoken.items() if asked.is_right(word))

    def offer(sight: VoteSight | None) -> None:
        _offer(page, asked.name, options, sight)

    def judge() -> AnswerVerdict:
        chosen = page.answer(asked.name) or ""
        sentence = question_card.sentence_of(page, spoken.get(chosen, ""), asked.is_right(chosen), right)
        return AnswerVerdict(sentence, t.own(asked.explanation), asked.is_right(chosen))

    form, text = OptionsForm(asked.words), t.own(asked.text)
    asking = Asking(form, offer, judge, lambda word: options.get(word, word), asked.is_right, text=text)
    question_card.draw(page, asked.name, asking, {})


def _judge(
    page: Page, question: str, options: Mapping[str, str], answer: str, why: Mapping[str, str]
) -> AnswerVerdict:
    """The verdict on a choice among options, and the reasons."""
    chosen, spoken = page.answer(question) or "", why[answer]
    right = chosen == answer
    if chosen in options and not right:
        spoken += f"\n\n{page.t('question.reason', option=options[chosen], why=why[chosen])}"
    others = [
        page.t("question.reason", option=text, why=why[option])
        for option, text in options.items()
        if option not in (answer, chosen)
    ]
    sentence = question_card.sentence_of(page, options.get(chosen, ""), right, options[answer])
    return AnswerVerdict(sentence, spoken, right, "\n\n".join(others))


def ask_number(
    page: Page,
    question: str,
    answer: int,
    picture: Callable[[], object] | None = None,
    **facts: object,
) -> bool:
    """Asks `ask.<question>` for a whole number; `because.<question>` explains it. picture: as for `ask`."""

    def offer(sight: VoteSight | None) -> None:
        if vote.may_answer(sight):
            with st.form(f"form-{question}{vote.suffix(sight)}", border=False):
                _number_form(page, question, sight)
            question_card.other_ways(page, question, sight, WHOLE)

    def judge() -> AnswerVerdict:
        option = page.answer(question) or ""
        right = option == str(answer)
        sentence = question_card.sentence_of(page, option if option.isdecimal() else "", right, str(answer))
        return AnswerVerdict(sentence, page.t(f"because.{question}", **facts), right)

    return question_card.draw(
        page, question, Asking(WHOLE, offer, judge, is_right=str(answer).__eq__), facts, picture
    )


def _number_form(page: Page, question: str, sight: VoteSight | None) -> None:
    """A field for a whole number. Enter commits the number; another entry gets a message."""
    key = f"guess-{question}{vote.suffix(sight)}"
    with st.container(horizontal=True, gap="small", vertical_alignment="bottom"):
        st.text_input(page.t("question.number"), key=key, width=160)
        sent = st.form_submit_button(
            page.t("question.commit"), key=f"{key}-commit", on_click=_commit_number, args=(question, sight)
        )
    entry = str(session.widget_value(key) or "").strip()
    if (sent or entry) and WHOLE.read(entry) is None:
        say.warning(page.t("question.whole", entry=Name(entry[:40]), limit=WHOLE.limit))


def _commit_number(question: str, sight: VoteSight | None) -> None:
    number = WHOLE.read(str(session.widget_value(f"guess-{question}{vote.suffix(sight)}") or ""))
    if number is not None:
        vote.commit(question, sight, number)


def ask_cell(
    page: Page,
    question: str,
    draw: Callable[[str, Callable[[dict], None]], None],
    verdict: Callable[[int, int], tuple[bool, str]],
    names: vote.Names,
    how: str = "question.click",
    cell_name: Callable[[int, int], str] | None = None,
    **facts: object,
) -> bool:
    """Asks for a cell of the picture that `draw(suffix, on_pick)` draws, by pointer or keyboard.

    verdict(row, col): whether the cell is right, and the reason. names: of the rows and the columns. After
    the answer the part draws the picture again, with the answer. how: text key of the instruction. cell_name:
    by default the names of its row and its column. suffix: for the key of the picture (see
    vote.suffix).
    """
    form = CellForm(len(names[0]), len(names[1]))

    def offer(sight: VoteSight | None) -> None:
        free = vote.may_answer(sight)
        if free:
            with st.container(horizontal=True, gap="small", vertical_alignment="center"):
                say.caption(page.t(how), width="content")
                question_card.other_ways(page, question, sight, form)
        draw(vote.suffix(sight), functools.partial(_pick, question, sight) if free else _ignore)

    def named(cell: str) -> str:
        if form.read(cell) is None:
            return cell
        row, col = cell_of(cell)
        return cell_name(row, col) if cell_name else page.t("vote.cell", row=names[0][row], col=names[1][col])

    def is_right(cell: str) -> bool:
        place = form.read(cell)  # None if the shape has changed since the vote was opened
        return place is not None and verdict(*place)[0]

    def judge() -> AnswerVerdict:
        return _judge_cell(page, question, verdict, form, facts)

    return question_card.draw(page, question, Asking(form, offer, judge, named, is_right, names), facts)


def _pick(question: str, sight: VoteSight | None, picked: dict) -> None:
    vote.commit(question, sight, cell_word(picked["row"], picked["col"]))


def _ignore(picked: dict) -> None:
    """Ignores a click on a cell: the person may not answer."""


def _judge_cell(page: Page, question: str, verdict: Callable, form: CellForm, facts: dict) -> AnswerVerdict:
    """The verdict on the learner's cell, and the reason."""
    right, text, why = False, "", page.t(f"because.{question}", **facts)
    # An answer without a cell is SHOWN, outside of the present shape, or invented by a link.
    if cell := form.read(page.answer(question) or ""):
        right, of_cell = verdict(*cell)
        text = page.t.joined([page.t("question.cell_right" if right else "question.cell_wrong"), of_cell])
    return AnswerVerdict(text or why, why if text else "", right)


def clear_button(page: Page) -> None:
    """A button that takes back all answers of the lesson, if there are any."""
    answered = [question for question in page.lesson.questions if page.view.answer(question) is not None]
    if answered:
        st.button(
            page.t("question.clear"),
            key="clear_answers",
            type="tertiary",
            on_click=session.ask_again,
            args=(answered,),
        )
