"""All heads at once: what each attends to, two of them compared, and what a mean over heads hides."""

from dataclasses import replace
from typing import Any

from attention.lab.cost.steps import Sizes, projections_and_mixing
from attention.lab.scaling.variance import total_variation
from pages.ask import blocks
from pages.draw import arithmetic, choices, inputs, placing, say, steps, winners
from pages.draw.numbers import short
from pages.draw.page import Page
from pages.draw.steps import Steps
from pages.model.compute import needed, trace_of
from pages.model.examples import family
from pages.model.settings import Settings
from pages.picture import Flow, Grid, Group, Matrix, Passage, softmax_of

from . import scene

SENTENCE = ("tired_heads", "tired_heads_zh")
ALIKE = 1e-9  # heads that differ by less than this share of a row's weight


def draw(page: Page) -> blocks.Blocks:
    """The weights of all heads, below the matrices that they come from."""
    if page.settings.num_heads == 1:
        yield blocks.control(scene.alone)
        yield blocks.picture(_one_head)
        return
    yield blocks.control(_above, follows="released")
    yield blocks.picture(_picture)
    yield blocks.aside(_below)


def _one_head(page: Page) -> None:
    names = ["x", "w_q", "w_k"]
    matrices = [*(inputs.matrix(page, name) for name in names), steps.of(page)["weights"]]
    placing.draw(page, "heads", matrices, [Grid([names]), Flow(["weights"])])


def _picture(page: Page) -> None:
    computation, other = steps.of(page), other_head(page)
    matrices, layout = _figure(page, computation, other)
    said = [Passage("", [most_different(page, "overview.most_different", "overview.alike")])]
    placing.draw(page, "heads", matrices, layout, on_pick=choices.choose_head, fit=True, passages=said)


def other_head(page: Page) -> int:
    """The head that the shown one is compared with: the chosen one, or the next where that is the shown."""
    wanted = min(page.look.other, page.settings.num_heads - 1)
    return wanted if wanted != page.head else (page.head + 1) % page.settings.num_heads


def _above(page: Page) -> None:
    """What the example shows, or the way to it; and with more than two heads, which is compared."""
    settings, t = page.settings, page.t
    with blocks.for_readers("example"):
        if has_two_jobs(settings):
            say.markdown(t("overview.jobs"))
        elif wants_two_things(settings):
            say.markdown(t("overview.wants", **_wants(page)))
        else:
            scene.two_jobs(page, type="tertiary")
    if settings.num_heads > 2:
        others = [head for head in range(settings.num_heads) if head != page.head]
        page.choose("other", others, lambda head: str(head + 1), value=other_head(page))


def _below(page: Page) -> None:
    say.markdown(page.t.joined([page.t("overview.compare"), page.t("overview.summary")]))
    if page.settings.kv_heads == page.settings.num_heads:
        say.sentence(page.t("overview.cost", **_cost(page.settings)))


def has_two_jobs(settings: Settings) -> bool:
    """Whether the numbers still do what the example's text says: over half of each weight goes there."""
    if family(settings.example) != "two_jobs" or settings.num_heads != 2:
        return False
    weights, n = trace_of(settings).heads.weights, len(settings.tokens)
    previous = all(weights[0, row, max(row - 1, 0)] > 0.5 for row in range(n))
    same = [[col for col in range(n) if settings.tokens[col] == token] for token in settings.tokens]
    return previous and all(weights[1, row, cols].sum() > 0.5 for row, cols in enumerate(same))


def wants_two_things(settings: Settings) -> bool:
    """Whether the third word still attends most to the first one in head 1, to the last one in head 2.

    One head alone could give both so much if their sum were not above 1.
    """
    if settings.example not in SENTENCE or settings.num_heads != 2 or len(settings.tokens) != 4:
        return False
    first, second = trace_of(settings).heads.weights[:, 2].tolist()
    return (winners.winner(first), winners.winner(second)) == (0, 3) and first[0] + second[3] > 1


