"""What lasts as long as the visit. No other package names a key of Streamlit's session state.

visit     the typed object: the state, the view, undo, what went wrong
looks     changes of what is looked at
problems  what went wrong and has to be said
record    what was done, as the browser keeps it
inbox     what pictures send
changes   what buttons and links change
link      the address bar
widgets   Streamlit's widgets, bound to fields
"""

from .changes import Edit, bring, edit, load, redo, reset, set_own, undo
from .inbox import (
    foreseen,
    is_new_command,
    leave_old_edits,
    picture,
    piece_held,
    take_edits,
    take_waiting_edits,
)
from .link import (
    address_of,
    enter,
    has_arrived,
    is_first_visit,
    is_plain_link,
    leave_for,
    link_of,
    link_to_fill,
    note_filled,
    open_link,
    rerun,
    take_mine,
    write_link,
)
from .looks import answer, go, is_folded, is_revealed, look, present, reveal
from .problems import has_problems_of_votes, has_to_say, say_again, take_problems
from .record import (
    ask_again,
    forget,
    is_recalling,
    note_exercise,
    note_part,
    note_verdict,
    of_tab,
    recall,
    records,
    stay,
    today,
)
from .visit import (
    Mailbox,
    Taker,
    Visit,
    begin,
    beginning,
    drawn_matrices,
    is_drawn,
    mark_drawn,
    may,
    memory,
    mine,
    named,
    of_link,
    place,
    redraw,
    replacement,
    send_code,
    settings,
    stand_in,
    standing,
    start_of,
    state,
    view,
    visit,
)
from .widgets import (
    bind,
    bind_edit,
    bound_in,
    close,
    expander,
    options_left,
    popover,
    uploaded_file,
    widget_value,
)
