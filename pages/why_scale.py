"""The lesson `Why √d_k`: what dot products spread to, and what dividing them does and does not do."""

import streamlit as st

from pages.ui import entry, lesson, state
from pages.ui.scale_experiment import Experiment
from pages.ui.scale_gradients import LearningPart
from pages.ui.scale_limits import LimitsPart
from pages.ui.scale_spread import SpreadPart
from pages.ui.scale_yours import YoursPart
from pages.ui.texts import Texts

PARTS = {
    "experiment": Experiment,
    "spread": SpreadPart,
    "learning": LearningPart,
    "limits": LimitsPart,
    "yours": YoursPart,
}

entry.through_app()
now = state.settings()
t = Texts(now.language, "one_head", "why_scale")
st.title(t("page.title"))
st.markdown(t("page.lead"))
part = lesson.choose_part(t, now, tuple(PARTS))
st.markdown(t(f"intro.{part}"))
PARTS[part](t).draw()
