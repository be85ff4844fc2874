"""The one error that the core raises for a wrong argument, and every sentence that it can say."""

from string import Formatter
from typing import ClassVar, NamedTuple

Fact = int | float | str | tuple[int, ...] | tuple[str, ...] | None


class Sentence(NamedTuple):
    """What an error says, in English. {argument} becomes the argument's name, any other {name} a fact."""

    expected: str
    got: str
    fix: str


# The sentence of every code that an AttentionError can have. The set is closed: a screen that has a sentence
# for each of these codes has a sentence for every error of the core.
SENTENCES: dict[str, Sentence] = {
    "not_a_tensor": Sentence(
        "a torch.Tensor",
        "a value of type {type}",
        "A number or a list of numbers becomes one with torch.tensor({argument}).",
    ),
    "not_a_trace": Sentence(
        "a trace, or a tensor of attention weights",
        "a value of type {type}",
        "Pass what scaled_dot_product_attention, multi_head_attention or flash_attention returns, or weights "
        "(..., q_len, kv_len).",
    ),
    "weights_inside": Sentence(
        "a trace, or a tensor of attention weights",
        "a value of type {type} with attention weights in it",
        "Write show({fits}): the weights of each layer.",
    ),
    "tokens_differ": Sentence(
        "{expected_count} tokens",
        "{count}",
        "Pass the text of each token, special tokens such as [CLS] included.",
    ),
    "not_callable": Sentence(
        "a function",
        "a value of type {type}",
        "Pass the function itself, without calling it: check(my_attention).",
    ),
    "not_floating": Sentence(
        "float16, bfloat16, float32 or float64",
        "{dtype}",
        "Use one of these for {argument}, for example {example}.",
    ),
    "dtype_differs": Sentence(
        "{reference_dtype}, the dtype of {reference}", "{dtype}", "Write {argument}.to({reference_dtype})."
    ),
    "device_differs": Sentence(
        "the device {reference_device}, where {reference} is",
        "{device}",
        "Write {argument}.to({reference}.device).",
    ),
    "no_heads": Sentence(
        "a trace with heads on dimension -3 of its output",
        "the shape {shape}",
        "The trace is of a single head already: use it as it is.",
    ),
    "wrong_dimensions": Sentence(
        "the shape {allowed}",
        "the shape {shape}",
        "What fits: {fits}.",
    ),
    "size_differs": Sentence(
        "{expected_size} on dimension {dimension}, as {reference}",
        "{size} (the shape is {shape})",
        "Make the two sizes equal.",
    ),
    "head_dim_zero": Sentence(
        "a head_dim of at least 1",
        "the shape {shape}",
        "A score is a dot product over head_dim: give query and key at least one column.",
    ),
    "leading_differs": Sentence(
        "leading dimensions that broadcast with {reference_leading}, those of {reference}",
        "the shape {shape}",
        "Counted from the right, each must be equal, 1 or missing. What fits: {fits}.",
    ),
    "head_count_differs": Sentence(
        "{query_heads} or 1 on dimension -3, as query has {query_heads}",
        "{heads}",
        "If dimension -3 counts heads, and each key/value head is to serve several query heads, pass "
        "enable_gqa=True. If it counts batch entries, this fits: {fits}.",
    ),
    "heads_not_shared": Sentence(
        "a number of heads that divides {query_heads}, the number of query heads",
        "{heads}",
        "Each key/value head serves the same number of query heads: choose a divisor.",
    ),
    "not_divisible": Sentence(
        "a size that is divisible by {num_heads}",
        "the size {size}",
        "Each head has an equal share of the columns, num_heads * head_dim in all: choose another num_heads, "
        "or another head_dim.",
    ),
    "weights_transposed": Sentence(
        "the shape {allowed}",
        "the shape {shape}",
        "A matrix is (in, out) here, for X @ W, and (out, in) in nn.Linear.weight. If yours come from there, "
        "write {fits}.",
    ),
    "option_missing": Sentence(
        "{option}=True together with {argument}",
        "{option}=False",
        "Pass {option}=True, or leave {argument} out.",
    ),
    "mask_not_boolean": Sentence(
        "torch.bool, True = may attend",
        "{dtype}",
        "If 1 means that the query may attend to the key, write mask.bool(). A number to be added to the "
        "scores is a bias: pass it as bias=..., not as mask.",
    ),
    "bias_is_boolean": Sentence(
        "numbers to add to the scores",
        "{dtype}",
        "True and False say who may attend: pass them as mask=..., not as bias.",
    ),
    "not_broadcastable": Sentence(
        "a shape that broadcasts to {target}",
        "the shape {shape}",
        "Counted from the right, each size must be equal or 1. What fits: {fits}.",
    ),
    "not_a_number": Sentence(
        "a number", "a value of type {type}", "Write {argument} as a plain Python number."
    ),
    "not_an_integer": Sentence("an integer", "a value of type {type}", "Write {argument} as a whole number."),
    "tensor_for_length": Sentence(
        "a number of tokens",
        "a tensor of the shape {shape}",
        "Write x.shape[-2] for a tensor x (..., length, dim).",
    ),
    "not_a_sequence": Sentence(
        "a list of integers", "a value of type {type}", "Write a list, for example [2, 4]."
    ),
    "not_real": Sentence(
        "whole or real numbers",
        "{dtype}",
        "Write the position of each token, for example torch.arange(seq).",
    ),
    "out_of_range": Sentence("{minimum} to {maximum}", "{value}", "Choose a number from this range."),
    "not_finite": Sentence(
        "a finite number", "{value}", "Leave {argument} out for its default, or write a finite number."
    ),
    "result_not_finite": Sentence(
        "a number that keeps every result finite", "{value}", "Choose a smaller {argument}."
    ),
    "not_positive": Sentence(
        "a finite number above 0",
        "{value}",
        "Leave {argument} out for its default, or write a finite number above 0.",
    ),
    "masked_score_invalid": Sentence(
        "-inf or a finite number", "{value}", 'Write float("-inf"), the value that masks exactly.'
    ),
    "masked_score_too_large": Sentence(
        "-inf or a number from {minimum:g} to {maximum:g}, the range of {dtype}",
        "{value:g}",
        'Write float("-inf"), or torch.finfo({dtype}).min.',
    ),
    "not_a_layer": Sentence(
        "an attention layer, or its state_dict, with parameters such as in_proj_weight; q_proj, k_proj, "
        "v_proj, o_proj; c_attn, c_proj",
        "{names}",
        "Pass the attention layer alone, for example the self_attn of a TransformerEncoderLayer. If its "
        "parameters have other names, pass them to from_matrices, each (in, out): nn.Linear.weight.T.",
    ),
    "heads_unknown": Sentence(
        "{argument}, which the matrices do not tell",
        "a {type} that does not keep it",
        "Pass the layer's own number of heads: from_torch(..., {argument}=8) for eight.",
    ),
    "several_heads": Sentence(
        "a layer of one head",
        "{num_heads} heads",
        "Use MultiHeadAttention.from_torch.",
    ),
    "order_unknown": Sentence(
        "{choices}, the order of the columns of {names}",
        "a matrix that holds several projections in an order that its name does not tell",
        'Write order="qkv h d" where all of q is followed by all of k and all of v, as with chunk(3, dim=-1) '
        'before the heads are split; order="h qkv d" where each head has its q, k and v next to each other.',
    ),
    "key_of_no_input": Sentence(
        "a layer without {argument}",
        "{argument}=True, a key and a value of no input",
        "Append them yourself: project the inputs, append {key} to the keys and {value} to the values of "
        "each head, and call scaled_dot_product_attention.",
    ),
    "matrices_by_place": Sentence(
        "the matrices by their names",
        "{call}",
        "Write w_q=w_q, w_k=w_k, w_v=w_v, and w_o=w_o if there is one: only inputs are passed by place.",
    ),
    "other_spelling": Sentence(
        "the arguments of this function",
        "{call}",
        "In place of {argument} write {here}.",
    ),
    "mask_spelling": Sentence(
        "the arguments of this function",
        "{call}",
        "In place of {argument} write {here}. In a mask, True = may attend.",
    ),
    "argument_elsewhere": Sentence(
        "the arguments of this function",
        "{call}",
        "There is no {argument} here. Write {here}.",
    ),
    "needless_argument": Sentence(
        "the arguments of this function", "{call}", "Leave {argument} out: this core always has {here}."
    ),
    "argument_without_effect": Sentence(
        "the arguments of this function",
        "{call}",
        "Leave {argument} out: the result is the same without {here}.",
    ),
    "unknown_choice": Sentence("{choices}", "{value!r}", "Choose {argument} from these names."),
    "alignment_missing": Sentence(
        "{choices}, for q_len {q_len} and kv_len {kv_len} differ",
        "None",
        'Write alignment="lower_right" where the last query is the last key, as with a cache of keys.',
    ),
    "odd_dimension": Sentence(
        "an even number", "{value}", "Rotation takes the dimensions in pairs: choose an even {argument}."
    ),
}


