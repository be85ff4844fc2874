"""Every question has one right answer: in every state that is drawn, or for all of them together.

In general: the text says "whatever the numbers are" or the like. The marked option holds in every drawn state
in which the question is asked, and each other option fails in some of them.
Here: the answer depends on the numbers. Where the page asks, the marked option is the only one that holds.
A fact: it depends on no number that the learner can change; its declaration has its source.
What an option says is recomputed here with the core; the page's own functions are only asked what they mark.
"""

import functools
import itertools
import operator
import re
from collections.abc import Callable, Iterable
from dataclasses import replace
from decimal import Decimal, localcontext
from types import SimpleNamespace

import pytest
import torch
from streamlit.testing.v1 import AppTest
from torch import Tensor

from attention import causal_mask
from attention.lab.heads.parts import losses
from attention.lab.masks import libraries, masking
from attention.lab.mistakes import forms
from pages.ask.questions import only
from pages.draw.numbers import short
from pages.draw.texts import Texts
from pages.lessons.cross_attention import alignment, predict
from pages.lessons.cross_attention import summary as cross_end
from pages.lessons.many_heads import ablation
from pages.lessons.masks import after_softmax, fully_masked, left_padding, times_zero
from pages.lessons.masks import summary as masks_end
from pages.lessons.one_head import row
from pages.lessons.order import along
from pages.lessons.softmax import temperature
from pages.lessons.why_scale import learning, spread, yours
from pages.model import edits
from pages.model.compute import cross_trace_of, mask_of, tensors_of, trace_of
from pages.model.course import Question
from pages.model.languages import LANGUAGES
from pages.model.settings import Settings
from pages.model.stories import STORIES, start, with_word
from pages.model.view import Place, View
from tests.answers.general import GENERAL, Holds, changed, plain, same
from tests.support.course import COURSE
from tests.support.programs import ROOT
from tests.support.questions import ASKED, RIGHT, Asked
from tests.support.random_settings import drawn
from tests.support.screen import open_page, said, shown, visit
from tests.support.states import heads_of

some_or_many = pytest.mark.parametrize("count", [50, pytest.param(150, marks=pytest.mark.slow)])


@functools.cache
def states(count: int) -> list[Settings]:
    return [drawn(seed) for seed in range(count)]


# ---- in general


@some_or_many
@pytest.mark.parametrize("question", GENERAL)
def test_the_marked_option_alone_holds_whatever_the_numbers_are(question, count):
    results = [(seed, GENERAL[question](now)) for seed, now in enumerate(states(count))]
    asked = [(seed, holds) for seed, holds in results if holds is not None]
    assert len(asked) > count // 10
    assert set(asked[0][1]) == set(QUESTIONS[question].options)
    broken = {option: [seed for seed, holds in asked if not holds[option]] for option in asked[0][1]}
    assert broken.pop(RIGHT[question]) == []
    assert [option for option, seeds in broken.items() if not seeds] == []


# ---- here


def seen_scores(now: Settings) -> tuple[Tensor, Tensor, Tensor]:
    """Scaled scores, mask and values of the first head; the causal mask where none is chosen."""
    head = trace_of(now).head(0)
    mask = mask_of(now)
    return head.unmasked_scores, causal_mask(len(now.tokens)) if mask is None else mask, head.value


def causal_order(now: Settings) -> tuple[str | None, Holds]:
    """With random inputs of as many tokens: which rows can change when the first two exchange places."""
    n = len(now.tokens)
    if n < 2:
        return None, None
    can: set[int] = set()
    for seed in range(3):
        other = plain(edits.fill(edits.example_start("cats"), "w_v", "identity"), "causal")
        while len(other.tokens) != n:
            other = edits.add_token(other) if len(other.tokens) < n else edits.remove_token(other, 0)
        other = edits.fill(other, "x", "normal", seed)
        order = [1, 0, *range(2, n)]
        before, after = trace_of(other).output, trace_of(edits.reordered(other, order)).output
        can |= changed(before[order], after)
    rows = {"none": set(), "pair": {0, 1}, "later": {0, 1, *range(2, n)}, "every": set(range(n))}
    return only(along.causal_holds(n)), {option: rows[option] == can for option in rows}


