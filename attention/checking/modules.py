"""A check of a module X → Y: its numbers where its parameters have known names, else its properties."""

import functools
from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from attention.checking.calls import (
    NAMES,
    WITHOUT,
    has_numbers,
    output_of,
    parameters_of,
    place_in,
    required,
    tensors_in,
)
from attention.checking.cases import Case
from attention.checking.layers import LayerCase, LayerReading, layer_readings, token_vectors, widths_of
from attention.checking.readings import Reading, Result, best, call_result, judged, repeated, stated
from attention.checking.report import CheckReport, FailedCase, SkippedCase

Layer = Callable[[tuple[Tensor, ...], tuple[int, ...]], Any]
LAYOUTS = ("", "(length, batch, dim)")
CAUSAL_PARTS = (("", "not causal"), ("upper_left", "causal"))
EQUIVARIANT = "Order: tokens in another order have the same outputs in that order, as without positions."


def is_layer(module: nn.Module) -> bool:
    """Whether the module takes X: alone, or as query, key and value of its own projections."""
    parameters = parameters_of(module) or ()
    names = [name for name in required(parameters) if name not in WITHOUT and name not in _known()]
    return len(names) == 1 or bool(layer_readings(module))


def report_on_layer(
    module: nn.Module, device: torch.device | str | None, reading: str | None = None
) -> CheckReport:
    """The report on a module X → Y, in the reading of it that is confirmed."""
    parameters = parameters_of(module) or ()
    skipped = tuple(SkippedCase("", p.name) for p in parameters if p.name in _known() or "mask" in p.name)
    judgements = _judgements(module, device, layer_readings(module), skipped)
    readings = [
        each for _, each in judgements if reading or not (each.search and each.failures) or each.coarse
    ]
    others = [each for _, each in judgements if each.search == 1 and each not in readings]
    if readings:
        report = best(stated(readings, reading), others, stated=reading is not None)
        if report.compared:
            return report
        properties = _properties(module, device, skipped)
        return replace(properties, compared=False, tried=report.tried, hint=report.hint)
    return _properties(module, device, skipped)


def _judgements(
    module: nn.Module,
    device: torch.device | str | None,
    of_weights: list[LayerReading],
    skipped: tuple[SkippedCase, ...],
) -> list[tuple[LayerReading, Reading]]:
    """What is right in each reading of the weights, with each layout, causal or not."""
    judgements = []
    for layout in LAYOUTS if of_weights else ():
        layer = _layer(module, layout, device)
        follows = _dependences(layer, of_weights[0].cases[-1])
        results: dict[tuple[int, ...], Result] = {}  # readings share inputs, and so results
        for of_weight in of_weights:
            pairs = []
            for case in of_weight.cases:
                inputs, shape = (case.query, case.key, case.value), tuple(case.output.shape)
                at = (*map(id, inputs), *shape)
                if at not in results:
                    call = functools.partial(call_result, functools.partial(layer, inputs, shape), case)
                    results[at] = repeated(call, case)
                pairs.append((case, results[at]))
            for always, causal in CAUSAL_PARTS:
                names = (*of_weight.parts, causal, layout or "(batch, length, dim)")
                options: dict[str, Any] = {"layout": layout, "conventions": of_weight.conventions}
                judgement = judged(names, pairs, skipped, always=always, **options)
                rotary = of_weight.cases[0].rotate is not None
                impossible = 2 * (rotary and follows.unordered)
                unlikely = int(bool(always) and follows.later)  # except for a softmax over the queries
                search = max(of_weight.search, impossible, unlikely)
                judgements.append((of_weight, judgement._replace(search=search)))
        if not follows.other_texts:
            break
    return judgements


def confirmed_reading(module: nn.Module, num_heads: int | None = None) -> LayerReading | None:
    """The reading of the weights with which the module gives what attention gives; None where none does."""
    training = module.training
    module.eval()
    try:
        judgements = _judgements(module, None, layer_readings(module, num_heads), ())
    finally:
        module.train(training)
    return next((of_weights for of_weights, judgement in judgements if not judgement.failures), None)


class Dependences(NamedTuple):
    """What the outputs follow. What cannot be is left out of the search for mistakes."""

    other_texts: bool = True
    later: bool = False  # the first token's output follows the last token
    unordered: bool = False  # the last one's follows the first token, and not the order of those before it


def _dependences(layer: Layer, case: LayerCase) -> Dependences:
    inputs, shape = (case.query, case.key, case.value), tuple(case.output.shape)
    other, first, last, turned = (tuple(x.clone() for x in inputs) for _ in range(4))
    for x in other:
        x[0] = x[0].flip(0) + 1
    for changed, at in ((first, 0), (last, -1)):
        for x in changed:
            x[:, at] = 1 - x[:, at]
    for x in turned:
        x[:, :-1] = x[:, :-1].flip(1)
    try:
        before, *after = (layer(x, shape) for x in (inputs, other, first, last, turned))
        of_other, of_first, of_last, of_turned = after
        ordered = not torch.allclose(before[:, -1], of_turned[:, -1], rtol=1e-3, atol=1e-4)
        earlier = not torch.equal(before[:, -1], of_first[:, -1])
        later = not torch.equal(before[:, 0], of_last[:, 0])
        return Dependences(not torch.equal(before[1:], of_other[1:]), later, earlier and not ordered)
    except Exception:
        return Dependences()


