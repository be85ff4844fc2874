"""What lasts as long as the visit. No other package names a key of Streamlit's session state.

visit     the typed object: the state, the view, undo, what went wrong
inbox     what pictures send
changes   what buttons and links change
link      the address bar
widgets   Streamlit's widgets, bound to fields
"""

from .changes import edit, load, open_file, redo, reset, set_own, undo
from .inbox import (
    Taker,
    is_new_command,
    last_command,
    leave_old_edits,
    picture_seq,
    take_edits,
    take_waiting_edits,
)
from .link import (
    address_of,
    enter,
    is_first_visit,
    link_of,
    link_to_fill,
    note_filled,
    open_link,
    rerun,
    write_link,
)
from .visit import (
    Visit,
    answer,
    clear_answers,
    go,
    is_drawn,
    is_revealed,
    kept,
    look,
    mark_drawn,
    place,
    present,
    redraw,
    replaced,
    reveal,
    settings,
    standing,
    state,
    take_problems,
    view,
    visit,
)
from .widgets import bind, bound_in, close, popover, widget_value

__all__ = [
    "Taker",
    "Visit",
    "address_of",
    "answer",
    "bind",
    "bound_in",
    "clear_answers",
    "close",
    "edit",
    "enter",
    "go",
    "is_drawn",
    "is_first_visit",
    "is_new_command",
    "is_revealed",
    "kept",
    "last_command",
    "leave_old_edits",
    "link_of",
    "link_to_fill",
    "load",
    "look",
    "mark_drawn",
    "note_filled",
    "open_file",
    "open_link",
    "picture_seq",
    "place",
    "popover",
    "present",
    "redo",
    "redraw",
    "replaced",
    "rerun",
    "reset",
    "reveal",
    "set_own",
    "settings",
    "standing",
    "state",
    "take_edits",
    "take_problems",
    "take_waiting_edits",
    "undo",
    "view",
    "visit",
    "widget_value",
    "write_link",
]
