"""The lesson on newer models: a sink, windows in turn, latent attention, attention without softmax."""

from pages.model.course import Lesson, Part, Question

from .settings import NewerNumbers

SWITCHES = ("example", "heads", "d_k")

LESSON = Lesson(
    "newer_models",
    (
        Part(
            "sink",
            edits=("x", "sink"),
            switches=(*SWITCHES, "scaling", "mask"),
            asks=(
                Question(
                    "sink_lowered",
                    ("stays", "larger", "one", "smaller"),
                    "smaller",
                    source="test_with_lower_scores_the_weights_of_the_keys_sum_to_less",
                ),
            ),
            terms=("attention_sink",),
        ),
        Part(
            "windows",
            edits=("window_n", "window_r"),
            asks=(
                Question(
                    "windows_reach",
                    ("window", "sum", "product", "all"),
                    "sum",
                    numeric=True,
                    source="test_five_local_layers_of_gemma_3",
                ),
            ),
            terms=("global_layer",),
        ),
        Part(
            "latent",
            edits=("latent_rank", "x"),
            switches=SWITCHES,
            asks=(
                Question(
                    "latent_cache",
                    ("latent", "both", "keys", "full"),
                    "latent",
                    numeric=True,
                    source="test_the_cache_of_deepseek_v3_is_that_of_its_configuration",
                ),
            ),
            terms=("latent_attention",),
        ),
        Part(
            "linear",
            edits=("linear_token", "x"),
            switches=SWITCHES,
            asks=(
                Question(
                    "linear_state",
                    ("same", "twice", "four"),
                    "twice",
                    numeric=True,
                    source="test_the_multiply_adds_are_those_of_the_products",
                ),
            ),
            terms=("linear_attention",),
        ),
    ),
    end=Question(
        "newer_end",
        ("windows", "latent", "sink", "linear"),
        "linear",
        source="test_only_linear_attention_keeps_its_memory",
    ),
    told=(("sink",), ("windows",), ("latent",), ("linear",)),
    program="pages.lessons.newer_models.program",
    own=NewerNumbers,
)
