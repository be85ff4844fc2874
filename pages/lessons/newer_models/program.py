"""The computation of each part for files: of the shown head, line by line."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor

from attention import causal_mask
from pages.draw import inputs, matrix, positions, steps
from pages.draw.numbers import counted, short
from pages.draw.page import Page
from pages.draw.picture import Matrix, PanelStep
from pages.hand.export.program import Ending, Program, ProgramStep
from pages.model.compute import divisor_of, needed, tensors_of

from . import latent, linear, sink, windows

IN_LATEX = (
    ("softmax", r"\mathrm{softmax}"),
    ("·", r"\,"),
    ("Σ", r"\sum "),
    ("−", "-"),
    ("⊙", r"\odot "),
    ("^T", r"^\top"),
)


def program(page: Page) -> Program:
    """The computation of the page's part."""
    parts: dict[str, Callable[[Page], _PartFiles]] = {
        "sink": _sink,
        "windows": _windows,
        "latent": _latent,
        "linear": _linear,
    }
    files = parts[page.part.name](page)
    t, facts = page.t, latent.facts() | windows.facts()
    asked = [page.lesson.by_name[name] for name in page.part.questions]
    right = [(question.name, f"{question.name}_{question.right}") for question in asked]
    questions = [
        (t(f"ask.{name}", **facts), f"{t(f'option.{option}', **facts)}: {t(f'because.{option}', **facts)}")
        for name, option in right
    ]
    check = t(f"program.check_{page.part.name}"), files.check
    ending = Ending(t("program.check"), *check)
    return Program(files.tokens, files.inputs, files.steps, files.facts, questions, ending)


class _PartFiles:
    """The inputs and the steps by their names in the program. check: code at the end."""

    def __init__(self, page: Page, tokens: Sequence[str]):
        self.page, self.tokens, self.check = page, tokens, ""
        self.inputs: dict[str, Matrix] = {}
        self.steps: list[ProgramStep] = []
        self.facts: dict[str, str] = {}

    def give(
        self, name: str, title: str, values: Tensor, rows: Sequence[str], cols: Sequence[str] | None = None
    ) -> None:
        self.inputs[name] = matrix.of(name, title, values, rows, cols)

    def step(
        self, line: str, values: Tensor, formula: str, *, text: str = "", like: str = "", **look: Any
    ) -> None:
        """A step of the lesson. line: `name = …`; text: of several steps that are alike."""
        name, t = line.partition(" = ")[0], self.page.t
        texts = (t(f"program.{text or name}"), formula, t(f"program_why.{text or name}"))
        latex = formula
        for sign, command in IN_LATEX:
            latex = latex.replace(sign, command)
        self._add(PanelStep(name, *texts, line, latex), values, like, **look)

    def known(self, computation: steps.Steps, line: str, values: Tensor, **look: Any) -> None:
        """A step that attention has as well, with its texts."""
        name = line.partition(" = ")[0]
        panels = {panel.name: panel for panel in computation.walk()}
        panel = panels["head_output"] if name == "output" and computation.several else panels[name]
        self._add(replace(panel, name=name, code=line), values, name, **look)

    def _add(self, panel: PanelStep, values: Tensor, like: str, **look: Any) -> None:
        rows = look.pop("rows", self.tokens)
        shown = matrix.of(panel.name, panel.title, values, rows, look.pop("cols", None), **look)
        self.steps.append(ProgramStep(panel, shown, like))


# ---- what the parts share


def _of_head(page: Page, *, letters: str = "qkv") -> tuple[_PartFiles, steps.Steps]:
    """X, the matrices of the shown head, and what it computes from them. page: without positions."""
    computation, settings = steps.of(page), page.settings
    files = _PartFiles(page, list(page.tokens))
    names, tensors = inputs.dimensions(settings), tensors_of(settings)
    files.inputs["x"] = inputs.matrix(page, "x")
    if settings.num_heads > 1:
        files.facts[page.t("setting.head")] = str(page.head + 1)
    for letter in letters:
        columns = slice(*inputs.block(settings, page.head, letter))
        title = letter.upper()
        bias, weights = tensors[f"b_{letter}"], tensors[f"w_{letter}"]
        files.give(f"w_{letter}", f"W_{title}", weights[:, columns], names)
        if bias is not None:
            files.give(f"b_{letter}", f"b_{title}", bias[None, columns], [""])
        more = "" if bias is None else f" + b_{letter}"
        name = {"q": "query", "k": "key", "v": "value"}[letter]
        files.known(computation, f"{name} = x @ w_{letter}{more}", getattr(computation.head, name))
    return files, computation


