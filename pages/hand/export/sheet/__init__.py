"""The worksheet as HTML: the inputs, the steps with blanks, and questions; and its answer key."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from pathlib import Path

import segno

from pages.draw import inputs, results, steps
from pages.draw.controls import MASKED_WORDS
from pages.draw.matrix import square
from pages.draw.numbers import entered
from pages.draw.page import Page
from pages.draw.steps import Steps
from pages.draw.texts import Texts
from pages.model.entries import parse_number
from pages.model.languages import LANGUAGES
from pages.model.settings import POSITION_NUMBERS
from pages.picture import Matrix, PanelStep, Passage

from .. import program
from ..program import Program
from .questions import SheetQuestion, questions_of
from .tables import COLUMNS, as_html, element, markup, of_head, tables

STYLE = (Path(__file__).parent / "sheet.css").read_text("utf-8")
LONGEST = 1200  # characters of a link; the QR code of a longer link cannot be read from paper
NARROW = 4  # columns of a table that leaves room for a second table
UPRIGHT = 10  # columns that fit an upright page with room for handwriting
MODULE = 0.5  # mm, the side of a QR code's dot
CODE = 34  # mm, the smallest side of a QR code


@dataclass(frozen=True)
class Paper:
    """What a sheet and its key are made of.

    names   of the rows, as the subject has them
    which   what the numbers are, and which head the steps are of
    steps   each with its matrix; None for masked scores without a mask
    like    the name of a step → the step of attention with which it is blank
    checks  of the numbers, on the key
    """

    page: Page
    names: str
    facts: Mapping[str, str]
    inputs: Sequence[Matrix]
    which: str
    steps: Sequence[tuple[PanelStep, Matrix | None]]
    like: Mapping[str, str]
    questions: Sequence[SheetQuestion]
    checks: Passage | None

    @property
    def t(self) -> Texts:
        return self.page.t


def paper_of(page: Page) -> Paper:
    """The lesson's own computation, or else that of the settings."""
    whole = program.of(page) or program.of_settings(page)
    return _of_program(page, whole) if whole.attention is None else _of_settings(whole.attention, whole.about)


def _of_settings(computation: Steps, about: str = "") -> Paper:
    t, names = computation.t, computation.t.listed(computation.queries)
    unmasked = computation.head.mask is None
    walk = [
        (step, None if unmasked and step.name == "masked_scores" else _matrix(computation, step.name))
        for step in computation.of_head.walk()
    ]
    return Paper(
        computation.page,
        f"{names} → {t.listed(computation.keys)}" if computation.cross else names,
        _facts(computation),
        list(_input_matrices(computation)),
        t.joined(filter(None, (about, _which_head(computation)))),
        walk,
        {step.name: step.name for step, _ in walk},
        questions_of(computation),
        None if computation.capped else results.checks(t, computation.head),  # PyTorch's has no cap
    )


def _of_program(page: Page, whole: Program) -> Paper:
    return Paper(
        page,
        page.t.listed(whole.tokens),
        whole.facts,
        [replace(matrix, id=name) for name, matrix in whole.inputs.items()],
        whole.about,
        [(step.panel, replace(step.matrix, id=step.panel.name)) for step in whole.steps],
        {step.panel.name: step.like for step in whole.steps},
        [SheetQuestion(as_html(text), element("p", as_html(answer))) for text, answer in whole.questions],
        None,
    )


def steps_of(choices: Collection[str], groups: Mapping[str, str]) -> frozenset[str]:
    """The steps of the chosen groups. groups: group → its first step; a group ends where the next begins."""
    firsts = {first: group for group, first in groups.items()}
    results, group = [], ""
    for name in steps.NAMES:
        group = firsts.get(name, group)
        results += [name] if group in choices else []
    return frozenset(results)


def document(page: Page, blank: frozenset[str], address: str) -> str:
    """The worksheet. blank: names of blank steps; address: the link, or ""."""
    paper = paper_of(page)
    return _file(paper, "sheet", _sheet(paper, blank, address))


def key(page: Page) -> str:
    """The answer key."""
    paper = paper_of(page)
    return _file(paper, "key", _key(paper))


def _file(paper: Paper, name: str, parts: Iterator[str]) -> str:
    """A page to print: the "sheet" or the "key"."""
    t = paper.t
    matrices = [*paper.inputs, *(matrix for _, matrix in paper.steps if matrix is not None)]
    wide = max(min(len(matrix.cols), COLUMNS) for matrix in matrices) > UPRIGHT
    heading = t("sheet.key" if name == "key" else "sheet.title")
    title = element("title", escape(f"{heading}: {t('lesson.title')}"))
    style = STYLE + ("@page { size: landscape; }" if wide else "")
    return (
        f'<!doctype html>\n<html lang="{LANGUAGES[t.language].html}"><head><meta charset="utf-8">'
        f'<meta name="viewport" content="width=device-width">{title}<style>{style}</style></head>\n'
        f'<body class="{"wide" if wide else "upright"}">'
        f'<p class="hint">{escape(t("sheet.hint"))}</p>'
        f"{element('main', ''.join(parts), id=name)}</body></html>\n"
    )


