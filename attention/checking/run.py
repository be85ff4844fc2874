"""A function called over the cases. Whatever it does is a finding, never a crash."""

import itertools
from collections.abc import Sequence
from dataclasses import replace

import torch
from torch import Tensor

from attention.checking.calls import (
    ADDED,
    ARRAYS,
    LAYOUTS,
    MASK_FORMS,
    PADDING_FORMS,
    PLAIN,
    TENSORS,
    Called,
    Function,
    MaskForm,
    Unsupported,
    has_numbers,
    parameters_of,
    signature_of,
    to_tensor,
)
from attention.checking.cases import TOLERANCES, Case, all_cases, case_of, close
from attention.checking.modules import is_layer, report_on_layer
from attention.checking.readings import (
    Reading,
    Result,
    best,
    call_result,
    fault_of,
    judged,
    loss_weights,
    repeated,
    stated,
    tolerance_of,
)
from attention.checking.report import CheckReport, SkippedCase
from attention.checking.verdict import kind_of
from attention.checks import check_choice
from attention.errors import AttentionError

NUMPY_CALL = 'call check(fn, arrays="numpy").'
EVEN, SQUARE = ("value_dim other than head_dim",), ("kv_len other than q_len",)  # sizes that are not tried
UPPER, LOWER = "upper_left", "lower_right"
# whether every call is causal, and with which alignments of is_causal
ALWAYS = (("", UPPER), (UPPER, UPPER), (LOWER, UPPER))
OF_ARGUMENT = (("", UPPER), ("", LOWER))  # of a function that has the argument is_causal
# arguments that keep their default → what is so not tried
UNTRIED = dict.fromkeys(("dropout_p", "dropout", "dropout_rate"), "dropout was off") | dict.fromkeys(
    ("layout", "input_layout", "tensor_layout", "qkv_format", "data_format", "batch_first"),
    "other layouts than the default were not tried",
)


def report_on(
    fn: Function, device: torch.device | str | None, arrays: str, reading: str | None
) -> CheckReport:
    """The report on the function, in the reading of it that is confirmed."""
    if not callable(fn):
        raise AttentionError("not_callable", "fn", type=type(fn).__name__)
    check_choice("arrays", arrays, ARRAYS)
    if isinstance(fn, torch.nn.Module) and is_layer(fn):
        return report_on_layer(fn, device, reading)
    signature = signature_of(fn)
    alignments = ALWAYS if signature.name("is_causal") is None else OF_ARGUMENT
    readings: list[Reading] = []
    for layout in LAYOUTS:
        called = Called(fn, signature, layout, arrays, device)
        readings += _readings(called, alignments)
        if reading is None and any(not each.failures for each in readings):
            break
    report = replace(best(stated(readings, reading), stated=reading is not None), arrays=arrays)
    if arrays == "torch" and not report.compared and report.hint:
        report = replace(report, hint=_of_numpy(Called(fn, signature, arrays="numpy")) or report.hint)
    if isinstance(fn, torch.nn.Module) and not report.compared and report.hint:
        of_layer = report_on_layer(fn, device, reading)
        return report if of_layer.failed or not (of_layer.compared or of_layer.facts) else of_layer
    return report


def _of_numpy(called: Called) -> str:
    """A hint where the function raises on tensors and takes arrays."""
    square = case_of("square")
    takes = any(_takes(called, square.lifted(dimensions)) for dimensions in PLAIN.dimensions)
    return f"With arrays of NumPy it raises nothing: {NUMPY_CALL}" if takes else ""


def _readings(called: Called, alignments: Sequence[tuple[str, str]]) -> list[Reading]:
    """The cases in this layout; none where the function does not take it."""
    square, rectangle = case_of("square"), case_of("rectangle")
    counts = called.layout.dimensions
    dimensions = next((n for n in counts if _takes(called, square.lifted(n), as_many=True)), 0)
    dimensions = dimensions or next((n for n in counts if _takes(called, square.lifted(n))), 0)
    if not dimensions:
        if called.layout.name:
            return []
        dimensions = counts[0]
    rectangle = rectangle.lifted(dimensions)
    called = called.with_place(rectangle)
    if alignments is ALWAYS and _follows_later(called, square.lifted(dimensions)):
        alignments = ALWAYS[:1]
    readings = []
    for limits in _limits(called, rectangle):
        skipped = []
        if limits:
            error = _call(called, rectangle).error
            skipped = [SkippedCase("rectangle", " and ".join(limits), error)]
        cases = [within(case.lifted(dimensions), limits) for case in all_cases()]
        names = [parameter.name for parameter in parameters_of(called.fn) or ()]
        skipped += [SkippedCase("", name, UNTRIED[name]) for name in names if name in UNTRIED]
        plain = [(case, _tried(called, case)) for case in cases if case.mask is None]
        for form, masked in _with_masks(called, [case for case in cases if case.mask is not None]):
            tried = dict([*plain, *masked])
            pairs = [(case, tried[case]) for case in cases]
            of_form = [result for _, result in pairs if isinstance(result, SkippedCase)]
            kept, refused = _without_refused(
                [(case, result) for case, result in pairs if isinstance(result, Result)]
            )
            with_masks = [case for case, _ in kept if case.mask is not None]
            if with_masks and form.meaning != ADDED and not _takes_numbers(called, with_masks):
                of_form.append(SkippedCase("", "float masks", "the masks were not added to the scores"))
            for always, corner in alignments:
                readings.append(
                    judged(
                        (called.layout.name or "(..., length, dim)", *form, CAUSAL_PARTS[always, corner]),
                        kept,
                        (*skipped, *of_form, *refused),
                        layout=called.layout.name,
                        always=always,
                        corner=corner,
                        masks=", ".join(form.parts) if with_masks else "",
                        conventions=_conventions(called, form, corner),
                    )
                )
    return readings


