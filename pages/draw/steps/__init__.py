"""The steps of a trace: their matrices, their order in a picture, and their texts."""

import functools
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from pages.model.compute import cross_trace_of, trace_of
from pages.picture import Arrow, Matrix, PanelStep, renamed, softmax
from pages.picture.traced import Traced

from .. import inputs, matrix
from ..page import Page
from ..placing import Find
from .computation import Computation, hidden
from .projections import StepRow, sequences
from .table import NAMES, ROWS, SWITCHES, masked, scaled


class Steps(Computation):
    """The steps that take place, in order: `numbers` has how each is made, `steps[name]` is its matrix."""

    @functools.cached_property
    def rows(self) -> dict[str, StepRow]:
        return {row.name: row for row in ROWS if row.happens(self)}

    @functools.cached_property
    def numbers(self) -> dict[str, Traced]:
        """Each step by its name, and first X, and Y."""
        made = sequences(self)
        for name, row in self.rows.items():
            made[name] = row.number(self, made)
        return made

    @functools.cached_property
    def of_head(self) -> "Steps":
        """The steps of the shown head alone."""
        return Steps(
            self.page,
            self.trace,
            tuple(self.keys) if self.cross else None,
            self.head,
            softcap=self.softcap,
            dropout=self.dropout,
            alone=True,
        )

    def __getitem__(self, name: str) -> Matrix:
        number = self.numbers[name]
        look = {"step_name": name, "alt": self.t(f"title.{name}"), "subtitle": number.formula}
        return matrix.number(self.page, number, **look | self.rows[name].look(self))

    def matrices(self) -> list[Matrix]:
        """What the steps bring with them, all steps, and the thumbnails of several heads."""
        return [*self._matrices]

    @functools.cached_property
    def _matrices(self) -> tuple[Matrix, ...]:
        brought = [matrix for row in self.rows.values() for matrix in row.brings(self)]
        return (*brought, *map(self.__getitem__, self.rows), *(self.thumbnails() if self.several else ()))

    def find(self, name: str) -> Matrix | None:
        """The matrix of that id: a step, what a step brings, or an input; None for another id."""
        if name in self.rows:
            return self[name]
        if name in ("x", "y") or (name in inputs.SYMBOLS and getattr(self.settings, name) is not None):
            return inputs.matrix(self.page, name)
        if name.startswith("head_output_"):
            return self.output_of(int(name.removeprefix("head_output_")) - 1)
        brought = (matrix for row in self.rows.values() for matrix in row.brings(self))
        return next((matrix for matrix in brought if matrix.id == name), None)

    def second(self, name: str, end: str, **look: Any) -> Matrix:
        """A step for a picture with the same step of another computation (see `sources`)."""
        return renamed(self[name], end).having(step_name=None, **look)

    def sources(self, end: str) -> Find:
        """Finds the sources of the matrices of `second`."""

        def find(name: str) -> Matrix | None:
            matrix = self.find(name.removesuffix(end)) if name.endswith(end) else None
            return None if matrix is None else renamed(matrix, end)

        return find

    def way(self) -> list[list[str | Arrow]]:
        """The way from the scores to the shown head's output, as the items of a flow.

        Two lines if there are further steps between the scaling and the mask.
        """
        lines: list[list[str | Arrow]] = [[]]
        for row in self.rows.values():
            if row.leads is None:
                continue
            if row.name == "masked_scores" and (self.biased or self.capped):
                lines.append([])
            lines[-1] += [*row.leads(self), row.name]
        return lines

    def short_way(self) -> tuple[list[str | Arrow], list[str | Arrow], Matrix]:
        """The way in one line, from the scores to A, and from A on; and A, with sources in that line.

        Without a mask, the masked scores would be the same numbers again, and are left out.
        """
        way = [item for line in self.way() for item in line]
        weights = self["weights"]
        if self.head.mask is None:
            at = way.index("masked_scores")
            way[at - 1 : at + 1] = []
            weights = replace(weights, recipe=softmax(self.unmasked))
        cut = way.index("weights") + 1
        return way[:cut], way[cut:], weights

    def walk(self) -> list[PanelStep]:
        """Each step's name, formula and reason, and its line of code."""
        return [self._told(row, self.numbers[row.name]) for row in self.rows.values()]

    def _told(self, row: StepRow, number: Traced) -> PanelStep:
        """A step as the panel tells it."""
        formula = number.sized_equation
        if row.told:
            form = next((form for form in self.forms if row.name.startswith(form)), None)
            prepared = {f"{letter.lower()}_prepared": self.compared(letter, form) for letter in "QK"}
            formula = self.t(f"formula.{row.name}", **prepared, **self._facts)
        title, why = self.t(f"title.{row.name}"), self.t(f"why.{row.reason(self)}")
        return PanelStep(row.name, title, formula, why, number.line("torch"), number.latex)

    @functools.cached_property
    def _facts(self) -> dict[str, object]:
        """The placeholders of the formulas of several steps."""
        settings = self.settings
        return {
            **{letter.lower(): self.symbol(letter) for letter in "QK"},
            "base": f"{settings.position_base:.7g}",
            "p": self.dropout,
            "masked": "−∞" if settings.masked_score == "-inf" else "−10^{9}",
            "h": settings.num_heads,
            "d_k": settings.head_dim,
            "half": max(1, settings.head_dim // 2),
            "turned": max(2, settings.head_dim - settings.head_dim % 2),
            "unturned": self.t("formula.unturned") if settings.head_dim % 2 else "",
            "d_v": settings.value_dim,
        }


def of(page: Page) -> Steps:
    """The steps of self-attention on the learner's numbers."""
    return Steps(page, trace_of(page.settings))


def capped(page: Page, cap: float) -> Steps:
    """The steps of self-attention with a cap on the scores."""
    return Steps(page, trace_of(page.settings, cap), softcap=cap)


def of_lesson(page: Page) -> Steps:
    """The steps of the lesson's computation on the learner's numbers: self-attention or cross-attention."""
    return Steps(page, cross_trace_of(page.settings), page.source) if page.lesson.crosses else of(page)
