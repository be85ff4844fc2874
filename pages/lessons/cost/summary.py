"""The lesson's end: what was seen, with the learner's own numbers, and a question that needs all of it."""

from attention.lab.cost import layers
from attention.lab.cost import steps as cost
from pages.ask import questions
from pages.draw import plots
from pages.draw.page import Page

from . import cache, compare, paths, steps, words
from .words import count


def lines(page: Page) -> list[str]:
    t, settings, own = page.t, page.settings, page.own
    attention, recurrent = compare.layers(own)[:2]
    ways = paths.routes(own)
    facts = {"n": f"{own.cost_n:,}", "d": f"{own.cost_d:,}", "half": count(layers.crossing(own.cost_d))}
    facts |= {"attention": count(attention.mixing), "recurrent": count(recurrent.mixing)}
    opening = t("summary.one", **facts, tokens=own.path_n, edges=len(ways["recurrent"]) - 1)
    projections, mixing = cost.projections_and_mixing(steps.sizes_of(settings))
    facts = {"projections": count(projections), "mixing": count(mixing)}
    two = t("summary.two", crossing=f"{steps.crossing(settings):.4g}", **facts)
    model = cache.model_of(cache.QUESTION_MODELS[1])
    size = words.size(cache.size_of(model, own.cache_tokens, own.cache_batch))
    facts = {"tokens": f"{own.cache_tokens:,}", "batch": f"{own.cache_batch:,}", "size": size}
    return [opening, two, t("summary.three", model=model.name, **facts)]


def question(page: Page) -> None:
    chart, file = cache.growth(page)
    if questions.ask(page, "cost_end", lambda: plots.ghost(page, "cost_end", [chart])):
        plots.draw(page, "window", [chart], file, heading=False)
