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
            asks=(Question("sink_lowered", ("stays", "smaller", "larger", "one"), "smaller"),),
            terms=("attention_sink",),
        ),
        Part(
            "windows",
            edits=("window_n", "window_r"),
            asks=(Question("windows_reach", ("window", "sum", "product", "all"), "sum", numeric=True),),
            terms=("global_layer",),
        ),
        Part(
            "latent",
            edits=("latent_rank", "x"),
            switches=SWITCHES,
            asks=(Question("latent_cache", ("latent", "both", "keys", "full"), "latent", numeric=True),),
            terms=("latent_attention",),
        ),
        Part(
            "linear",
            edits=("linear_token", "x"),
            switches=SWITCHES,
            asks=(Question("linear_state", ("same", "twice", "four"), "same", numeric=True),),
            terms=("linear_attention",),
        ),
    ),
    end=Question("newer_end", ("sink", "windows", "latent", "linear"), "linear"),
    told=(("sink",), ("windows",), ("latent",), ("linear",)),
    program="pages.lessons.newer_models.program",
    own=NewerNumbers,
)