def wrong_order(now: Settings) -> tuple[str | None, Holds]:
    right = cross_trace_of(edits.with_choice(now, cross_mask="none"))
    other = replace(now, tokens=now.source, x=now.y, source=now.tokens, y=now.x, cross_mask="none")
    wrong = cross_trace_of(other)  # raises nothing: so there is no error
    turned = all(same(one, two.mT) for one, two in zip(wrong.heads.weights, right.heads.weights, strict=True))
    rows = len(wrong.output) == len(now.source)
    holds = {"error": False, "transposed": turned and same(wrong.value, right.value), "other": rows}
    return only(cross_end.holds(now)), holds


def moved_row(now: Settings) -> tuple[str | None, Holds]:
    if len(now.tokens) < 2:
        return None, None
    now = edits.with_choice(now, position="none")
    before, after = (
        trace_of(edits.with_choice(now, scaling=scaling)).head(0).weights for scaling in ("none", "sqrt_d_k")
    )
    shares = [(a - b).clamp(min=0).sum().item() for a, b in zip(before, after, strict=True)]
    above = [share > max([*shares[:row], *shares[row + 1 :]]) + 1e-9 for row, share in enumerate(shares)]
    holds = {str(row + 1): yes for row, yes in enumerate(above)} | {yours.SEVERAL: not any(above)}
    return only(yours.row_holds(shares)), holds


def scores_times_zero(now: Settings) -> tuple[str | None, Holds]:
    scores, mask, _ = seen_scores(now)
    if mask.all():
        return None, None
    weights = torch.softmax(scores * mask, -1)
    masked = [
        weights[row, col].item() for row in range(len(mask)) for col in range(len(mask)) if not mask[row, col]
    ]
    holds = {
        "zero": max(masked) == 0,
        "more": min(masked) > 0,
        "nan": any(one != one for one in masked),
    }
    return only(times_zero.holds(forms.times_zero(scores, mask), mask)), holds


def divided_by_their_sums(now: Settings) -> tuple[str | None, Holds]:
    scores, mask, _ = seen_scores(now)
    late = torch.softmax(scores, -1) * mask
    corrected = late / late.sum(-1, keepdim=True)
    right = torch.softmax(scores.masked_fill(~mask, -torch.inf), -1)
    seen = mask.any(-1)
    scene = SimpleNamespace(head=trace_of(edits.with_choice(now, masked_score="-inf")).head(0))
    marked = only(after_softmax.holds(scene, mask, forms.after_softmax(scores, mask)))
    agree, nan = same(corrected[seen], right[seen]), bool(corrected.isnan().any())
    return marked, {"right": agree, "leaks": not agree and not nan, "nan": nan}


def head_lost(now: Settings) -> tuple[str | None, Holds]:
    """By how much the output changes without each head: its rows of W_O are zeros."""
    if now.num_heads < 2:
        return None, None
    whole, dim, changes = trace_of(now).output, now.value_dim, []
    for head in range(now.num_heads):
        rows = range(head * dim, (head + 1) * dim)
        w_o = tuple((0.0,) * now.d_model if i in rows else row for i, row in enumerate(now.w_o))
        changes.append((whole - trace_of(replace(now, w_o=w_o)).output).norm().item())
    scale = whole.norm().item() or 1.0
    above = [
        change > max([*changes[:head], *changes[head + 1 :]]) + 1e-9 * max(scale, *changes)
        for head, change in enumerate(changes)
    ]
    holds = {str(head + 1): yes for head, yes in enumerate(above)} | {"several": not any(above)}
    shares = losses(trace_of(now), tensors_of(now).get("w_o"))
    return only(ablation.holds(shares)), holds


