"""States that tell something of a page: each has what a page may not have thought of."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from pages.lessons.one_head.row import STEPS
from pages.model import edits
from pages.model.course import Location
from pages.model.entries import MAX_TOKEN_LENGTH, MAX_VALUE
from pages.model.fields import specs, with_fields
from pages.model.matrices import BIASES, MATRICES
from pages.model.scores import MAX_LOGITS
from pages.model.settings import FLAGS, Settings, as_matrix
from pages.model.state import State
from pages.model.view import View
from tests.hostile import markup
from tests.support.course import PLACES, lesson
from tests.support.random_settings import any_state
from tests.support.screen import LANGUAGES, shown
from tests.support.states import as_state, looking, start_of, with_own

CATS = Settings()
CHOOSE, SIZED = edits.with_choice, edits.resize
ONE = edits.remove_token(edits.remove_token(CATS, 0), 0)
TWELVE = SIZED(CATS, d_model=16, num_heads=8)
for _ in range(9):
    TWELVE = edits.add_token(TWELVE)
ROW = frozenset((1, key) for key in range(3))
ALL = frozenset((query, key) for query in range(3) for key in range(3))
HUGE = edits.set_block(edits.fill(CATS, "w_q", "zeros"), "w_q", 0, 0, [[1e6] * 4] * 4)
HUGE = edits.set_block(HUGE, "x", 0, 0, [[1e6] * 4, [-1e6] * 4, [0.0] * 4])
SHARED = SIZED(CATS, num_heads=4, num_kv_heads=2)

# In this table each mask, each kind of position and each scaling is chosen at least once.
CORE: dict[str, Settings | State] = {
    "cats, no mask": CATS,
    "one token": ONE,
    "one token, two heads, causal": CHOOSE(SIZED(ONE, num_heads=2), mask="causal", cross_mask="causal"),
    "twelve tokens, eight heads": edits.set_source(
        CHOOSE(TWELVE, mask="causal_window", cross_mask="causal", alignment="lower_right"), "a b"
    ),
    "shared keys, padding": CHOOSE(SHARED, mask="padding", cross_mask="padding", source_padding=1),
    "biases, odd widths, sinusoidal": CHOOSE(
        edits.set_biases(SIZED(CATS, d_model=5, d_k=3, d_v=2), True), position="sinusoidal", scaling="none"
    ),
    "two heads, other widths, rotary": CHOOSE(
        SIZED(CATS, num_heads=2, d_k=3, d_v=5), position="rotary", first_position=3, mask="causal"
    ),
    "narrow, learned": edits.set_source(
        CHOOSE(SIZED(CATS, d_k=1, d_v=3), position="learned", scaling="d_k", mask="prefix"), "a b c d e f g h"
    ),
    "fully masked row": CHOOSE(CATS, mask="custom", blocked=ROW),
    "fully masked row, ALiBi": CHOOSE(CATS, mask="custom", blocked=ROW, position="alibi"),
    "all masked, finite": CHOOSE(CATS, mask="custom", blocked=ALL, masked_score="-1e9"),
    "huge scores": CHOOSE(HUGE, mask="causal", scaling="own", own_divisor=-1e-6),
    "two masks, or": CHOOSE(CATS, mask="padding", mask_2="window", combine="or", padding=1),
    "two masks, and": with_own(
        CATS, mask="packed", mask_2="causal", reversed=True, order=(2, 0, 1), off=frozenset({0})
    ),
    **{flag: CHOOSE(CATS, **{flag: True}) for flag in FLAGS},
    **{f"{flag}, rotary, shared keys": CHOOSE(SHARED, **{flag: True}, position="rotary") for flag in FLAGS},
    "a story of another size": SIZED(edits.example_start("it"), d_v=5),
    **{
        f"“{story}”, custom mask {field}": CHOOSE(
            edits.example_start(story),
            **{"mask": "causal", "mask_2": "none", field: "custom"},
            blocked=frozenset((story_row, key) for key in range(4)),
        )
        for story, field, story_row in (("library", "mask", 0), ("it", "mask", 3), ("bank", "mask_2", 1))
    },
}
# Enough for a part that does not show the learner's setup, with the states of TIED.
FEW = ("one token", "twelve tokens, eight heads")

# In these states queries are alike, and so are visible keys, visible tokens and heads. A mask is set in all,
# for some parts take the causal one where none is set.
ABC = edits.set_source(CATS, "a b c")
PADDED = {"mask": "padding", "padding": 2, "cross_mask": "padding", "source_padding": 2}
ZEROS = edits.fill(edits.fill(SIZED(ABC, num_heads=2), "x", "zeros"), "y", "zeros")
EQUAL_KEYS = edits.set_biases(edits.fill(edits.fill(ABC, "w_k", "zeros"), "w_v", "zeros"), True)


def rows_alike(by: float) -> Settings:
    """All rows of X and of Y are the first one, times 1, 1 + by and 1 + 2·by."""
    factors = [1 + by * row for row in range(3)]
    x, y = ([[factor * number for number in rows[0]] for factor in factors] for rows in (ABC.x, ABC.y))
    return edits.set_block(edits.set_block(ABC, "x", 0, 0, x), "y", 0, 0, y)


TIED = {
    "zeros": CHOOSE(ZEROS, **PADDED),
    "equal rows": CHOOSE(rows_alike(0.0), **PADDED),
    "rows that read alike": CHOOSE(rows_alike(1e-6), **PADDED),
    "equal keys": CHOOSE(
        replace(EQUAL_KEYS, b_k=(1.0,) * len(EQUAL_KEYS.b_k), b_v=(1.0,) * len(EQUAL_KEYS.b_v)), **PADDED
    ),
    "two rows fully masked": CHOOSE(
        ZEROS, mask="custom", blocked=frozenset((row, key) for row in (0, 1) for key in range(3))
    ),
}


def filled(now: Settings, number) -> Settings:
    """The settings with number(row, column) in every cell of all matrices and biases."""
    for name in (*MATRICES, *BIASES):
        matrix = as_matrix(now, name)
        if matrix is not None:
            values = [[number(row, col) for col in range(len(line))] for row, line in enumerate(matrix)]
            now = edits.set_block(now, name, 0, 0, values)
    return now


BIASED = edits.set_biases(CATS, True)
LARGEST = filled(BIASED, lambda row, col: MAX_VALUE)
LONG_NAMES = replace(TWELVE, tokens=("W" * MAX_TOKEN_LENGTH,) * len(TWELVE.tokens))
LIMITS = {
    "all numbers the largest": LARGEST,
    "all numbers the smallest": filled(BIASED, lambda row, col: -MAX_VALUE),
    "the largest of all setups, both signs": filled(
        edits.set_biases(LONG_NAMES, True), lambda row, col: MAX_VALUE * (-1) ** (row + col)
    ),
}

# Two heads with biases, scores of both signs, and a temperature.
TWO_HEADS = edits.set_biases(SIZED(CATS, num_heads=2, d_k=3, d_v=2), True)
TWO_HEADS = edits.set_block(TWO_HEADS, "b_o", 0, 0, [[0.25, -0.5, 0.75, -1.0]])

# What one lesson alone changes, in addition to the lowest and the highest of all its numbers.
OWN: dict[str, dict[str, dict[str, object]]] = {
    "softmax": {
        "one score": {"logits": (3.0,)},
        "far below": {"logits": (-1e6, -1e6 + 1), "nudge": 0.0, "shift": 0.0, "dropout": 0.0},
        "ten scores": {"logits": tuple(0.3 * i for i in range(MAX_LOGITS)), "score": 9, "axis": "queries"},
        "ties": {"logits": (1.0, 1.0, 1.0), "axis": "all", "precision": "bfloat16", "top_score": 1000.0},
        "far too large": {"logits": (1e6, -1e6, 1e6), "shift": 1000.0, "temperature": 0.01},
    },
    "why_scale": {
        "no variance": {"sample": "signs", "sample_case": "same", "sample_d_k": 1024},
        "against each other": {"sample": "uniform", "sample_case": "correlated", "sample_correlation": -1.0},
        "mean, variance, correlation inside": {
            "sample_mean": 2.0,
            "sample_variance": 3.0,
            "sample_inside": 0.5,
        },
    },
    "many_heads": {"a head off": {"off": frozenset({0})}},
    "train_a_head": {
        "brackets, two heads": {"task": "bracket", "heads_other": True, "causal_other": True, "slopes": True},
        "one head for two": {"task": "both", "heads_other": True, "unscaled": True, "unlike": "positions"},
        "two heads": {"task": "both", "turned": True, "unlike": "causal", "sequence": 4},
        "count": {"task": "count", "positions_other": True, "turned": True},
    },
    "cost": {"equal": {"cost_n": 256}},
    "flash_attention": {
        "one score": {"logits": (3.0,), "outer": "queries", "position": "rotary"},
        "far too large": {"logits": (1e6, -1e6, 1e6)},
    },
    "order": {"no order": {"order": (1, 0, 2), "position": "sinusoidal"}},
}


def extremes(name: str) -> Iterator[tuple[str, State]]:
    """The lesson's own numbers, all as low and all as high as they may be."""
    for at, which in enumerate(("lowest", "highest")):
        state = as_state(start_of(name))
        for kind in lesson(name).numbers:
            ranges = {
                field: spec.range(kind()) for field, spec in specs(kind).items() if spec.low is not None
            }
            numbers = {field: ends[at] for field, ends in ranges.items()}
            state = state.having(with_fields(kind(), **numbers))
        if name == "why_scale":  # as many pairs take long
            state = with_own(state, sample_pairs=200, sample_case="correlated")
        if name == "cost":
            state = with_own(state, dilated=bool(at))
        if state.own:
            yield which, state


