"""Temperature, ties, one score that grows, and a constant added. Every figure follows T."""

import math
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from attention.lab.softmax import scores as softmax
from pages import picture
from pages.ask import blocks, questions
from pages.draw import inputs, matrix, palette, placing, say
from pages.draw.charts import Axis, Chart, Plot
from pages.draw.numbers import apart, confirmed, share, short
from pages.draw.page import Page, small
from pages.draw.results import size
from pages.picture import Arrow, Flow, Matrix
from pages.picture.traced import AxisNames, Operation, Traced, as_input, by_name

from . import scores

TEMPERATURES = [10 ** (-2 + 4 * i / 48) for i in range(49)]
ENDS = (0.01, 100.0)
AROUND = 10.0  # how far the changed score is drawn to either side
STEPS = 40
GAPS = [i * 0.2 for i in range(51)]
LABEL = 0.08  # the height of a label, on the axis of the weights
ENTROPY = Operation(
    lambda weights: softmax.entropy(weights)[:, None],
    "-({0} * torch.log2(torch.where({0} > 0, {0}, 1))).sum(dim=-1, keepdim=True)",
    "−Σ {0} · log_2 {0}",
    "-({0} * np.log2(np.where({0} > 0, {0}, 1))).sum(axis=-1, keepdims=True)",
    general="−Σ {0} · \\log_2 {0}",
)
POWER_OF_TWO = Operation(lambda bits: 2**bits, "2**{}", "2^{}")


def draw(page: Page) -> blocks.Blocks:
    yield blocks.text("temperature.intro")
    if len(page.scores.logits) == 1:
        yield blocks.control(scores.buttons)
        yield blocks.picture(_one)
        yield blocks.info("temperature.one_score")
    else:
        yield from blocks.topics(page, TOPICS)


def _one(page: Page) -> None:
    placing.draw(page, "one_score", [scores.to_edit(page)])


def _now(page: Page) -> list[float]:
    return softmax.softmax(page.scores.logits, page.own.temperature)


def steps_of(page: Page) -> dict[str, Traced]:
    """From the scores to the weights at T, their entropy, and the weights with the constant."""
    t, own, number = page.t, page.own, scores.number(page)
    single = AxisNames([""])
    temperature, shift = (
        as_input(name, symbol, softmax.tensor([[getattr(own, name)]]), single, single)
        for name, symbol in (("temperature", "T"), ("shift", "c"))
    )
    largest = scores.largest(number)
    shifted = (number - largest).called("shifted")
    cooled = (shifted / temperature).called("cooled")
    exps = cooled.exp().called("exps")
    total = exps.sum().called("total")
    look: dict[str, Any] = {"title": t("panel.weights"), "kind": "weights"}

    def worked_out() -> dict:
        return picture.written([_arithmetic(page, page.scores.logits)], ["logits", "temperature"], "all")

    weights = exps / total
    weights = weights.called("weights", "p", known=softmax.tensor([_now(page)]), how=worked_out, **look)
    entropy = Traced(ENTROPY, (weights,), single, single, kind="plain")
    entropy = entropy.called("entropy", "H", title=t("panel.entropy"))
    effective = Traced(POWER_OF_TWO, (entropy,), single, single, kind="plain").called("effective")
    moved = (number + shift).called("moved", how=lambda: _added_to(page))
    look["how"] = lambda: picture.softmax(moved.id, by=own.temperature)
    again = (moved / temperature).softmax().called("moved_weights", **look)
    return by_name(largest, shifted, cooled, exps, total, weights, entropy, effective, moved, again)


def _weights(page: Page) -> Matrix:
    """The weights at T, each with its arithmetic."""
    return matrix.number(page, steps_of(page)["weights"])


def _arithmetic(page: Page, logits: tuple[float, ...]) -> list[str]:
    """How each weight of these scores is computed at T."""
    temperature, distribution = page.own.temperature, softmax.softmax(logits, page.own.temperature)
    top = max(logits)
    exps = [math.exp((score - top) / temperature) for score in logits]
    less = f"− {scores.bracketed(top)}) / {temperature:g}"

    def text(i: int, score: float, above: float, weight: float) -> str:
        terms = " + ".join(confirmed(lambda *exps: above / sum(exps), exps, weight))
        return f"p{small(i)} = exp(({scores.entry(score)} {less}) / ({terms}) = {weight:.4f}"

    return [text(i, *cell) for i, cell in enumerate(zip(logits, exps, distribution, strict=True), 1)]


# ---- all scores doubled


