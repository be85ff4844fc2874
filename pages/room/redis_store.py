"""The rooms of several processes, in Redis. Imported only where its address is in the environment.

Each act that has to be whole is one short script, so that it can neither be interrupted nor overlap with
another one: many people who vote in the same second do not wait for each other. The time is Redis's, so that
no process's clock ends a room. Keys, all of which expire:

    attention:rooms          sorted set: code → time from which another room may replace it
    attention:owner:HASH     the code of the owner's room
    attention:room:CODE      hash: owner, ends, version, used, facts, topics, and open:TOPIC → most people
    attention:said:CODE:TOPIC  hash: person → word
    attention:events         the channel of all events

Where the address ends in a name (#algebra), it is in all of these: attention:algebra:rooms. Another program
or version may have written anything under them, and sent anything to the channel: what cannot be read is
left out (see reading.py).

Where Redis cannot be reached, every call raises Away at once or after TIMEOUT, and for PAUSE seconds all
further calls raise it without an attempt: no page waits for long.
"""

import functools
import logging
import threading
import time
from collections.abc import Callable, Collection
from typing import Any, TypeVar
from urllib.parse import urlsplit

import orjson
import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from .reading import made, reading
from .store import (
    ABSENT,
    CHANGED,
    LIFETIME,
    UNUSED,
    Away,
    Closed,
    Event,
    Full,
    Gone,
    Room,
    Store,
    Take,
    hash_of,
)

TIMEOUT = 2.0  # seconds for an answer of Redis
MOST_CONNECTIONS = 20
PAUSE = 0.5  # seconds after a failure without an attempt
PREFIX = "attention:"
CLOCK = 60.0  # seconds between two questions for Redis's time
Thing = TypeVar("Thing")

COMMON = """
local prefix, now = ARGV[1], tonumber(ARGV[2])
local function key(code) return prefix .. 'room:' .. code end
local function field(code, name)
  local value = redis.pcall('HGET', key(code), name)
  return type(value) == 'string' and value or ''
end
local function is_there(code)
  return (tonumber(field(code, 'ends')) or 0) >= now
end
local function topics_of(code)
  local is_json, topics = pcall(cjson.decode, field(code, 'topics'))
  return is_json and type(topics) == 'table' and topics or {}
end
local function list(code, until_, life)
  redis.call('ZADD', prefix .. 'rooms', until_, code)
  redis.call('PEXPIRE', prefix .. 'rooms', life)
end
local function tell(code, event, for_owner)
  redis.call('PUBLISH', prefix .. 'events', code .. ' ' .. (for_owner and '1' or '0') .. ' ' .. event)
end
local function said(code, topic) return prefix .. 'said:' .. code .. ':' .. topic end
local function delete(code)
  redis.call('DEL', prefix .. 'owner:' .. field(code, 'owner'))
  for topic in pairs(topics_of(code)) do redis.call('DEL', said(code, topic)) end
  redis.call('DEL', key(code))
  redis.call('ZREM', prefix .. 'rooms', code)
end
"""
OPEN = """
local code, owner, ends, life, until_, most = unpack(ARGV, 3)
local known = redis.call('GET', prefix .. 'owner:' .. owner)
if known and is_there(known) then return known end
if is_there(code) then return '' end
local rooms = prefix .. 'rooms'
for _, other in ipairs(redis.call('ZRANGE', rooms, 0, -1)) do
  if not is_there(other) then delete(other) end
end
if redis.call('ZCARD', rooms) >= tonumber(most) then
  local first = redis.call('ZRANGE', rooms, 0, 0, 'WITHSCORES')
  if tonumber(first[2]) >= now then return 0 end
  delete(first[1])
  tell(first[1], '{"kind":"changed"}')
end
redis.call('HSET', key(code), 'owner', owner, 'ends', ends, 'version', 0, 'facts', '{}', 'topics', '{}')
redis.call('PEXPIRE', key(code), life)
redis.call('SET', prefix .. 'owner:' .. owner, code, 'PX', life)
list(code, until_, life)
return code
"""
WRITE = """
local code, version, ends, life, facts, topics, absent, unused, event = unpack(ARGV, 3)
local room = key(code)
if not is_there(code) or field(code, 'version') ~= version then return 0 end
local after = cjson.decode(topics)
for topic in pairs(topics_of(code)) do
  if after[topic] == nil then redis.call('DEL', said(code, topic)) end
  redis.call('HDEL', room, 'open:' .. topic)
end
for topic, most in pairs(after) do
  if most > 0 then redis.call('HSET', room, 'open:' .. topic, most) end
  redis.call('PEXPIRE', said(code, topic), life)
end
redis.call('HSET', room, 'ends', ends, 'version', version + 1, 'facts', facts, 'topics', topics)
redis.call('PEXPIRE', room, life)
redis.call('PEXPIRE', prefix .. 'owner:' .. field(code, 'owner'), life)
local stays = redis.call('HEXISTS', room, 'used') == 1 and absent or unused
list(code, now + stays, life)
tell(code, event:sub(2), event:sub(1, 1) == '1')
return 1
"""
SAY = """
local code, topic, person, word, later, quiet = unpack(ARGV, 3)
if not is_there(code) then return 'gone' end
local most = redis.call('HGET', key(code), 'open:' .. topic)
if not most then return 'closed' end
local words = said(code, topic)
if redis.call('HEXISTS', words, person) == 0 and redis.call('HLEN', words) >= tonumber(most) then
  return 'full'
end
redis.call('HSET', words, person, word)
redis.call('PEXPIRE', words, redis.call('PTTL', key(code)))
if redis.call('HGET', key(code), 'owner') ~= person and redis.call('HSETNX', key(code), 'used', 1) == 1 then
  redis.call('ZINCRBY', prefix .. 'rooms', later, code)
end
local count = redis.call('HLEN', words)
if quiet == '0' then
  tell(code, cjson.encode({kind = 'said', data = {topic = topic, count = count}}), true)
end
return count
"""
LOOK = """
local code, absent, unused = unpack(ARGV, 3)
if not is_there(code) then return 0 end
local stays = redis.call('HEXISTS', key(code), 'used') == 1 and absent or unused
return redis.call('ZADD', prefix .. 'rooms', now + stays, code)
"""
CLOSE = """
delete(ARGV[3])
tell(ARGV[3], '{"kind":"changed"}')
return 1
"""


