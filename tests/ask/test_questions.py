"""What a question says once it is answered, and where what it reveals is drawn."""

import re
import string

import pytest

from pages.ask import questions
from pages.draw.texts import Texts
from pages.model.view import Place, View
from tests.support.course import COURSE, LESSONS, lesson
from tests.support.questions import ASKED, Asked
from tests.support.screen import LANGUAGES, figures, open_page, said, unfolded, visit
from tests.support.states import page_in

T = Texts("en")
STOP_LINE = "stop_line"
NUMBER = re.compile(r"[0-9]+(\.[0-9]+)?")


def drawn(node, until: str) -> list[tuple]:
    """Kind, key and value of everything above the container of that key, in the order of the screen.

    A container without a key is left out, and what is empty: nothing of them is seen. The line of a stop says
    in words what is open, so its value is left out.
    """
    above = []
    for child in node.children.values():
        key = getattr(child, "key", None)
        if key == until:
            return [*above, None]
        if key or not (hasattr(child, "children") or child.type == "empty"):
            above.append((child.type, key, str(getattr(child, "value", ""))))
        if hasattr(child, "children"):
            inside = drawn(child, until)
            above += [(*one[:2], "") for one in inside] if key == STOP_LINE else inside
            if above and above[-1] is None:
                break
    return above


def heading(node, card: str) -> str | None:
    """What the text of a question begins with, in bold."""
    for child in node.children.values():
        if getattr(child, "key", None) == card:
            text = next(one for one in child.children.values() if one.type == "markdown")
            return re.match(r"\*\*(.+?)\*\*", text.value)[1]
        result = heading(child, card) if hasattr(child, "children") else None
        if result:
            return result
    return None


def reasons_of(asked: Asked, options: list[str]) -> list[str]:
    """Of each reason the longest piece without a number in it; none where the lesson words them itself."""
    texts = Texts("en", asked.lesson).section("because")
    names = [asked.name, *(f"{asked.name}_{option}" for option in options)]
    return [max(re.split(r"\{[^}]*\}", texts[name]), key=len) for name in names if name in texts]


def check_order(asked: Asked, options: list[str], labels: list[str]) -> None:
    """The options have letters and the order of the declaration; numbers are ascending, “none” is last."""
    letters, texts = zip(*(label.split(". ", 1) for label in labels), strict=True)
    assert "".join(letters) == string.ascii_uppercase[: len(labels)]
    assert tuple(options) == (asked.question.options or tuple(options)) and asked.right in options
    # What follows from the numbers is not in the order of the sentence, where the right one is the first.
    assert asked.question.options or asked.question.numeric or options[0] != asked.right
    if all(map(NUMBER.fullmatch, texts)):
        assert asked.question.numeric and sorted(texts, key=float) == list(texts)
    assert not any(text.lower().rstrip(".") in ("none", "nothing", "both") for text in texts[:-1])


class Card:
    """An open question on its page, and what is above its card."""

    def __init__(self, asked: Asked):
        self.asked, self.card, self.guess = asked, f"ask-{asked.name}", f"guess-{asked.name}-"
        self.app = open_page(asked.lesson, asked.settings, asked.view(), asked.place)
        buttons = {one.key: one.label for one in self.app.button if (one.key or "").startswith(self.guess)}
        assert self.guess + "shown" in buttons
        self.labels = [label for key, label in buttons.items() if key != self.guess + "shown"]
        self.options = [key.removeprefix(self.guess) for key in buttons if key != self.guess + "shown"]
        self.reasons = reasons_of(asked, self.options)
        self.above, self.figures = drawn(self.app.main, self.card), figures(self.app)
        self.head = heading(self.app.main, self.card)
        assert self.above[-1] is None and not any(reason in said(self.app) for reason in self.reasons)

    def answer(self, option: str, verdict: str) -> None:
        """Verdict and reason are where the learner clicked: nothing above the card changes."""
        app = self.app.button(self.guess + option).click().run()
        assert not (app.exception or app.toast) and drawn(app.main, self.card) == self.above
        # After the answer to the question of a step the next step can be opened.
        new = figures(app) != self.figures or "step" in self.asked.question.setup
        ends = self.asked.name == lesson(self.asked.lesson).ending
        assert self.head == T("question.end" if ends else "question.ask" if new else "question.seen")
        verdicts = [word for word in ("Correct.", "Not quite.") if word in said(app)]
        assert verdicts == [word for word in [verdict] if word]
        assert not self.reasons or any(reason in said(app) for reason in self.reasons)


