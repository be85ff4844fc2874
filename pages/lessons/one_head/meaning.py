"""What attention is for: two stories in numbers made by hand; one word of each can be changed."""

from dataclasses import replace
from typing import Any

import streamlit as st

from attention.lab.weights.changes import moved_rows
from pages import session
from pages.ask import topics
from pages.ask.questions import ask
from pages.draw import charts, inputs, palette, placing, plots, positions, say, steps
from pages.draw.charts import SUPPORT, Axis, Chart, Plot
from pages.draw.numbers import short
from pages.draw.page import Page
from pages.draw.results import reading
from pages.draw.texts import quoted
from pages.model.compute import trace_of
from pages.model.edits import example_start
from pages.model.settings import Settings
from pages.model.stories import Story, is_open, start, story_in, with_word, word_of
from pages.picture import Arrow, Flow, Group, Matrix, softmax


def draw(page: Page) -> None:
    """One story: what it is about, its word, the picture, and how the output moves."""
    page = positions.without(page)
    row: dict[str, Any] = {"horizontal": True, "vertical_alignment": "center", "gap": "small"}
    controls = st.container(**row)
    with controls:
        name = topics.choose(page)
    story = story_in(page.t.language, name)
    own = is_open(story, page.settings)
    variant = page.unfollowed(None if own else start(story))
    known = name != "bank" or page.answer("bank_rows") is not None
    # What the numbers say is next to how the output moves, and the picture below has all the width.
    text, plot = st.columns((13, 7), gap="medium")
    with text:
        say.markdown(page.t(f"story.{name}"))
        if name == "bank":
            _ask(replace(variant, settings=start(story)))
        if known:
            say.result(_sentence(variant, story))
    with plot:
        if known:
            plots.draw(variant, "movement", [_movement(variant, name, story)], heading=False)
        else:
            plots.draw_before(
                variant, "movement", [_movement(replace(variant, settings=start(story)), name, story)]
            )
    if known:
        if name == "bank" and (page.shows or not session.is_folded("bank_rows")):
            _both_words(replace(variant, settings=start(story)))
            controls = st.container(**row)  # the word is right above what it changes
        with controls:
            _word(page, variant.settings, name, own)
        placing.draw(variant, f"story_{name}", *_figure(variant, name, story, editable=own))


def _ask(variant: Page) -> None:
    """Which rows of A change with the last word: asked before the word can be changed."""
    computation, x = steps.of(variant), _inputs(variant, editable=False)
    matrices = [x, computation["query"], computation["key"], computation["weights"]]
    ask(variant, "bank_rows", matrices=matrices, sources=[computation.find])


def _both_words(variant: Page) -> None:
    """The answer: A with the one last word and with the other; the rows that have changed are ringed."""
    story, t = story_in(variant.t.language, "bank"), variant.t
    first, second = story.words
    ends = {
        f"_{word}": steps.of(variant.unfollowed(with_word(variant.settings, story, word)))
        for word in story.words
    }
    before, after = ends.values()
    moved = moved_rows(before.head.weights, after.head.weights)
    ringed = [(row, col) for row in moved for col in range(len(variant.tokens))]
    matrices = []
    for end, result in ends.items():
        recipe = softmax(f"scaled_scores{end}")
        matrices += [
            result.second("scaled_scores", end),
            result.second("weights", end, recipe=recipe, ringed=ringed),
        ]
    ids = [matrix.id for matrix in matrices]
    groups = [Group(ids[at : at + 2], t(f"word.{word}")) for at, word in ((0, first), (2, second))]
    sources = [result.sources(end) for end, result in ends.items()]
    placing.draw(variant, "bank_after", matrices, [Flow([groups[0], Arrow(""), groups[1]])], sources=sources)


def _word(page: Page, settings: Settings, name: str, own: bool) -> None:
    """The word that can be changed, none where the learner wrote other numbers; and how to edit them all."""
    t, story = page.t, story_in(page.t.language, name)
    label = t(f"meaning.word_{name}")  # next to the choice, so that the row is low
    say.markdown(label, help=t("meaning.word_help"), width="content")
    st.segmented_control(
        label,
        list(story.words),
        label_visibility="collapsed",
        format_func=lambda option: t(f"word.{option}"),
        **session.bind_edit(
            "word",
            word_of(settings, story),
            lambda option: lambda settings: with_word(settings, story, str(option)),
            story.words,
            session.load,
        ),
    )
    st.button(
        t("meaning.open"),
        key="open_story",
        on_click=_open,
        args=(page, story, own),
        help=t("meaning.open_help"),
    )
    if not own:
        page.button(
            t("meaning.change"),
            "load_story",
            lambda settings: example_start(story.example),
            loads=True,
            help=t("meaning.change_help"),
        )


