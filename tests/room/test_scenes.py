"""What a class follows, on both stores: scenes with serial numbers, copies, and who may write them."""

import pytest

from pages.model.codes import new_code
from pages.room import Away, Event, Full, NotYours, scenes
from pages.room.scenes import Scene
from pages.room.store import MAX_RECORD, MemoryStore

FIRST = Scene("one_head", {"example": "cats", "part": "picture"})
LATER = Scene("masks", {"example": "cats"}, shown=("causal",))


@pytest.fixture
def code(store):
    return store.open("owner", new_code()).code


def test_a_scene_is_what_all_see_until_the_next_one(store, code):
    assert scenes.look(store, code, "owner").scene is None
    assert scenes.look(store, "XXXXXX", "owner") is None
    assert scenes.begin(store, code, "owner", FIRST).serial == 1
    for person in ("owner", "other"):
        seen = scenes.look(store, code, person)
        assert seen.scene.is_like(FIRST) and seen.mine == (person == "owner") and seen.copy is None
    assert scenes.show(store, code, "owner", LATER).serial == 2
    assert scenes.look(store, code, "other").scene.is_like(LATER)


def test_the_same_scene_is_written_once(store, code):
    scenes.begin(store, code, "owner", FIRST)
    version = store.room(code).version
    assert scenes.show(store, code, "owner", FIRST).serial == 1
    assert store.room(code).version == version


def test_a_page_that_goes_on_after_the_end_leads_nobody(store, code):
    scenes.begin(store, code, "owner", FIRST)
    scenes.end(store, code, "owner")
    assert not scenes.show(store, code, "owner", LATER).on
    assert scenes.look(store, code, "other").scene is None
    assert scenes.begin(store, code, "owner", FIRST).serial == 2  # no page takes it for the first one


def test_a_copy_has_the_numbers_of_its_moment_and_is_counted(store, code):
    scenes.begin(store, code, "owner", FIRST)
    scenes.copy(store, code, "owner")
    scenes.show(store, code, "owner", LATER)
    seen = scenes.look(store, code, "other")
    assert (seen.copy.serial, seen.copy.lesson, seen.scene.lesson) == (1, "one_head", "masks")
    scenes.copy(store, code, "owner")
    assert scenes.look(store, code, "other").copy.serial == 2


def test_only_the_owner_leads(store, code):
    scenes.begin(store, code, "owner", FIRST)
    for act in (scenes.begin, scenes.show):
        with pytest.raises(NotYours):
            act(store, code, "other", LATER)
    for act in (scenes.end, scenes.copy):
        with pytest.raises(NotYours):
            act(store, code, "other")
    seen = scenes.look(store, code, "other")
    assert seen.scene.is_like(FIRST) and seen.copy is None


def test_a_scene_that_is_too_long_changes_nothing(store, code):
    scenes.begin(store, code, "owner", FIRST)
    with pytest.raises(Full):
        scenes.show(store, code, "owner", Scene("masks", {"x": "1" * MAX_RECORD}))
    assert scenes.look(store, code, "other").scene.is_like(FIRST)


def test_each_change_is_an_event_with_the_state(clock):
    store, events = MemoryStore(clock), []
    store.listen(lambda code, event: events.append(event))
    code = store.open("owner", new_code()).code
    scenes.begin(store, code, "owner", FIRST)
    scenes.show(store, code, "owner", LATER)
    scenes.copy(store, code, "owner")
    scenes.end(store, code, "owner")
    states = [[1, 0], [2, 0], [2, 1], [0, 1]]
    assert events == [Event("scene", state) for state in states]


def test_an_absent_redis_is_said(redis_store, redis):
    code = redis_store.open("owner", new_code()).code
    redis.kill()
    try:
        with pytest.raises(Away):
            scenes.begin(redis_store, code, "owner", FIRST)
    finally:
        redis.start()
