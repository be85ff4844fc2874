"""One row of attention, step by step: from the row of “it” in X to its output, all in numbers.

Each step stays while the next one comes, and all of them follow a number of x.
"""

import math
import operator
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import streamlit as st
import torch

from pages.ask import blocks, questions
from pages.ask.stand_in import fitting
from pages.draw import arithmetic, inputs, matrix, placing, say, steps
from pages.draw.numbers import bracketed, confirmed, counted, short
from pages.draw.page import Page
from pages.model import edits
from pages.model.compute import divisor_of
from pages.model.progress import Takeaway
from pages.model.state import State
from pages.picture import Arrow, Flow, Matrix, Passage, divide, product

from . import sentence

QUESTION = "row_raised"
STEPS = ("query", "scores", "scaled", "weights", "output")
ASKED = "weights"  # the step after which the question is asked
LINES = {"scores": ("key", "scores"), "output": ("value", "output")}  # of the steps with more than one line
EXAMPLE = 0  # the key whose arithmetic each step shows, and the column of its query and of its output


def draw(page: Page) -> blocks.Blocks:
    """The row with all that is known; below: the text of the step, its lines, the question, the way on."""
    yield blocks.control(sentence.loading)
    yield blocks.picture(_picture, "lines_first")  # in sight together with x, which the lines follow
    yield blocks.control(sentence.way_back, follows="released")
    yield blocks.control(_step)
    yield blocks.said(_lines)
    place, asked = _place(page), STEPS.index(ASKED)
    if place == asked or (page.shows and place > asked):
        yield blocks.asking(QUESTION, _ask)
    yield blocks.always(blocks.control(_ways))


def _step(page: Page) -> None:
    """The text of the step."""
    place, told = _place(page), sentence.told(page)
    name = STEPS[place]
    say.markdown(
        "##### "
        + page.t("row.heading", number=place + 1, count=len(STEPS), title=page.t(f"row_title.{name}"))
    )
    if not page.view.presenting:
        facts = {"query": told.tokens[sentence.IT], "key": told.tokens[EXAMPLE]}
        say.markdown(page.t(f"row_why.{name}", **facts))


def _has_lines(page: Page) -> bool:
    """Whether the picture has the lines: all in the end, as they follow a drag; presented, the step's."""
    return is_whole(page) or page.view.presenting


def _lines(page: Page) -> str:
    """The arithmetic of the new step, where the picture does not have it."""
    return "" if _has_lines(page) else "\n".join(_Row(sentence.told(page)).told(STEPS[_place(page)]))


def _is_open(page: Page) -> bool:
    return page.answer(QUESTION) is None and page.is_asked(QUESTION)


def _place(page: Page) -> int:
    """The step that the learner has come to; not past an open question."""
    names = [f"row_{name}" for name in STEPS]
    begins = len(names) - 1 if page.shows else 0  # everything at once, or step by step
    place = names.index(page.place.step) if page.place.step in names else begins
    return min(place, STEPS.index(ASKED)) if _is_open(page) else place


def _ways(page: Page) -> None:
    """The way back, and on once the question is answered."""
    place = _place(page)

    def go(to: int) -> None:
        page.go(step=f"row_{STEPS[to]}", cell=None)

    with st.container(horizontal=True, gap="small"):
        back: dict[str, Any] = {"disabled": place == 0, "on_click": go, "args": (place - 1,)}
        st.button(page.t("row.back"), key="row_back", **back)
        if place + 1 < len(STEPS) and not (STEPS[place] == ASKED and _is_open(page)):
            text = page.t("row.next", title=page.t(f"row_title.{STEPS[place + 1]}"))
            st.button(text, key="row_next", type="primary", on_click=go, args=(place + 1,))
        elif place + 1 < len(STEPS):
            say.caption(page.t("row.waits"), width="content")


