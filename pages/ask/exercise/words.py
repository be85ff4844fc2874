"""The words of an exercise: the arithmetic of blank cells, hints, and verdicts."""

import math
import operator
from collections.abc import Mapping, Sequence

from attention.lab.mistakes import by_hand
from pages import picture
from pages.draw.numbers import bracketed, confirmed, short
from pages.draw.texts import Texts, literal, quoted

from .fill_exercise import BlankCell, FillExercise, Finding, matrix_of, with_answer

LETTERS = {"query": "Q", "key": "K", "value": "V", "scores": "S", "weights": "A", "output": "O"}


def plain(value: float) -> str:
    """A number for the screen, without decimals that are 0."""
    text = short(value)
    return text[:-3] if text.endswith(".00") else text


def listed(values: list[float]) -> str:
    return "(" + ", ".join(map(plain, values)) + ")"


class Words:
    """The words of one exercise with the learner's entries in its blank cells."""

    def __init__(
        self, t: Texts, exercise: FillExercise, names: tuple[str, ...], entries: Mapping[BlankCell, float]
    ):
        self.t, self.exercise, self.names, self.entries = t, exercise, names, entries

    # ---- names

    def symbol(self, step: str) -> str:
        return self.t("short.scaled_scores") if step == "scaled_scores" else LETTERS[step]

    def cell(self, place: BlankCell, row: int | None = None) -> str:
        """A cell's name: S[猫, 鱼], or O[猫, 2]."""
        query = self.names[self.exercise.row if row is None else row]
        return f"{self.symbol(place[0])}[{query}, {self.column(place)}]"

    def whole_row(self, step: str) -> str:
        """The row with blank cells: S[猫, :]."""
        return f"{self.symbol(step)}[{self.names[self.exercise.row]}, :]"

    def column(self, place: BlankCell) -> str:
        step, col = place
        return str(col + 1) if step == "output" else self.names[col]

    def cells(self, places: list[BlankCell]) -> str:
        return literal(self.t.listed(map(self.cell, places)))

    def facts(self, place: BlankCell) -> dict[str, object]:
        """The placeholders of sentences about a cell."""
        numbers = self.exercise.numbers
        return {
            "cell": literal(self.cell(place)),
            "query": literal(self.names[self.exercise.row]),
            "key": literal(self.column(place)),
            "d_k": numbers.d_k,
            "n": len(self.names),
            "d_model": numbers.d_model,
        }

    # ---- arithmetic

    def sum_of(self, place: BlankCell, row: int | None = None) -> str:
        """The sum that gives a cell, with the numbers on the screen."""
        step, col = place
        row = self.exercise.row if row is None else row
        numbers = with_answer(self.exercise, self.entries, step)
        if step == "scores":
            return self._product(numbers.query[row].tolist(), numbers.key[col].tolist())
        if step == "output":
            return self._product(numbers.weights[row].tolist(), numbers.value[:, col].tolist())
        if step == "scaled_scores":
            return f"{plain(numbers.scores[row, col].item())} / √{numbers.d_k}"
        if not numbers.visible[row, col]:
            return ""
        if self._is_rest(place, row):
            return " − ".join(["1", *self._given()])
        scores = numbers.scaled_scores[row][numbers.visible[row]].tolist()
        exps = " + ".join(f"exp({plain(score)})" for score in scores)
        return f"exp({plain(numbers.scaled_scores[row, col].item())}) / ({exps})"

    def _is_rest(self, place: BlankCell, row: int) -> bool:
        """Whether the cell is the weight that the given ones leave."""
        step, col = place
        exercise = self.exercise
        return (
            (step, row) == ("weights", exercise.row)
            and bool(exercise.given)
            and col not in exercise.given
            and bool(exercise.numbers.visible[row, col])
        )

    def _given(self) -> list[str]:
        weights = self.exercise.numbers.weights[self.exercise.row]
        return [plain(weights[key].item()) for key in self.exercise.given]

    @staticmethod
    def _product(left: list[float], right: list[float]) -> str:
        """The products, with so many decimals that their sum is that of the whole numbers."""
        count = len(left)

        def compute(*factors: float) -> float:
            return sum(map(operator.mul, factors[:count], factors[count:]))

        texts = confirmed(compute, [*left, *right], compute(*left, *right), decimals=2)
        texts = [bracketed(text.removesuffix(".00")) for text in texts]
        return " + ".join(map(" · ".join, zip(texts[:count], texts[count:], strict=True)))

    def worked(self, place: BlankCell, row: int | None = None) -> str:
        """The whole line of a cell: its name, the sum, exponentials where there are any, and the number."""
        step, col = place
        row = self.exercise.row if row is None else row
        numbers = self.exercise.numbers
        sum_of = Words(self.t, self.exercise, self.names, {}).sum_of(place, row)
        number = plain(matrix_of(numbers, step)[row, col].item())
        if not sum_of:
            return f"{self.cell(place, row)} = 0   {self.t('fill_in.masked')}"
        is_rest = self._is_rest(place, row)
        sign = "≈" if self._rounded(step) and not is_rest else "="
        between = f" = {sum_of}" + (self._exps(row, col) if step == "weights" and not is_rest else "")
        return f"{self.cell(place, row)}{between} {sign} {number}"

    def _rounded(self, step: str) -> bool:
        return bool(by_hand.rounding(step, self.exercise.numbers).any())

    def _exps(self, row: int, col: int) -> str:
        """The exponentials of a weight as numbers: 2.718 / (2.718 + 1.000)."""
        numbers = self.exercise.numbers
        exps = [math.exp(score) for score in numbers.scaled_scores[row][numbers.visible[row]].tolist()]
        own = math.exp(numbers.scaled_scores[row, col].item())
        return f" ≈ {short(own, 3)} / ({' + '.join(short(exp, 3) for exp in exps)})"

    def recipe(self, step: str, rows: Sequence[int]) -> dict:
        """The recipe of a step, for its sources to be lit; `rows` of the weights are written out."""
        numbers, keys = self.exercise.numbers, range(len(self.names))
        return {
            "scores": lambda: picture.product("query", "key", numbers.d_k, right_transposed=True),
            "scaled_scores": lambda: picture.divide("scores", math.sqrt(numbers.d_k), f"√{numbers.d_k}"),
            "weights": lambda: picture.written(
                [[self.worked((step, col), row) for col in keys] for row in rows],
                ["scaled_scores", "mask"],
                "row",
            ),
            "output": lambda: picture.product("weights", "value", len(keys)),
        }[step]()

    # ---- hints

    def hints(self, place: BlankCell) -> list[str]:
        """Where to look; the formula with this cell's numbers; the sum without its result."""
        step, _ = place
        facts = self.facts(place) | self.numbers(place)
        sum_of = self.sum_of(place)
        last = literal(f"{self.cell(place)} = {sum_of} = ?")
        last = last if sum_of else self.t("fill_in.hint_masked", **facts)
        where = "weights_masked" if step == "weights" and self.exercise.numbers.mask is not None else step
        if self._is_rest(place, self.exercise.row):
            where = "weights_given"
        return [self.t(f"fill_where.{where}", **facts), self.t(f"fill_how.{where}", **facts), last]

    def numbers(self, place: BlankCell) -> dict[str, str]:
        """The two groups of numbers that a cell is computed from."""
        step, col = place
        row = self.exercise.row
        numbers = with_answer(self.exercise, self.entries, step)
        if step == "scores":
            left, right = listed(numbers.query[row].tolist()), listed(numbers.key[col].tolist())
        elif step == "scaled_scores":
            left, right = plain(numbers.scores[row, col].item()), ""
        elif self._is_rest(place, row):
            left, right = self.t.listed(self._given()), ""
        elif step == "weights":
            visible = numbers.visible[row]
            left = listed(numbers.scaled_scores[row][visible].tolist())
            right = self.t.all_of(quoted(self.names[key] for key in visible.nonzero().flatten().tolist()))
        else:
            left, right = listed(numbers.weights[row].tolist()), listed(numbers.value[:, col].tolist())
        return {"left": literal(left), "right": literal(right)}

    # ---- the verdict

    def wrong(self, findings: tuple[Finding, ...]) -> str:
        """The verdict on a wrong answer: its slip, right and wrong cells, and the cell to compute next."""
        t = self.t
        start = next(i for i, finding in enumerate(findings) if not finding.right)
        before, first, after = findings[:start], findings[start], findings[start + 1 :]
        sentences = [self.reason(first), self.directions((*before, first))]
        for key, result in (
            ("follow", [finding for finding in after if finding.right]),
            ("further", [finding for finding in after if not finding.right]),
        ):
            if result:
                steps = literal(self.t.listed(self.whole_row(finding.step) for finding in result))
                sentences.append(t(f"fill_in.{key}", steps=steps, first=literal(self.whole_row(first.step))))
        place = first.step, first.wrong[0]
        sentences.append(t("fill_in.next", cell=literal(self.cell(place))))
        return "\n\n".join(filter(None, sentences))

    def reason(self, finding: Finding) -> str:
        """The most plausible slip that gives the numbers of a step, as a possibility."""
        place = finding.step, finding.wrong[0]
        facts = self.facts(place) | {"got": literal(plain(self.entries[place]))}
        if finding.slips:
            return self.t(f"slip.{finding.slips[0]}", **facts)
        if finding.query is not None:
            return self.t("fill_in.other_query", **facts, other=literal(self.names[finding.query]))
        return self.t("fill_in.near", **facts) if finding.near else ""

    def directions(self, findings: tuple[Finding, ...]) -> str:
        """The cells that are too small, too large, and right; cells of one verdict are named as a row."""
        names: dict[str, list[str]] = {"low": [], "high": [], "right": []}
        for finding in findings:
            words = [word for _, word in finding.cells]
            if len(words) > 1 and len(set(words)) == 1:
                names[words[0]].append(self.whole_row(finding.step))
                continue
            for col, word in finding.cells:
                names[word].append(self.cell((finding.step, col)))
        return self.t.joined(
            self.t(f"fill_in.{word}", cells=literal(self.t.listed(cells)))
            for word, cells in names.items()
            if cells
        )
