"""Shapes: say the shape of each matrix, and whether two shapes go together. No numbers, only sizes."""

from typing import Any

import streamlit as st

from pages import session
from pages.ask import questions
from pages.draw import placing, say
from pages.draw.page import Page
from pages.model.course import Location
from pages.picture import Flow, Matrix

from . import desk
from . import shape_exercise as exercises
from .shape_exercise import Product, Shape, ShapeExercise, Slip

AXES = {2: ("rows", "columns"), 3: ("batch", "rows", "columns"), 4: ("batch", "heads", "rows", "columns")}
SYMBOLS = {
    "h_kv": "h_KV",
    "h_d_k": "h·d_k",
    "h_d_v": "h·d_v",
    "kv_d_k": "h_KV·d_k",
    "kv_d_v": "h_KV·d_v",
    "batch": "b",
}


def draw(page: Page) -> None:
    """The sizes, the shapes to enter, two products to judge, and the result."""
    desk.draw(page)
    exercise = exercises.exercise(page.look.level, page.look.exercise)
    say.markdown(_sizes(page, exercise))
    asked, judged = st.columns(2, gap="medium")
    with asked:
        _shapes(page, exercise)
    with judged:
        say.markdown(page.t("shapes.products"))
        for index, product in enumerate(exercise.products):
            _product(page, index, product)
    desk.check_button(page, lambda attempt: _check(attempt, exercise))
    attempt = desk.attempt(page)
    if attempt.entries.get("missing") and not attempt.ended:
        say.warning(page.t("shapes.missing"))
    else:
        _verdict(page, exercise)
    desk.help_bar(page, _hints(page, exercise))
    if attempt.ended:
        _solution(page, exercise)


def _sizes(page: Page, exercise: ShapeExercise) -> str:
    s = exercise.sizes
    facts = {"n": s.n, "m": s.m, "d_model": s.d_model, "d_k": s.d_k, "d_v": s.d_v}
    return page.t(f"shapes.sizes_{page.look.level}", h=s.h, h_kv=s.h_kv, b=s.batch, **facts)


# ---- what is entered


def _entries(attempt: desk.Attempt, name: str, right: Shape) -> tuple[float | None, ...]:
    return tuple(attempt.entries.get((name, axis)) for axis in range(len(right)))


def _shapes(page: Page, exercise: ShapeExercise) -> None:
    """A table to fill in for each number of dimensions: a row for each matrix, a cell for each side."""
    t, attempt = page.t, desk.attempt(page)
    tables = {
        f"shape{count}": [name for name in exercise.asked if len(exercise.right[name]) == count]
        for count in AXES
    }
    say.markdown(t("shapes.asked"))
    matrices = [_table(page, name, exercise, asked, attempt) for name, asked in tables.items() if asked]

    def take(sent: dict) -> None:
        name = tables[sent["matrix"]][int(sent["row"])]
        if not attempt.ended:
            attempt.entries[name, int(sent["col"])] = sent["value"]

    flow = Flow([matrix.id for matrix in matrices])
    placing.draw(page, "asked", matrices, [flow], on_edit=take, note=t("shapes.note"))


def _table(page: Page, name: str, exercise: ShapeExercise, asked: list[str], attempt: desk.Attempt) -> Matrix:
    sides = len(exercise.right[asked[0]])
    sizes = [
        exercise.right[name] if attempt.ended else _entries(attempt, name, exercise.right[name])
        for name in asked
    ]
    last = attempt.tries[-1] if attempt.tries else {}
    wrong = [
        (row, col)
        for row, asked_name in enumerate(asked)
        for col in range(sides)
        if asked_name in last and last[asked_name][col] == sizes[row][col] != exercise.right[asked_name][col]
    ]
    table = Matrix(
        id=name,
        title=page.t("shapes.table"),
        rows=[page.t(f"shape_name.{name}") for name in asked],
        cols=[page.t(f"shapes.{axis}") for axis in AXES[sides]],
        values=[[str(side) for side in shape] for shape in sizes] if attempt.ended else sizes,
        kind="text" if attempt.ended else "plain",
    ).looking(ringed=wrong, alt=page.t("shapes.asked"))
    cells = [(row, col) for row in range(len(asked)) for col in range(sides)]
    return table if attempt.ended else table.to_edit(integer=True, step=1, low=1, open=cells)


def _text(shape: Shape) -> str:
    return " × ".join(str(int(side)) for side in shape) if len(shape) == 2 else str(tuple(map(int, shape)))


def _option(page: Page, option: Shape | None) -> str:
    return page.t("shapes.error") if option is None else _text(option)


def _product(page: Page, index: int, product: Product) -> None:
    """Two shapes, and what to choose from: an error, or a shape."""
    t, attempt, options = page.t, desk.attempt(page), product.options
    texts = questions.lettered(_option(page, option) for option in options)
    key = f"product-{page.look.level}-{page.look.exercise}-{index}"
    label = "shapes.mask" if product.masks else "shapes.product"

    def take() -> None:
        attempt.entries["product", index] = session.widget_value(key)

    st.radio(
        t(label, left=_text(product.left), right=_text(product.right)),
        range(len(options)),
        index=options.index(product.result) if attempt.ended else attempt.entries.get(("product", index)),
        format_func=texts.__getitem__,
        key=f"{key}-end" if attempt.ended else key,
        horizontal=True,
        disabled=attempt.ended,
        on_change=take,
    )


