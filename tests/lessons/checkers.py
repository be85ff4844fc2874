"""What must hold of a page: for each a function, which yields the faults of a record.

@checker says of which kinds of states (see tests/support/example_states.py); without a kind, of all.
"""

import functools
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator

import altair as alt
from jsonschema import ValidationError

from pages.draw import say
from pages.draw.texts import Texts
from pages.model.course import Location
from tests.hostile import markup
from tests.lessons import sentences
from tests.support import recipe
from tests.support.chart_axes import unfilled
from tests.support.course import COURSE, LESSONS, PLACES, REFERENCE, lesson
from tests.support.elements import Element, figures, is_picture
from tests.support.example_states import CORES, DRAWN, LIMIT, MADE_UP, NAMES, ONE_EACH, START, TIES, TWO
from tests.support.questions import ASKED
from tests.support.record import Record

# The places that ask one question, at the start of the lesson.
_AT_START = [one for one in ASKED if one.place.step is None and one.name != "same"]
_QUESTIONS = Counter(Location(one.lesson, one.place.part, one.place.topic) for one in _AT_START)
ASKED_ALONE = {place for place, count in _QUESTIONS.items() if count == 1 and place in PLACES}

CHECKERS: dict[str, Callable[[Record], Iterator[str]]] = {}


def checker(
    *kinds: str,
    language: str | None = None,
    answered: bool | None = None,
    but: tuple[tuple[str, ...], ...] = (),
):
    """Puts a function into the table. but: lessons or parts that it does not hold for."""

    def put(check: Callable[[Record], Iterator[str]]) -> Callable[[Record], Iterator[str]]:
        def where_it_holds(one: Record) -> Iterator[str]:
            if (
                (not kinds or one.case.kind in kinds)
                and language in (None, one.language)
                and answered in (None, one.case.answer is not None)
                and not any(one.place[: len(place)] == place for place in but)
            ):
                yield from check(one)

        CHECKERS[check.__name__] = where_it_holds
        return where_it_holds

    return put


def faults(one: Record) -> list[str]:
    return [
        f"{one.language}, {one.case.name}: {name}: {fault}"
        for name, check in CHECKERS.items()
        for fault in check(one)
    ]


# ---- the page


@checker()
def runs_without_a_warning(one: Record) -> Iterator[str]:
    """A verdict is a warning too, and has an icon."""
    yield from one.faults
    yield from (alert.text for alert in one.of("warning") if not alert.fields.get("icon"))


@checker(START, answered=True, but=(("practice", "again"), ("for_teachers", "sources")))  # text
def shows_something(one: Record) -> Iterator[str]:
    if not any(_is_figure(element) or element.kind in SHOWN for element in one.elements if element.in_main):
        yield "neither a picture nor anything else"


SHOWN = {"vega_lite_chart", "code", "arrow_data_frame", "text_area", "page_link"}


def _is_figure(element: Element) -> bool:
    is_table = element.kind == "markdown" and element.text.startswith("| ")
    return is_table or is_picture(element) or element.kind == "vega_lite_chart"


@checker()
def has_its_title(one: Record) -> Iterator[str]:
    name, part, _ = one.place
    titles = one.texts("title") or [data["front"]["title"] for data in one.pictures]
    title = Texts(one.language, name)(f"stop.{part}" if COURSE.stop_at(name, part) else "lesson.title")
    if titles[:1] != [title]:
        yield f"{titles[:1]}, not {title!r}"


@checker(START)
def offers_its_topics(one: Record) -> Iterator[str]:
    """Before the answer there may be nothing to choose from."""
    name, part, _ = one.place
    t = Texts(one.language, name)
    topics = [say.with_formulas(t(f"topic.{topic.name}")) for topic in lesson(name).part(part).topics]
    options = {group.key: group.fields["options"] for group in one.of("button_group")}
    offered = [option["content"] for option in options.get("set_topic", ())]
    if offered != topics and (offered or one.case.answer):
        yield f"{offered}, not {topics}"


@checker()
def has_labels(one: Record) -> Iterator[str]:
    """A choice with a label that is seen, and a button without a word on it, have a help text."""
    for group in one.of("button_group"):
        is_seen = group.fields.get("label") and "value" not in group.fields.get("label_visibility", {})
        if is_seen and not group.fields.get("help"):
            yield f"the choice {group.key} has no help"
    for button in one.of("button"):
        if not re.search(r"\w", button.fields.get("label", "")) and not button.fields.get("help"):
            yield f"the button {button.key} has no label and no help"


