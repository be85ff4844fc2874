"""The lesson's end: what one layer cannot do, and what two layers do together; and a question."""

from typing import Any

from attention import causal_mask
from attention.lab.two_layers import hand_made, one_layer_limit
from attention.lab.two_layers.by_hand import attend, inputs
from pages import picture
from pages.ask import questions
from pages.draw import matrix, placing, steps
from pages.draw.page import Page, distinct
from pages.picture import Matrix

from . import one_layer, train
from .runs import RUNS

WORDS = ("F", "D", "E", "D")


def lines(page: Page) -> list[str]:
    """The limit of one layer with the run's accuracy, if it was made; what two layers do, likewise."""
    t, most = page.t, f"{one_layer_limit().accuracy:.1%}"
    single = RUNS.so_far(one_layer.options_of(page), asked=page.own.one_ran)
    two = RUNS.so_far(train.options_of(page), asked=page.own.two_ran)
    first = t("summary.one_ran", accuracy=f"{single[-1].accuracy:.1%}", most=most) if single else ""
    second = t("summary.two_ran", accuracy=f"{two[-1].accuracy:.1%}", step=two[-1].step) if two else ""
    return [
        first or t("summary.one", most=most),
        second or t("summary.two"),
        t("summary.three"),
    ]


def question(page: Page) -> None:
    """Asked next to A of both layers by hand; then also A of layer 2 as if both were in one layer."""
    if questions.ask(page, "two_end", lambda: placing.draw(page, "end", by_hand_weights(page)[:2])):
        placing.draw(page, "end_answered", by_hand_weights(page))


def by_hand_weights(page: Page) -> list[Matrix]:
    """A of both layers of the model with whole numbers, and of layer 2 if it reads X like layer 1."""
    model, x, names = hand_made(), inputs(WORDS), list(distinct(WORDS))
    first, second, _ = model.run(x)
    traces = {"by_hand_1": first, "by_hand_2": second, "by_hand_alone": attend(x, model.layers[1])}
    titles = ("A_1", "A_2", page.t("summary.alone"))
    look: dict[str, Any] = {"kind": "weights", "masked": steps.hidden(causal_mask(len(WORDS)))}
    matrices = []
    for (name, trace), title in zip(traces.items(), titles, strict=True):
        head = trace.head(0)
        recipe = picture.softmax_of(head.masked_scores.tolist())
        matrices.append(matrix.of(name, title, head.weights, names, names, recipe=recipe, **look | page.axes))
    return matrices
