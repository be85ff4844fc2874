"""What a class follows, on both stores: scenes with serial numbers, copies, and who may write them."""

import pytest

from pages.model.codes import new_code
from pages.room import Away, Event, Full, NotYours, steps
from pages.room.steps import Scene
from pages.room.store import MAX_RECORD, MemoryStore

FIRST = Scene("one_head", {"example": "cats", "part": "picture"})
LATER = Scene("masks", {"example": "cats"}, shown=("causal",))


@pytest.fixture
def code(store):
    return store.enter("owner", new_code()).code


def test_a_scene_is_what_all_see_until_the_next_one(store, code):
    assert steps.look(store, code, "owner").scene is None
    assert steps.look(store, "XXXXXX", "owner") is None
    assert steps.begin(store, code, "owner", FIRST).serial == 1
    for person in ("owner", "other"):
        seen = steps.look(store, code, person)
        assert seen.scene.is_like(FIRST) and seen.mine == (person == "owner") and seen.copy is None
    assert steps.show(store, code, "owner", LATER).serial == 2
    assert steps.look(store, code, "other").scene.is_like(LATER)


def test_the_same_scene_is_written_once(store, code):
    steps.begin(store, code, "owner", FIRST)
    version = store.room(code).version
    assert steps.show(store, code, "owner", FIRST).serial == 1
    assert store.room(code).version == version


def test_a_page_that_goes_on_after_the_end_leads_nobody(store, code):
    steps.begin(store, code, "owner", FIRST)
    steps.end(store, code, "owner")
    assert not steps.show(store, code, "owner", LATER).on
    assert steps.look(store, code, "other").scene is None
    assert steps.begin(store, code, "owner", FIRST).serial == 2  # no page takes it for the first one


def test_a_copy_has_the_numbers_of_its_moment_and_is_counted(store, code):
    steps.begin(store, code, "owner", FIRST)
    steps.copy(store, code, "owner")
    steps.show(store, code, "owner", LATER)
    seen = steps.look(store, code, "other")
    assert (seen.copy.serial, seen.copy.lesson, seen.scene.lesson) == (1, "one_head", "masks")
    steps.copy(store, code, "owner")
    assert steps.look(store, code, "other").copy.serial == 2


def test_only_the_owner_leads(store, code):
    steps.begin(store, code, "owner", FIRST)
    for act in (steps.begin, steps.show):
        with pytest.raises(NotYours):
            act(store, code, "other", LATER)
    for act in (steps.end, steps.copy):
        with pytest.raises(NotYours):
            act(store, code, "other")
    seen = steps.look(store, code, "other")
    assert seen.scene.is_like(FIRST) and seen.copy is None


def test_a_scene_that_is_too_long_changes_nothing(store, code):
    steps.begin(store, code, "owner", FIRST)
    with pytest.raises(Full):
        steps.show(store, code, "owner", Scene("masks", {"x": "1" * MAX_RECORD}))
    assert steps.look(store, code, "other").scene.is_like(FIRST)


def test_each_change_is_an_event_with_the_state(clock):
    store, events = MemoryStore(clock), []
    store.listen(lambda code, event: events.append(event))
    code = store.enter("owner", new_code()).code
    steps.begin(store, code, "owner", FIRST)
    steps.show(store, code, "owner", LATER)
    steps.copy(store, code, "owner")
    steps.end(store, code, "owner")
    states = [[1, 0], [2, 0], [2, 1], [0, 1]]
    assert events == [Event("scene", state) for state in states]


def test_an_absent_redis_is_said(redis_store, redis):
    code = redis_store.enter("owner", new_code()).code
    redis.kill()
    try:
        with pytest.raises(Away):
            steps.begin(redis_store, code, "owner", FIRST)
    finally:
        redis.start()
