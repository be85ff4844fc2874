"""The visit of one learner. No other package names a key of Streamlit's session state.

visit     the typed object: the state, the view, undo, problems
looks     changes of the view
problems  messages that are still to be shown
record    the learner's progress, which the browser keeps
following what a class follows, in place of the learner's own state
inbox     messages of pictures
changes   edits by buttons and links
link      the address bar
door      the way into a room
widgets   Streamlit's widgets, bound to fields
"""

from .changes import Edit, bring, edit, load, redo, reset, set_own, undo
from .door import OVERVIEW, room_of
from .following import follow_class, leave_class, rest_class, take_copy
from .inbox import (
    change_of,
    is_new_command,
    leave_old_edits,
    picture,
    piece_held,
    take_edits,
    take_waiting_edits,
    visit_after,
)
from .link import (
    address_of,
    enter,
    give_mine,
    is_first_visit,
    is_plain_link,
    leader_link,
    leave_for,
    link_to_fill,
    move_to,
    note_filled,
    open_link,
    rerun,
    room_link,
    script,
    take_mine,
    write_link,
)
from .looks import answer, go, is_folded, is_revealed, present, reveal, set_view
from .problems import has_problems_of_votes, has_to_say, say_again, take_problems
from .record import (
    ask_again,
    entered,
    entries_of,
    filled,
    forget,
    has_reached,
    is_recalling,
    note_event,
    note_exercise,
    note_part,
    note_target,
    note_verdict,
    of_tab,
    recall,
    records,
    show_me,
    stay,
    today,
)
from .visit import (
    CLASS,
    Mailbox,
    StateEdit,
    Taker,
    Visit,
    active_stop,
    begin,
    beginning,
    drawn_matrices,
    is_allowed,
    is_drawn,
    is_following,
    is_mine,
    is_of_place,
    link_of,
    mark_drawn,
    memory,
    mine,
    note_gesture,
    numbers_at,
    of_link,
    path,
    place,
    query,
    redraw,
    replacement,
    send_code,
    set_current_visit,
    settings,
    start_of,
    state,
    stop_left,
    view,
    visit,
    visit_by_id,
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
