"""The lesson on two layers: what a layer can only do with what an earlier layer has written."""

from pages.model.course import Lesson, Part, Question

from .settings import TwoLayersNumbers

STEP = ("two_step",)

LESSON = Lesson(
    "two_layers",
    (
        Part(
            "one_layer",
            edits=STEP,
            asks=(
                Question(
                    "two_one_layer",
                    ("part", "sixth", "all"),
                    "part",
                    source="test_one_layer_guesses_among_the_letters_it_knows",
                ),
            ),
            tall=True,
        ),
        Part(
            "by_hand",
            edits=("x", "w_q", "w_k", "w_v"),
            asks=(
                Question(
                    "two_hand",
                    ("first", "after", "own", "earlier"),
                    "after",
                    source="test_the_layers_by_hand_are_a_previous_token_head_and_an_induction_head",
                ),
            ),
            tall=True,
            start="copy_before",
            terms=("residual_stream", "previous_head"),
        ),
        Part(
            "train",
            edits=STEP,
            asks=(
                Question(
                    "two_seeds",
                    ("matrices", "attend", "steps"),
                    "attend",
                    source="test_most_seeds_and_not_all_find_an_induction_head",
                ),
            ),
            tall=True,
        ),
        Part(
            "apart",
            edits=STEP,
            asks=(
                Question(
                    "two_cut",
                    ("query", "value", "key"),
                    "key",
                    source="test_the_model_by_hand_needs_the_path_to_the_keys_alone",
                ),
            ),
            tall=True,
            terms=("composition", "circuit"),
        ),
    ),
    end=Question(
        "two_end",
        ("answer", "distance", "same", "earlier"),
        "earlier",
        source="test_a_head_reads_no_other_head_of_its_layer",
    ),
    told=(("one_layer",), ("by_hand", "train"), ("apart",)),
    own=TwoLayersNumbers,
    program="pages.lessons.two_layers.program",
)