class RedisStore(Store):
    """The rooms of all processes with this address of Redis. clock: in place of Redis's, for tests."""

    outlasts = True

    def __init__(self, address: str, clock: Callable[[], float] | None = None):
        super().__init__(clock or self._time)
        pool = redis.BlockingConnectionPool.from_url(
            address,
            max_connections=MOST_CONNECTIONS,
            timeout=TIMEOUT,  # in which a connection gets free
            decode_responses=True,
            encoding_errors="replace",
            socket_timeout=TIMEOUT,
            socket_connect_timeout=TIMEOUT,
            health_check_interval=10,
            # A connection that was closed meanwhile is opened again; nobody waits twice for TIMEOUT.
            retry=Retry(NoBackoff(), 1, (redis.ConnectionError,)),
        )
        self._redis: Any = redis.Redis(connection_pool=pool)
        name = urlsplit(address).fragment
        self._prefix = f"{PREFIX}{name}:" if name else PREFIX
        self._away_until, self._is_away = 0.0, False
        self._ahead: float | None = None  # Redis's clock minus the monotonic one of this process
        self._asked = 0.0  # when
        self._scripts: dict[str, Any] = {
            name: self._redis.register_script(COMMON + text)
            for name, text in (
                ("open", OPEN),
                ("write", WRITE),
                ("say", SAY),
                ("look", LOOK),
                ("close", CLOSE),
            )
        }

    def open(self, owner: str, code: str) -> Room | None:
        moment, life = self.clock(), int(LIFETIME * 1000)
        known = self._run(
            "open",
            code,
            hash_of(owner),
            moment + LIFETIME,
            life,
            moment + UNUSED,
            self.most_rooms,
            moment=moment,
        )
        if known == 0:
            raise Full("rooms")
        room = self.room(known) if known else None
        if known and room is None:  # nobody can read it: the next attempt makes a new one
            self._run("close", known)
        return room

    def room(self, code: str) -> Room | None:
        names = ("owner", "ends", "version", "facts", "topics")
        fields = self._attempt(lambda: self._redis.hmget(self._room(code), *names))
        room = None if fields[0] is None else reading("record", lambda: _room(code, *fields), None)
        return None if room is None or room.ends < self.clock() else room

    def words(self, code: str, topic: str) -> dict[str, str]:
        return self._attempt(lambda: self._redis.hgetall(self._said(code, topic)))

    def word(self, code: str, topic: str, person: str) -> tuple[int, str | None]:
        pipe = self._redis.pipeline(transaction=False)
        pipe.hlen(self._said(code, topic))
        pipe.hget(self._said(code, topic), _text(person))
        count, word = self._attempt(pipe.execute)
        return count, word

    def drop(self, code: str, topic: str, people: Collection[str]) -> None:
        if people:
            self._attempt(lambda: self._redis.hdel(self._said(code, topic), *people))

    def look(self, room: Room) -> None:
        self._run("look", room.code, ABSENT, UNUSED)

    def tell(self, code: str, event: Event) -> None:
        text = f"{code} {int(event.for_owner)} {_written(event)}"
        self._attempt(lambda: self._redis.publish(f"{self._prefix}events", text))

    def close(self, code: str, owner: str) -> None:
        self.owned(code, owner)
        self._run("close", code)

    def listen(self, take: Take) -> None:
        threading.Thread(target=self._hear, args=(take,), name="events of rooms", daemon=True).start()

    def _write(self, before: Room, after: Room, event: Event) -> bool:
        facts, topics = (orjson.dumps(part).decode() for part in (after.facts, after.topics))
        written, life = f"{int(event.for_owner)}{_written(event)}", int(after.lifetime * 1000)
        arguments = (before.version, after.ends, life, facts, topics, ABSENT, UNUSED, written)
        return bool(self._run("write", after.code, *arguments))

    def _say(self, code: str, topic: str, person: str, word: str, quiet: bool) -> int:
        later = ABSENT - UNUSED
        answer = self._run("say", code, topic, _text(person), _text(word), later, int(quiet))
        if isinstance(answer, int):
            return answer
        raise {"gone": Gone, "closed": Closed, "full": Full}[answer](code)

    # ---- the connection

    def _room(self, code: str) -> str:
        return f"{self._prefix}room:{_text(code)}"

    def _said(self, code: str, topic: str) -> str:
        return f"{self._prefix}said:{_text(code)}:{topic}"

    def _run(self, name: str, code: str, *arguments: object, moment: float | None = None) -> Any:
        moment = self.clock() if moment is None else moment
        sent = [self._prefix, moment, _text(code), *arguments]
        return self._attempt(lambda: self._scripts[name](args=sent))

    def _time(self) -> float:
        """The time of Redis, asked for once in CLOCK seconds. Raises Away if it was never known."""
        ahead = self._ahead
        if ahead is None or time.monotonic() > self._asked + CLOCK:
            try:
                seconds, micros = self._attempt(self._redis.time)
                self._asked = time.monotonic()
                self._ahead = ahead = seconds + micros / 1e6 - self._asked
            except Away:
                if ahead is None:
                    raise
        return time.monotonic() + ahead

    def _attempt(self, ask: Callable[[], Thing]) -> Thing:
        if time.monotonic() < self._away_until:
            raise Away
        try:
            answer = ask()
        except (redis.RedisError, OSError) as error:
            if not isinstance(error, redis.ResponseError):  # which is an answer, without a wait
                self._away_until = time.monotonic() + PAUSE
            if not self._is_away:
                logging.getLogger(__name__).warning("Redis does not answer: %s", type(error).__name__)
            self._is_away = True
            raise Away from error
        self._is_away = False
        return answer

    def _hear(self, take: Take) -> None:
        """Listens to the events for ever; after each new connection says that some may have been missed."""
        while True:
            try:
                with self._redis.pubsub(ignore_subscribe_messages=True) as heard:
                    heard.subscribe(f"{self._prefix}events")
                    heard.get_message(timeout=TIMEOUT)
                    take("", Event(CHANGED))
                    while True:
                        message = heard.get_message(timeout=TIMEOUT)
                        news = message and reading("message", functools.partial(_read, message["data"]), None)
                        if news:
                            take(*news)
            except (redis.RedisError, OSError):
                time.sleep(PAUSE)


def _text(word: str) -> str:
    """The word or the code without halves of surrogate pairs, which have no form in UTF-8."""
    return word.encode("utf-8", "replace").decode()


def _written(event: Event) -> str:
    return orjson.dumps({"kind": event.kind, "data": event.data}).decode()


def _read(text: str) -> tuple[str, Event] | None:
    code, for_owner, written = text.split(" ", 2)
    event = made(Event, {"data": None, **orjson.loads(written), "for_owner": for_owner == "1"})
    event.slot  # noqa: B018 - raises unless the data have what the kind needs
    return code, event


def _room(code: str, owner: str, ends: str, *others: str) -> Room:
    version, facts, topics = map(orjson.loads, others)
    record = {"code": code, "owner": owner, "ends": float(ends), "version": version}
    return made(Room, {**record, "facts": facts, "topics": topics})
