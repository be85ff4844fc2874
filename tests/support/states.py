"""States and views for tests, from fields of the core settings and of the lessons' own records alike."""

import random
from collections.abc import Iterable
from dataclasses import replace

from pages import session
from pages.draw.page import Page
from pages.draw.steps import SWITCHES
from pages.draw.texts import Texts
from pages.model import edits
from pages.model import settings as s
from pages.model.fields import specs, with_fields
from pages.model.records import Owning
from pages.model.settings import Settings
from pages.model.state import State
from pages.model.view import Place, View, in_order
from tests.support.course import COURSE, lesson

# Each way to turn on a switch that brings a step about: its name → the field of the settings.
SWITCHED: dict[str, dict[str, object]] = {
    f"{name} {option}": {name: option}
    for name in SWITCHES
    for option in (specs(Settings)[name].options or (True,))
    if option != getattr(Settings(), name)
}


def kind_with(field: str, kinds: tuple[type, ...]) -> type | None:
    """The record that has this field."""
    return next((kind for kind in kinds if field in specs(kind)), None)


def is_looked_at(field: str) -> bool:
    """Whether it is a field of a view, and not of a state."""
    return field in specs(View) or kind_with(field, COURSE.looks) is not None


def start_of(name: str) -> Settings:
    """The core settings that a lesson begins with."""
    return edits.example_start(lesson(name).start)


def heads_of(*heads: tuple[float, float], off: float = 0.0) -> Settings:
    """X is one-hot, W_K and W_V are the identity, W_Q and W_O of each head the identity times its numbers.

    off: what the first row of X has more than the others.
    """
    now = edits.set_biases(edits.resize(Settings(), num_heads=len(heads), d_k=4, d_v=4), False)

    def scaled(*factors: float) -> tuple[tuple[float, ...], ...]:
        return tuple(tuple(by * (row == col) for by in factors for col in range(4)) for row in range(4))

    w_q, w_o = (scaled(*(head[of] for head in heads)) for of in (0, 1))
    one = scaled(*(1.0 for _ in heads))
    x = ((1.0 + off, 0.0, 0.0, 0.0), *scaled(1.0)[1:3])
    return replace(now, x=x, w_q=w_q, w_k=one, w_v=one, w_o=tuple(zip(*w_o, strict=True)))


def many_numbers(digits: int) -> Settings:
    """The largest setup, whose numbers are from 10⁻⁹ to 9, with so many digits."""
    draw = random.Random(digits)
    now = edits.resize(Settings(tokens=tuple("abcdefghijkl")), d_model=16, num_heads=8, d_k=16, d_v=16)
    for name in ("x", "w_q", "w_k", "w_v", "w_o"):
        rows, cols = s.shapes(now)[name]
        small = [[draw.uniform(1, 9) * 10.0 ** -draw.randint(0, 9) for _ in range(cols)] for _ in range(rows)]
        numbers = [[float(f"{number:.{digits}g}") for number in row] for row in small]
        now = s.with_matrix(now, name, numbers)
    return now


def page_in(
    name: str,
    part: str | None = None,
    settings: Settings | State | None = None,
    view: View | None = None,
) -> Page:
    """The page as a part gets it, without Streamlit."""
    session.begin(COURSE)
    this, state, view = lesson(name), as_state(settings), view or View()
    texts = Texts(view.language, name)
    return Page(COURSE, this, this.part(part), texts, state.core, view, Place(), state)


def as_state(now: Settings | State | None) -> State:
    return now if isinstance(now, State) else State(core=now or Settings())


def with_own(settings: Settings | State | None = None, **fields: object) -> State:
    """The state with these fields set, each in its record."""
    state = as_state(settings)
    for name, value in fields.items():
        kind = kind_with(name, COURSE.numbers)
        if kind is None:
            state = replace(state, core=edits.with_choice(state.core, **{name: value}))
        else:
            state = state.having(with_fields(state.of(kind), **{name: value}))
    return state


def looking(answers: Iterable[tuple[str, str]] = (), **fields: object) -> View:
    """A view with these answers and fields, each field in its record."""
    view = View(answers=in_order(dict(answers)))
    for name, value in fields.items():
        kind = kind_with(name, COURSE.looks)
        if kind is None:
            view = with_fields(view, **{name: value})
        else:
            view = view.having(with_fields(view.of(kind), **{name: value}))
    return view


def value_of(owner: Owning, field: str) -> object:
    """The value of a field of the lessons' own records, in a state or in a view."""
    kinds = COURSE.numbers if isinstance(owner, State) else COURSE.looks
    return getattr(owner.of(kind_with(field, kinds)), field)