def _wants(page: Page) -> dict[str, str]:
    """The words of the sentence, and the weights of the third in both heads."""
    animal, _, it, tired = page.tokens
    first, second = trace_of(page.settings).heads.weights[:, 2].tolist()
    weights = {"first": short(first[0]), "second": short(second[3])}
    return {"animal": animal, "it": it, "tired": tired} | weights


def heads_and_one(settings: Settings) -> tuple[Sizes, Sizes]:
    """The learner's heads, with keys and values of their own; and one head that is as wide as all of them."""
    h = settings.num_heads
    several = Sizes(len(settings.tokens), settings.d_model, h, settings.head_dim, settings.value_dim)
    return several, replace(
        several, num_heads=1, head_dim=h * settings.head_dim, value_dim=h * settings.value_dim
    )


def _cost(settings: Settings) -> dict[str, int]:
    """Multiply–adds of the heads, which one wide head has as well, and the exponentials of both."""
    several, single = heads_and_one(settings)
    projections, mixing = projections_and_mixing(several)
    exponentials = {"exponentials": several.num_heads * several.n**2, "single": single.n**2}
    return {"heads": settings.num_heads, "projections": projections, "mixing": mixing, **exponentials}


def _figure(page: Page, computation: Steps, other: int) -> tuple[list[Matrix], list[Grid | Flow]]:
    """X, W_Q and W_K; below them two heads compared, and what all of them have in common."""
    heads = computation.trace.heads.weights
    thumbnails = computation.thumbnails() if page.settings.num_heads > 2 else []
    ids = [thumbnail.id for thumbnail in thumbnails]
    axes = page.axes
    recipe = [_softmax(computation, head) for head in (page.head, other)]
    first = scene.weights(
        computation, "first", f"A_{page.head + 1}", heads[page.head], recipe=recipe[0], **axes
    )
    axes = {"col_axis": axes["col_axis"]}
    second = scene.weights(computation, "second", f"A_{other + 1}", heads[other], recipe=recipe[1], **axes)
    title = f"{first.title} − {second.title}"
    values, of = heads[page.head] - heads[other], ("first", "second")
    apart = scene.difference(computation, "difference", title, values, of, col_axis=axes["col_axis"])
    computed = [first, second, apart, *_over_heads(computation, ids or [first.id, second.id])]
    names = ["x", "w_q", "w_k"]
    matrices = [*(inputs.matrix(page, name) for name in names), *thumbnails, *computed]
    layout: list[Grid | Flow] = [Grid([names]), Flow([matrix.id for matrix in computed])]
    if ids:
        layout.insert(1, Flow([Group(ids, page.t("overview.heads"), page.t("steps.click_one"))]))
    return matrices, layout


def _softmax(computation: Steps, head: int) -> dict:
    """The arithmetic of one head's weights."""
    return softmax_of(needed(computation.trace.heads.masked_scores)[head].tolist())


def _over_heads(computation: Steps, ids: list[str]) -> list[Matrix]:
    """The mean and the maximum over all heads, each cell made of the same cell of every head."""
    heads, t = computation.trace.heads.weights, computation.t
    mean, maximum = heads.mean(dim=0), heads.amax(dim=0)
    recipes = {
        "mean": (mean, arithmetic.mean(list(heads), mean, ids)),
        "maximum": (maximum, arithmetic.largest(list(heads), maximum, ids)),
    }
    return [
        scene.weights(computation, name, t(f"overview.{name}"), values, col_axis=t("axis.key"), recipe=recipe)
        for name, (values, recipe) in recipes.items()
    ]


def most_different(page: Page, key: str, alike: str, **facts: Any) -> str:
    """The text `key` on the query where the two heads compared differ most; `alike` where they are equal."""
    t, heads, other = page.t, steps.of(page).trace.heads.weights, other_head(page)
    moved = total_variation(heads[page.head], heads[other]).tolist()
    facts |= {"first": page.head + 1, "second": other + 1}
    if max(moved) < ALIKE:
        return t(alike, **facts)
    shares = [scene.move_share(t, share) for share in moved]
    return winners.sentence(t, key, page.tokens, moved, shares, **facts)
