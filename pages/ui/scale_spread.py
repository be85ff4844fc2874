"""The part `spread` of the lesson `Why √d_k`: the same queries and keys under four scalings, side by side."""

from __future__ import annotations

from . import lesson, scale_charts, state
from .numbers import short
from .scale_facts import KEYS, QUERIES, SCALINGS, queries_and_keys, spread_of, spreads
from .scale_scene import choose_seed, drag_d_k, figure, grid, named_cells, scaling_names
from .step_view import is_narrow
from .texts import Texts

COLUMNS = ("scaling", "divisor", "deviation", "top", "bits", "share", "tokens")
ASKED = 512  # the width of the question


class SpreadPart:
    """draw() and live() for the present settings."""

    def __init__(self, t: Texts):
        self.t, self.now = t, state.settings()
        self.d_k = self.now.sample_d_k
        self.found = spreads(*queries_and_keys(self.d_k, self.now.sample_seed))

    def draw(self) -> None:
        t = self.t
        choose_seed(t, self.now)
        if not self._ask_flat():
            return
        drag_d_k(t, lambda: SpreadPart(t).live())
        words = (t("axis.bars_key"), t("axis.weight"))
        queries = tuple(t("axis.one_query", index=i + 1) for i in range(QUERIES))
        spec = scale_charts.bars(scaling_names(t), queries, words, narrow=is_narrow())
        figure(t, "bars", self._bars(), spec, self._file())
        grid("spread", [t(f"column.{name}") for name in COLUMNS], self._rows())

    def live(self) -> dict:
        return {"charts": {"bars": self._bars()}, "texts": named_cells("spread", self._rows())}

    def _ask_flat(self) -> bool:
        """Under which scaling do the weights come nearest to being all alike?"""
        query, key = queries_and_keys(ASKED, self.now.sample_seed)
        names = dict(zip(SCALINGS, scaling_names(self.t), strict=True))
        shares = {scaling: spread_of(query, key, scaling).share for scaling in SCALINGS}
        reasons = {
            scaling: self.t(f"because.flat_{scaling}", share=f"{share:.1%}")
            for scaling, share in shares.items()
        }
        answer = max(shares, key=shares.__getitem__)
        return lesson.ask(self.t, self.now, "flat", names, answer, reasons, d_k=ASKED)

    def _cells(self) -> list[tuple[int, int, int, float]]:
        """Scaling, query, key, weight: in the order the chart has them."""
        return [
            (s, q, k, weight)
            for s, one in enumerate(self.found)
            for q, row in enumerate(one.weights.tolist())
            for k, weight in enumerate(row)
        ]

    def _bars(self) -> dict[str, list]:
        scaling, query, key, weight = map(list, zip(*self._cells(), strict=True))
        tokens = [k + 1 for k in key]
        return {
            "i": list(range(len(tokens))),
            "scaling": scaling,
            "query": query,
            "token": tokens,
            "weight": weight,
        }

    def _file(self) -> dict[str, list]:
        names, cells = scaling_names(self.t), self._cells()
        columns = {
            "scaling": [names[s] for s, _, _, _ in cells],
            "query": [q + 1 for _, q, _, _ in cells],
            "key": [k + 1 for _, _, k, _ in cells],
            "weight": [weight for *_, weight in cells],
        }
        return {self.t(f"column.{name}"): values for name, values in columns.items()}

    def _rows(self) -> list[tuple[str, ...]]:
        return [
            (
                name,
                short(one.divisor),
                short(one.deviation),
                f"{one.top:.1%}",
                short(one.bits, 3),
                f"{one.share:.1%}",
                self.t("page.of_keys", tokens=short(one.tokens), keys=KEYS),
            )
            for name, one in zip(scaling_names(self.t), self.found, strict=True)
        ]