@checker()
def links_stay_in_the_course(one: Record) -> Iterator[str]:
    yield from {link.fields.get("page", "") for link in one.of("page_link")} - {"", *LESSONS, *REFERENCE}


@checker(START, answered=False)
def a_hidden_chart_says_so(one: Record) -> Iterator[str]:
    """And nothing else does. With “Show me” see test_show_me.py."""
    ghost = Texts(one.language)("question.ghost")
    if (ghost in one.said) != any(chart.fields.get("alt") == ghost for chart in one.of("vega_lite_chart")):
        yield ghost


@checker(START)
def formulas_are_formulas(one: Record) -> Iterator[str]:
    """No W_Q that is not a formula."""
    texts = one.texts(*MARKDOWN) + [button.fields.get("label", "") for button in one.of("button")]
    yield from (text for text in texts if say.with_formulas(text) != text)


MARKDOWN = ("markdown", "caption", "info", "warning", "success")


def results(one: Record) -> list[str]:
    """The sentences in semibold that say what the numbers show."""
    bodies = (re.fullmatch(r'<p class="said result"[^>]*>(.*)</p>', body) for body in one.texts("html"))
    passages = (passage for data in one.pictures for passage in data["passages"])
    return [body[1] for body in bodies if body] + [p["lines"][0] for p in passages if not p["title"]]


@checker()
def says_one_result(one: Record) -> Iterator[str]:
    if len(results(one)) > 1:
        yield str(results(one))


@checker()
def shares_of_arcs_are_exact_or_rounded(one: Record) -> Iterator[str]:
    """They sum to 100 %, or are said to be rounded. A word of the weight 0 has no share, however small."""
    if one.place.lesson != "start" or one.case.kind == NAMES:
        return
    rounded = Texts(one.language, "start")("sentence.rounded")
    for arcs in (data["arcs"] for data in one.pictures):
        for weights, sentence in zip(arcs["weights"], arcs["sentences"], strict=True):
            small = sum(weight > 0 and f"{weight:.2f}" == "0.00" for weight in weights)
            counted = re.search(r"of (\d+) other|另有 (\d+) 个", sentence)
            shares, few = re.subn(r"less than 1 %|不到 1%", "", sentence)
            total = sum(map(int, re.findall(r"(\d+) ?%", shares)))
            told = int(counted[1] or counted[2]) if counted else few
            is_whole = not any(weights) or (total == 100 and not small)
            if told != small or is_whole == (rounded in sentence):
                yield sentence


@checker(START)
def clicks_do_something(one: Record) -> Iterator[str]:
    """Whatever can be clicked in a picture changes what is looked at, answered or set."""
    yield from (f"{pick}: {outcome}" for pick, outcome in one.clicks if outcome != "changed")


@checker(START)
def the_last_question_is_next_to_a_figure(one: Record) -> Iterator[str]:
    """The question at the end of a lesson has what it is about in its card."""
    name, part, _ = one.place
    end = lesson(name).ending
    cards = [i for i, element in enumerate(one.elements) if element.key == f"ask-{end}"]
    if end and part == lesson(name).last.name and not one.case.answer and not cards:
        yield f"{end} is not asked"
    for i in cards if end else ():
        depth, inside = one.elements[i].depth, one.elements[i + 1 :]
        length = next((n for n, below in enumerate(inside) if below.depth <= depth), len(inside))
        if not any(_is_figure(element) for element in inside[:length]):
            yield f"{end} has no figure"


@checker(MADE_UP)
def an_answer_that_a_link_made_up_is_not_right(one: Record) -> Iterator[str]:
    yield from one.texts("success")


# ---- numbers

# In some states their cells are rounded as libraries do, or too large for the arithmetic of the check.
ROUNDED = {("masks", "libraries"), ("one_head", "arrows")}
UNEXPLAINED = """\
Give the matrices of these cells a recipe: {cells}.
If nothing computes a matrix (a learner enters it, a question gives it), name it in GIVEN of
tests/support/recipe.py, at {place}."""