def scores_doubled(now: Settings) -> tuple[str | None, Holds]:
    """Of the first query's scores as logits, in decimals of 200 digits: no exponential is rounded to 0."""
    logits = trace_of(now).head(0).scores[0].tolist()

    def largest(factor: int) -> Decimal:
        top = Decimal(max(logits))
        parts = [(factor * (Decimal(one) - top)).exp() for one in logits]
        return max(parts) / sum(parts)

    if max(logits) - min(logits) > 200:
        return None, None  # more digits than these would be needed
    with localcontext(prec=200):
        before, after = largest(1), largest(2)
    holds = {"grows": after > before, "stays": after == before, "shrinks": after < before}
    return only(temperature.doubled_holds(logits)), holds


def second_raised(now: Settings) -> tuple[str | None, Holds]:
    """The weight of the largest score once the next one is as large, in the first row."""
    scaled = trace_of(plain(now)).head(0).scaled_scores[0]
    first, *others = scaled.argsort(descending=True).tolist()
    if not others:
        return None, None
    after = scaled.clone()
    after[others[0]] = scaled[first]
    weight = short(after.softmax(-1)[first].item())
    said = row.raised(scaled.tolist())
    return (
        (None, None)
        if said is None
        else ("equal", {option: short(number) == weight for option, number in said.items()})
    )


HERE: dict[str, Callable[[Settings], tuple[str | None, Holds]]] = {
    "row_raised": second_raised,
    "order_causal": causal_order,
    "cross_end": wrong_order,
    "row": moved_row,
    "ablation": head_lost,
    "soft_double": scores_doubled,
    "times_zero": scores_times_zero,
    "renormalise": divided_by_their_sums,
}


@some_or_many
@pytest.mark.parametrize("question", HERE)
def test_where_a_question_is_asked_its_marked_option_alone_holds(question, count):
    results = {seed: HERE[question](now) for seed, now in enumerate(states(count))}
    asked = {seed: (marked, holds) for seed, (marked, holds) in results.items() if marked is not None}
    assert len(asked) > count // 4
    assert {
        seed: (marked, holds)
        for seed, (marked, holds) in asked.items()
        if [option for option, does in holds.items() if does] != [marked]
    } == {}


@some_or_many
def test_the_checks_of_a_mask_are_compared_where_they_differ(count):
    """The table under the last question on masks shows what its answer claims, whatever the numbers are."""
    special = [now for now in states(count) if len(now.tokens) > 1 and not table_tells(now)]
    assert special  # the page does not show their table
    assert table_tells(Settings())  # but this one's
    view = View(answers=shown("masks"))
    for now, own in ((ALIKE, False), (Settings(), True)):
        app = open_page("masks", now, view, Place(part="wrong"))
        other = Texts("en", "masks")("way.other_numbers") in [one.value for one in app.caption]
        assert not app.exception and other is not own


def table_tells(now: Settings) -> bool:
    result = masks_end.finds(now, 0)
    ways = {check: [way for way in result if not result[way][check]] for check in masks_end.OPTIONS}
    tells = [check for check, fails in ways.items() if len(fails) == 4 and "right" not in fails]
    told = masks_end.tells_apart(result)
    assert not told or tells == ["change"]
    return told


# ---- facts