def task(page: Page) -> bool:
    """Whether a number of the row of “it” was changed."""
    return sentence.is_own(page) and page.settings.x[sentence.IT] != sentence.start(page).x[sentence.IT]


def is_whole(page: Page) -> bool:
    """Whether the last step is shown, whose sum is the sentence to keep."""
    return _place(page) + 1 == len(STEPS)


def keep(page: Page) -> Takeaway:
    """The output as the sum of the values, each times its weight."""
    told = sentence.told(page)
    return Takeaway({"query": told.words[sentence.IT], "sum": _Row(told).line("output")})


# ---- the question


def _ask(page: Page) -> bool:
    """What becomes of the largest weight where the second largest score rises to the largest?"""
    page = fitting(page, lambda page: raised(_scaled(sentence.told(page))) is not None)
    told = sentence.told(page)
    scaled = _scaled(told)
    weights = raised(scaled)
    if weights is None:
        raise ValueError(f"the example has no two largest scores: {scaled}")
    ranked = sorted(range(len(scaled)), key=scaled.__getitem__, reverse=True)
    total, equal = 1 / weights["equal"], weights["equal"]
    (divisor,) = _brief(lambda total: 1 / total, [total], equal)
    facts: dict[str, Any] = {
        "first": told.tokens[ranked[0]],
        "second": told.tokens[ranked[1]],
        "count": len(scaled),
        "score": short(scaled[ranked[0]]),
        "sum": divisor,
        "quotient": _equation(f"1 / {divisor}", equal),
    }
    facts |= {option: short(weight) for option, weight in weights.items()}
    return questions.ask(page, QUESTION, answer="equal", **facts)


def _scaled(told: Page) -> list[float]:
    return steps.of(told).head.scaled_scores[sentence.IT].tolist()


def raised(scaled: Sequence[float]) -> dict[str, float] | None:
    """Option → the weight that it gives to the largest score if the second one were as large.

    None where two options read alike, so that the question cannot be asked.
    """
    if len(scaled) < 2:
        return None
    parts = sorted((math.exp(score - max(scaled)) for score in scaled), reverse=True)
    weights = {"stays": 1 / sum(parts), "fair": 1 / len(parts), "equal": 1 / (sum(parts) - parts[1] + 1)}
    return weights if len({short(weight) for weight in weights.values()}) == len(weights) else None


# ---- the picture


def _picture(page: Page) -> None:
    place, row = _place(page), _Row(sentence.told(page))
    known = STEPS[: place + 1]
    matrices = [table for name in known for table in row.matrices(name)]
    if sentence.may_edit(page, "x"):
        matrices[0] = matrices[0].to_edit()
    flows = [
        Flow([item for name in line if name in known for item in row.items(name)])
        for line in (STEPS[:2], STEPS[2:])
    ]
    told = known[-1:] if page.view.presenting else known  # the window has room for the lines of one step
    lines = [line for name in told for line in row.sentences(name)]
    placing.draw(
        page,
        "row",
        matrices,
        [flow for flow in flows if flow.items],
        on_edit=_take,
        handed=True,
        passages=[Passage(page.t("row.lines"), lines)] if _has_lines(page) else [],
    )


def _take(edit: dict) -> Callable[[State], State]:
    """x is a row of X."""
    col, value = int(edit["col"]), edit["value"]
    return lambda state: replace(state, core=edits.set_cell(state.core, "x", sentence.IT, col, value))


def _tidy(text: str) -> str:
    """Numbers as they are written by hand: 3 in place of 3.00."""
    return re.sub(r"\.0+(?!\d)|(\.\d*[1-9])0+(?!\d)", r"\1", text)