def far_view(name: str, **fields: object) -> View:
    """What is looked at in another way than at the beginning: the last of all that can be chosen."""
    if name not in ("practice", "worked_examples"):  # an exercise and a text are no way to look
        for kind in lesson(name).looks:
            for field, spec in specs(kind).items():
                if spec.kind == "choice":
                    fields[field] = spec.options[-1]
                elif spec.kind == "count":
                    fields[field] = spec.range(kind())[1]
    return looking(head=7, **fields)


@dataclass(frozen=True)
class Case:
    """A state, and how it is looked at. kind: what a checker asks for."""

    name: str
    kind: str
    state: State
    answer: str | None = "shown"  # of all questions
    far: bool = False
    step: str | None = None  # of a part in steps

    def view(self, name: str, language: str) -> View:
        answers = {} if self.answer is None else dict.fromkeys(dict(shown(name)), self.answer)
        looks = {"language": language, "answers": tuple(answers.items())}
        return far_view(name, **looks) if self.far else looking(**looks)


START, NAMES, ONE_EACH, TWO, CORES, TIES, DRAWN, LIMIT, MADE_UP = (
    *("start", "names", "one of everything", "two heads", "core", "ties", "drawn", "limits", "made up"),
)


def cases(place: Location, language: str) -> Iterator[Case]:
    """What every place is opened in: the start in both languages, with and without answers, and three more.

    Names that are markup come in one language and either with or without answers, in turn over the places.
    """
    start = as_state(edits.example_start(lesson(place.lesson).begins(language, place.place)))
    yield Case("asked", START, start, None)
    yield Case("answered", START, start)
    if language == _turn(place)[0]:
        yield _with_names(place, _turn(place)[1])
    if language == "en":
        yield _one_of_everything(place)
        two_heads = with_own(TWO_HEADS, logits=(0.5, -2.0, -1.0), temperature=0.5)
        yield Case("two heads", TWO, two_heads)


