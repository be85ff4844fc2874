"""Where the lessons treat what went wrong: lesson, part, topic."""

Way = tuple[str, str | None, str | None]

# Steps that are worked by hand, and the mistakes of the catalogue that are treated somewhere else.
OF_STEPS: dict[str, Way] = {
    "scores": ("one_head", "picture", None),
    "scaled_scores": ("why_scale", "experiment", None),
    "weights": ("softmax", "bars", None),
    "output": ("one_head", "picture", None),
}
OF_MISTAKES: dict[str, Way] = {
    "view_split": ("many_heads", "view", None),
    "exchanged": ("one_head", "predict", None),
    "one_projection": ("one_head", "misconceptions", "one_projection"),
    "unprojected": ("one_head", "picture", None),
    "key_not_transposed": ("one_head", "misconceptions", "columns"),
    "transposed_scores": ("one_head", "misconceptions", "columns"),
    "by_sqrt_d_model": ("why_scale", "divisors", None),
    "by_d_k": ("why_scale", "divisors", None),
    "by_sqrt_n": ("why_scale", "divisors", None),
    "not_scaled": ("why_scale", "experiment", None),
    "mask_forgotten": ("masks", "gallery", None),
    "after_softmax": ("masks", "wrong", "after_softmax"),
    "times_zero": ("masks", "wrong", "times_zero"),
    "inverted": ("masks", "libraries", "polarity"),
    "query_rows": ("masks", "wrong", "query_rows"),
    "mask_on_heads": ("many_heads", "code", "accident"),
    "wrong_axis": ("softmax", "axes", None),
    "nan_rows": ("masks", "fully_masked", None),
    "transposed_weights": ("one_head", "misconceptions", "transposed"),
    "view_join": ("many_heads", "view", None),
    "no_w_o": ("many_heads", "code", "modules"),
}