def _layer(module: nn.Module, layout: str, device: torch.device | str | None) -> Layer:
    """The call of the module for a case, as a function of its inputs, (batch, length, dim)."""
    parameters = parameters_of(module) or ()
    needed = required(parameters)
    tensors = tensors_in(needed) or tuple(needed[:1])
    own = {name: argument for argument, names in NAMES.items() for name in names}
    known = {*own, *WITHOUT}
    tensors += tuple(name for name in needed if name not in known and name not in tensors)  # X as context
    fixed = {name: WITHOUT.get(own.get(name, name)) for name in needed if name not in tensors}

    def call(inputs: tuple[Tensor, ...], shape: tuple[int, ...]) -> Any:
        inputs = tuple(x.to(device, copy=True) for x in inputs)
        inputs = tuple(x.transpose(0, 1).contiguous() if layout else x for x in inputs)
        with torch.no_grad():
            three = inputs if len(tensors) == len(inputs) else (inputs[0],) * len(tensors)
            returned = module(**dict(zip(tensors, three, strict=True)), **fixed)
        turned = (shape[1], shape[0], *shape[2:]) if layout else shape
        got = output_of(returned, place_in(returned, turned))
        if has_numbers(got):
            got = got.cpu().transpose(0, 1) if layout and got.ndim == len(shape) else got.cpu()
        return got

    return call


def _known() -> set[str]:
    return {name for names in NAMES.values() for name in names}


# ---- a module whose parameters have no known names


def _properties(
    module: nn.Module, device: torch.device | str | None, skipped: tuple[SkippedCase, ...]
) -> CheckReport:
    """Whether its output follows the order of tokens, later tokens, and other texts of the batch."""
    sequence_first = any(getattr(part, "batch_first", True) is False for part in module.modules())
    for layout in LAYOUTS[::-1] if sequence_first else LAYOUTS[:1]:  # it may transpose X by itself
        report = replace(_in_layout(module, layout, device), skipped=skipped, layout=layout)
        if not report.failed:
            break
    return report


def _in_layout(module: nn.Module, layout: str, device: torch.device | str | None) -> CheckReport:
    layer, error = _layer(module, layout, device), ""
    for width in widths_of(module):
        x = token_vectors(2, 5, width, _dtype(module))
        result = call_result(functools.partial(layer, (x,), tuple(x.shape)), Case("texts", x, x, x))
        if result.got is not None and result.got.shape[:2] == x.shape[:2]:
            return _tested(layer, x, result.got)
        shape = () if result.got is None else tuple(result.got.shape)
        error = (
            error or result.error or f"its result has the shape {shape} for X of the shape {tuple(x.shape)}"
        )
    return CheckReport((), (_failed("texts", x, None, "exception", error),), ())


def _dtype(module: nn.Module) -> torch.dtype:
    return next((p.dtype for p in module.parameters() if p.dtype.is_floating_point), torch.float32)


def _tested(layer: Layer, x: Tensor, y: Tensor) -> CheckReport:
    shape, n = tuple(y.shape), x.shape[1]

    def same(changed: Tensor, expected: Tensor) -> Tensor:  # of each text and token
        got = layer((changed,), shape)
        return torch.isclose(got, expected, rtol=1e-4, atol=1e-4, equal_nan=True).flatten(2).all(-1)

    if not same(x, y).all():
        return CheckReport((), (_failed("texts", x, y, "random", names=("dropout_on",)),), ())
    other = x.clone()
    other[0] = x[0].flip(0) + 1
    failed = []
    if not same(other, y)[1].all():
        failed.append(
            _failed("batch", x, y, "batch", "the output of a text changes with another text of the batch")
        )
    follows = torch.zeros(n, n, dtype=torch.bool)  # [i, j]: the output of token i changes with token j
    for j in range(n):
        changed = x.clone()
        changed[:, j] = changed[:, j] * 2 + 1
        follows[:, j] = ~same(changed, y).all(0)
    later = follows.triu(1)
    if not later.any():
        facts = ["Causal: no output changes with a later token."]
    elif later.equal(torch.ones(n, n, dtype=torch.bool).triu(1)):
        facts = ["Not causal: each output changes with every later token."]
    else:
        i, j = later.nonzero()[0].tolist()
        facts = [f"Partly causal: token {j} changes the output of token {i}, but not all later tokens do so."]
    order = torch.arange(n).flip(0)
    equivariant = bool(same(x[:, order], y[:, order]).all())
    facts.append(EQUIVARIANT if equivariant else "Order: the outputs depend on the order of the tokens.")
    if not failed:
        facts.append("Batch: the output of a text does not change with the other texts.")
    return CheckReport((), tuple(failed), (), facts=tuple(facts))


def _failed(
    name: str, x: Tensor, got: Tensor | None, kind: str, error: str = "", names: tuple[str, ...] = ()
) -> FailedCase:
    expected = x if got is None else got
    return FailedCase(name, x, x, x, None, {}, expected, got, kind, names, error)
