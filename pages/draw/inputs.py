"""The inputs that can be edited, as matrices of a picture. Nothing here needs the core."""

from collections.abc import Sequence

from pages import session
from pages.model import edits, matrices
from pages.model import settings as s
from pages.model.fields import specs
from pages.model.matrices import TABLE
from pages.picture import Editing, Grid, Look, Matrix

from . import placing
from .numbers import counted
from .page import Page

# More columns than this are shown one head at a time.
WHOLE = 16
MENU = ("zeros", "identity", "normal", "round_1", "round_2")
SYMBOLS = {name: entries.symbol for name, entries in TABLE.items()}


def columns(settings: s.Settings, head: int, letter: str, count: int) -> tuple[int, int]:
    """The drawn columns of W_letter and its projection: all `count`, or if too many, the shown head's."""
    return (0, count) if count <= WHOLE else block(settings, head, letter)


def block(settings: s.Settings, head: int, letter: str) -> tuple[int, int]:
    """The columns of the shown head in W_letter; K and V are of the key/value head that serves it."""
    width = settings.value_dim if letter == "v" else settings.head_dim
    index = head if letter == "q" else settings.kv_head(head)
    return index * width, (index + 1) * width


def matrix(page: Page, name: str) -> Matrix:
    """One input matrix, to edit."""
    settings, t = page.settings, page.t
    values = s.numbers_of(settings, name)
    letter, rows, cols = name[-1], len(values), len(values[0])
    start, stop = columns(settings, page.head, letter, cols) if letter in "qkv" else (0, cols)
    several = settings.num_heads > 1
    title = SYMBOLS[name]
    if stop - start < cols:
        title = title_of_head(page, name)
    meanings, of = dimensions(settings), TABLE[name].rows
    named = name in ("x", "y")  # the columns of P are no properties
    labels: dict[matrices.Count, Sequence[str]] = {
        matrices.token_count: page.tokens,
        matrices.source_count: page.source,
        matrices.width: meanings,
        matrices.one_row: [t("inputs.bias_row")],
    }
    look = Look(
        subtitle=f"{rows} × {cols}",
        marked=block(settings, page.head, letter) if several and letter in "qkv" else None,
        marked_rows=_output_rows(page) if several and name == "w_o" else None,
        query_rows=of is matrices.token_count,
        alt=t("inputs.alt", matrix=SYMBOLS[name]),
    )
    return Matrix(
        id=name,
        title=title,
        symbol=SYMBOLS[name],
        rows=labels.get(of, counted(rows)),
        cols=meanings if named else counted(stop)[start:],
        values=[row[start:stop] for row in values],
        offset=start,
        look=look,
        editing=_editing_x(settings) if name == "x" else Editing(menu=MENU),
    )


def _editing_x(settings: s.Settings) -> Editing:
    """The names of the tokens and of the columns can be typed; rows and columns can be added."""
    dimensions = settings.dimensions or [""] * settings.d_model
    names, col_names = "tokens", "dimensions"
    return Editing(
        menu=MENU,
        names=names,
        tokens=settings.tokens,
        col_names=col_names,
        dimensions=dimensions,
        grow=_grow(settings),
    )


def dimensions(settings: s.Settings) -> list[str]:
    """The names of the columns of X, with numbers for columns without a name."""
    names = settings.dimensions or ("",) * settings.d_model
    return [name or number for name, number in zip(names, counted(settings.d_model), strict=True)]


def title_of_head(page: Page, name: str) -> str:
    """The title of W_letter if it is drawn for the shown head alone."""
    settings, letter = page.settings, name[-1]
    shared = letter in "kv" and settings.kv_heads < settings.num_heads
    head = page.head if letter == "q" else settings.kv_head(page.head)
    key = "inputs.kv_head_part" if shared else "inputs.head_part"
    return page.t(key, matrix=SYMBOLS[name], head=head + 1)