def facts_of(sentence: Sentence) -> tuple[str, ...]:
    """The names of the facts in a sentence."""
    names = [name for _, name, _, _ in Formatter().parse(" ".join(sentence)) if name]
    return tuple(dict.fromkeys(name for name in names if name != "argument"))


# The names of the facts of every code. A fact is a number, a shape, or a name or pattern as in the code, such
# as "query.shape[-1]": never English.
CODES: dict[str, tuple[str, ...]] = {code: facts_of(sentence) for code, sentence in SENTENCES.items()}


def notation(fact: Fact) -> Fact:
    """A fact as a sentence of any language has it: names as "a" | "b", and ∞ where there is no maximum."""
    if isinstance(fact, tuple) and fact and all(isinstance(name, str) for name in fact):
        return " | ".join(f'"{name}"' for name in fact)
    return "∞" if fact is None else fact


class AttentionError(ValueError):
    """A wrong argument: what was expected, what was given, and how to correct it.

    code                what is wrong: a key of SENTENCES and of CODES
    argument            the argument's name, as in the function's signature
    facts               the numbers and names in the sentence, listed in CODES: with them a screen can say the
                        same in another language
    expected, got, fix  the sentence's parts in English; str(error) is made of them
    """

    language: ClassVar[str] = "en"  # of the sentence

    def __init__(self, code: str, argument: str, /, **facts: Fact):
        super().__init__(code, argument)
        self.code = code
        self.argument = argument
        self.facts = facts

    @property
    def expected(self) -> str:
        return self._filled(SENTENCES[self.code].expected)

    @property
    def got(self) -> str:
        return self._filled(SENTENCES[self.code].got)

    @property
    def fix(self) -> str:
        return self._filled(SENTENCES[self.code].fix)

    def __str__(self) -> str:
        return f"{self.argument}: expected {self.expected}, got {self.got}. {self.fix}"

    def _filled(self, template: str) -> str:
        facts = {name: notation(fact) for name, fact in self.facts.items()}
        return template.format(argument=self.argument, **facts)
