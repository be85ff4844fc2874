"""Where the right option follows from the numbers: the right option at the start of the lesson."""

AT_START = {
    "row_most": "0", "soft_double": "grows", "soft_tiny": "zero",
    "factor": "4", "same": "width", "divided": "third", "parts": "few", "root_n": "quarter", "row": "3",
    "fully_masked": "alike", "half": "error", "polarity": "turned", "renormalise": "right",
    "times_zero": "more", "left_padding": "padded", "ablation": "1", "head_off": "1", "view": "3",
    "cross_order": "same", "cross_cached": "query", "cross_aligned": "lower_right", "cross_end": "other",
    "order_causal": "pair", "train_dark": "before_1", "cost_layers": "4",
    "real_wide": "animal", "real_trials": "half", "real_agree": "gradient",
    "real_off": "few", "real_without": "last",
}  # fmt: skip
# Likewise the options that are drawn.
OFFERED = {"row_most": ("0", "1", "2", "3"), "train_dark": ("own_1", "before_1", "first_1", "mean_1")}
# What has to be set for a question to be asked.
SET = {"same": {"sample_case": "same"}}
LOOKED = {"real_trials": {"believed": 72}}  # what has to be looked at
STEPS = {"row_most": "row_scaled"}  # after which the question is asked
