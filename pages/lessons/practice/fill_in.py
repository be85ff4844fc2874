"""Cells to fill in: numbers by hand (the last of a row, a row, or a row of every step), or shapes."""

from dataclasses import replace

from pages.ask import topics
from pages.ask.exercise.fill_exercise import (
    HOUR,
    MOST_TOKENS,
    MOST_WIDTH,
    STEPS,
    BlankCell,
    FillExercise,
    Finding,
    judge,
    make,
    matrix_of,
    sources,
    take_entry,
)
from pages.ask.exercise.words import Words
from pages.draw import placing, say
from pages.draw.numbers import counted
from pages.draw.page import Page, distinct, named
from pages.draw.texts import literal
from pages.model.course import Course, Location
from pages.picture import Arrow, Flow, Matrix

from . import desk, shapes
from .desk import Attempt

BLANK = "blank"  # among the entries: a check was asked for while cells were blank
SOURCES = {
    "scores": ("query", "key"),
    "scaled_scores": ("scores",),
    "weights": ("scaled_scores", "mask"),
    "output": ("weights", "value"),
}


def draw(page: Page) -> None:
    topics.draw(page, {"numbers": _numbers, "shapes": shapes.draw})


def _numbers(page: Page) -> None:
    desk.draw(page)
    work(page)


def work(page: Page) -> None:
    """The exercise, without the choice of one."""
    _, level, number, own = desk.task(page)
    exercise = make(level, number, own, language=page.t.language)
    if isinstance(exercise, str):
        say.warning(page.t(f"fill_none.{exercise}", tokens=MOST_TOKENS, width=MOST_WIDTH))
        return
    _Desk(page, exercise).draw()