def marked(now: Settings) -> dict[str, str]:
    """What the page finds by an experiment, where the answer is the same for all numbers."""
    n, head, real = len(now.tokens), trace_of(now).head(0), now.padding
    scene, mask = SimpleNamespace(head=head), seen_scores(now)[1]
    outcomes = {
        "fully_masked": fully_masked.answer(scene, masking.with_fully_masked_row(mask, 0), 0),
        "polarity": libraries.polarity(head, mask),
    }
    if real < n:
        outcomes["left_padding"] = left_padding.answer(masking.left_padded_causal(real, n), real)
    crossed = edits.with_choice(now, cross_mask="none")
    before, after = cross_trace_of(crossed), cross_trace_of(predict.swap_source(crossed))
    outcomes["cross_order"] = predict.order_answer(before, after)
    if n > 1:
        outcomes["cross_cached"] = predict.cached_answer(crossed)
        outcomes["cross_aligned"] = alignment.answer(head, (n + 1) // 2)
    return outcomes


@some_or_many
def test_the_page_s_experiments_mark_the_answer_that_holds_for_all_numbers(count):
    results = {
        (seed, name): option for seed, now in enumerate(states(count)) for name, option in marked(now).items()
    }
    assert {where: option for where, option in results.items() if option != RIGHT[where[1]]} == {}


def test_the_rows_that_change_with_the_last_word_are_those_of_the_story():
    story = STORIES["bank"]
    before, after = (trace_of(with_word(start(story), story, word)).head(0).weights for word in story.words)
    tokens = start(story).tokens
    assert [tokens[row] for row in changed(before, after)] == ["bank"]


@pytest.mark.parametrize("seed", range(3))
def test_what_is_measured_is_clear_in_every_sample(seed):
    """The learner chooses the seed of these experiments, and the page marks what comes nearest."""
    deviation = spread.concentrations(spread.FAILS, seed)["sqrt_d_k"].largest.median
    near = sorted(spread.OPTIONS, key=lambda option: abs(spread.OPTIONS[option] - deviation))
    assert near[0] == RIGHT["divided"] and abs(spread.OPTIONS[near[0]] - deviation) < 0.1
    first = spread.concentrations(4, seed)["sqrt_d_k"].largest.median  # "wide_row": from 4 to spread.FAILS
    assert first == pytest.approx(deviation, abs=0.05)
    parts = learning._gradients(learning.TO, seed)
    none, root = parts["query_part", "none"], parts["query_part", "sqrt_d_k"]
    assert none.low < root.low / 10 and none.high / none.low > 1000 * root.high / root.low
    assert learning._answer(none, root) == RIGHT["parts"]


QUESTIONS = {asked.name: asked.question for asked in ASKED}
NO_PROOF = """\
Give {name} a source, where it is declared. Where its answer needs the learner's numbers, compute what each
option says: in GENERAL of tests/answers/general.py if the answer is the same for all numbers, or else in HERE
of tests/answers/test_answers.py."""
NO_ANSWER = """\
Declare which option of {name} is right. Where that follows from the numbers, at_start= is the option that is
right at the lesson's start."""


def unproved(asked: Iterable[Asked]) -> list[str]:
    """What each question lacks, and which functions are left of questions that are gone."""
    questions, problems = {one.name: one for one in asked}, []
    for name, one in questions.items():
        proofs = {"its source": one.question.source, "GENERAL": name in GENERAL, "HERE": name in HERE}
        those = [proof for proof, is_there in proofs.items() if is_there]
        if not those:
            problems.append(NO_PROOF.format(name=name))
        if len(those) > 1:
            problems.append(f"Keep one proof of {name}: it has {' and '.join(those)}.")
        if one.question.kind == "option" and (one.question.right is None) == (one.question.at_start is None):
            problems.append(NO_ANSWER.format(name=name))
    gone = [name for name in (*GENERAL, *HERE) if name not in questions]
    return problems + [f"Delete the function of {name}: no lesson asks it." for name in gone]


def test_each_question_is_judged_in_general_or_here_or_is_a_fact():
    problems = unproved(ASKED)
    assert not problems, "\n".join(problems)


def test_who_adds_a_question_is_told_what_it_lacks():
    new = (
        Question("fact", ("a", "b"), "a"),
        Question("option", ("a", "b"), source="…"),
        Question("number", kind="number", source="…"),
        Question("swap", ("a", "b"), "a", source="…"),
    )
    lacks = unproved([*(one for one in ASKED if one.name != "row"), *(Asked("order", one) for one in new)])
    assert [re.split("[,.:]", line)[0] for line in lacks] == [
        "Keep one proof of swap",
        "Give fact a source",
        "Declare which option of option is right",
        "Delete the function of row",
    ]
    files = re.findall(r"tests/[\w/]+\.py", " ".join(lacks))
    assert len(files) == 2 and all((ROOT / file).is_file() for file in files)


INEXACT = """\
The source of {name} has to say where its answer is: in a paper, with its year and its section, equation,
theorem, table, property or algorithm; in the documentation of a call of PyTorch (torch.…: words); in a
lecture note; or in a test that counts or measures it, by its name (test_…). It is: {source}"""
NO_TEST = """\
The source of {name} is {test}, and no test has this name now. Name the test that measures its answer,
where the question is declared; if there is none, the answer has lost its proof."""


@functools.cache
def names_of_tests() -> frozenset[str]:
    files = (path.read_text("utf-8") for path in (ROOT / "tests").rglob("test_*.py"))
    return frozenset(name for text in files for name in re.findall(r"^def (test_\w+)\(", text, re.MULTILINE))


def inexact(name: str, source: str) -> list[str]:
    """What is wrong with a source: it is a call that there is, a test, a note, or a place in a paper."""
    tests = re.findall(r"\btest_\w+", source)
    if source.startswith("torch."):
        call, _, words = source.partition(": ")
        is_exact = bool(words) and callable(operator.attrgetter(call.removeprefix("torch."))(torch))
    else:
        place = r"\d{4}\b.*(section|equation|theorem|table|property|algorithm) \d|lecture note 00\d, "
        is_exact = bool(tests or re.search(place, source))
    gone = [NO_TEST.format(name=name, test=test) for test in tests if test not in names_of_tests()]
    return gone if is_exact else [INEXACT.format(name=name, source=source)]


def test_a_source_is_exact():
    problems = [
        line for one in ASKED if one.question.source for line in inexact(one.name, one.question.source)
    ]
    assert not problems, "\n".join(problems)


def test_a_source_that_is_not_exact_is_said():
    for source in (
        "Vaswani et al. 2017",
        "somewhere",
        "torch.softmax",
        "section 3",
        "test_that_is_not_there",
    ):
        (problem,) = inexact("q", source)
        assert problem.startswith("The source of q") and source in problem
    with pytest.raises(AttributeError):
        inexact("q", "torch.soft_maximum: dim")


# ---- what the page does where the numbers do not tell, or a question cannot be asked


TWO = edits.remove_token(Settings(), 0)
ALIKE = edits.example_start("uniform")
ALIKE = replace(ALIKE, source=ALIKE.tokens, y=ALIKE.x)
EMPTY = edits.with_choice(Settings(), mask="custom", blocked=frozenset((1, key) for key in range(3)))
NEAR = heads_of((3.0, 1.0), off=-1e-6)  # shares that differ, but not in the digits that are shown


@functools.cache
def mixed() -> Settings:
    """Of the masked weights some are rounded to 0."""
    results = ((now, *scores_times_zero(now)) for now in map(drawn, itertools.count()))
    return next(now for now, marked, holds in results if holds is not None and marked is None)


NOT_TELLING: dict[str, tuple[str, Callable[[], Settings]]] = {
    "row": ("why_scale", lambda: NEAR),
    "ablation": ("many_heads", lambda: heads_of((3.0, 1.0), (3.0, 1 + 2e-8))),
    "cross_end": ("cross_attention", lambda: ALIKE),
    "renormalise": ("masks", lambda: EMPTY),
    "times_zero": ("masks", mixed),
}


@pytest.mark.exhaustive("question")
@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("question", NOT_TELLING)
def test_where_the_numbers_do_not_tell_the_question_is_about_an_example_that_does(question, language):
    """Of whatever example the numbers are changes: the present one stays where a place may begin with it."""
    lesson, make = NOT_TELLING[question]
    now = make()
    place, this = COURSE.asked_at(question).place, COURSE.pages[lesson]
    view = View(language=language, answers=shown(lesson, but=question))
    for example in (now.example, *(this.begins(code, place) for code in LANGUAGES)):
        app = open_page(lesson, replace(now, example=example), view, place)
        assert not app.exception and is_offered(app, question)
        assert Texts(language)("question.stands_in", example="|").split("|")[0] in said(app)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_page_says_what_a_question_needs_where_it_cannot_be_asked(language):
    place, view = Place(part="along"), View(language=language, answers=shown("order", but="order_causal"))
    app = open_page("order", TWO, view, place)
    assert not app.exception and not is_offered(app, "order_causal")
    assert Texts(language, "order")("missing.order_causal") in [one.value for one in app.info]
    assert "order_causal" not in dict(visit(app).view.answers)


def is_offered(app: AppTest, question: str) -> bool:
    return any((one.key or "").startswith(f"guess-{question}-") for one in app.button)