def _open(page: Page, story: Story, own: bool) -> None:
    """The story's numbers, as the learner's own, in the picture of the whole computation."""
    if not own:
        session.load(lambda settings: example_start(story.example))
    session.give_mine()
    page.go(part="picture")


def _inputs(variant: Page, *, editable: bool) -> Matrix:
    """X in the size that the story needs, in whole steps."""
    x = inputs.matrix(variant, "x").to_edit(grow=None, step=1.0)
    return x if editable else x.to_read()


def _figure(variant: Page, name: str, story: Story, *, editable: bool) -> tuple[list[Matrix], list[Flow]]:
    """X, the weight matrices, Q, K and V; and from the scores to A and the output.

    Ringed are the rows of A that are not as the story begins.
    """
    computation = steps.of(variant)
    first = trace_of(start(story)).head(0)
    moved = moved_rows(first.weights, computation.head.weights)
    ringed = [(row, col) for row in moved for col in range(len(variant.tokens))]
    outputs = variant.t(f"outputs.{name}").split(", ")
    way, _, weights = computation.short_way()
    matrices = [
        _inputs(variant, editable=editable),
        *(inputs.matrix(variant, name).to_read() for name in ("w_q", "w_k", "w_v")),
        computation["query"],
        computation["key"],
        replace(computation["value"], cols=outputs),
        *(matrix for matrix in computation.matrices() if matrix.id in way and matrix.id != "weights"),
        weights.looking(ringed=ringed),
        replace(computation["output"], cols=outputs),
    ]
    return matrices, [
        Flow(["x", "w_q", "w_k", "w_v", "query", "key", "value"]),
        Flow([*way, Arrow(f"· {computation.symbol('V')}"), "output"]),
    ]


def _sentence(variant: Page, story: Story) -> str:
    """Which key the story's token attends to most, its output, and which rows of A have changed."""
    t, head, names = variant.t, trace_of(variant.settings).head(0), variant.tokens
    moved = moved_rows(trace_of(start(story)).head(0).weights, head.weights)
    output = ", ".join(map(short, head.output[story.token].tolist()))
    rows = t.all_of(quoted(names[row] for row in moved))
    changed = t("meaning.changed" if moved else "meaning.unchanged", rows=rows)
    attends = reading(t, head, names, story.token)
    mixed = t("meaning.output", token=names[story.token], output=output)
    between = [t("meaning.between")] if head.weights[story.token].any() else []
    return t.joined([attends, mixed, *between, changed])


# ---- how the output moves


def _movement(variant: Page, name: str, story: Story) -> Chart:
    """The two numbers of the token's output, as the story begins and now, and the values that it mixes."""
    t, head = variant.t, trace_of(variant.settings).head(0)
    before = trace_of(start(story)).head(0).output[story.token].tolist()
    settings = head.output[story.token].tolist()
    columns = zip(*(row for _, row in _values(variant)), before, settings, strict=True)
    outputs = t(f"outputs.{name}").split(", ")
    x, y = (Axis(output, charts.reach(ends)) for output, ends in zip(outputs, columns, strict=True))
    colours = (palette.OTHERS, palette.SERIES[1], palette.SERIES[0])
    shapes = ("circle", "circle", "diamond")
    plot = Plot(x, y, title=t("title.movement"), used=colours, shapes=shapes, height=SUPPORT)
    xs, ys = zip(before, settings, strict=True)
    plot.curve("line", xs, ys, 2)
    token = variant.tokens[story.token]
    points = [(0, label, row) for label, row in _values(variant)]
    beginning = (1, t("point.before") if before != settings else "", before)
    for series, label, (across, up) in (*points, beginning, (2, f"O[{token}]", settings)):
        plot.mark("dot", across, up, series, sentence=label)
        plot.mark("label", across, up, text=label)
    return plot.chart()


def _values(variant: Page) -> list[tuple[str, list[float]]]:
    """The rows of V, each once; what is 0 gets no name."""
    rows = trace_of(variant.settings).head(0).value.tolist()
    results: dict[tuple[float, ...], str] = {}
    for token, row in zip(variant.tokens, rows, strict=True):
        results.setdefault(tuple(row), f"V[{token}]" if any(row) else "")
    return [(token, list(row)) for row, token in results.items()]
