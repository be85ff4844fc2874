"""What the report says: what a mistake is and how to correct it, and what each case has of its own."""

# mistake → what the code does, and why that is wrong or what to write
MISTAKES: dict[str, tuple[str, str]] = {
    "key_not_transposed": (
        "Q·K without the transpose",
        "Queries and keys are rows, so the keys are transposed: query @ key.transpose(-2, -1).",
    ),
    "transposed_scores": (
        "K·Qᵀ in place of Q·Kᵀ",
        "Rows of the scores are queries and columns keys: query @ key.transpose(-2, -1). Exchanging "
        "query and key gives the same numbers.",
    ),
    "score_signs": ("scores without their signs", "A product of numbers with different signs is negative."),
    "score_term": ("scores without their last product", "A score sums over all head_dim entries."),
    "by_sqrt_d_model": (
        "the scores are divided by √d_model, the width of all heads together",
        "A score sums over the head_dim entries of one head, so it is divided by √head_dim: query.shape[-1] "
        "after the split into heads.",
    ),
    "by_d_k": (
        "the scores are divided by head_dim, or twice by √head_dim",
        "Divide once, by the square root: scores / math.sqrt(query.shape[-1]).",
    ),
    "by_sqrt_n": (
        "the scores are divided by the root of a number of tokens",
        "A score sums over head_dim entries, however many tokens there are: query.shape[-1], not shape[-2].",
    ),
    "not_scaled": (
        "the scores are not scaled",
        "Divide them by √head_dim before the softmax: scores / math.sqrt(query.shape[-1]).",
    ),
    "multiplied": (
        "the scores are multiplied by √head_dim",
        "They are divided by it: scores / math.sqrt(query.shape[-1]).",
    ),
    "scaled_sign": (
        "scaled scores without their signs",
        "A negative score stays negative when it is scaled.",
    ),
    "mask_forgotten": (
        "the mask has no effect",
        "Before the softmax, set masked scores to −∞: scores.masked_fill(~attn_mask, -math.inf).",
    ),
    "after_softmax": (
        "the mask is applied after the softmax",
        "The masked keys still count in the denominator, so the rows no longer sum to 1. Mask the scores: "
        "scores.masked_fill(~attn_mask, -math.inf), then the softmax.",
    ),
    "times_zero": (
        "the scores are multiplied by the mask",
        "A score of 0 is a score like any other: exp(0) = 1. A masked score must become −∞.",
    ),
    "inverted": (
        "the mask is inverted",
        "In scaled_dot_product_attention, True means that the query may attend to the key: "
        "scores.masked_fill(~attn_mask, -math.inf). In nn.MultiheadAttention, True means the opposite.",
    ),
    "query_rows": (
        "the mask is transposed: it lies on the queries",
        "Rows of the mask are queries and columns keys; padding is masked in the columns.",
    ),
    "mask_on_heads": (
        "the masks of the batch lie on the heads",
        "Broadcasting counts from the right. Leave the mask its dimension for the heads: "
        "(batch, 1, q_len, kv_len).",
    ),
    "exp_only": (
        "exponentials that are not divided by their sum",
        "A row of weights is exp(s) / Σ exp(s), so that it sums to 1.",
    ),
    "exp_below": (
        "exponentials below the maximum that are not divided by their sum",
        "A row of weights is exp(s − max) / Σ exp(s − max), so that it sums to 1.",
    ),
    "no_exp": ("scores divided by their sum, without exponentials", "Weights are exp(s) / Σ exp(s)."),
    "wrong_axis": (
        "the softmax runs along the wrong dimension",
        "Each query spreads its weight over the keys, the last dimension: torch.softmax(scores, dim=-1).",
    ),
    "nan_rows": (
        "a query that may attend to nothing gets NaN",
        "The softmax of a row of −∞ is 0/0. Set such weights to 0: weights.masked_fill(~attn_mask, 0).",
    ),
    "transposed_weights": (
        "Aᵀ·V in place of A·V",
        "Row i of the weights belongs to query i: weights @ value.",
    ),
    "value_row": ("A·Vᵀ in place of A·V", "The output is weights @ value, without a transpose."),
    "mean": ("the plain mean of the visible values", "Each value counts with its weight: weights @ value."),
    "sum": ("the plain sum of the visible values", "Each value counts with its weight: weights @ value."),
    "largest": (
        "the value of the key with the largest weight alone",
        "All values count, each with its weight: weights @ value.",
    ),
    "output_signs": (
        "the values without their signs",
        "A negative value stays negative in the weighted sum.",
    ),
    "output_term": ("the last value is left out", "The weighted sum goes over all keys: weights @ value."),
    "one_projection": (
        "the queries are used in place of the keys",
        "Scores compare query with key, and the output is a weighted sum of value.",
    ),
    "overflow": (
        "exp overflows where scores are large",
        "Subtract the maximum of each row before exp, which changes no weight; torch.softmax does so.",
    ),
    "finite_mask": (
        "masked scores become a large negative number in place of −∞",
        "A query that may attend to nothing then attends to all keys alike; in PyTorch its output is 0. Mask "
        "with −∞, and set the weights of such rows to 0.",
    ),
    "tiled_heads": (
        "key/value heads are repeated in the order 0 1 0 1",
        "Neighbouring query heads share a key/value head, 0 0 1 1: key.repeat_interleave(groups, dim=-3).",
    ),
    "lower_right": (
        "the causal mask is aligned with the lower right corner",
        "With is_causal=True PyTorch aligns it with the upper left one: query i attends to the keys 0 … i.",
    ),
    "scale_ignored": (
        "the argument scale is ignored",
        "Where scale is given, it takes the place of 1/√head_dim.",
    ),
}
# case → what it has of its own
CASES = {
    "square": "as many queries as keys, no mask",
    "rectangle": "another number of queries than of keys, value_dim other than head_dim",
    "mask": "a boolean mask, True = may attend",
    "padding": "a padding mask with one row for all queries",
    "mask_rectangle": "a mask that is not square",
    "fully_masked": "a query that may attend to nothing",
    "large_scores": "a query with scores of about 100, one with −110, one with 1",
    "scale": "scale=0.25",
    "causal": "is_causal=True",
    "causal_rectangle": "is_causal=True with more keys than queries",
    "double": "float64",
    "batch": "a batch dimension",
    "heads": "batch and heads as leading dimensions",
    "heads_mask": "a mask for each entry of the batch, for all heads",
    "grouped_heads": "enable_gqa=True with four query heads and two key/value heads",
    "float16": "half precision, with a mask",
    "bfloat16": "bfloat16, with a mask",
    "long": "33 queries and 65 keys",
}
