"""States that tell something of a page: each has what a page may not have thought of."""

from collections.abc import Iterator

from pages.model import edits
from pages.model.fields import specs, with_fields
from pages.model.scores import MAX_LOGITS
from pages.model.settings import FLAGS, Settings
from pages.model.state import State
from pages.model.view import View
from tests.support.course import lesson
from tests.support.states import as_state, looking, with_own

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
    "fully masked row, two heads": CHOOSE(SIZED(CATS, num_heads=2), mask="custom", blocked=ROW),
    "fully masked row, ALiBi": CHOOSE(CATS, mask="custom", blocked=ROW, position="alibi"),
    "all masked, finite": CHOOSE(CATS, mask="custom", blocked=ALL, masked_score="-1e9"),
    "huge scores": CHOOSE(HUGE, mask="causal", scaling="own", own_divisor=-1e-6),
    "two masks, or": CHOOSE(CATS, mask="padding", mask_2="window", combine="or", padding=1),
    "two masks, and": with_own(
        CATS, mask="packed", mask_2="causal", reversed=True, order=(2, 0, 1), off=frozenset({0})
    ),
    **{flag: CHOOSE(CATS, **{flag: True}) for flag in FLAGS},
    **{f"{flag}, rotary, shared keys": CHOOSE(SHARED, **{flag: True}, position="rotary") for flag in FLAGS},
    "zeros": edits.fill(CATS, "x", "zeros"),
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
# Enough for a part that does not show the learner's setup.
FEW = ("one token", "twelve tokens, eight heads", "fully masked row")

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
        state = as_state(edits.example_start(lesson(name).start))
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


def states_of(name: str, *, every: bool) -> Iterator[tuple[str, State]]:
    """The states in which a part of this lesson is opened; every: also all states of the core."""
    yield from ((case, as_state(CORE[case])) for case in (CORE if every else FEW))
    start = edits.example_start(lesson(name).start)
    yield from ((case, with_own(start, **fields)) for case, fields in OWN.get(name, {}).items())
    yield from extremes(name)


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
