"""The steps of a trace: their matrices, their order in a picture, and their texts."""

import functools
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from pages.model.compute import cross_trace_of, trace_of

from .. import inputs
from ..page import Page
from ..picture import Arrow, Matrix, PanelStep, renamed, softmax
from ..placing import Find
from .computation import Computation, hidden, symbol_of
from .table import NAMES, ROWS, SWITCHES, StepRow


class Steps(Computation):
    """The steps that take place, in order; `steps[name]` is the matrix of one."""

    @functools.cached_property
    def rows(self) -> dict[str, StepRow]:
        return {row.name: row for row in ROWS if row.happens(self)}

    def __getitem__(self, name: str) -> Matrix:
        return self.titled(name, self.rows[name].matrix(self), step_name=name)

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
        return [
            PanelStep(
                row.name,
                self.t(f"title.{row.name}"),
                self._formula(row),
                self.t(f"why.{row.reason(self)}"),
                row.code(self),
                row.latex(self),
            )
            for row in self.rows.values()
        ]

    def _formula(self, row: StepRow) -> str:
        letter = {"query": "q", "key": "k", "value": "v", "output_many": "o"}.get(row.text or row.name)
        bias = self.offset(letter) if letter else None
        form = next((form for form in self.forms if row.name.startswith(form)), None)
        return self.t(
            f"formula.{row.text or row.name}",
            source=symbol_of(self.source(letter or "q")),
            q_prepared=self.compared("Q", form),
            k_prepared=self.compared("K", form),
            bias=f" + b_{letter.upper()}" if letter and bias else "",
            **self._facts,
        )

    @functools.cached_property
    def _facts(self) -> dict[str, object]:
        """The placeholders of the formulas of several steps."""
        settings = self.settings
        return {
            **{letter.lower(): self.symbol(letter) for letter in "QKVSAO"},
            "result": self.result,
            "base": f"{settings.position_base:.7g}",
            "divisor": self.divisor(),
            "cap": self.softcap,
            "p": self.dropout,
            "masked": "−∞" if settings.masked_score == "-inf" else "−10^{9}",
            "h": settings.num_heads,
            "n": len(self.queries),
            "m": len(self.keys),
            "d_model": settings.d_model,
            "d_k": settings.head_dim,
            "half": max(1, settings.head_dim // 2),
            "turned": max(2, settings.head_dim - settings.head_dim % 2),
            "unturned": self.t("formula.unturned") if settings.head_dim % 2 else "",
            "d_v": settings.value_dim,
        }


def of(page: Page) -> Steps:
    """The steps of self-attention on the learner's numbers."""
    return Steps(page, trace_of(page.settings))


def of_lesson(page: Page) -> Steps:
    """The steps of the lesson's computation on the learner's numbers: self-attention or cross-attention."""
    return Steps(page, cross_trace_of(page.settings), page.source) if page.lesson.crosses else of(page)
