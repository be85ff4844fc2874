"""Both stores, for the same tests."""

import itertools

import pytest

from pages.room import MemoryStore
from pages.room.store import Store
from tests.support.redis_server import redis_server

_number = itertools.count()


class Clock:
    def __init__(self):
        self.seconds = 1_800_000_000.0

    def __call__(self) -> float:
        return self.seconds


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture(scope="session")
def redis(tmp_path_factory):
    with redis_server(tmp_path_factory.mktemp("redis")) as server:
        yield server


@pytest.fixture
def redis_store(redis, clock) -> Store:
    """A store in the tests' Redis, apart from those of other tests."""
    from pages.room.redis_store import RedisStore

    return RedisStore(f"{redis.address}#test{next(_number)}", clock)


@pytest.fixture(params=["memory", "redis"])
def store(request, clock) -> Store:
    return MemoryStore(clock) if request.param == "memory" else request.getfixturevalue("redis_store")