class _Row:
    """The row of “it” in each step: its matrices, and a line of arithmetic."""

    def __init__(self, page: Page):
        self.page, self.t, self.computation = page, page.t, steps.of(page)
        row, head = sentence.IT, self.computation.head
        self.token, self.head = page.tokens[row], head
        self.tokens: list[str] = [*page.tokens]
        self.x = torch.tensor(page.settings.x[row : row + 1], dtype=torch.float64)
        rows = ("query", "scores", "scaled_scores", "weights", "output")
        self.row = {name: getattr(head, name)[row : row + 1] for name in rows}
        scaled = self.row["scaled_scores"]
        self.exponentials = (scaled - scaled.max()).exp()
        self.sum = self.exponentials.sum(-1, keepdim=True)

    def items(self, name: str) -> list[str | Arrow]:
        """The matrices of a step, with the arrows that lead to them."""
        t, root = self.t, f"÷ √{self.page.settings.head_dim}"
        items: dict[str, list[str | Arrow]] = {
            "query": ["x", Arrow("·"), "w_q", Arrow("="), "query"],
            "scores": [Arrow(t("row.each")), "key", Arrow("="), "scores"],
            "scaled": [Arrow(root), "scaled_scores"],
            "weights": [
                Arrow("exp(s − max s)"),
                "exponentials",
                Arrow(t("row.add")),
                "sum",
                Arrow("÷"),
                "weights",
            ],
            "output": [Arrow("·"), "value", Arrow("="), "output"],
        }
        return items[name]

    def matrices(self, name: str) -> list[Matrix]:
        settings, row, tokens, size = (
            self.page.settings,
            self.row,
            self.tokens,
            counted(self.page.settings.head_dim),
        )
        label, x = [self.token], torch.tensor(settings.x, dtype=torch.float64)
        dimensions = inputs.dimensions(settings)

        def of(name: str, title: str, cols: list[str], **look: Any) -> Matrix:
            return matrix.of(name, title, row[name], label, cols, alt=self.t(f"title.{name}"), **look)

        def made(name: str, title: str) -> Matrix:
            weight = torch.tensor(getattr(settings, f"w_{title.lower()}"), dtype=torch.float64)
            values = getattr(self.head, name)
            recipe = arithmetic.products(x, weight, values)
            return matrix.of(name, title, values, tokens, size, recipe=recipe, alt=self.t(f"title.{name}"))

        if name == "query":
            w_q = inputs.matrix(self.page, "w_q").to_read()
            own = matrix.of("x", "x", self.x, label, dimensions, alt=self.t("row.alt_x", query=self.token))
            return [own, w_q, of("query", "q", size, recipe=product("x", "w_q", settings.d_model))]
        if name == "scores":
            recipe = product("query", "key", settings.head_dim, right_transposed=True)
            return [made("key", "K"), of("scores", self.t("row.scores"), tokens, recipe=recipe)]
        if name == "scaled":
            recipe = divide("scores", divisor_of(settings), f"√{settings.head_dim}")
            return [of("scaled_scores", self.t("row.scaled"), tokens, recipe=recipe)]
        if name == "weights":
            return self._shares()
        recipe = product("weights", "value", len(tokens))
        return [made("value", "V"), of("output", self.t("row.output"), size, recipe=recipe)]

    def _shares(self) -> list[Matrix]:
        """The exponentials, their sum, and the weights."""
        title, label, names = self.t("row.exponentials"), [self.token], self.tokens
        weights = self.row["weights"]
        quotients = arithmetic.quotients(self.exponentials, self.sum, weights, ["exponentials"])
        return [
            matrix.of("exponentials", title, self.exponentials, label, names, recipe=self._exponentials()),
            matrix.of("sum", self.t("row.sum"), self.sum, label, [""], recipe=self._sum()),
            matrix.of(
                "weights",
                self.t("row.weights"),
                weights,
                label,
                names,
                kind="weights",
                recipe=quotients,
                alt=self.t("title.weights"),
            ),
        ]

    def _exponentials(self) -> dict:
        """exp of each score minus the largest one."""
        scaled, results = self.row["scaled_scores"][0].tolist(), self.exponentials[0].tolist()
        top = max(scaled)

        def compute(score: float, largest: float) -> float:
            return float(torch.tensor(score - largest, dtype=torch.float64).exp())

        def text(r: int, c: int) -> str:
            first, second = confirmed(compute, (scaled[c], top), results[c])
            second = f"({second})" if second.startswith("−") else second
            return f"exp({first} − {second}) = {short(results[c], 4)}"

        return arithmetic.cells(self.exponentials, text, ["scaled_scores"])

    def _sum(self) -> dict:
        terms = [self.exponentials[:, i : i + 1] for i in range(len(self.tokens))]
        return arithmetic.sums(terms, self.sum)

    # ---- the lines

    def sentences(self, name: str) -> list[str]:
        """The lines of a step."""
        facts = {"query": self.token, "key": self.tokens[EXAMPLE], "q": _tuple(self.row["query"][0].tolist())}
        return [self.t(f"row_line.{line}", sum=self.line(line), **facts) for line in LINES.get(name, (name,))]

    def told(self, name: str) -> list[str]:
        """The same, and before them the numbers of X and of a weight matrix that the picture lacks."""
        facts = {"key": self.tokens[EXAMPLE], "x": _tuple(self.page.settings.x[EXAMPLE])}
        sources = [
            self.t(f"row_source.{made}", column=_tuple(self._column(made)), **facts)
            for made in LINES.get(name, ())[:1]
        ]
        return sources + self.sentences(name)

    def _column(self, name: str) -> list[float]:
        """The first column of the weight matrix of the queries, keys or values."""
        return [row[EXAMPLE] for row in getattr(self.page.settings, f"w_{name[0]}")]

    def line(self, name: str) -> str:
        """The arithmetic of one number of the step, in the decimals that its cells show."""
        row, column = {name: row[0].tolist() for name, row in self.row.items()}, EXAMPLE
        if name in ("query", "key", "value"):
            of = sentence.IT if name == "query" else EXAMPLE
            result = getattr(self.head, name)[of, column].item()
            return _products(self.page.settings.x[of], self._column(name), result)
        if name == "scores":
            return _products(row["query"], self.head.key[EXAMPLE].tolist(), row["scores"][EXAMPLE])
        if name == "scaled":
            root, result = self.page.settings.head_dim, row["scaled_scores"][EXAMPLE]
            (score,) = _brief(lambda score: score / math.sqrt(root), [row["scores"][EXAMPLE]], result)
            return _equation(f"{score} / √{root}", result)
        if name == "weights":
            scaled, share = row["scaled_scores"], self.exponentials[0, EXAMPLE].item()
            score, top = _brief(lambda s, top: math.exp(s - top), [scaled[EXAMPLE], max(scaled)], share)
            above, below = _brief(operator.truediv, [share, self.sum.item()], row["weights"][EXAMPLE])
            first = _equation(f"exp({score} − {bracketed(top)})", share)
            return self.t.listed(
                [first, _equation(f"{above} / {below}", row["weights"][EXAMPLE])], apart=True
            )
        values = self.head.value[:, column].tolist()
        return _products(row["weights"], values, row["output"][column])


def _tuple(numbers: Sequence[float]) -> str:
    return f"({', '.join(_tidy(short(number)) for number in numbers)})"


def _products(left: Sequence[float], right: Sequence[float], result: float) -> str:
    """The products of two rows of numbers, added."""
    count = len(left)
    texts = _brief(lambda *all: sum(map(operator.mul, all[:count], all[count:])), [*left, *right], result)
    pairs = zip(texts[:count], texts[count:], strict=True)
    return _equation(" + ".join(f"{bracketed(a)} · {bracketed(b)}" for a, b in pairs), result)


def _brief(compute: Callable[..., float], numbers: Sequence[float], result: float) -> list[str]:
    return [_tidy(text) for text in confirmed(compute, numbers, result, decimals=2)]


def _equation(left: str, result: float) -> str:
    return f"{left} = {_tidy(short(result))}"
