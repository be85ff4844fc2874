"""What the questions of this lesson change in the learner's numbers: edits that undo takes back.

A picture shows them with any numbers; as an edit, a number larger than may be entered is refused.
"""

from dataclasses import replace

from pages.model import edits
from pages.model.settings import Settings, with_matrix


def unmasked(s: Settings) -> Settings:
    """Every query may attend to every key."""
    return edits.with_choice(s, mask="none", mask_2="none")


def causal(s: Settings) -> Settings:
    return edits.with_choice(s, mask="causal", mask_2="none")


def same_keys(s: Settings) -> Settings:
    """W_K = W_Q, and b_K = b_Q where there are biases; with as many key/value heads as heads."""
    s = edits.resize(s, num_kv_heads=None)
    return replace(s, w_k=s.w_q, b_k=s.b_q)


def first_and_last_swapped(s: Settings) -> Settings:
    return edits.swap_tokens(s, 0, len(s.tokens) - 1)


def last_input_raised(s: Settings) -> Settings:
    """1 more in the first column of the last token's row of X."""
    *before, (first, *rest) = s.x
    return with_matrix(s, "x", [*before, (first + 1, *rest)])


def keys_shifted(s: Settings) -> Settings:
    """5 more in every number of b_K: the same vector is added to every key."""
    s = s if s.b_k is not None else edits.set_biases(s, True)
    return replace(s, b_k=tuple(value + 5.0 for value in s.b_k or ()))


def query_doubled(s: Settings) -> Settings:
    """Twice W_Q, and twice b_Q where there are biases: every number of Q is doubled."""
    w_q = tuple(tuple(2 * value for value in row) for row in s.w_q)
    return replace(s, w_q=w_q, b_q=None if s.b_q is None else tuple(2 * value for value in s.b_q))