@checker(START, NAMES, ONE_EACH, TWO, CORES, TIES, LIMIT, MADE_UP)
def cells_follow(one: Record) -> Iterator[str]:
    """Each computed cell is what its recipe makes of its sources.

    Settings that are drawn may have a bias, which is in no matrix of the picture of *No looking ahead*.
    """
    if one.case.kind == START or one.place[:2] not in ROUNDED:
        for data in one.pictures:
            yield from recipe.faults_in(data, *one.place[:2])


@checker(START, TWO)
def cells_have_recipes(one: Record) -> Iterator[str]:
    name, part, topic = one.place
    cells = [cell for data in one.pictures for cell in recipe.unexplained(data, *one.place)]
    if cells:
        yield UNEXPLAINED.format(cells=", ".join(cells), place=(name, topic or part))


@checker(START, TWO, but=(("practice",), ("softmax", "stable")))  # rounded in a short format
def written_lines_add_up(one: Record) -> Iterator[str]:
    """A line of arithmetic gives its printed result on a calculator, to the last digit.

    A sentence has its arithmetic between words and after colons.
    """
    recipes = [matrix["recipe"] for data in one.pictures for matrix in data["matrices"]]
    rows = [row for made in recipes if made and made["op"] == "written" for row in made["texts"]]
    lines = [line for line in sentences.without_tags(one.said).splitlines() if " = " in line]
    parts = [part.strip().rstrip(".。") for line in lines for part in re.split("[:;,：；，] ?", line)]
    yield from sentences.miscalculated([text for row in rows for text in row] + parts)


# ---- charts

# Charts whose axes wait for what comes: before the training there is only its start.
WAITS = {*(("train_a_head", part) for part in ("train", "run", "optimiser"))}
WAITS |= {("two_layers", part) for part in ("one_layer", "train")}


SAVING = "attention_save"


@checker(START, answered=True, but=(("one_head",),))
def charts_are_saved_with_their_numbers(one: Record) -> Iterator[str]:
    menus = [part.data[0] for part in one.of("bidi_component") if part.fields["component_name"] == SAVING]
    files = {name for menu in menus for name, _ in menu.get("items", ())}
    if one.of("vega_lite_chart") and "csv" not in files:
        yield "no figure has a file with the numbers of its chart"


@checker(START)
def charts_are_valid(one: Record) -> Iterator[str]:
    for chart in one.of("vega_lite_chart"):
        spec = json.loads(chart.fields["spec"]) | {"data": {"name": "source"}}
        yield from _invalid(json.dumps(_structure(spec)))


def _structure(spec: object, key: str = "") -> object:
    """The specification without its texts and numbers: charts that differ in these are validated once."""
    if isinstance(spec, dict):
        return {key: _structure(value, key) for key, value in spec.items()}
    if isinstance(spec, list):
        values = [_structure(value, key) for value in spec]
        return [one for i, one in enumerate(values) if key == "layer" or one not in values[:i]]
    if isinstance(spec, str) and key in ("title", "text", "domain", "range", "description", "field"):
        return "text"
    return 1 if isinstance(spec, int | float) and not isinstance(spec, bool) else spec


@functools.cache
def _invalid(structure: str) -> tuple[str, ...]:
    try:
        alt.Chart.from_dict(json.loads(structure))
    except ValidationError as error:
        return (error.message,)
    return ()


@checker(START, answered=True)
def labels_are_at_one_point(one: Record) -> Iterator[str]:
    yield from (label for chart in one.of("vega_lite_chart") for label in ambiguous(chart.data))


def ambiguous(rows: list[dict]) -> list[str]:
    """The labels of a chart that are at several points."""
    labels = {(row["text"], row["x"], row["y"]) for row in rows if row.get("kind") == "label" and row["text"]}
    return [text for text, count in Counter(text for text, _, _ in labels).items() if count > 1]


@checker(START, answered=True, but=tuple(WAITS))
def axes_are_filled(one: Record) -> Iterator[str]:
    for chart in one.of("vega_lite_chart"):
        yield from unfilled(json.loads(chart.fields["spec"]), chart.data)


# ---- words


def _lines(one: Record) -> list[str]:
    return sentences.of(sentences.with_plain_names(one.said) if one.case.kind == NAMES else one.said)


REPEATS = ("softmax", "many_heads", "why_scale", "flash_attention")