class _Desk:
    """One exercise on the screen."""

    def __init__(self, page: Page, exercise: FillExercise):
        self.page, self.t, self.exercise = page, page.t, exercise
        self.attempt = desk.attempt(page)
        self.labels = named(page.t, exercise.tokens)
        self.words = Words(page.t, exercise, distinct(exercise.tokens), self.entries)
        # Of the last try.
        self.findings = judge(exercise, self.attempt.tries[-1]) if self.attempt.tries else ()
        self.next = self._next()

    @property
    def entries(self) -> dict[BlankCell, float]:
        entries = self.attempt.entries
        return {place: entries[place] for place in self.exercise.blank if place in entries}

    def blank(self) -> list[BlankCell]:
        return [place for place in self.exercise.blank if place not in self.attempt.entries]

    def _next(self) -> BlankCell:
        """The cell that hints are about: the first that is known to be wrong, or else the first blank one."""
        wrong = [(step, col) for step in self.exercise.steps for col in self.wrong(step)]
        corrected = [(finding.step, col) for finding in self.findings for col in finding.wrong]
        return (wrong or self.blank() or corrected or list(self.exercise.blank))[0]

    # ---- the page

    def draw(self) -> None:
        say.markdown(self.task())
        placing.draw(
            self.page,
            self.name(),
            self.matrices(),
            self.layout(),
            on_edit=None if self.attempt.ended else self.take,
            note=self.t("fill_in.point" if self.attempt.ended else "fill_in.typing"),
        )
        self.example()
        desk.check_button(self.page, self.check)
        self.verdict()
        desk.help_bar(self.page, self.words.hints(self.next))
        if self.attempt.ended:
            self.solution()
        elif self.is_last_try():
            desk.read_more(self.page, way(self.page.course, self.findings))

    def name(self) -> str:
        """Of the picture: another one for each exercise, so that nothing half typed is left in the next."""
        look = self.page.look
        return f"{look.level}-{look.exercise}-{look.numbers}"

    def task(self) -> str:
        """What is to be done, and what is known."""
        t, exercise = self.t, self.exercise
        query = literal(self.labels[exercise.row])
        if exercise.level == HOUR:
            return t("fill_task.hour", query=query)
        kind = "row" if exercise.level == "2" else "steps" if exercise.own_rows else "cell"
        sentences = [t(f"fill_task.{kind}", query=query, step=t(f"fill_step.{exercise.steps[0]}"))]
        if "scaled_scores" in exercise.steps:
            sentences.append(t("fill_task.width", d_k=exercise.numbers.d_k))
        if exercise.numbers.mask is not None and "weights" in exercise.steps:
            sentences.append(t("fill_in.mask"))
        sentences.append(t("fill_task.digits_exp" if "weights" in exercise.steps else "fill_task.digits"))
        if exercise.head is not None:
            sentences.append(t("fill_task.own_head", head=exercise.head + 1))
        elif self.page.look.numbers == "own":
            sentences.append(t("fill_task.own"))
        return t.joined(sentences)

    def example(self) -> None:
        """The arithmetic of the cells that are given as an example."""
        exercise = self.exercise
        if exercise.own_rows or self.attempt.ended:
            return
        step, columns = exercise.steps[0], exercise.columns(exercise.steps[0])
        row = exercise.row - (exercise.level == "2")
        count = matrix_of(exercise.numbers, step).shape[-1]
        others = [col for col in range(count) if exercise.level == "2" or col not in columns]
        self.lines([self.words.worked((step, col), row) for col in others])

    def lines(self, lines: list[str]) -> None:
        say.markdown("  \n".join(map(literal, lines)))

    def verdict(self) -> None:
        attempt, blank = self.attempt, self.blank()
        if blank and attempt.entries.get(BLANK) and not attempt.ended:
            say.info(self.t("fill_in.blank", cells=self.words.cells(blank)))
        elif self.is_last_try():
            words = Words(self.t, self.exercise, self.words.names, self.last_try)
            wrong = "" if attempt.solved else words.wrong(self.findings)
            desk.verdict(self.page, self.t("fill_in.right_answer"), wrong)

    def solution(self) -> None:
        """Every blank cell with its arithmetic, and where to read on."""
        self.lines([self.words.worked(place) for place in self.exercise.blank])
        wrong = self.findings and not self.attempt.solved
        course = self.page.course
        last = course.place_of("steps", self.exercise.steps[-1])
        desk.read_more(self.page, way(course, self.findings) if wrong else last)

    # ---- what the learner does

    def take(self, edit: dict) -> None:
        if not self.attempt.ended:
            take_entry(self.attempt.entries, self.exercise.blank, edit)

    def check(self, attempt: Attempt) -> None:
        """A check while cells are blank is no try."""
        attempt.entries[BLANK] = bool(self.blank())
        if attempt.entries[BLANK] or attempt.ended:
            return
        answer = tuple(attempt.entries[place] for place in self.exercise.blank)
        attempt.check(answer, all(finding.right for finding in judge(self.exercise, answer)))

    # ---- the picture

    def matrices(self) -> list[Matrix]:
        exercise = self.exercise
        if exercise.own_rows:
            names = ("query", "key", "value", "mask", *STEPS)
        else:
            names = (*SOURCES[exercise.steps[0]], exercise.steps[0])
        return [self.matrix(name) for name in names if name != "mask" or exercise.numbers.mask is not None]

    def layout(self) -> list[Flow]:
        names = [matrix.id for matrix in self.matrices()]
        if not self.exercise.own_rows:
            return [Flow([*names[:-1], Arrow(""), names[-1]])]
        chain = [item for step in STEPS for item in (Arrow(""), step)]
        return [Flow([name for name in names if name not in STEPS]), Flow(chain[1:])]

    def matrix(self, name: str) -> Matrix:
        numbers = self.exercise.numbers
        square = name in ("mask", "scores", "scaled_scores", "weights")
        values = numbers.visible if name == "mask" else matrix_of(numbers, name)
        kept = list(range(len(values)))
        if name in self.exercise.steps and self.exercise.own_rows and not self.attempt.ended:
            kept = [self.exercise.row]
        result = Matrix(
            id=name,
            title="M" if name == "mask" else self.words.symbol(name),
            rows=[self.labels[row] for row in kept],
            cols=list(self.labels) if square else counted(values.shape[-1]),
            values=values.tolist(),
            kind={"mask": "mask", "weights": "weights"}.get(name, "signed"),
        ).looking(
            subtitle=f"d_k = {numbers.d_k}"
            if name == "scaled_scores" and name in self.exercise.steps
            else "",
            row_axis=self.t("axis.query") if square and len(kept) > 1 else "",
            col_axis=self.t("axis.key") if square else "",
            alt=self.t(f"fill_step.{name}"),
            ringed=self.sources(name),
        )
        return self.blanks(result, kept) if name in self.exercise.steps else result

    def blanks(self, matrix: Matrix, kept: list[int]) -> Matrix:
        """A step with its blank cells; after the end the numbers, traced to their sources."""
        step = matrix.id
        exercise, columns = self.exercise, self.exercise.columns(step)
        row = kept.index(exercise.row)
        if self.attempt.ended:
            recipe = self.words.recipe(step, range(len(self.labels)))
            ended = replace(matrix, recipe=recipe, masked=self.masked(step, kept))
            return ended.looking(marked_rows=(row, row + 1), ringed=[(row, col) for col in columns])
        numbers: list[list[float | None]] = [list(matrix.known[index]) for index in kept]
        for col in columns:
            numbers[row][col] = self.attempt.entries.get((step, col))
        # The first hint may point at a step that has blank cells itself.
        hinted = [col for _, col in self.sources(step)]
        cells = [(row, col) for col in columns]
        masked = [cell for cell in self.masked(step, kept) if cell not in cells]
        ringed = [(row, col) for col in {*self.wrong(step), *hinted}]
        return replace(matrix, values=numbers, masked=masked).looking(ringed=ringed).to_edit(open=cells)

    @property
    def last_try(self) -> dict[BlankCell, float]:
        """The entries of the last try; none before it."""
        return (
            dict(zip(self.exercise.blank, self.attempt.tries[-1], strict=True)) if self.attempt.tries else {}
        )

    def is_last_try(self) -> bool:
        """Whether the last verdict is about the entries that are in the cells now."""
        return bool(self.attempt.tries) and self.entries == self.last_try

    def wrong(self, step: str) -> list[int]:
        """The cells of a step that were wrong at the last check and are as they were."""
        columns = [col for finding in self.findings if finding.step == step for col in finding.wrong]
        return [col for col in columns if self.attempt.entries.get((step, col)) == self.last_try[step, col]]

    def masked(self, step: str, kept: list[int]) -> list[tuple[int, int]]:
        if step != "weights":
            return []
        visible = self.exercise.numbers.visible[kept]
        return [(row, col) for row, col in (~visible).nonzero().tolist()]

    def sources(self, name: str) -> list[tuple[int, int]]:
        """What the first hint points at."""
        if not self.attempt.hints or self.attempt.ended:
            return []
        return [(row, col) for of, row, col in sources(self.exercise, self.next) if of == name]


def way(course: Course, findings: tuple[Finding, ...]) -> Location:
    """Where to read about what went wrong first."""
    first = next(finding for finding in findings if not finding.right)
    treated = course.treating("mistakes", first.slips[0]) if first.slips else None
    return treated or course.place_of("steps", first.step)
