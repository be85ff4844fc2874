"""What the report says: what a mistake is and how to correct it, and what each case has of its own."""

# mistake → what the code does, and why that is wrong or what to write
MISTAKES: dict[str, tuple[str, str]] = {
    "view_split": (
        "the heads are split by a view without a transpose",
        "A view keeps the numbers in reading order and mixes tokens: "
        "(x @ w_q).view(b, n, h, d_k).transpose(1, 2).",
    ),
    "over_heads": (
        "the heads of each token attend to each other, not the tokens",
        "The last two dimensions must be (length, head_dim): (x @ w_q).view(b, n, h, d_k).transpose(1, 2).",
    ),
    "unprojected": ("X is used in place of V", "The values are a projection of their own: x @ w_v."),
    "view_join": (
        "the heads are joined by a reshape without a transpose",
        "Transpose first: heads.transpose(1, 2).reshape(b, n, h * d_v).",
    ),
    "no_w_o": (
        "the output projection is left out",
        "The joined heads are multiplied by W_O: joined @ w_o, or self.o_proj(joined).",
    ),
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
        "the scores are divided by √d_model, the width of all heads together, or by √(shape[1] · head_dim)",
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
        "the softmax runs along the wrong dimension, or over all scores together",
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
    "rotated_values": (
        "the values are rotated too",
        "Rotary positions turn queries and keys, so that a score depends on their distance. A value stays as "
        "it is.",
    ),
    "keys_for_values": (
        "keys and values are exchanged",
        "Scores compare query and key, query @ key.transpose(-2, -1); the output is weights @ value.",
    ),
    "base_two": (
        "the softmax has the base 2",
        "A weight is exp(s) / Σ exp(s). For 2 ** s, divide the scores by ln 2 first, as FlashAttention does: "
        "scores / math.log(2).",
    ),
    "no_keepdim": (
        "the exponentials are divided by the sums of other rows",
        "The sum of a row lost its dimension and lies along the keys. Keep it: exps / exps.sum(dim=-1, "
        "keepdim=True).",
    ),
    "scaled_output": (
        "the output is divided by √head_dim as well",
        "Scale once, before the softmax: scores / math.sqrt(query.shape[-1]).",
    ),
    "by_sqrt_d_v": (
        "the scores are divided by √value_dim",
        "A score sums over the head_dim entries of a query and a key: scores / math.sqrt(query.shape[-1]), "
        "not value.shape[-1]. The two agree only where value_dim = head_dim.",
    ),
    "scaled_late": (
        "the scale is applied after the softmax",
        "The weights then no longer sum to 1. Scale the scores: torch.softmax(scores * scale, dim=-1).",
    ),
    "scale_divides": (
        "the scores are divided by the argument scale",
        "scale is a factor, as 1/√head_dim is: scores * scale.",
    ),
    "scale_zero": (
        "scale=0 is treated as if no scale were given",
        "0 is false in Python. Compare with None: "
        "1 / math.sqrt(query.shape[-1]) if scale is None else scale.",
    ),
    "mask_added": (
        "a boolean mask is added to the scores",
        "True counts as 1 there, so that masked keys stay visible. Fill the scores instead: "
        "scores.masked_fill(~attn_mask, -math.inf).",
    ),
    "mask_of_one_head": (
        "the mask of the first head lies on all heads",
        "A mask may have a matrix for each head, (batch, heads, q_len, kv_len): use attn_mask as it is and "
        "let it broadcast.",
    ),
    "mask_of_one_text": (
        "the mask of the first text lies on the whole batch",
        "Each text of the batch has a mask of its own: use attn_mask as it is and let it broadcast.",
    ),
    "causal_ignored": (
        "is_causal=True has no effect",
        "Mask the keys after the query: "
        "scores.masked_fill(~torch.ones(q_len, kv_len, dtype=torch.bool).tril(), -math.inf).",
    ),
    "causal_off_by_one": (
        "the causal mask is off by one",
        "Query i attends to the keys 0 … i, its own included: torch.ones(q_len, kv_len, "
        "dtype=torch.bool).tril(), with the diagonal 0.",
    ),
    "causal_reversed": (
        "the causal mask is the wrong way round: each query attends to the keys after it",
        "The lower triangle is visible: torch.ones(q_len, kv_len, dtype=torch.bool).tril(). Of a triangle of "
        "0 and 1, mask == 0 is masked, not mask == 1.",
    ),
    "always_causal": (
        "every call is causal, also without is_causal=True",
        "Apply the causal mask only if is_causal is true.",
    ),
    "softmax_twice": (
        "the softmax is applied twice",
        "The second softmax makes the weights almost equal. Once is enough: torch.softmax(scores, dim=-1).",
    ),
    "plus_one": (
        "1 is added to the denominator of the softmax",
        "The rows then sum to less than 1; softmax is exp(s) / Σ exp(s). If you mean the softmax with + 1, "
        "compare it with attention over one more key and value of zeros.",
    ),
    "half_softmax": (
        "the softmax runs in half precision",
        "Weights keep three digits there. Compute it in the dtype of the query or in float32: "
        "torch.softmax(scores.float(), dim=-1).to(query.dtype).",
    ),
    "dropout_on": (
        "the same call gives other numbers each time: dropout is on",
        "Switch it off for inference: model.eval(), or dropout_p if self.training else 0.0. Until then no "
        "other mistake can be recognised.",
    ),
    "weights_key": (
        "the weights are multiplied by the keys",
        "The output is the weighted sum of the values: weights @ value.",
    ),
    "not_transposed_back": (
        "the output is not transposed back",
        "It has the dimensions of the query, with value_dim as the last. Do not transpose weights @ value, "
        "or transpose it back: output.transpose(1, 2).",
    ),
    "overflow": (
        "exp overflows where scores are large",
        "Subtract the maximum of each row before exp, which changes no weight; torch.softmax does so.",
    ),
    "finite_mask": (
        "masked scores become a large negative number in place of −∞",
        "A query that may attend to nothing then attends to all keys alike; in PyTorch its output is 0. Mask "
        "with −∞, and set the weights of such rows to 0. −1e9 is also too large for float16.",
    ),
    "tiled_heads": (
        "key/value heads are repeated in the order 0 1 0 1",
        "Neighbouring query heads share a key/value head, 0 0 1 1: key.repeat_interleave(groups, dim=-3).",
    ),
    "not_repeated": (
        "keys and values are not both repeated for their groups of query heads",
        "Repeat both: key.repeat_interleave(groups, dim=-3) and value.repeat_interleave(groups, dim=-3).",
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
# what is no mistake → its kind, what the code does, and what that means
REMARKS: dict[str, tuple[str, str, str]] = {
    "precision": (
        "precision",
        "the numbers are right to two or three digits only",
        "So they are where the arithmetic, or a part of it, is in bfloat16 or float16. If that is meant, "
        "nothing is wrong; else compute in the dtype of the query.",
    ),
    "wider_dtype": (
        "precision",
        "the result has a wider dtype than the query",
        "In NumPy a number such as np.sqrt(5) makes an array of float32 one of float64: math.sqrt does not.",
    ),
    "lower_right": (
        "convention",
        "the causal mask is aligned with the lower right corner",
        "So flash-attn has it, and decoding with a cache needs it. With is_causal=True PyTorch aligns it "
        "with the upper left corner: the two differ where q_len and kv_len differ.",
    ),
    "true_is_masked": (
        "convention",
        "True in the mask masks a key",
        "So nn.MultiheadAttention has it. In scaled_dot_product_attention True means that the query may "
        "attend to the key: if that is meant here, the mask is inverted, and ~attn_mask corrects it.",
    ),
    "masks_added": (
        "convention",
        "the mask is added to the scores",
        "So a mask is 0 where the query may attend and −∞ elsewhere. A boolean mask would only add 1: if it "
        "may be boolean, fill the scores, scores.masked_fill(~attn_mask, -math.inf).",
    ),
    "heads_apart": (
        "convention",
        "the columns of a head are not neighbours in the projection, the order is (d h)",
        "A layer that is trained so is right. Weights of other code do not fit: there the order is (h d), "
        "x.view(b, n, h, d).transpose(1, 2).",
    ),
    "fixed_scale": (
        "convention",
        "the scores are divided by the same number for every head_dim",
        "That is right for one head_dim: the square of that number.",
    ),
    "merged_heads": (
        "convention",
        "the heads are merged in the result, (batch, length, heads * dim)",
        "scaled_dot_product_attention leaves them apart, (batch, heads, length, dim).",
    ),
    "softcap": ("extra", "your attention has more than attention: a soft cap on the scores", ""),
    "alibi": ("extra", "your attention has more than attention: ALiBi, a bias by distance", ""),
    "window": ("extra", "your attention has more than attention: a window of keys", ""),
    "rotary": ("extra", "your attention has more than attention: rotary positions", ""),
    "residual": ("extra", "your attention has more than attention: the query is added to the output", ""),
}
# case → what it has of its own
CASES = {
    "square": "as many queries as keys, and head_dim and value_dim as many: no transpose raises an error",
    "rectangle": "another number of queries than of keys, value_dim other than head_dim",
    "mask": "a boolean mask, True = may attend; as many queries as keys",
    "padding": "a padding mask with one row for all queries; as many queries as keys",
    "mask_rectangle": "a mask that is not square",
    "fully_masked": "a query that may attend to nothing; as many queries as keys",
    "large_scores": "a query with scores of about 100, one with −110, one with 1; as many queries as keys",
    "scale": "scale=0.75",
    "scale_zero": "scale=0.0: all keys count alike",
    "causal": "is_causal=True; as many queries as keys",
    "causal_wide": "is_causal=True with more keys than queries",
    "causal_tall": "is_causal=True with more queries than keys",
    "double": "float64, also its gradient",
    "far_below": "visible scores of about −50000, and values up to 30; as many queries as keys",
    "batch": "a batch dimension",
    "batch_padding": "a batch, each text with padding of its own",
    "heads": "batch and heads as leading dimensions",
    "padding_heads": "a batch with heads, each text with padding of its own",
    "text_masks": "a mask for each text of the batch, for all heads",
    "batch_masks": "a mask for each text of the batch, for all heads; as many heads as texts",
    "head_masks": "a mask for each head",
    "grouped_heads": "enable_gqa=True with six query heads and three key/value heads",
    "one_kv_head": "enable_gqa=True with three query heads and one key/value head",
    "float16": "half precision, with a mask; as many queries as keys",
    "bfloat16": "bfloat16, with a mask; as many queries as keys",
    "long": "67 queries and 131 keys",
    "many_keys": "4099 keys, of which the last count most",
}
# the same for a module X → Y
LAYERS = {
    "text": "one text of five tokens",
    "texts": "a batch of three texts with seven tokens each",
    "batch": "two texts, of which one changes",
}
# as PyTorch writes it → the same in NumPy
IN_NUMPY = {
    "scores.masked_fill(~attn_mask, -math.inf)": "np.where(attn_mask, scores, -np.inf)",
    "weights.masked_fill(~attn_mask, 0)": "np.where(attn_mask, weights, 0)",
    "scores.masked_fill(~torch.ones(q_len, kv_len, dtype=torch.bool).tril(), -math.inf)": (
        "np.where(np.tri(q_len, kv_len, dtype=bool), scores, -np.inf)"
    ),
    "torch.ones(q_len, kv_len, dtype=torch.bool).tril()": "np.tri(q_len, kv_len, dtype=bool)",
    "key.transpose(-2, -1)": "np.swapaxes(key, -2, -1)",
    "output.transpose(1, 2)": "np.swapaxes(output, 1, 2)",
    "torch.softmax(scores.float(), dim=-1).to(query.dtype)": (
        "scores.astype(np.float32), and the weights back with astype(query.dtype)"
    ),
    "torch.softmax(scores * scale, dim=-1)": "scores * scale before np.exp",
    "torch.softmax(scores, dim=-1)": "exps / exps.sum(axis=-1, keepdims=True)",
    "torch.softmax does so": "np.exp(scores - scores.max(axis=-1, keepdims=True))",
    "key.repeat_interleave(groups, dim=-3)": "np.repeat(key, groups, axis=-3)",
    "value.repeat_interleave(groups, dim=-3)": "np.repeat(value, groups, axis=-3)",
    "sum(dim=-1, keepdim=True)": "sum(axis=-1, keepdims=True)",
    "math.log(2)": "np.log(2)",
    "math.sqrt(": "np.sqrt(",
}


def in_numpy(advice: str) -> str:
    """The advice with NumPy's functions."""
    for torch_s, numpy_s in IN_NUMPY.items():
        advice = advice.replace(torch_s, numpy_s)
    return advice
