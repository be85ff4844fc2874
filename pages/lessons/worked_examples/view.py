"""An audit on the screen: totals, every step's differences, the chosen step in full, and what holds."""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

import streamlit as st

from attention.lab.worked_examples import audit as lab
from attention.lab.worked_examples.audit import Audit, Line
from attention.lab.worked_examples.document import BLANK, MASKED, Block, half_unit, number
from pages import session
from pages.ask import blocks
from pages.draw import placing, plots, say
from pages.draw.numbers import counted, minus, short
from pages.draw.page import Page, distinct
from pages.draw.texts import Name
from pages.picture import Flow, Group, Matrix, nice_bound, same, written

ALIKE = 1e-9
EXACT_DECIMALS = 4  # next to a fraction or a root
MOST_DECIMALS = 12
ALL_DECIMALS = 17  # of a float
LARGE = 1e15  # shown as a power of ten
DIGITS = st.column_config.NumberColumn(format="%.12g")
COMPARED = ("printed", "exact", "own", "difference")
KEY_COLUMNS = ("scores", "scaled_scores", "exponentials", "weights", "quoted_weights")


def draw(page: Page, outcome: Audit, note: str = "") -> None:
    """All of an audit, with its totals and its table. note: the name of a lecture note's example."""
    steps = list(dict.fromkeys(line.step for line in outcome.lines))
    chosen = page.place.step if page.place.step in steps else first_wrong(outcome)
    small = [_thumbnail(page, outcome, step, step == chosen) for step in steps] if len(steps) > 1 else []
    full = _full(page, outcome, chosen)
    layout = [Flow([Group([matrix.id for matrix in small], page.t("audit.differences"))])] if small else []
    layout.append(Flow([matrix.id for matrix in full]))
    placing.draw(page, "audit", [*small, *full], layout, on_pick=lambda picked: _pick(page, picked))
    say.result(totals(page, outcome))
    where = [page.t(f"place.{note}_{chosen}")] if note else []
    with blocks.for_readers("audit"):
        say.caption(page.t.joined([*where, page.t("audit.legend")]))
        for sentence in (first(page, outcome), *holds(page, outcome)):
            say.sentence(sentence)
        table(page, outcome)


def first_wrong(outcome: Audit) -> str:
    """The step to begin with: the first that is wrong in itself, or else that is off, or else the first."""
    wrong = (line for line in outcome.lines if line.verdict == lab.WRONG)
    return next(wrong, outcome.first or outcome.lines[0]).step


def _pick(page: Page, picked: dict) -> None:
    if "choose" in picked:
        page.go(step=str(picked["choose"]))


# ---- sentences


def totals(page: Page, outcome: Audit) -> str:
    """How many numbers are off, and whose mistake they are."""
    t, total = page.t, len(outcome.lines)
    if outcome.count(lab.UNKNOWN) == total:
        return t("audit.unknown", total=total)
    if not outcome.off_count:
        return t("audit.all_right", total=total)
    return t(
        "audit.totals",
        off=outcome.off_count,
        total=total,
        wrong=outcome.count(lab.WRONG),
        carried=outcome.count(lab.CARRIED),
        rounded=outcome.count(lab.ROUNDED),
    )


def first(page: Page, outcome: Audit) -> str:
    line = outcome.first
    if line is None:
        return ""
    return page.t(
        "audit.first",
        place=Name(name_of(page, outcome, line)),
        printed=line.printed,
        exact=exact_text(line.exact, line),
        verdict=page.t(f"verdict.{line.verdict}"),
    )


def holds(page: Page, outcome: Audit) -> list[str]:
    """What can be said of the printed numbers without trusting them."""
    facts = {
        "order": outcome.order_kept,
        "sums": outcome.rows_sum_to_one,
        "range": outcome.within_values,
    }
    sentences = [
        page.t(f"audit.{name}", good=sum(rows), rows=len(rows))
        for name, rows in facts.items()
        if rows is not None
    ]
    sums = outcome.rows_sum_to_one or ()
    return sentences if all(sums) else [*sentences, _other_sums(page, outcome, sums)]


def _other_sums(page: Page, outcome: Audit, right: Sequence[bool]) -> str:
    """The rows of weights that do not sum to 1, each with its sum."""
    block = outcome.document["weights"]
    names, _ = labels(outcome, block)
    sums = [short(sum(map(number, row))) for row in block.rows]
    wrong = [Name(f"{names[row]} ({sums[row]})") for row, holds in enumerate(right) if not holds]
    return page.t("audit.other_sums", rows=page.t.listed(wrong))


def name_of(page: Page, outcome: Audit, line: Line) -> str:
    rows, columns = labels(outcome, outcome.document[line.step])
    return f"{page.t(f'step.{line.step}')}[{rows[line.row]}, {columns[line.col]}]"


def exact_text(value: float, line: Line) -> str:
    """A number next to the printed one, with as many decimals as their difference needs to be seen."""
    if not math.isfinite(value):
        return short(value)
    if abs(value) >= LARGE:
        return minus(f"{value:.{EXACT_DECIMALS}e}")
    text = minus(f"{value:.{decimals(line)}f}")
    return text if text.strip("−0.") else text.lstrip("−")


