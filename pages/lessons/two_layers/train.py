"""Two layers are trained: loss, accuracy and the scores of the heads by step; then from twenty seeds."""

from attention.lab.two_layers import TwoLayersOptions, TwoLayersSnapshot
from pages.ask import blocks
from pages.draw import charts, plots, say
from pages.draw.charts import Axis, Chart, Plot
from pages.draw.numbers import short
from pages.draw.page import Page

from . import runs, scene
from .runs import ENDS, OF_SEEDS, RUNS

QUESTION = "two_seeds"
SOLVED = 0.97  # of the test answers
MOST_WEIGHT = 0.5  # of a head: it does what the score says


def draw(page: Page) -> blocks.Blocks:
    """A run; then the question, and runs from twenty seeds."""
    yield blocks.text("train.how")
    yield blocks.control(scene.choose)
    for figure in (_picture, _curves):
        yield blocks.run(figure, RUNS, options_of(page), asked=page.own.two_ran)
    yield blocks.caption("train.rings")
    yield blocks.ask(QUESTION)
    yield blocks.run(_seeds, ENDS, *OF_SEEDS, asked=page.own.seeds_ran)


def options_of(page: Page) -> TwoLayersOptions:
    return TwoLayersOptions(2, page.own.two_seed)


def _so_far(page: Page) -> tuple[tuple[TwoLayersSnapshot, ...], TwoLayersSnapshot, bool]:
    """The steps so far, the one that is shown, and whether another one can be chosen."""
    options = options_of(page)
    snapshots = RUNS.so_far(options, asked=page.own.two_ran)
    snapshot, still = scene.shown_step(page, options, snapshots)
    return snapshots or (snapshot,), snapshot, still


def _picture(page: Page) -> None:
    """A of both layers and the probabilities at a step."""
    _, snapshot, still = _so_far(page)
    scene.train_run(page, "train.start", "two_ran", (options_of(page),))
    step = scene.step_slider(page, snapshot)  # it has its place from the beginning, see draw
    step = step if still else step.having(kind="text", values=[[str(snapshot.step)]]).to_read()
    scene.draw_run(page, "two", scene.trace_at(snapshot, scene.tokens_of(page)), [step])


def _curves(page: Page) -> None:
    """The way of the run."""
    way, snapshot, _ = _so_far(page)
    drawn = scene.curves(page, way, snapshot, ("loss", "accuracy", "scores"), stacked=False)
    result = page.t("train.at", **scene.at_step(page, snapshot), **scene.split(snapshot))
    plots.draw(page, "training", drawn, scene.file(page, way), heading=False, result=result)


# ---- twenty seeds


def _seeds(page: Page) -> None:
    """A dot for each seed: the scores of both heads at the end of its run."""
    ends = runs.ends() if page.own.seeds_ran or ENDS.job(*OF_SEEDS) is not None else {}
    scene.train_run(page, "seeds.start", "seeds_ran", OF_SEEDS, ENDS)
    plots.draw(page, "seeds", [dots(page, ends)], _file(page, ends))
    say.sentence(reading(page, ends))


def dots(page: Page, ends: dict[int, TwoLayersSnapshot]) -> Chart:
    """Previous-token score and induction score; the seeds without an induction head have their number."""
    across, up = (Axis(page.t(f"axis.{name}"), (0, 1.05)) for name in ("previous", "induction"))
    plot = Plot(across, up, height=charts.HERO)
    for seed, last in ends.items():
        name = page.t("seeds.seed", seed=seed)
        sentence = f"{name}: {short(last.previous)}, {short(last.induction)}"
        plot.mark("dot", last.previous, last.induction, sentence=sentence)
        if last.induction < MOST_WEIGHT:
            plot.mark("label", last.previous, last.induction, text=str(seed))
        if seed == page.own.two_seed:
            plot.mark("ring", last.previous, last.induction)
    return plot.chart()


def reading(page: Page, ends: dict[int, TwoLayersSnapshot]) -> str:
    """How many runs solve the task, and how many with which heads."""
    if not ends:
        return page.t("seeds.none", all=len(OF_SEEDS))
    solved = sum(last.accuracy >= SOLVED for last in ends.values())
    induction = sum(last.induction >= MOST_WEIGHT for last in ends.values())
    both = sum(min(last.induction, last.previous) >= MOST_WEIGHT for last in ends.values())
    return page.t("seeds.result", n=len(ends), solved=solved, induction=induction, both=both)


def _file(page: Page, ends: dict[int, TwoLayersSnapshot]) -> plots.Columns:
    names = ("accuracy", "previous", "induction")
    columns = {page.t("column.seed"): list(ends)}
    return columns | {
        page.t(f"column.{name}"): [getattr(last, name) for last in ends.values()] for name in names
    }
