"""What attention is for: two stories in numbers made by hand; one word of each can be changed."""

from dataclasses import replace

import streamlit as st

from attention.lab.weights.changes import moved_rows
from pages import session
from pages.ask import blocks, topics
from pages.ask.questions import ask
from pages.draw import charts, inputs, palette, placing, plots, positions, say, steps
from pages.draw.charts import SUPPORT, Axis, Chart, Plot
from pages.draw.numbers import short
from pages.draw.page import Page
from pages.draw.results import reading
from pages.draw.texts import quoted
from pages.model.compute import trace_of
from pages.model.edits import example_start
from pages.model.stories import Story, is_open, start, story_in, with_word, word_of
from pages.picture import Arrow, Flow, Group, Matrix, softmax


def draw(page: Page) -> blocks.Blocks:
    """One story: what it is about, its word, the picture, and how the output moves."""
    is_bank, presenting = page.topic.name == "bank", page.view.presenting
    yield blocks.aside(positions.without)
    if presenting:
        yield blocks.aside(topics.choose)
        yield blocks.text(f"story.{page.topic.name}")
    yield blocks.control(_choices, "top", follows="moved")
    if is_bank:
        yield replace(blocks.asking("bank_rows", _ask if presenting else _beside), follows="moved")
    elif not presenting:
        yield blocks.figure(_beside)
    if _has_both(page):
        yield blocks.picture(_both_words)
        yield blocks.control(_choices, "below", follows="moved")
    if presenting:
        yield blocks.chart("movement", _movement, heading=False)
        yield blocks.result(_sentence)
    yield blocks.picture(_figure)


def _is_known(page: Page) -> bool:
    return page.topic.name != "bank" or page.answer("bank_rows") is not None


def _has_both(page: Page) -> bool:
    """Whether A with the one last word and with the other are in sight."""
    return (
        page.topic.name == "bank" and _is_known(page) and (page.shows or not session.is_folded("bank_rows"))
    )


def _told(page: Page) -> tuple[Page, Story, bool]:
    """The page with the learner's numbers where they fit, or the story's own; the story; if they fit."""
    plain, story = positions.plainly(page), story_in(page.t.language, page.topic.name)
    own = is_open(story, plain.settings)
    return plain.unfollowed(None if own else start(story)), story, own


def _choices(page: Page, place: str) -> None:
    """The story; its word is right above what it changes."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        if place == "top" and not page.view.presenting:
            topics.choose(page)
        if _is_known(page) and (place == "below") == _has_both(page):
            _word(page)


def _beside(page: Page) -> bool:
    """What the numbers say, next to how the output moves: so the picture below has all the width."""
    text, plot = st.columns((13, 7), gap="medium")
    known, name = _is_known(page), page.topic.name
    with text:
        say.markdown(page.t(f"story.{name}"))
        if name == "bank":
            _ask(page)
        if known:
            say.result(_sentence(page))
    with plot:
        if known:
            plots.draw(page, "movement", _movement(page), heading=False)
        else:
            plots.draw_before(page, "movement", _movement(replace(page, settings=start(_told(page)[1]))))
    return known


def _ask(page: Page) -> bool:
    """Which rows of A change with the last word: asked before the word can be changed."""
    variant, story, _ = _told(page)
    variant = variant.unfollowed(start(story))
    computation, x = steps.of(variant), _inputs(variant, editable=False)
    matrices = [x, computation["query"], computation["key"], computation["weights"]]
    return ask(variant, "bank_rows", matrices=matrices, sources=[computation.find])


def _both_words(page: Page) -> None:
    """The answer: A with the one last word and with the other; the rows that have changed are ringed."""
    variant, story, _ = _told(page)
    t, (first, second) = page.t, story.words
    ends = {
        f"_{word}": steps.of(variant.unfollowed(with_word(start(story), story, word))) for word in story.words
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


def _word(page: Page) -> None:
    """The word that can be changed, none where the learner wrote other numbers; and how to edit them all."""
    t, (variant, story, own) = page.t, _told(page)
    label = t(f"meaning.word_{page.topic.name}")  # next to the choice, so that the row is low
    say.markdown(label, help=t("meaning.word_help"), width="content")
    st.segmented_control(
        label,
        list(story.words),
        label_visibility="collapsed",
        format_func=lambda option: t(f"word.{option}"),
        **session.bind_edit(
            "word",
            word_of(variant.settings, story),
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


def _figure(page: Page) -> None:
    """X, the weight matrices, Q, K and V; and from the scores to A and the output.

    Ringed are the rows of A that are not as the story begins.
    """
    variant, story, own = _told(page)
    computation = steps.of(variant)
    first = trace_of(start(story)).head(0)
    moved = moved_rows(first.weights, computation.head.weights)
    ringed = [(row, col) for row in moved for col in range(len(variant.tokens))]
    outputs = page.t(f"outputs.{page.topic.name}").split(", ")
    way, _, weights = computation.short_way()
    matrices = [
        _inputs(variant, editable=own),
        *(inputs.matrix(variant, name).to_read() for name in ("w_q", "w_k", "w_v")),
        computation["query"],
        computation["key"],
        replace(computation["value"], cols=outputs),
        *(matrix for matrix in computation.matrices() if matrix.id in way and matrix.id != "weights"),
        weights.looking(ringed=ringed),
        replace(computation["output"], cols=outputs),
    ]
    flows = [
        Flow(["x", "w_q", "w_k", "w_v", "query", "key", "value"]),
        Flow([*way, Arrow(f"· {computation.symbol('V')}"), "output"]),
    ]
    placing.draw(variant, f"story_{page.topic.name}", matrices, flows)


def _sentence(page: Page) -> str:
    """Which key the story's token attends to most, its output, and which rows of A have changed."""
    variant, story, _ = _told(page)
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


def _movement(page: Page) -> list[Chart]:
    """The two numbers of the token's output, as the story begins and now, and the values that it mixes."""
    variant, story, _ = _told(page)
    t, head = variant.t, trace_of(variant.settings).head(0)
    before = trace_of(start(story)).head(0).output[story.token].tolist()
    settings = head.output[story.token].tolist()
    columns = zip(*(row for _, row in _values(variant)), before, settings, strict=True)
    outputs = t(f"outputs.{page.topic.name}").split(", ")
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
    return [plot.chart()]


def _values(variant: Page) -> list[tuple[str, list[float]]]:
    """The rows of V, each once; what is 0 gets no name."""
    rows = trace_of(variant.settings).head(0).value.tolist()
    results: dict[tuple[float, ...], str] = {}
    for token, row in zip(variant.tokens, rows, strict=True):
        results.setdefault(tuple(row), f"V[{token}]" if any(row) else "")
    return [(token, list(row)) for row, token in results.items()]