def _masked(files: _PartFiles, computation: steps.Steps, scores: Tensor) -> Tensor:
    """The scaled and the masked scores."""
    settings, tokens = computation.settings, files.tokens
    divisor = divisor_of(settings)
    divided = {"sqrt_d_k": f" / math.sqrt({settings.head_dim})", "none": ""}
    scaled = scores / divisor
    files.known(
        computation,
        f"scaled_scores = scores{divided.get(settings.scaling, f' / {divisor!r}')}",
        scaled,
        cols=tokens,
    )
    mask, line = computation.head.mask, "masked_scores = scaled_scores"
    if mask is not None:
        mask = mask.expand_as(scores)
        files.inputs["mask"] = matrix.of("mask", files.page.t("sheet.mask"), mask, tokens, tokens)
        value = float(settings.masked_score)
        hidden = 'float("-inf")' if settings.masked_score == "-inf" else "-1e9"
        line += f".masked_fill(~mask, {hidden})"
        scaled = scaled.masked_fill(~mask, value)
    files.known(computation, line, scaled, cols=tokens)
    return scaled


# ---- the parts


def _sink(page: Page) -> _PartFiles:
    number, page = sink.sink_of(page), positions.plainly(page)
    computation = sink.with_sink(page, number)
    files, _ = _of_head(page)
    head, tokens = computation.head, files.tokens
    square: dict[str, Any] = {"cols": tokens, "kind": "weights"}
    files.facts[page.t("setting.sink_kind")] = page.t(f"sink.{page.own.sink_kind}")
    files.known(computation, "scores = query @ key.T", head.scores, cols=tokens)
    masked = _masked(files, computation, head.scores)
    weights = head.weights
    if number is None:
        empty = ".nan_to_num()" if computation.has_empty_row else ""
        line = f"weights = torch.softmax(masked_scores, dim=-1){empty}"
        files.known(computation, line, weights, **square)
        files.check = "print(weights.sum(dim=-1))"
    else:
        files.facts[page.t("setting.sink")] = short(number)
        sinks = torch.full((len(tokens), 1), number, dtype=torch.float64)
        files.give("sinks", "s", sinks, tokens, [""])
        longer: dict[str, Any] = {"cols": [*tokens, page.t("setting.sink")]}
        line = "with_sink = torch.cat((masked_scores, sinks), dim=-1)"
        files.step(line, torch.cat((masked, sinks), dim=-1), "[S, s]", **longer)
        share = needed(head.sink_weights)[:, None]
        together = torch.cat((weights, share), dim=-1)
        line = "shares = torch.softmax(with_sink, dim=-1)"
        files.step(line, together, "softmax([S, s])", kind="weights", like="weights", **longer)
        files.step("weights = shares[:, :-1]", weights, "A", like="weights", **square)
        files.step("sink_share = shares[:, -1:]", share, "1 − Σ a_{ij}", kind="weights", cols=[""])
        files.check = "print(torch.allclose(weights.sum(dim=-1) + sink_share[:, 0], torch.ones(len(tokens))))"
    files.known(computation, "output = weights @ value", head.output)
    return files


def _windows(page: Page) -> _PartFiles:
    own, layers, lab = page.own, windows.layers_of(page), windows.lab
    n, names = own.window_n, counted(own.window_n)
    files, t = _PartFiles(page, names), page.t
    masks = {"local": lab.mask_of(n, own.window_r), "whole": causal_mask(n)}
    files.facts = {
        t("setting.layer_kinds"): t(f"windows.{own.layer_kinds}"),
        t("setting.window_n"): str(n),
        t("setting.window_r"): str(own.window_r),
    }
    for name, mask in masks.items():
        files.give(name, t(f"program.{name}"), mask.double(), names, names)
    files.give("reach_0", t("program.start"), torch.eye(n).double(), names, names)
    reached = torch.eye(n).double()
    for layer, window in enumerate(layers, start=1):
        name = "local" if window is not None else "whole"
        reached = ((masks[name].double() @ reached) > 0).double()
        look: dict[str, Any] = {"cols": names, "kind": "plain", "text": "reach"}
        line = f"reach_{layer} = (({name} @ reach_{layer - 1}) > 0) * 1.0"
        files.step(line, reached, f"R_{layer} = (M_{layer} · R_{layer - 1} > 0)", **look)
    kinds = ["local" if window is not None else "whole" for window in layers]
    line = f"attended = {' + '.join(f'{kind}[-1:]' for kind in kinds)}"
    attended = lab.attended(n, layers).double().sum(0, keepdim=True)
    files.step(line, attended, "Σ M_l", rows=[""], cols=names, kind="plain")
    files.check = f"print(int(attended.sum()), int(reach_{len(layers)}[-1].sum()))"
    return files


