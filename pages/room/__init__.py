"""Rooms: a class that is together, in one store and with one channel, without Streamlit.

store        what the owner has set and what the people say; in memory, or in Redis for several processes
channel      the events of a room, to its browsers: server-sent events, channel.js
votes        votes of the class on a question
scenes       what a class follows: its owner's place and numbers
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
