"""The lesson `One head`: from X to the output, every step with the learner's numbers."""

import streamlit as st

from pages.ui import choices, entry, inputs, lesson, state, step_view
from pages.ui.compute import trace_of
from pages.ui.results import CHECKS, reading
from pages.ui.steps import StepBuilder, axis_labels, token_names
from pages.ui.texts import Texts

entry.through_app()
now = state.settings()
t = Texts(now.language, "one_head")
labels = token_names(t, now)


def computed():
    """The present settings, their trace, and the steps to show."""
    now = state.settings()
    trace = trace_of(now)
    return now, trace, StepBuilder(now, trace, axis_labels(t, now))


def sentences(now, trace) -> dict[str, str]:
    """The texts that follow the numbers, by the id of their place on the page."""
    head = trace.head(now.head)
    texts = {name: check(t, head) for name, check in CHECKS.items()}
    return texts | {"reading": reading(t, head, token_names(t, now), now.row)}


def live() -> dict:
    """Everything on the page that follows an edit at once."""
    now, trace, steps = computed()
    views = steps.views() + ([steps.head_weights()] if now.num_heads > 1 else [])
    return {
        "charts": {view.name: step_view.live_table(now, view) for view in views},
        "texts": sentences(now, trace),
    }


now, trace, steps = computed()
st.title(t("page.title"))
st.markdown(t("page.lead"))
st.markdown(
    t(
        "page.formula",
        divisor=step_view.divisor_tex(now),
        n=len(now.tokens),
        d_model=now.d_model,
        d_k=now.head_dim,
        d_v=now.value_dim,
        h=now.num_heads,
    )
)
inputs.inputs(t, labels, live)
inputs.fill_tools(t)
with st.container(horizontal=True, vertical_alignment="bottom"):
    choices.follow_row(t, now, labels)
    choices.shown_head(t, now)
if now.num_heads > 1:
    step_view.draw_heads(t, now, steps.head_weights())
st.caption(t("page.hover"))
for view in steps.views()[: 1 if state.is_first_run() else None]:
    step_view.draw_step(t, now, view)

texts = sentences(now, trace)
with st.container(key="checks"):
    st.markdown(f"#### {t('checks.title')}")
    for name in CHECKS:
        lesson.say(name, texts[name])
with st.container(key="reading"):
    st.markdown(f"#### {t('reading.title')}")
    lesson.say("reading", texts["reading"])
    st.markdown(f"#### {t('reading.title_not')}\n\n{t('reading.not')}")