def _follows_later(called: Called, case: Case) -> bool:
    """Whether the first query follows the last key and value, so that not every call is causal."""
    key, value = (torch.cat([t[..., :-1, :], 1 - t[..., -1:, :]], -2) for t in (case.key, case.value))
    outputs = [_call(called, each).got for each in (case, replace(case, key=key, value=value))]
    if any(got is None or got.shape != case.output.shape for got in outputs):
        return False
    first, second = (got[..., 0, :] for got in outputs if got is not None)
    return not close(first, second, TOLERANCES[torch.bfloat16])


CAUSAL_PARTS = {
    ("", UPPER): "causal only if asked",
    (UPPER, UPPER): "always causal, upper left",
    (LOWER, UPPER): "always causal, lower right",
    ("", LOWER): "is_causal from the lower right",
}


def _conventions(called: Called, form: MaskForm, corner: str) -> tuple[str, ...]:
    names = {"True = masked": "true_is_masked", ADDED: "masks_added"}
    usual = called.signature.name("attn_mask") is None  # a key_padding_mask is so in PyTorch too
    meaning = () if usual or form.meaning not in names else (names[form.meaning],)
    return (*meaning, "lower_right") if corner == LOWER else meaning


Tried = list[tuple[Case, Result | SkippedCase]]


def _with_masks(called: Called, cases: list[Case]) -> list[tuple[MaskForm, Tried]]:
    """The results of the cases with masks, in the form in which all are right, or in each that is taken."""
    padding = [
        case for case in cases if called.mask_argument(case) == called.signature.name("key_padding_mask")
    ]
    others = [case for case in cases if case not in padding]
    of_padding = _in_forms(called, padding, PADDING_FORMS)
    of_others = _in_forms(called, others, MASK_FORMS)
    if padding and called.signature.name("attn_mask") is None:
        return [(form, of_others[0][1] + tried) for form, tried in of_padding]
    return [(form, tried + of_padding[0][1]) for form, tried in of_others]


def _in_forms(called: Called, cases: list[Case], forms: Sequence[MaskForm]) -> list[tuple[MaskForm, Tried]]:
    """The usual form and that in which most is right; if nothing is, all forms that the function takes."""
    tried: list[tuple[int, MaskForm, Tried]] = []
    for form in forms:
        of_form = replace(called, form=form)
        pairs = [(case, _tried(of_form, case, again=form is forms[0])) for case in cases]
        kept, _ = _without_refused([(case, result) for case, result in pairs if isinstance(result, Result)])
        right = max(
            sum(_right(case.aligned(always), result) for case, result in kept) for always, _ in ALWAYS
        )
        if right == len(kept):
            return [(form, pairs)]
        if form is forms[0] or any(result.got is not None for _, result in kept):
            tried.append((right, form, pairs))
    most = max(right for right, *_ in tried)
    best = [(form, pairs) for right, form, pairs in tried if right == most][: 1 if most else None]
    usual = [(form, pairs) for _, form, pairs in tried[:1]]
    return best if best[0][0] is usual[0][0] else usual + best


def _right(case: Case, result: Result) -> bool:
    return result.got is not None and kind_of(case, result.got, tolerance_of(case, result.got)) is None


def _takes_numbers(called: Called, cases: list[Case]) -> bool:
    """Whether a mask that is added to the scores is right too."""
    forms = [form for form in (*MASK_FORMS, *PADDING_FORMS) if form.meaning == ADDED]
    return any(
        all(fault_of(case, _call(replace(called, form=form), case)) is None for case in cases[:2])
        for form in forms
    )


def _limits(called: Called, rectangle: Case) -> list[tuple[str, ...]]:
    """What the function takes: any sizes, or value_dim = head_dim; if neither, perhaps q_len = kv_len."""
    if _takes(called, rectangle):
        return [()]
    if _takes(called, within(rectangle, EVEN)):
        return [EVEN]
    square = (limits for limits in (SQUARE, EVEN + SQUARE) if _takes(called, within(rectangle, limits)))
    return [(), *itertools.islice(square, 1)]