# ---- the result


def _check(attempt: desk.Attempt, exercise: ShapeExercise) -> None:
    """Takes what is entered as an answer, once all of it is there."""
    answer: dict = {name: _entries(attempt, name, right) for name, right in exercise.right.items()}
    answer |= {index: attempt.entries.get(("product", index)) for index in range(len(exercise.products))}
    missing = any(side is None for name in exercise.asked for side in answer[name])
    attempt.entries["missing"] = missing or any(answer[i] is None for i in range(len(exercise.products)))
    if not attempt.entries["missing"]:
        right = all(answer[name] == shape for name, shape in exercise.right.items())
        chosen = all(
            product.options[answer[i]] == product.result for i, product in enumerate(exercise.products)
        )
        attempt.check(answer, right and chosen)


def _verdict(page: Page, exercise: ShapeExercise) -> None:
    """The reason for every wrong shape and product of the last try, and where to read about them."""
    attempt = desk.attempt(page)
    answer = attempt.tries[-1] if attempt.tries else {}
    reasons, places = [], []
    for name, right in exercise.right.items():
        slip = exercises.slip(exercise.sizes, right, answer[name]) if answer else None
        if slip is not None:
            reasons.append(_slip(page, name, answer[name], slip))
            places.append(_place(page, slip.name))
    for index, product in enumerate(exercise.products):
        if answer and product.options[answer[index]] != product.result:
            reasons.append(_fault(page, product, product.options[answer[index]]))
            places.append(_place(page, product.name))
    desk.verdict(page, page.t("shapes.right"), "\n".join(f"- {reason}" for reason in reasons))
    with st.container(horizontal=True, key="shapes_read"):
        for place in dict.fromkeys(places):
            desk.read_more(page, place)


def _place(page: Page, name: str) -> Location:
    """Where the slip or product is treated; else where all shapes are seen together."""
    return page.course.treating("products", name) or page.course.place_of("steps", "scores")


def _slip(page: Page, name: str, entered: Shape, slip: Slip) -> str:
    """What is wrong with a shape, and what the side counts that is wrong first."""
    t = page.t
    axes = AXES[len(entered)]
    facts = {
        "shape": " × ".join(f"{side:g}" for side in entered),
        "axis": t(f"shapes.{axes[slip.axis]}"),
        "got": f"{slip.got:g}",
        "size": "" if slip.size is None else SYMBOLS.get(slip.size, slip.size),
    }
    matrix = t(f"shape_name.{name}")
    why = t(f"shape_slip.{slip.name}", **facts)
    return t("shapes.slip", matrix=matrix, why=why, counts=t(f"shape_counts.{slip.counts}"), **facts)


def _fault(page: Page, product: Product, shape: Shape | None) -> str:
    """Why the product is not what was said of it."""
    left, right = product.left, product.right
    facts: dict[str, Any] = {"left": _text(left), "right": _text(right)}
    if not product.masks:
        facts |= {"inner_left": left[-1], "inner_right": right[-2], "rows": left[-2], "cols": right[-1]}
        facts |= {"lead_left": str(left[:-2]), "lead_right": str(right[:-2])}
    return page.t(f"shape_fault.{product.reason(shape)}", **facts)


def _hints(page: Page, exercise: ShapeExercise) -> list[str]:
    """For the first matrix whose shape is not right yet: how it is made, the rule, the shape in symbols."""
    t, attempt = page.t, desk.attempt(page)
    names = [name for name, right in exercise.right.items() if _entries(attempt, name, right) != right]
    if not names:
        return [t("shapes.hint_inner"), t("shapes.hint_lead"), t("shapes.hint_outer")]
    keys = "Y" if exercise.sizes.m != exercise.sizes.n else "X"
    matrix, right = t(f"shape_name.{names[0]}"), exercise.right[names[0]]
    return [
        t("shapes.hint_how", matrix=matrix, how=t(f"shape_how.{names[0]}", keys=keys)),
        t("shapes.hint_outer"),
        t("shapes.hint_symbols", matrix=matrix, symbols=_symbols(exercise, right)),
    ]


def _symbols(exercise: ShapeExercise, shape: Shape) -> str:
    names = [exercise.sizes.named[side] for side in shape]
    return " × ".join(SYMBOLS.get(name, name) for name in names)


def _solution(page: Page, exercise: ShapeExercise) -> None:
    """Every shape in symbols and in numbers, and what the two products are."""
    lines = []
    for name, right in exercise.right.items():
        facts = {"symbols": _symbols(exercise, right), "shape": " × ".join(map(str, right))}
        lines.append(page.t("shapes.solved", matrix=page.t(f"shape_name.{name}"), **facts))
    for product in exercise.products:
        facts = {"left": _text(product.left), "right": _text(product.right)}
        facts["result"] = _option(page, product.result)
        text = page.t("shapes.solved_mask" if product.masks else "shapes.solved_product", **facts)
        lines.append(page.t.joined([text, page.t(f"shape_is.{product.name}")]))
    say.markdown("\n".join(f"- {line}" for line in lines))
