"""The lesson's end: what each change does to the learner's own numbers, and a question that compares them."""

from pages.ask import questions
from pages.draw import charts, plots
from pages.draw.charts import Axis, Chart
from pages.draw.page import Page

from . import latent, linear, sink, windows

LENGTHS = tuple(2**power for power in range(7, 18))  # tokens of a text that grows


def lines(page: Page) -> list[str]:
    t = page.t
    number = sink.sink_of(page)
    plain, head = latent.plain(page), linear.head_of(page)
    settings, rank = plain.settings, latent.rank_of(plain)
    full = latent.lab.numbers_of_heads(settings.kv_heads, settings.head_dim, settings.value_dim)
    return [
        sink.result_of(t, sink.with_sink(page, number), number, in_summary=True),
        _windows(page),
        t("summary.three" if rank < full else "summary.three_more", rank=rank, full=full),
        t("summary.four", size=head.key.shape[-1] * head.value.shape[-1]),
    ]


def _windows(page: Page) -> str:
    """What the layers keep, and how far they reach; a reason only where windows are the reason."""
    t, layers, n = page.t, windows.layers_of(page), page.own.window_n
    facts = windows.counts(page)
    widest = max(n if window is None else min(window, n) for window in layers)
    return t.joined(
        [
            t("summary.two" if facts["kept"] < facts["full"] else "summary.two_whole", **facts),
            t("summary.reach_layers" if facts["reached"] > widest else "summary.reach", **facts),
        ]
    )


def question(page: Page) -> None:
    chart, file = memory(page)
    if questions.ask(page, "newer_end", lambda: plots.ghost(page, "newer_end", [chart])):
        plots.draw(page, "memory", [chart], file, heading=False)


def memory(page: Page) -> tuple[Chart, dict[str, list]]:
    """What six layers keep of a growing text under each change, with the sizes of the lesson's models."""
    t, layers = page.t, windows.LAYERS
    heads, dim = latent.HEADS, latent.HEAD_DIM
    row = latent.lab.numbers_of_heads(heads, dim, dim)
    short_row = latent.lab.numbers_of_latent(latent.RANK, latent.ROTARY)
    in_turn = windows.lab.in_turn(layers, windows.GEMMA["window"], windows.GEMMA["local"])
    kept = {
        "sink": [layers * n * row for n in LENGTHS],
        "windows": [windows.lab.rows_kept(n, in_turn) * row for n in LENGTHS],
        "latent": [layers * n * short_row for n in LENGTHS],
        "linear": [layers * heads * dim * dim for _ in LENGTHS],
    }
    series = {t(f"option.newer_end_{name}"): numbers for name, numbers in kept.items()}
    tokens = Axis(t("axis.tokens"), (LENGTHS[0], LENGTHS[-1]), log=True)
    numbers = Axis(t("axis.numbers"), charts.log_reach([n for kind in kept.values() for n in kind]), log=True)
    chart = charts.curves(tokens, numbers, LENGTHS, series, height=charts.HERO)
    return chart, {t("axis.tokens"): list(LENGTHS)} | series