def _sheet(paper: Paper, blank: frozenset[str], address: str) -> Iterator[str]:
    t = paper.t
    yield _head(paper, address)
    yield _row(t("sheet.given"), _said(paper), map(_figure, paper.inputs), class_="row given")
    yield _note(t("sheet.rounded") if _are_rounded(paper.inputs) else "")
    yield _row(t("sheet.steps"), _note(paper.which, markup), _steps(paper, blank), class_="row")
    yield element("h2", escape(t("sheet.questions")))
    yield element("ol", "".join(map(_question, paper.questions)))


def _key(paper: Paper) -> Iterator[str]:
    """All numbers, the answers, and the checks of the numbers."""
    t, passage = paper.t, paper.checks
    yield element("h1", escape(t("sheet.key")))
    yield _note(_subject(paper)) + _note(t("sheet.computed"))
    yield element("div", "".join(_steps(paper, frozenset())), class_="row")
    yield element("h2", escape(t("sheet.questions")))
    answered = (element("li", f"<p>{question.text}</p>{question.answer}") for question in paper.questions)
    yield element("ol", "".join(answered))
    if passage is not None:
        yield element("h2", escape(passage.title))
        yield element("ul", "".join(element("li", as_html(line)) for line in passage.lines))


def _row(title: str, about: str, parts: Iterator[str], **attributes: str) -> str:
    """Parts side by side below a title, in one element, so that no page break separates the title."""
    return element("div", element("h2", escape(title)) + about + "".join(parts), **attributes)


def _which_head(computation: Steps) -> str:
    facts = {"head": computation.page.head + 1, "heads": computation.settings.num_heads}
    return computation.t("sheet.head", **facts) if computation.several else ""


def _note(text: str, write: Callable[[str], str] = as_html) -> str:
    return element("p", write(text), class_="note") if text else ""


# ---- the head of the sheet


def _head(paper: Paper, address: str) -> str:
    t = paper.t
    lines = [f"<span>{escape(t(f'sheet.{name}'))}<i></i></span>" for name in ("name", "date")]
    words = [
        element("h1", escape(t("sheet.title"))),
        element("p", as_html(_subject(paper)), class_="subject"),
        element("p", "".join(lines), class_="who"),
        element("p", escape(t("sheet.lead"))),
    ]
    return element("header", element("div", "".join(words)) + _code(t, address)) + _link(t, address)


def _subject(paper: Paper) -> str:
    """The lesson or the stop of the hour, and the tokens."""
    t, page = paper.t, paper.page
    stop = page.course.stop_at(page.lesson.name, page.part.name)
    name = t("lesson.title" if stop is None else f"stop.{stop.part}")
    return f"{name} · {paper.names}" if paper.names else name


def _code(t: Texts, address: str) -> str:
    """The link as a QR code, as large as its dots need."""
    if not 0 < len(address) <= LONGEST:
        return ""
    code = qr_code(address)
    side = max(CODE, round(code.symbol_size(border=4)[0] * MODULE))
    drawn = code.svg_inline(omitsize=True, border=4, svgclass="qr")
    return element("a", drawn, href=address, style=f"width:{side}mm", aria_label=t("sheet.open"))


def _link(t: Texts, address: str) -> str:
    """The link as text, or as a link to click if it is too long for a QR code."""
    if not address:
        return ""
    too_long = len(address) > LONGEST
    text = t("sheet.too_long", length=len(address)) if too_long else t("sheet.back")
    link = element("a", escape(t("sheet.open") if too_long else address), href=address)
    return element("p", f"{escape(text)} {link}", class_="link")


def qr_code(address: str) -> segno.QRCode:
    """A long text gets less error correction, so that its dots stay large."""
    return segno.make_qr(address, error="m" if len(address) <= 300 else "l")


# ---- inputs


def _input_matrices(computation: Steps) -> Iterator[Matrix]:
    """The inputs of the learner's computation: the columns of the shown head, and the mask."""
    first, *others = inputs.names(computation.settings)
    for name in (first, *(["y"] if computation.cross else []), *others):
        whole = inputs.matrix(computation.page, name)
        matrix = of_head(whole)
        if len(matrix.cols) < len(whole.cols):
            matrix = replace(matrix, title=inputs.title_of_head(computation.page, name))
        yield matrix
    for row in computation.rows.values():
        yield from (matrix for matrix in row.brings(computation) if matrix.kind != "mask")
    mask = computation.head.mask
    if mask is not None:
        yield square(computation.page, "mask", computation.t("sheet.mask"), mask, computation.keys)