def _latent(page: Page) -> _PartFiles:
    page = latent.plain(page)
    (compressed, c), (files, computation) = latent.latent_of(page), _of_head(page, letters="q")
    up_k, up_v = latent.of_head(page, compressed)
    short_row, tokens, query = counted(up_k.shape[0]), files.tokens, computation.head.query
    files.facts[page.t("setting.latent_rank")] = str(len(short_row))
    files.give("w_d", "W_D", compressed.down, inputs.dimensions(page.settings))
    files.give("w_uk", "W_{UK}", up_k, short_row)
    files.give("w_uv", "W_{UV}", up_v, short_row)
    files.step("latent = x @ w_d", c, "c = X · W_D")
    key, value = c @ up_k, c @ up_v
    files.step("key = latent @ w_uk", key, "K = c · W_{UK}", text="from_latent", like="key")
    files.step("value = latent @ w_uv", value, "V = c · W_{UV}", text="from_latent", like="value")
    files.known(computation, "scores = query @ key.T", query @ key.mT, cols=tokens)
    turned = query @ up_k.mT
    files.step("absorbed_query = query @ w_uk.T", turned, "Q · W_{UK}^T")
    files.step(
        "absorbed_scores = absorbed_query @ latent.T", turned @ c.mT, "(Q · W_{UK}^T) · c^T", cols=tokens
    )
    masked = _masked(files, computation, query @ key.mT)
    weights = torch.softmax(masked, dim=-1).nan_to_num()
    empty = ".nan_to_num()" if computation.has_empty_row else ""
    line = f"weights = torch.softmax(masked_scores, dim=-1){empty}"
    files.known(computation, line, weights, cols=tokens, kind="weights")
    files.known(computation, "output = weights @ value", weights @ value)
    absorbed = (weights @ c) @ up_v
    files.step("absorbed_output = (weights @ latent) @ w_uv", absorbed, "(A · c) · W_{UV}")
    files.check = "\n".join(
        f"print(torch.allclose(absorbed_{name}, {name}))" for name in ("scores", "output")
    )
    return files


def _linear(page: Page) -> _PartFiles:
    own_page, page = page, positions.plainly(page)
    (files, computation), tokens = _of_head(page), list(page.tokens)
    head, at = computation.head, linear.token_of(own_page)
    rows = counted(head.key.shape[-1])
    output, other = linear.outputs(own_page)
    files.facts[page.t("setting.linear_token")] = f"{at + 1}"
    files.known(computation, "scores = query @ key.T", head.scores, cols=tokens)
    mixed, formula = "scores", "Q · K^T · V"
    if page.own.with_softmax:
        mixed, formula, weights = "weights", "softmax(Q · K^T) · V", torch.softmax(head.scores, dim=-1)
        line = "weights = torch.softmax(scores, dim=-1)"
        files.known(computation, line, weights, cols=tokens, kind="weights")
    files.step(f"output = {mixed} @ value", output, formula, like="output")
    state = head.key.mT @ head.value
    files.step("key_value = key.T @ value", state, "K^T · V", rows=rows)
    files.step("state_output = query @ key_value", other, "Q · (K^T · V)", like="output")
    causal = causal_mask(len(tokens)).double()
    files.give("causal", page.t("mask.causal"), causal, tokens, tokens)
    line = "causal_output = (scores * causal) @ value"
    files.step(line, (head.scores * causal) @ head.value, "(M ⊙ Q · K^T) · V")
    states, outputs = linear.lab.recurrent(head.query, head.key, head.value)
    span = f"[:{at + 1}]"
    files.step(f"token_state = key{span}.T @ value{span}", states[at], "Σ k_j^T · v_j", rows=rows)
    line = f"token_output = query[{at}:{at + 1}] @ token_state"
    files.step(line, outputs[at : at + 1], "q_i · Σ k_j^T · v_j", rows=[tokens[at]])
    files.check = CHECK_LINEAR
    return files


CHECK_LINEAR = """state = torch.zeros(key.shape[-1], value.shape[-1])
for q, k, v, o in zip(query, key, value, causal_output):
    state = state + k[:, None] * v
    print(torch.allclose(q @ state, o))"""