def _output_rows(page: Page) -> tuple[int, int]:
    """The rows of W_O that take the shown head's output."""
    width = page.settings.value_dim
    return page.head * width, (page.head + 1) * width


def _grow(settings: s.Settings) -> dict:
    """Whether rows and columns of X can be added and removed. A teacher's link may forbid it."""
    count, width = len(settings.tokens), settings.d_model

    def resized(d_model: int) -> bool:
        return session.is_allowed(lambda core: edits.resize(core, d_model=d_model))

    return {
        "rows": {
            "add": count < matrices.MAX_TOKENS and session.is_allowed(edits.add_token),
            "remove": count > 1 and session.is_allowed(lambda core: edits.remove_token(core, count - 1)),
        },
        "cols": {
            "add": width < matrices.MAX_WIDTH and resized(width + 1),
            "remove": width > 1 and resized(width - 1),
        },
    }


def number(page: Page, name: str) -> Matrix:
    """A number of the lesson's own or of the core settings, to drag or to type; or a row of numbers."""
    t, record = page.t, page.record(name)
    spec, value = specs(type(record))[name], getattr(record, name)
    several = spec.kind == "row"
    values = value if several else (value,)
    low, high = (None, None) if several else spec.range(record)
    step = 0.1 if several else spec.step
    return Matrix(
        id=name,
        title=t(f"setting.{name}"),
        rows=[""],
        cols=counted(len(values)) if len(values) > 1 else [""],
        values=[list(values)],
        kind="signed" if several else "plain",
        look=Look(alt=t(f"help.{name}")),
        editing=Editing(step=step, integer=spec.kind == "count", log=spec.log, low=low, high=high),
    )


def slider(page: Page, name: str) -> Matrix:
    """A number with a slider next to it."""
    return number(page, name).to_edit(slider=True)


def draw_sliders(page: Page, *names: str, plain: tuple[str, ...] = ()) -> None:
    """Numbers to drag. names: with a slider; plain: without."""
    matrices = [slider(page, name) for name in names] + [number(page, name) for name in plain]
    placing.draw(page, "numbers", matrices)


def mask(page: Page) -> Matrix:
    """The custom mask, to click."""
    count = len(page.settings.tokens)
    return Matrix(
        id="mask",
        title="M",
        rows=list(page.tokens),
        cols=list(page.tokens),
        kind="mask",
        values=[[(r, c) not in page.settings.blocked for c in range(count)] for r in range(count)],
        look=Look(subtitle=page.t("inputs.mask"), query_rows=True, **page.axes),
        editing=Editing(),
    )


def biases(settings: s.Settings) -> tuple[str, ...]:
    if settings.b_q is None:
        return ()
    return ("b_q", "b_k", "b_v", "b_o") if settings.num_heads > 1 else ("b_q", "b_k", "b_v")


def names(settings: s.Settings) -> tuple[str, ...]:
    """The input matrices of self-attention in the present settings."""
    return ("x", "w_q", "w_k", "w_v", *(("w_o",) if settings.num_heads > 1 else ()), *biases(settings))


def of_part(page: Page) -> list[Matrix]:
    """The inputs that can be edited in the present part."""
    controls = []
    for name in page.part.edits:
        if name == "inputs":
            controls += [matrix(page, name) for name in names(page.settings)]
        else:
            controls.append(matrix(page, name) if name in matrices.MATRICES else number(page, name))
    return controls


def waiting(page: Page) -> None:
    """The inputs, with a note that PyTorch is still being imported on this fresh server."""
    matrices = of_part(page)
    ids = [matrix.id for matrix in matrices]
    look: dict = {} if matrices else {"layout": []}
    if ids[:4] == ["x", "w_q", "w_k", "w_v"]:
        matrices = matrices[:4]
        look = {"layout": [Grid([[None, "w_q", "w_k", "w_v"], ["x", None, None, None]])], "fit": True}
    placing.draw(page, "waiting", matrices, note=page.t("frame.starting"), starting=True, **look)