def within(case: Case, limits: tuple[str, ...]) -> Case:
    """The case in the sizes that the function takes."""
    for limit in limits:
        case = case.even() if limit in EVEN else case.squared()
    return case


def _tried(called: Called, case: Case, *, again: bool = True) -> Result | SkippedCase:
    """The result, or why the case was not tried; again: a wrong result is computed once more."""
    missing = _missing(called, case)
    if missing:
        return SkippedCase(case.name, missing)
    if case.mask is not None and called.form.of(case.mask, case.query.dtype) is None:
        dimensions = called.form.dimensions
        return SkippedCase(case.name, f"masks other than {dimensions}", f"masks are {dimensions}")
    try:
        result = _result(called, case) if again else _call(called, case)
    except Unsupported as error:
        return SkippedCase(case.name, str(error))
    of_groups = "enable_gqa" in case.options and called.signature.name("enable_gqa") is None
    return SkippedCase(case.name, "enable_gqa") if of_groups and fault_of(case, result) else result


def _without_refused(
    pairs: list[tuple[Case, Result]],
) -> tuple[list[tuple[Case, Result]], list[SkippedCase]]:
    """Without numbers of dimensions that it never takes, or never with masks, if it takes others."""
    refused: list[SkippedCase] = []
    for masked in (False, True):
        groups: dict[int, list[tuple[Case, Result]]] = {}
        for case, result in pairs:
            if not masked or case.mask is not None:
                groups.setdefault(case.query.ndim, []).append((case, result))
        never = {count for count, group in groups.items() if all(_refused(*pair) for pair in group)}
        if masked and not any(fault_of(*pair) is None for n in groups.keys() - never for pair in groups[n]):
            continue
        for count in sorted(never) if len(never) < len(groups) else ():
            what = f"{count} dimensions with a mask" if masked else f"{count} dimensions"
            refused += [SkippedCase(case.name, what, result.error or what) for case, result in groups[count]]
            pairs = [pair for pair in pairs if pair not in groups[count]]
    return pairs, refused


def _refused(case: Case, result: Result) -> bool:
    """Whether the function raised as where shapes do not match, or broadcast the mask to other dimensions."""
    broadcast = case.mask is not None and result.got is not None and result.got.ndim > case.output.ndim
    return result.raised or broadcast


# ---- one call


def _missing(called: Called, case: Case) -> str:
    """The argument that the case needs and the function does not have."""
    if case.mask is not None and not called.mask_argument(case):
        return "attn_mask"
    needed = (option for option in case.options if option != "enable_gqa")
    return next((option for option in needed if called.signature.name(option) is None), "")


def _takes(called: Called, case: Case, *, as_many: bool = False) -> bool:
    """Whether it takes such sizes: it raises nothing; as_many: and returns as many dimensions."""
    try:
        got = called.result(called.inputs(case), case)
    except Exception:
        return False
    return not as_many or (has_numbers(got) and got.ndim == case.query.ndim)


def _result(called: Called, case: Case) -> Result:
    """The result of the call; in float64 with the gradient, if it is right."""
    result = repeated(lambda: _call(called, case), case)
    of_float64 = case.query.dtype is torch.float64 and called.arrays == "torch"
    if of_float64 and result.got is not None and result.kind != "random":
        return result._replace(gradients=_gradients(called, case))
    return result


def _call(called: Called, case: Case) -> Result:
    inputs = called.inputs(case)
    result = call_result(lambda: called.result(inputs, case), case, any_dtype=called.arrays != "torch")
    if result.got is None:
        return result
    if _is_merged(result.got, case.output):
        heads = result.got.reshape(*result.got.shape[:2], case.output.shape[1], -1).transpose(1, 2)
        result = result._replace(got=heads, merged=True)
    before = called.inputs(case)
    same = all(
        torch.equal(to_tensor(inputs[name], called.arrays), to_tensor(array, called.arrays))
        for name, array in before.items()
    )
    return result if same else result._replace(kind="changed")


def _is_merged(got: Tensor, output: Tensor) -> bool:
    """Whether the result has the heads of the output side by side, (batch, length, heads * dim)."""
    return output.ndim == 4 and got.ndim == 3 and got.shape == output.transpose(1, 2).flatten(2).shape


# ---- the gradient


def _gradients(called: Called, case: Case) -> tuple[Tensor | None, ...] | str:
    """Of query, key and value, each None where none reaches it; an error where there is none at all."""
    leaves = [getattr(case, name).clone().requires_grad_() for name in TENSORS]
    inputs = called.inputs(replace(case, **dict(zip(TENSORS, leaves, strict=True))))
    try:
        output = called.layout.back(called.output(inputs, case))
        if not output.requires_grad:
            return "no gradient reaches query, key and value: the result does not require one"
        loss = (output * loss_weights(output)).sum()
        return torch.autograd.grad(loss, leaves, allow_unused=True)
    except Exception as error:
        return f"with requires_grad=True it raised {type(error).__name__}: {error}"
