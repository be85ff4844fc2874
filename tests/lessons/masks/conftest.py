import pytest

from pages.lessons.masks import LESSON
from pages.lessons.masks.scene import Scene
from pages.model import edits
from pages.model.settings import Settings
from pages.model.state import State
from pages.model.view import Place, View
from pages.ui.page import Page
from pages.ui.texts import Texts
from tests.states import as_state, with_own

START = edits.load_example(Settings(), "masks")
CATS = Settings()
ONE = edits.remove_token(edits.remove_token(CATS, 0), 0)
TWELVE = edits.resize(CATS, d_model=16, num_heads=8)
for _ in range(9):
    TWELVE = edits.add_token(TWELVE)
HUGE = edits.fill(CATS, "w_q", "zeros")
for i in range(4):
    HUGE = edits.set_cell(HUGE, "w_q", i, i, 1e6)
HUGE = edits.set_block(HUGE, "x", 0, 0, [[1e6] * 4, [-1e6] * 4, [0.0] * 4])
ALL = frozenset((r, c) for r in range(3) for c in range(3))
CASES = {
    "start": START,
    "no mask": CATS,
    "one token": ONE,
    "one token, causal": edits.with_choice(ONE, mask="causal"),
    "twelve tokens, eight heads": edits.with_choice(TWELVE, mask="causal_window"),
    "huge scores": edits.with_choice(HUGE, mask="causal"),
    "all rows fully masked": edits.with_choice(CATS, mask="custom", blocked=ALL),
    "fully masked, a billion": edits.with_choice(CATS, mask="custom", blocked=ALL, masked_score="-1e9"),
    "two masks, or": edits.with_choice(CATS, mask="padding", mask_2="window", combine="or", padding=1),
    "two masks, and": with_own(CATS, mask="causal", mask_2="packed", reversed=True),
    "custom and another": edits.with_choice(START, mask="causal", mask_2="custom"),
    "biases, odd width": edits.set_biases(edits.resize(CATS, d_model=5, d_k=3, d_v=2), True),
    "all tokens real": edits.with_choice(START, padding=5),
}


def page_of(settings: Settings | State, part: str = "gallery", head: int = 0) -> Page:
    """The page as a part gets it, without Streamlit."""
    state = as_state(settings)
    return Page(LESSON, LESSON.part(part), Texts("en", "masks"), state.core, View(head=head), Place(), state)


@pytest.fixture(params=["one head", "second of two heads"])
def scene(request) -> Scene:
    """The lesson's start, with one head and with two."""
    if request.param == "one head":
        return Scene(page_of(START))
    return Scene(page_of(edits.resize(START, num_heads=2), head=1))
