"""The lesson on the heads of a trained model: what they attend to, and what that explains."""

from pages.model.course import Lesson, Part, Question, Topic

from .settings import KINDS, RealHeadsLook, RealHeadsNumbers

LESSON = Lesson(
    "real_heads",
    (
        Part(
            "which_head",
            tuple(Topic(kind, asks=(Question(f"real_{kind}", kind="cell"),)) for kind in KINDS),
            tall=True,
            terms=("special_token",),
        ),
        Part(
            "a_model",
            (
                Topic("find"),
                Topic(
                    "decide", asks=(Question("real_wide", ("street", "animal", "alike"), last=("alike",)),)
                ),
            ),
            tall=True,
            terms=("layer",),
        ),
        Part(
            "one_real_head",
            (
                Topic("switches", asks=(Question("real_special", ("share", "lost", "itself"), "share"),)),
                Topic("exchange", asks=(Question("real_exchange", ("along", "stay", "before"), "along"),)),
            ),
            edits=("real_temperature",),
            tall=True,
        ),
        Part(
            "next_word",
            (
                Topic(
                    "off",
                    asks=(
                        Question("real_off", ("few", "many", "most", "none"), numeric=True, last=("none",)),
                    ),
                ),
                Topic("grouped"),
            ),
            tall=True,
        ),
        Part(
            "anecdote",
            asks=(Question("real_trials", ("fewer", "half", "more", "luck"), numeric=True),),
        ),
        Part(
            "explain",
            (
                Topic(
                    "model",
                    switches=False,
                    asks=(Question("real_agree", ("weight", "norm", "gradient")),),
                    terms=("rank_correlation",),
                ),
                Topic(
                    "without",
                    switches=False,
                    asks=(Question("real_without", ("first", "middle", "last", "alike"), last=("alike",)),),
                ),
                Topic(
                    "yours",
                    asks=(
                        Question("real_zero", ("norm", "weight", "left_out", "all"), "norm", last=("all",)),
                    ),
                    terms=("gradient_times_input",),
                ),
            ),
            edits=("inputs",),
            switches=("example", "heads", "d_k", "mask"),
        ),
    ),
    end=Question("real_heads_end", ("larger", "trials", "mean", "sharper"), "trials"),
    moved={"explain_yours": "explain/yours"},
    own=RealHeadsNumbers,
    look=RealHeadsLook,
)