def _are_rounded(sources: Sequence[Matrix]) -> bool:
    """Whether some input has more digits than the sheet shows."""
    numbers = (value for source in sources if source.editing for row in source.known for value in row)
    return any(parse_number(entered(value).replace("−", "-")) != value for value in numbers)


def _figure(matrix: Matrix) -> str:
    caption = element("figcaption", markup(matrix.title))
    return element("figure", caption + tables(matrix))


def _facts(computation: Steps) -> dict[str, str]:
    """The name of each size and switch → its value."""
    t, settings, page = computation.t, computation.settings, computation.page
    sizes = f"d_{{model}} = {settings.d_model}, d_k = {settings.head_dim}, d_v = {settings.value_dim}"
    facts = {"sheet.sizes": sizes}
    if computation.several:
        facts |= {"setting.num_heads": str(settings.num_heads), "setting.head": str(page.head + 1)}
        if settings.kv_heads < settings.num_heads:
            facts["setting.num_kv_heads"] = str(settings.kv_heads)
    facts["setting.scaling"] = t(f"scaling.{settings.scaling}")
    if settings.scaling == "own":
        facts["setting.own_divisor"] = computation.divisor()
    if computation.capped:
        facts["setting.softcap"] = f"{computation.cap:.7g}"
    facts |= _mask_facts(computation)
    if not computation.cross:
        facts["setting.position"] = t(f"position.{computation.position}")
        for field in POSITION_NUMBERS[computation.position]:
            facts[f"setting.{field}"] = f"{getattr(settings, field):.7g}"
    return {t(name): text for name, text in facts.items()}


def _said(paper: Paper) -> str:
    """The facts in a line."""
    colon = LANGUAGES[paper.t.language].colon
    parts = (f"<b>{escape(name)}</b>{colon}{markup(text)}" for name, text in paper.facts.items())
    return element("p", " · ".join(parts), class_="facts")


def _mask_facts(computation: Steps) -> dict[str, str]:
    t, settings = computation.t, computation.settings
    if computation.cross:
        facts = {"setting.cross_mask": t(f"mask.{settings.cross_mask}")}
    else:
        kinds = [t(f"mask.{settings.mask}")]
        if "none" not in (settings.mask, settings.mask_2):
            kinds += [t(f"combine.{settings.combine}"), t(f"mask.{settings.mask_2}")]
        facts = {"setting.mask": " ".join(kinds)}
    if computation.head.mask is not None:
        word = MASKED_WORDS[settings.masked_score]
        facts["setting.masked_score"] = t(f"masked_score.{word}")
    return facts


# ---- the steps


def _matrix(computation: Steps, name: str) -> Matrix:
    """A step's matrix: the shown head's, or all heads' where they are concatenated."""
    return computation[name] if name == "concatenated" else of_head(computation[name])


def _steps(paper: Paper, blank: frozenset[str]) -> Iterator[str]:
    """Each step's name, formula and table. Without a mask, the masked scores have a note and no table."""
    for number, (step, matrix) in enumerate(paper.steps, 1):
        formula, _, sizes = step.formula.partition("     ")
        sentences = [
            element("h3", f"{number}. {escape(step.title)}"),
            element("p", f"{markup(formula)} <span>{markup(sizes)}</span>", class_="formula"),
        ]
        extra = {}
        if matrix is None:
            sentences[1:] = [_note(step.why)]
        else:
            columns = _blank_columns(matrix, paper.like[step.name] in blank, blank)
            sums = paper.like[step.name] == "weights" and matrix.kind == "weights"
            sentences.append(tables(matrix, columns, sums=sums))
            if sums and columns:
                sentences.append(_note(paper.t("sheet.sum")))
            wide = len(matrix.cols) + sums > NARROW
            extra = {"class_": "full"} if wide else {}
        yield element("section", "".join(sentences), **extra)


def _blank_columns(matrix: Matrix, is_blank: bool, blank: frozenset[str]) -> range:
    """The blank columns. Of the concatenated heads, only the shown head's, which repeat its output."""
    if matrix.id == "concatenated":
        start, stop = matrix.look.marked or (0, 0)
        return range(start, stop) if blank & {"concatenated", "head_output"} else range(0)
    start = matrix.offset
    return range(start, start + len(matrix.cols)) if is_blank else range(0)


def _question(question: SheetQuestion) -> str:
    lines = "".join('<div class="line"></div>' for _ in range(2))
    return element("li", f"<p>{question.text}</p>{lines}")