@pytest.mark.parametrize("asked", ASKED, ids=str)
def test_a_question_is_asked_judged_and_explained(asked):
    card = Card(asked)
    if asked.right is None:  # a number or a cell is asked for
        card.answer("shown", "")
    else:
        check_order(asked, card.options, card.labels)
        card.answer(asked.right, "Correct.")


@pytest.mark.exhaustive("name")
@pytest.mark.parametrize(
    ("name", "asked"), [(one.lesson, one) for one in ASKED if one.right is not None], ids=str
)
def test_a_wrong_answer_is_judged_and_asked_again(name, asked):
    card = Card(asked)
    card.answer(next(option for option in card.options if option != asked.right), "Not quite.")
    card.app.button(f"again-{asked.name}").click().run()
    assert visit(card.app).view.answer(asked.name) is None
    card.answer(asked.right, "Correct.")


def test_an_answer_that_was_given_before_is_one_line_which_opens():
    """The answer that was just given is not folded, until the learner goes to another part."""
    app = open_page(
        "one_head", view=View(answers=(("library_equal", "middle"),)), place=Place(part="library")
    )
    assert "Correct." in app.expander[0].label and app.expander[0].button(key="again-library_equal")
    app.session_state["answered-library_equal"] = False
    assert "Correct." in app.run().expander[0].label and not app.expander[0].children
    unfolded(app, "answered-library_equal")
    app.button(key="again-library_equal").click().run()
    app.button(key="guess-library_equal-middle").click().run()
    assert app.success and not any("Correct." in one.label for one in app.expander)
    unfolded(app, "deeper").button(key="deeper_picture").click().run()
    app.button_group(key="set_part").set_value("library").run()
    assert "Correct." in app.expander[0].label


@pytest.mark.parametrize("lesson", LESSONS)
def test_a_reason_is_a_sentence_and_begins_like_one(lesson):
    """It is by itself below the verdict. A formula or a name in code may come first."""
    reasons = Texts("en", lesson).section("because")
    assert {name: text for name, text in reasons.items() if re.match(r"[a-z]{2,}[ ,]", text)} == {}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(("option", "right"), [("none", True), ("all", False), ("shown", None)])
def test_the_verdict_is_in_a_box_that_a_screen_reader_says_and_every_reason_is_there_once(
    option, right, language
):
    """The reasons of other options are folded: the card is low, so that the figure below it is in sight."""
    app = open_page("order", view=View(language=language), place=Place(part="rotary"))
    assert not app.success and not app.info and not app.warning
    app.button(key=f"guess-order_shift-{option}").click().run()
    (box,) = [*app.success, *app.info, *app.warning]
    words = {"en": {True: "Correct.", False: "Not quite."}, "zh": {True: "正确。", False: "不对"}}[language]
    assert {word: word in box.value for word in words.values()} == {
        word: verdict is right for verdict, word in words.items()
    }
    assert bool(app.success) is (right is True)
    assert not app.toast
    t = Texts(language, "order")
    sentences = [element.value for element in app.markdown]
    (folded,) = [text for text in sentences if re.match(r"\*\*[A-D]\. .+\n\n\*\*[A-D]\. ", text)]
    assert re.findall(r"\*\*([A-D])\. ", folded) == sorted(re.findall(r"\*\*([A-D])\. ", folded))
    for other in ("none", "all", "later", "diagonal"):
        reason = t(f"because.order_shift_{other}")
        (where,) = [text for text in sentences if reason in text]
        assert (where == folded) is (other not in ("none", option))


@pytest.mark.parametrize(
    ("question", "call", "problem"),
    [
        ("order_causal", {}, "order_causal declares no right option, so questions.ask needs its answer"),
        (
            "row",
            {"answer": "1", "words": {"1": "1"}},
            "row declares no options, so questions.ask needs words",
        ),
    ],
)
def test_what_the_part_has_to_say_is_asked_for(question, call, problem):
    page = page_in(COURSE.asked_at(question).lesson, COURSE.asked_at(question).part)
    with pytest.raises(TypeError, match=problem):
        questions.ask(page, question, **call)
