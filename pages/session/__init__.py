"""What lasts as long as the visit. No other package names a key of Streamlit's session state.

visit     the typed object: the state, the view, undo, what went wrong
record    what was done, as the browser keeps it
inbox     what pictures send
changes   what buttons and links change
link      the address bar
widgets   Streamlit's widgets, bound to fields
"""

from .changes import Edit, bring, edit, load, redo, reset, set_own, undo
from .inbox import is_new_command, leave_old_edits, picture, pieces_there, take_edits, take_waiting_edits
from .link import (
    address_of,
    enter,
    is_first_visit,
    link_of,
    link_to_fill,
    note_filled,
    open_link,
    rerun,
    take_mine,
    write_link,
)
from .record import forget, note_exercise, note_part, note_verdict, records, stay, today
from .visit import (
    Taker,
    Visit,
    answer,
    begin,
    beginning,
    clear_answers,
    drawn_matrices,
    go,
    has_problems_of_votes,
    is_drawn,
    is_folded,
    is_revealed,
    look,
    mark_drawn,
    may,
    memory,
    mine,
    place,
    present,
    redraw,
    replacement,
    reveal,
    say_again,
    settings,
    standing,
    start_of,
    state,
    take_problems,
    view,
    visit,
)
from .widgets import bind, bind_edit, bound_in, close, options_left, popover, uploaded_file, widget_value