def _draw_before(page: Page, name: str) -> None:
    """What a question is about: the scores and the weights at T, to read."""
    placing.draw(page, f"{name}_asked", [scores.to_read(page), _weights(page)])
    scores.origin(page)


def _doubling_sentence(page: Page) -> str:
    """Which of the learner's weights grow when the scores are doubled."""
    before_after = softmax.doubling(page.scores.logits, page.own.temperature)
    pairs = zip(before_after.before, before_after.after, strict=True)
    growing = [
        f"p{small(i)}: {short(a, 3)} → {short(b, 3)}"
        for i, (a, b) in enumerate(pairs, 1)
        if b - a > softmax.TIE
    ]
    key = "temperature.doubled" if growing else "temperature.doubled_none"
    return page.t(key, growing=page.t.listed(growing, apart=True), threshold=share(before_after.threshold, 3))


# ---- between argmax and uniform


def _cooling(_: Page) -> blocks.Blocks:
    """The temperature, and right below it all that follows from it."""
    yield blocks.asking("soft_double", _ask_doubled)
    yield blocks.picture(_doubled)
    yield blocks.said(_doubling_sentence)
    yield blocks.control(scores.buttons, follows="moved")
    yield blocks.picture(_between)
    yield blocks.chart("by_temperature", _by_temperature, _file_by_temperature)
    yield blocks.result(_reading)
    yield blocks.said(_ties)


def _ask_doubled(page: Page) -> bool:
    """What becomes of the largest weight when all scores are doubled?"""
    holds = doubled_holds(page.scores.logits)
    kind = "_equal" if holds["stays"] else ""
    reasons = {option: page.t(f"because.soft_double_{option}{kind}") for option in holds}
    look: dict[str, Any] = {"answer": questions.only(holds), "reasons": reasons}
    return questions.ask(page, "soft_double", lambda: _draw_before(page, "double"), **look)


def _doubled(page: Page) -> None:
    placing.draw(page, "doubled", *doubling(page))


def _between(page: Page) -> None:
    bands = [Flow(["logits", "temperature"]), Flow(["argmax", "weights", "uniform"])]
    placing.draw(page, "cooling", between(page), bands)


def doubling(page: Page) -> tuple[list[Matrix], list[Flow]]:
    """The scores and their weights, and the same with all scores doubled; the largest weights are ringed."""
    logits, t = page.scores.logits, page.t
    largest = [(0, i) for i, score in enumerate(logits) if score == max(logits)]
    rows = {"before": logits, "after": tuple(2 * score for score in logits)}
    twice = [[f"2 · {scores.bracketed(score)} = {scores.entry(2 * score)}" for score in logits]]
    matrices = []
    for name, row in rows.items():
        recipe = picture.written(twice, ["scores_before"]) if name == "after" else None
        arithmetic = picture.written([_arithmetic(page, row)], [f"scores_{name}"], "all")
        cols = scores.names(page)
        look = {"kind": "weights", "recipe": arithmetic, "ringed": largest, "cols": cols}
        matrices += [
            scores.row(f"scores_{name}", t(f"temperature.scores_{name}"), row, recipe=recipe, cols=cols),
            scores.row(
                f"weights_{name}", t("panel.weights"), softmax.softmax(row, page.own.temperature), **look
            ),
        ]
    ids = [row.id for row in matrices]
    return matrices, [Flow([*ids[:2], Arrow("· 2"), *ids[2:]])]


def doubled_holds(logits: Sequence[float]) -> dict[str, bool]:
    """What happens to the largest weight: it grows by its lead on any other, and has none over its equals."""
    equal = len(set(logits)) == 1
    return {"grows": not equal, "stays": equal, "shrinks": False}


def between(page: Page) -> list[Matrix]:
    """The weights now, between the two ends of the scale: one-hot and uniform."""
    t, logits = page.t, page.scores.logits
    uniform, one_hot = [1 / len(logits)] * len(logits), softmax.hard_maximum(logits)
    argmax = "panel.argmax" if softmax.ties(logits) == 1 else "panel.argmax_tie"
    look: dict[str, Any] = {"kind": "weights", "cols": scores.names(page)}
    return [
        scores.to_edit(page),
        inputs.number(page, "temperature"),
        scores.row("argmax", t(argmax), one_hot, recipe=_equal_shares(one_hot), **look),
        _weights(page),
        scores.row("uniform", t("panel.uniform"), uniform, recipe=_equal_shares(uniform), **look),
    ]


