"""The one error the core raises for a wrong argument."""

# Every code an AttentionError can carry, and the names of the facts that come with it. The set is closed: a
# screen that has a sentence for each of these codes has a sentence for every error of the core. Facts are
# numbers, shapes, and names or patterns as in the code, such as "query.shape[-1]": never English.
CODES: dict[str, tuple[str, ...]] = {
    "not_a_tensor": ("type",),
    "not_a_trace": ("type",),
    "not_callable": ("type",),
    "not_floating": ("dtype",),
    "dtype_differs": ("dtype", "reference", "reference_dtype"),
    "device_differs": ("device", "reference", "reference_device"),
    "wrong_dimensions": ("shape", "allowed"),
    "size_differs": ("size", "dimension", "expected_size", "reference"),
    "head_dim_zero": ("shape",),
    "leading_differs": ("shape", "reference", "reference_leading"),
    "head_count_differs": ("heads", "query_heads"),
    "heads_not_shared": ("heads", "query_heads"),
    "not_divisible": ("size", "num_heads"),
    "mask_not_boolean": ("dtype",),
    "bias_is_boolean": ("dtype",),
    "not_broadcastable": ("shape", "target"),
    "not_a_number": ("type",),
    "not_an_integer": ("type",),
    "not_a_sequence": ("type",),
    "not_real": ("dtype",),
    "out_of_range": ("value", "minimum", "maximum"),
    "not_finite": ("value",),
    "not_positive": ("value",),
    "masked_score_invalid": ("value",),
    "masked_score_too_large": ("value", "dtype", "minimum", "maximum"),
    "unknown_choice": ("value", "choices"),
    "alignment_missing": ("q_len", "kv_len", "choices"),
    "odd_dimension": ("value",),
}


class AttentionError(ValueError):
    """A wrong argument: what was expected, what was given, and how to correct it.

    code                 what is wrong, one of CODES
    argument             the argument's name, as in the function's signature
    expected, got, fix  in English; str(error) is made of them
    facts                the plain numbers and names behind the sentence, those that CODES lists for the code:
                         with them a screen can say the same in another language
    """

    def __init__(self, code: str, argument: str, expected: str, got: str, fix: str, facts: dict):
        super().__init__(code, argument, expected, got, fix, facts)
        self.code = code
        self.argument = argument
        self.expected = expected
        self.got = got
        self.fix = fix
        self.facts = facts

    def __str__(self) -> str:
        return f"{self.argument}: expected {self.expected}, got {self.got}. {self.fix}"