@checker()
def words_are_whole(one: Record) -> Iterator[str]:
    """No placeholder, no raw number, no empty list. A score of a million has an exponent, and a number of a
    note is compared with one decimal more. Some texts repeat numbers of any settings as they are."""
    faults, lesson = sentences.broken(_lines(one)), one.place.lesson
    is_large = one.case.kind in (CORES, LIMIT) and "softmax" in one.place
    repeats = one.case.kind in (CORES, DRAWN) and lesson in REPEATS
    beyond = [
        *["raw exponent"] * is_large,
        *["more decimals"] * (lesson == "worked_examples" or repeats),
        *["reads like 0 or 1"] * repeats,
    ]
    yield from (fault for fault in faults if not any(name in fault for name in beyond))


READ = {"body", "label", "help", "content", "content_help"}  # what Streamlit reads as Markdown
# Forms that JavaScript fills, sources of charts, links, copies.
NOT_SHOWN = {"texts", "roles", "spec", "query_string", "latex"}


@checker(START)
def marks_are_read(one: Record) -> Iterator[str]:
    """No asterisk, TeX or placeholder is shown as written, on the page or in what opens over it."""
    for element in one.elements:
        if element.kind not in ("code", "html"):
            for name, text in _strings({"fields": element.fields, "data": element.data}):
                yield from sentences.raw_marks(text, is_markdown=name in READ)
    yield from (fault for text in one.texts("html") for fault in sentences.raw_marks(text, is_markdown=False))


def _strings(value: object, name: str = "") -> Iterator[tuple[str, str]]:
    """Every text of an element, and the name of its field."""
    if isinstance(value, str):
        yield name, value
    elif isinstance(value, dict):
        for key, one in value.items():
            if key not in NOT_SHOWN:
                yield from _strings(one, key)
    elif isinstance(value, list | tuple):
        for one in value:
            yield from _strings(one, name)


@checker(NAMES)
def names_are_text(one: Record) -> Iterator[str]:
    """What a visitor has typed is shown as typed: it becomes no markup."""
    yield from markup.faults(one.elements)


@checker(NAMES)
def names_are_quoted(one: Record) -> Iterator[str]:
    yield from sentences.unquoted(_lines(one))


@checker(ONE_EACH, language="en")
def nouns_agree_with_one(one: Record) -> Iterator[str]:
    yield from sentences.disagreeing(_lines(one))


@checker(TIES, but=sentences.OTHER_NUMBERS)
def nothing_wins_where_all_read_alike(one: Record) -> Iterator[str]:
    yield from sentences.named_winners(_lines(one), one.place.lesson, one.language)


@checker(language="zh")
def chinese_has_its_own_marks(one: Record) -> Iterator[str]:
    if one.case.kind != NAMES:
        yield from sentences.with_latin_marks(one.said)


@checker(START, language="zh", but=(("worked_examples",), ("practice",)))
def chinese_is_chinese(one: Record) -> Iterator[str]:
    """No line of four English words or more without a Chinese character."""
    for line in _lines(one):
        if re.fullmatch(r"[A-Za-z]+(?:[ ,]+[A-Za-z]+){3,}[^\u4e00-\u9fff]*", line.strip()):
            yield line


@checker(START)
def tokens_are_of_the_reader_s_language(one: Record) -> Iterator[str]:
    """Or the place says why it shows others."""
    matrices = [matrix for data in one.pictures for matrix in data["matrices"]]
    names = {str(n) for one in matrices for n in (*one["rows"], *one["cols"], *(one["tokens"] or ()))}
    if not sentences.is_foreign_place(one.place, one.language):
        yield from (name for name in names if sentences.is_foreign(name, one.language))


@checker(START, answered=True)
def links_to_terms_are_in_markdown_and_once(one: Record) -> Iterator[str]:
    links = sentences.linked_terms("\n".join(one.texts(*MARKDOWN)))
    yield from (f"twice: {term}" for term, count in Counter(links).items() if count > 1)
    others = [element for element in one.elements if element.kind not in (*MARKDOWN, "page_link")]
    for element in others:
        text = json.dumps([element.fields, element.data], ensure_ascii=False, default=str)
        if "terms?" in text or "term:" in text:
            yield f"in {element.kind} {element.key}"


# ---- two records of a place


def the_answer_shows_something(asked: Record, answered: Record) -> Iterator[str]:
    """In a place with one question; for others see test_answers_act.py."""
    if asked.place in ASKED_ALONE and not figures(answered.elements) - figures(asked.elements):
        yield f"{asked.language}: the answer shows nothing that was not there"
