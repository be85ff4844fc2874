"""The lesson on the heads of a trained model: what they attend to, and what that explains."""

from pages.model.course import Lesson, Part, Question, Topic

from .settings import KINDS, RealHeadsLook, RealHeadsNumbers

LESSON = Lesson(
    "real_heads",
    (
        Part(
            "which_head",
            tuple(
                Topic(
                    kind,
                    asks=(
                        Question(
                            f"real_{kind}", kind="cell", source="test_the_heads_that_do_it_are_the_right_ones"
                        ),
                    ),
                )
                for kind in KINDS
            ),
            tall=True,
            terms=("special_token",),
        ),
        Part(
            "a_model",
            (
                Topic("find"),
                Topic(
                    "decide",
                    asks=(
                        Question(
                            "real_wide",
                            ("street", "animal", "alike"),
                            at_start="animal",
                            source="test_the_head_of_the_anecdote_keeps_to_its_noun",
                        ),
                    ),
                ),
            ),
            tall=True,
            terms=("layer",),
        ),
        Part(
            "one_real_head",
            (
                Topic(
                    "switches",
                    asks=(
                        Question(
                            "real_special",
                            ("itself", "lost", "share"),
                            "share",
                            source="test_the_others_share_what_two_keys_had",
                        ),
                    ),
                ),
                Topic(
                    "exchange",
                    asks=(
                        Question(
                            "real_exchange",
                            ("along", "stay", "before"),
                            "along",
                            source="test_exchanged_rows_take_their_weights_along",
                        ),
                    ),
                ),
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
                        Question(
                            "real_off",
                            ("attend", "idle", "stream"),
                            "stream",
                            source="test_most_heads_change_the_first_probability_by_less_than_a_tenth",
                        ),
                    ),
                ),
                Topic("grouped"),
            ),
            tall=True,
        ),
        Part(
            "anecdote",
            asks=(
                Question(
                    "real_trials",
                    ("fewer", "half", "more", "luck"),
                    at_start="half",
                    numeric=True,
                    setup={"believed": 72},
                    source="test_the_band_of_every_head_is_the_one_that_holds",
                ),
            ),
        ),
        Part(
            "explain",
            (
                Topic(
                    "model",
                    switches=False,
                    asks=(
                        Question(
                            "real_agree",
                            ("weight", "gradient", "norm"),
                            at_start="gradient",
                            source="test_what_comes_nearest_to_leaving_out_on_average",
                        ),
                    ),
                    terms=("rank_correlation",),
                ),
                Topic(
                    "without",
                    switches=False,
                    asks=(
                        Question(
                            "real_without",
                            ("last", "middle", "first", "alike"),
                            at_start="last",
                            source="test_heads_of_the_last_layer_turn_the_embedding_most",
                        ),
                    ),
                ),
                Topic(
                    "yours",
                    asks=(
                        Question(
                            "real_zero",
                            ("weight", "norm", "left_out", "all"),
                            "norm",
                            source="test_only_the_norm_is_0_for_a_value_of_zeros",
                        ),
                    ),
                    terms=("gradient_times_input",),
                ),
            ),
            edits=("inputs",),
            switches=("example", "heads", "d_k", "mask"),
        ),
    ),
    end=Question(
        "real_heads_end",
        ("trials", "sharper", "mean", "larger"),
        "trials",
        source="test_one_head_is_compared_with_one_coin",
    ),
    moved={"explain_yours": "explain/yours"},
    program="pages.lessons.real_heads.program",
    own=RealHeadsNumbers,
    look=RealHeadsLook,
)