def _equal_shares(weights: Sequence[float]) -> dict:
    """1 divided among the scores that get a weight; 0 for the others."""
    count = sum(weight > 0 for weight in weights)
    texts = [f"1 / {count} = {short(weight, 4)}" if weight else "0" for weight in weights]
    return picture.written([[f"p{small(i)} = {text}" for i, text in enumerate(texts, 1)]], ["logits"], "all")


def _reading(page: Page) -> str:
    distribution = softmax.spread(_now(page))
    return page.t(
        "temperature.reading",
        temperature=f"{page.own.temperature:g}",
        largest=share(distribution.largest, 4),
        bits=share(distribution.entropy, 3),
        most=short(math.log2(len(page.scores.logits)), 3),
        share=f"{distribution.share:.0%}",
        effective=short(distribution.effective),
    )


def _ties(page: Page) -> str:
    """Who shares the largest weight."""
    logits = page.scores.logits
    count = softmax.ties(logits)
    if count > 1:
        facts = {"weight": short(max(_now(page)), 4), "limit": short(1 / count, 4)}
        return page.t("temperature.leads_tie", count=count, **facts)
    return page.t("temperature.leads", gap=apart(softmax.gap(logits)))


def _by_key(page: Page, title: str, x: Axis, xs: list[float], rows: list[list[float]], at: float) -> Chart:
    """Every key's weight against x, and the present one at `at`; that of the chosen score is emphasised."""
    present, chosen = _now(page), scores.score_index(page)
    names, used = labels(present), (palette.OTHERS, palette.WEIGHTS)
    plot = Plot(x, Axis(page.t("axis.weight"), (0.0, 1.0)), title=title, used=used)
    for i in sorted(range(len(present)), key=lambda key: key == chosen):
        plot.curve("line", xs, [row[i] for row in rows], int(i == chosen), line=i)
        text = f"p{i + 1}: {short(present[i], 3)}"
        plot.state(at, present[i], int(i == chosen), text=names[i], sentence=text)
    return plot.chart()


def labels(weights: list[float]) -> list[str]:
    """Each curve's name at its point; where points lie close, the uppermost has the names of all."""
    groups: list[list[int]] = []
    for i in sorted(range(len(weights)), key=lambda i: -weights[i]):
        if groups and weights[groups[-1][0]] - weights[i] < LABEL:
            groups[-1].append(i)
        else:
            groups.append([i])
    names = [""] * len(weights)
    for group in groups:
        names[group[0]] = ", ".join(str(i + 1) for i in sorted(group))
    return names


def _by_temperature(page: Page) -> list[Chart]:
    """All weights, and their entropy, against the temperature."""
    t, own = page.t, page.own
    result, bits = softmax.by_temperature(page.scores.logits, TEMPERATURES)
    x = Axis(t("axis.temperature"), ENDS, log=True)
    most = max(math.log2(len(page.scores.logits)), 1.0)
    entropy = Plot(x, Axis(t("axis.entropy"), (0.0, most)), title=t("panel.entropy"))
    entropy.curve("line", TEMPERATURES, bits)
    present = softmax.spread(_now(page)).entropy
    entropy.state(own.temperature, present, sentence=f"{t('axis.entropy')}: {short(present, 3)}")
    weights = _by_key(page, t("panel.weights"), x, TEMPERATURES, result, own.temperature)
    return [weights, entropy.chart()]


def _file_by_temperature(page: Page) -> dict[str, list]:
    weights, bits = softmax.by_temperature(page.scores.logits, TEMPERATURES)
    file = {page.t("axis.temperature"): TEMPERATURES} | _columns(weights)
    return file | {page.t("axis.entropy"): bits}


def _columns(rows: list[list[float]]) -> dict[str, list]:
    return {f"p{i + 1}": list(column) for i, column in enumerate(zip(*rows, strict=True))}


# ---- one score grows


def _growth(_: Page) -> blocks.Blocks:
    yield blocks.control(scores.choose)
    yield blocks.picture(_changed)
    yield blocks.chart("growth", lambda page: [_one_score(page), _lead(page)], _file_growth)
    yield blocks.result(_logistic)


def _changed(page: Page) -> None:
    changed = [scores.to_edit(page), inputs.number(page, "temperature")]
    placing.draw(page, "growth", [*changed, _weights(page)])


def _grid(page: Page) -> list[float]:
    """Values of the changed score, around the value that gives the score half of the weight."""
    own = page.own
    middle = 5 * round(softmax.half_way(page.scores.logits, scores.score_index(page), own.temperature) / 5)
    return [middle - AROUND + 2 * AROUND * i / STEPS for i in range(STEPS + 1)]


