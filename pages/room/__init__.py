"""Rooms: a class that is together, in one store and with one channel, without Streamlit.

store        what the owner has set and what the people say; in memory, or in Redis for several processes
channel      the events of a room, to its browsers: server-sent events, channel.js
rules        the room's one document: what its owner does, and what each person sees
rooms        the rooms of a store, as people act in them
attendance   who is there, where, and with which answers
guesses      how many wrong codes may be typed
"""

from . import channel
from .store import (
    CHANGED,
    SAID,
    Away,
    Closed,
    Event,
    Full,
    Gone,
    MemoryStore,
    NotYours,
    Room,
    RoomError,
    Store,
    from_environment,
)
