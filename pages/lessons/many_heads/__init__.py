"""The lesson on many heads: what each attends to, how they are split and joined, and what goes wrong."""

from pages.model.course import SWITCHES, Lesson, Part, Question, Topic
from pages.model.targets import LEAST, MOST, Condition, Target

from .settings import HeadsLook, HeadsNumbers

# Where the same computation is written in another way, positions are set aside (pages.draw.positions).
NO_POSITIONS = tuple(switch for switch in SWITCHES if switch != "position")
INPUTS = ("inputs",)

LESSON = Lesson(
    "many_heads",
    (
        Part("overview", edits=INPUTS, switches=SWITCHES, terms=("head", "multi_head"), claims=("heads",)),
        Part(
            "two",
            edits=("query_factor",),
            asks=(Question("head_doubled", ("half", "nothing", "second", "all"), "second"),),
        ),
        Part(
            "split",
            edits=INPUTS,
            switches=NO_POSITIONS,
            tall=True,
            asks=(
                Question(
                    "head_columns",
                    ("block", "rows", "every"),
                    "block",
                    own_words=True,
                    source="torch.nn.MultiheadAttention: embed_dim is split across num_heads",
                ),
            ),
            terms=("concatenated",),
            claims=("first_half", "one_hot_half", "one_hot_layer", "other_half", "swap_heads"),
            products=(
                *("order", "one_head", "all_heads", "project_back", "one_head_back", "all_values"),
                *("one_with_all", "all_with_all"),
            ),
            targets=(
                Target(
                    (Condition("weights", 2, 0, LEAST, 0.75), Condition("weights", 2, 0, LEAST, 0.75, 1)),
                    ("w_q",),
                    name="both_heads",
                    example="tired_heads",
                    solution=(("w_q", 2, 3, 3.0),),
                ),
                Target(
                    (Condition("output", 2, 2, LEAST, 3.0), Condition("output", 2, 3, MOST, 1.0)),
                    ("w_o",),
                    name="third_number",
                    example="tired_heads",
                    solution=(("w_o", 2, 2, 1.0), ("w_o", 2, 3, 0.0)),
                ),
            ),
        ),
        Part(
            "ablation",
            edits=INPUTS,
            switches=SWITCHES,
            tall=True,
            asks=(Question("ablation", at_start="1", numeric=True),),
            terms=("output_projection", "residual", "feed_forward", "layer_norm"),
            claims=("head_off", "important_head"),
        ),
        Part(
            "view",
            (
                Topic("output"),
                Topic("origins"),
                Topic("note"),
                Topic(
                    "accident",
                    asks=(
                        Question(
                            "accident",
                            ("error", "entry", "head"),
                            "head",
                            own_words=True,
                            source="torch.broadcast_tensors: dimensions from the last one",
                        ),
                    ),
                    terms=("broadcast",),
                    mistakes=("mask_on_heads",),
                    products=("mask_one_head", "mask_no_head"),
                ),
                Topic("divide"),
                Topic("modules", mistakes=("no_w_o",)),
            ),
            edits=INPUTS,
            switches=NO_POSITIONS,
            tall=True,
            asks=(
                Question(
                    "view",
                    at_start="3",
                    numeric=True,
                    source="torch.Tensor.view: the data stay in their order",
                ),
            ),
            mistakes=("view_split", "view_join"),
        ),
        Part(
            "sharing",
            edits=INPUTS,
            switches=NO_POSITIONS,
            tall=True,
            asks=(
                Question(
                    "shared",
                    ("same", "unchanged", "own"),
                    "own",
                    source="Ainslie et al. 2023, section 2.1: keys and values mean-pooled",
                ),
            ),
            terms=("kv_heads", "kv_cache", "grouped_query", "multi_query"),
            products=("query_heads", "kv_heads", "shared_scores", "shared_values"),
        ),
    ),
    end=Question("many_heads_end", ("columns", "x", "rows", "nothing"), "rows"),
    told=(("overview", "two", "split"), ("ablation",), ("view", "sharing")),
    start="tired_heads",
    moved={"code": "view/modules", "code/accident": "view/accident", "code/divide": "view/divide"},
    program="pages.lessons.many_heads.program",
    own=HeadsNumbers,
    look=HeadsLook,
)