def _one_score(page: Page) -> Chart:
    """All weights while the chosen score changes."""
    t, own, j, grid = page.t, page.own, scores.score_index(page), _grid(page)
    curve = softmax.along(page.scores.logits, j, grid, own.temperature)
    axis = Axis(t("axis.one_score", index=j + 1), (grid[0], grid[-1]))
    return _by_key(page, t("panel.growth", index=j + 1), axis, grid, curve, page.scores.logits[j])


def _lead(page: Page) -> Chart:
    """The largest weight against its lead: between two bounds, wherever the other scores are."""
    t, own = page.t, page.own
    least, most = softmax.largest_bounds(GAPS, len(page.scores.logits), own.temperature)
    ends = Axis(t("axis.lead"), (0.0, GAPS[-1]))
    plot = Plot(ends, Axis(t("axis.largest"), (0.0, 1.0)), title=t("panel.lead"), used=(palette.WEIGHTS,))
    plot.curve("area", GAPS, most, floor=least)
    largest = max(_now(page))
    plot.state(softmax.gap(page.scores.logits), largest, sentence=f"{t('axis.largest')}: {short(largest, 3)}")
    return plot.chart()


def _file_growth(page: Page) -> dict[str, list]:
    own, grid = page.own, _grid(page)
    curve = softmax.along(page.scores.logits, scores.score_index(page), grid, own.temperature)
    return {page.t("axis.one_score", index=scores.score_index(page) + 1): grid} | _columns(curve)


def _logistic(page: Page) -> str:
    own, j = page.own, scores.score_index(page)
    middle = softmax.half_way(page.scores.logits, j, own.temperature)
    key = "growth.two" if len(page.scores.logits) == 2 else "growth.many"
    return page.t(key, index=small(j + 1), middle=short(middle), weight=share(_now(page)[j], 4))


# ---- a constant added


def constant(page: Page) -> list[Matrix]:
    """The constant, the scores with it, and their weights."""
    steps = steps_of(page)
    weights, moved, again = (
        matrix.number(page, steps[name]) for name in ("weights", "moved", "moved_weights")
    )
    return [scores.to_edit(page), weights, inputs.number(page, "shift"), moved, again]


def _added_to(page: Page) -> dict:
    """How the constant is added to each score."""
    shift, added = page.own.shift, scores.bracketed(page.own.shift)
    texts = [f"{scores.entry(s)} + {added} = {short(s + shift, 4)}" for s in page.scores.logits]
    return picture.written([texts], ["logits", "shift"], "all")


def _constant(_: Page) -> blocks.Blocks:
    """The weights before and after: in decimals of 30 digits, then in binary numbers."""
    yield blocks.ask("soft_shift", lambda page: _draw_before(page, "shift"))
    yield blocks.title("constant")
    yield blocks.picture(_added)
    yield blocks.aside(_decimals, follows="moved")
    yield blocks.said(_same)
    yield blocks.result(_binary)


def _added(page: Page) -> None:
    bands = [Flow(["logits", "weights"]), Flow(["shift", "moved", "moved_weights"])]
    placing.draw(page, "constant", constant(page), bands)


def _exact(page: Page) -> list[Sequence[Decimal]]:
    """The weights before and after."""
    logits, own = page.scores.logits, page.own
    return [softmax.exact_weights(logits, shift, temperature=own.temperature) for shift in (0.0, own.shift)]


def _decimals(page: Page) -> None:
    t, after = page.t, page.t("constant.after", shift=scores.entry(page.own.shift))
    pairs = enumerate(zip(*_exact(page), strict=True), 1)
    rows = [(f"p{small(i)}", *map(_digits, pair)) for i, pair in pairs]
    say.table([t("axis.weight"), t("constant.before"), after], rows)


def _same(page: Page) -> str:
    before, after = _exact(page)
    return page.t("constant.same" if before == after else "constant.last_digit")


def _digits(value: Decimal) -> str:
    """28 digits after the point, or what is left of a number that small."""
    return f"`{value:.28f}`" if value >= 1e-20 else f"`{value:.6e}`" if value else "`0`"


def _binary(page: Page) -> str:
    own = page.own
    before, after = _now(page), softmax.softmax(page.scores.logits, own.temperature, own.shift)
    difference = max(abs(a - b) for a, b in zip(before, after, strict=True))
    key = "constant.float64" if difference else "constant.float64_same"
    return page.t(key, shift=scores.entry(own.shift), difference=size(difference))


TOPICS = {"cooling": _cooling, "growth": _growth, "constant": _constant}