def more_cases(place: Location) -> Iterator[tuple[str, Case]]:
    """The rest, each in one of the languages: all else that a checker looks for."""
    name, part, _ = place
    shows = lesson(name).part(part)
    whole_setup = shows.switches or {"inputs", "x"} & {*shows.edits}
    states = {case: (CORES, CORE[case]) for case in (CORE if whole_setup else FEW)}
    states |= {case: (CORES, state) for case, state in own_states(name)}
    states |= {case: (LIMIT, state) for case, state in LIMITS.items()}
    for i, (case, (kind, state)) in enumerate(states.items()):
        yield LANGUAGES[i % 2], Case(case, kind, as_state(state), far=kind == CORES and i % 4 < 2)
    yield LANGUAGES[0], Case("all numbers the largest, asked", LIMIT, as_state(LARGEST), None)
    logits = {"logits": (1.0, 1.0, 0.5)} if name in ("softmax", "flash_attention") else {}
    for i, (case, state) in enumerate(TIED.items()):
        yield LANGUAGES[i % 2], Case(f"tied, {case}", TIES, with_own(state, **logits))
    for i, language in enumerate(LANGUAGES):
        seed = 1000 * i + PLACES.index(place)
        yield language, Case(f"drawn from {seed}", DRAWN, any_state(name, seed))
        start = as_state(start_of(name))
        yield language, Case(f"made-up answers {i}", MADE_UP, start, ("nonsense", "99_99")[i])
        for answer in (None, "shown"):
            if (language, answer) != _turn(place):
                yield language, _with_names(place, answer)
    yield "en", _one_of_everything(place, None)
    for step in STEPS if place[:2] == ("one_head", "row") else ():
        start = as_state(edits.example_start(lesson(name).begins("en", place.place)))
        yield "en", Case(f"answered, {step}", START, start, step=f"row_{step}")


def _turn(place: Location) -> tuple[str, str | None]:
    turn = PLACES.index(place)
    return LANGUAGES[turn % 2], (None, "shown")[turn // 2 % 2]


def _with_names(place: Location, answer: str | None) -> Case:
    name = "names, " + ("answered" if answer else "asked")
    return Case(name, NAMES, as_state(markup.settings(start_of(place.lesson))), answer)


def _one_of_everything(place: Location, answer: str | None = "shown") -> Case:
    """All numbers of the lesson as low as they may be, and one of everything that the core has."""
    core = edits.resize(ONE, d_k=1, d_v=1)
    lowest = dict(extremes(place.lesson)).get("lowest", as_state(core))
    name = "one of everything, " + ("answered" if answer else "asked")
    return Case(name, ONE_EACH, replace(lowest, core=core), answer)


def own_states(name: str) -> Iterator[tuple[str, State]]:
    """What one lesson alone changes."""
    start = start_of(name)
    yield from ((case, with_own(start, **fields)) for case, fields in OWN.get(name, {}).items())
    yield from extremes(name)