def decimals(line: Line) -> int:
    """One more than was printed; where it is off, so many that its difference is seen to be more."""
    unit = half_unit(line.printed)
    count = max(0, math.ceil(-math.log10(2 * unit) - ALIKE)) + 1 if unit else EXACT_DECIMALS
    others = (line.exact, line.own) if line.verdict == lab.WRONG else (line.exact,)
    size = min(abs(number(line.printed) - other) for other in others)
    if not (line.off and math.isfinite(size)):
        return min(count, ALL_DECIMALS)
    count = max(count, 1 - math.floor(math.log10(size)))
    while count < MOST_DECIMALS and round(size, count) <= unit:
        count += 1
    return min(count, MOST_DECIMALS)


# ---- matrices


def labels(outcome: Audit, block: Block) -> tuple[Sequence[str], Sequence[str]]:
    """Tokens where rows or columns are tokens, numbers otherwise."""
    rows, columns = block.shape
    tokens = list(distinct(outcome.document.tokens))
    numbers = counted(max(rows, columns))
    of_rows = tokens if len(tokens) == rows and not block.step.startswith("w_") else numbers[:rows]
    of_columns = tokens if len(tokens) == columns and block.step in KEY_COLUMNS else numbers[:columns]
    return of_rows, of_columns


def _differences(outcome: Audit, step: str) -> list[list[float]]:
    rows, columns = outcome.document[step].shape
    values = [[0.0] * columns for _ in range(rows)]
    for line in outcome.of(step):
        values[line.row][line.col] = line.difference if math.isfinite(line.difference) else 0.0
    return values


def _thumbnail(page: Page, outcome: Audit, step: str, chosen: bool) -> Matrix:
    lines, (rows, columns) = outcome.of(step), labels(outcome, outcome.document[step])
    values, name = _differences(outcome, step), page.t(f"step.{step}")
    off = sum(line.off for line in lines)
    return Matrix(
        id=f"small_{step}",
        title=f"{name} {off}/{len(lines)}",
        rows=rows,
        cols=columns,
        values=values,
        bound=nice_bound(values),
    ).looking(
        size="thumbnail",
        choose=step,
        chosen=chosen,
        alt=page.t("audit.alt", step=name, off=off, total=len(lines)),
    )


def _full(page: Page, outcome: Audit, step: str) -> list[Matrix]:
    """Printed, recomputed from the document's own previous step, exact, and the difference."""
    t, block, lines = page.t, outcome.document[step], outcome.of(step)
    rows, columns = labels(outcome, block)
    wrong = [(line.row, line.col) for line in lines if line.verdict == lab.WRONG]

    def text(name: str, values: list[list[str]], **more) -> Matrix:
        title, others = t(f"audit.{name}", step=t(f"step.{step}")), {*COMPARED} - {name}
        look = {"kind": "text", "recipe": same(*sorted(others))} | more
        return Matrix(name, title, rows, columns, values).having(**look)

    def of_lines(write: Callable[[Line], str]) -> list[list[str]]:
        texts = [["" for _ in columns] for _ in rows]
        for line in lines:
            texts[line.row][line.col] = write(line)
        return texts

    printed = [[{BLANK: "", MASKED: "−∞"}.get(entry, entry) for entry in row] for row in block.rows]
    sentence = text("printed", printed, ringed=wrong)
    if lines[0].verdict == lab.UNKNOWN:
        return [sentence]
    exact = text("exact", of_lines(lambda line: exact_text(line.exact, line)))
    own = text("own", of_lines(lambda line: exact_text(line.own, line)))
    recipe = written(of_lines(lambda line: _arithmetic(page, line)), ("printed", "own", "exact"))
    difference = text(
        "difference", of_lines(lambda line: exact_text(line.difference, line)), ringed=wrong, recipe=recipe
    )
    # Two decimals of coloured cells are not enough where a difference is fine.
    if not any(line.off and round(abs(line.difference), 2) <= half_unit(line.printed) for line in lines):
        values = _differences(outcome, step)
        difference = replace(difference, values=values, kind="signed", bound=nice_bound(values))
    rests = any(abs(line.own - line.exact) > ALIKE for line in lines)
    return [sentence, *([own] if rests else []), exact, difference]


def _arithmetic(page: Page, line: Line) -> str:
    difference = exact_text(line.difference, line)
    exact = exact_text(line.exact, line)
    return f"{line.printed} − {exact} = {difference}: {page.t(f'verdict.{line.verdict}')}"


def table(page: Page, outcome: Audit) -> None:
    """Every printed number, as a table and as a file."""
    t = page.t
    rows = [
        (
            name_of(page, outcome, line),
            line.printed,
            line.exact,
            line.difference,
            line.own,
            t(f"verdict.{line.verdict}"),
        )
        for line in outcome.lines
    ]
    columns = plots.columns(page, ("number", "printed", "exact", "difference", "own", "verdict"), rows)
    numbers = session.expander(t("audit.table", count=len(outcome.lines)), "audit_table")
    if numbers is not None:
        with numbers:
            full = {t(f"column.{name}"): DIGITS for name in ("exact", "difference", "own")}
            st.dataframe(columns, hide_index=True, height=320, column_config=full)
            plots.csv(page, "audit", columns)
