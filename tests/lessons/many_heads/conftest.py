import pytest

from pages.draw.page import Page
from pages.model import edits
from pages.model.settings import Settings
from pages.model.state import State
from tests.support.example_states import ONE, TWELVE
from tests.support.states import looking, page_in

START = Settings()
TWO = edits.resize(START, num_heads=2)
CASES = {
    "one head": START,
    "two heads": TWO,
    "two jobs": edits.example_start("two_jobs"),
    "four heads": edits.resize(START, num_heads=4),
    "shared keys": edits.resize(START, num_heads=4, num_kv_heads=2),
    "one token": edits.resize(ONE, num_heads=2),
    "fully masked row": edits.with_choice(TWO, mask="custom", blocked=frozenset({(1, 0), (1, 1), (1, 2)})),
    "finite masked score": edits.with_choice(TWO, mask="causal", masked_score="-1e9"),
    "biases": edits.set_biases(edits.resize(START, num_heads=2, d_k=3, d_v=5), True),
    "waves as positions": edits.with_choice(TWO, position="sinusoidal"),
    "rotary positions": edits.with_choice(TWO, position="rotary"),
    "ALiBi": edits.with_choice(TWO, position="alibi"),
    "twelve tokens, eight heads": TWELVE,
}
# The parts that write the computation in another way set positions aside.
SEVERAL = {name: case for name, case in CASES.items() if case.num_heads > 1 and case.position == "none"}


def page_of(settings: Settings | State, part: str = "overview", language: str = "en", **view) -> Page:
    """The page as a part gets it, without Streamlit."""
    return page_in("many_heads", part, settings, looking(language=language, **view))


@pytest.fixture(params=SEVERAL)
def several(request) -> Settings:
    """Each case with several heads."""
    return SEVERAL[request.param]
