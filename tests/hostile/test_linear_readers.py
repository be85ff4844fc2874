"""Every reader of text takes a time that grows with the text's length, and no faster."""

import functools
import importlib
import inspect
import io
import json
import re
import zipfile
from collections.abc import Callable, Iterator

import pytest

from pages.model import files, handout
from pages.model.course import OF_SETTINGS
from pages.model.fields import specs, with_fields
from pages.model.reading import ReadTable
from pages.model.settings import Settings
from pages.model.state import State
from pages.model.view import Place, View
from pages.room.guesses import Guesses
from tests.hostile.damage import npy
from tests.hostile.expressions import Expression, accepted, expressions, modules, sources
from tests.hostile.growth import MARKS, Read, fault, hostile_texts
from tests.model.test_handout import packed
from tests.support.course import COURSE, from_query

SEEDS = 6


# ---- expressions


def marks_of(pattern: str) -> list[str]:
    """The characters that a pattern names."""
    return [c for c in dict.fromkeys(pattern) if not (c.isascii() and c.isalnum())]


def seeds_of(expression: Expression) -> list[str]:
    """Short texts that it matches, and the longest ones."""
    result = accepted(expression.pattern)
    return result[:SEEDS] + result[-2:]


@pytest.mark.exhaustive
@pytest.mark.parametrize("module", modules())
def test_every_expression_reads_each_character_once(module):
    for expression in expressions(module):
        seeds, marks = seeds_of(expression), marks_of(expression.pattern.pattern)
        texts = hostile_texts(seeds, marks, pairs=10)
        for use in sorted(expression.uses):
            assert fault(functools.partial(expression.apply, use), texts) is None, (str(expression), use)


def fault_of(pattern: str, use: str) -> str | None:
    expression = Expression("here", re.compile(pattern))
    texts = hostile_texts(seeds_of(expression), marks_of(pattern), pairs=10)
    return fault(functools.partial(expression.apply, use), texts)


@pytest.mark.parametrize(
    ("pattern", "use"),
    [
        (r"[0-9]+[.,]?[0-9]*", "fullmatch"),
        (r"name=<[^>]*>", "sub"),
        (r"\s*[:=]?\s*$", "match"),
        pytest.param(r"(\w+\s?)*", "fullmatch", marks=pytest.mark.slow),  # until the limit
    ],
)
def test_an_expression_that_reads_characters_again_is_found(pattern, use):
    assert fault_of(pattern, use) is not None


@pytest.mark.parametrize("pattern", [r"[0-9]+(?:[.,][0-9]*)?", r"name=<[^<>]*>", r"[\s,;]+"])
def test_an_expression_that_reads_each_character_once_is_not(pattern):
    assert fault_of(pattern, "sub") is None


# ---- functions


# A function of the app or the core that reads a visitor's text calls it by one of these names.
TEXTS = ("text", "entry", "data", "line", "typed")
# The other arguments of such functions.
ARGUMENTS = {
    "course": COURSE,
    "s": Settings(),
    "start": Settings().x,
    "guesses": Guesses(1_000),
    "index": 0,
    "language": "en",
    "limit": 1_000,
    "matrix": "x",
    "moment": 0.0,
    "name": "x",
    "names": ("x",),
    "room": (12, 16),
    "step": "scores",
    "table": ReadTable("x", "X", (("1", "2"), ("3", "4"))),
    "values": {},
    "words": b"one_head masks",
    "most": 100_000,
}
ELSEWHERE = {  # modules whose texts are no visitor's, or short before they come there
    "pages.draw.glossary": "40 characters, see pages.lessons.terms.settings",
    "attention.lab.real_heads.minilm": "400 characters, see pages.lessons.real_heads.settings",
    "pages.lessons.real_heads.texts": "400 characters, see pages.lessons.real_heads.settings",
    "pages.lessons.real_heads.own_pair": "400 characters, see pages.lessons.real_heads.settings",
    "pages.draw.say": "sentences of the app",
    "pages.ask.question_card": "sentences of the app",
    "pages.draw.component": "sentences of the app",
    "pages.draw.qr_code": "sentences of the app",
    "pages.lessons.train_a_head.train": "sentences of the app",
    "pages.lessons.two_layers.scene": "sentences of the app",
}
# What readers accept: a state, matrices, tokens, a worked example, a number.
STATE = files.write_state("one_head", State(), View(), Place())
SAMPLES = (
    STATE,
    "tensor([[1.0, -2e3], [0.5, 1/2]], dtype=torch.float64, grad_fn=<MulBackward0>)",
    ',a,b\nx,1,2\ny,3,"4"',
    "1;2,5\n3;4",
    "1 2\n3 4",
    "1-1_5_2-3_-1",
    "1_0.5__0.3_1.2",
    "p" + "A" * 16 + ".1.-1.2",
    "a\\,b,c",
    "soft_three:exps,swap:shown",
    "1-1,2-3",
    "weights,1,2",
    "-2√3/√(5)",
    "Q = [[1.0, 0.5], [0.5, 1.0]]\nscore(1, 2) = 0.5 (row 1)\n| a | 1.0 |\n|---|---|",
    "\\begin{pmatrix} 1 & \\frac{1}{2} \\end{pmatrix}",
)


def functions() -> Iterator[tuple[str, Callable]]:
    """The public functions of all modules that read a text, by their names."""
    for module in sources():
        for name, one in vars(importlib.import_module(module)).items() if module not in ELSEWHERE else ():
            one = inspect.unwrap(one) if callable(one) else one  # what is kept is read once
            public = inspect.isfunction(one) and one.__module__ == module and not name.startswith("_")
            if public and text_of(one):
                yield f"{module}.{name}", one


def text_of(function: Callable) -> str | None:
    """The name of the argument that is a text."""
    annotated = inspect.get_annotations(function)
    kinds = ("str", "bytes", "object", str, bytes, object)
    return next((name for name in TEXTS if annotated.get(name) in kinds), None)


def reading(function: Callable) -> Read:
    """Calls the function with a text; its other arguments are those of ARGUMENTS."""
    named = text_of(function)
    binary = inspect.get_annotations(function)[named] in ("bytes", bytes)
    needed = [
        one.name
        for one in inspect.signature(function).parameters.values()
        if one.default is one.empty and one.name != named
    ]
    unknown = set(needed) - set(ARGUMENTS)
    assert not unknown, (
        f"say in ARGUMENTS what {unknown} may be, or in ELSEWHERE why no visitor writes the text"
    )
    others = {name: ARGUMENTS[name] for name in needed}
    return lambda text: function(**others, **{named: text.encode(errors="replace") if binary else text})


def samples_of(module: str) -> list[str]:
    """What readers accept, and what the module's own expressions match."""
    own = [seed for one in expressions(module) for seed in seeds_of(one)]
    return [*SAMPLES, *own[:20]]


@pytest.mark.exhaustive
@pytest.mark.parametrize(("name", "function"), [pytest.param(*one, id=one[0]) for one in functions()])
def test_every_function_that_reads_a_text_is_linear(name, function):
    texts = hostile_texts(samples_of(function.__module__), MARKS, pairs=12)
    assert fault(reading(function), texts) is None


def test_the_readers_of_the_model_are_among_them():
    names = {name for name, _ in functions()}
    assert {
        "pages.model.entries.parse_number",
        "pages.model.files.read",
        "pages.model.handout.read",
        "pages.model.matrix_text.read_matrix",
        "pages.lessons.practice.your_code.read",
        "pages.lessons.worked_examples.documents.read",
        "pages.model.reading.read",
    } <= names
    assert set(ELSEWHERE) <= set(sources())


# ---- links


DECLARED = {spec.key for spec in specs(Settings).values()}
RECORDS = (Settings, View, Place, handout.Stop, *COURSE.numbers, *COURSE.looks)


@pytest.mark.exhaustive
@pytest.mark.parametrize("record", RECORDS, ids=lambda one: f"{one.__module__}.{one.__name__}")
def test_every_part_of_a_link_that_a_record_declares_is_linear(record):
    start = record()
    texts = hostile_texts(SAMPLES, MARKS[:8], pairs=0)
    for name, spec in specs(record).items():

        def read(text, name=name, spec=spec):
            with_fields(start, **{name: spec.read(text)})

        assert fault(read, texts) is None, name


@pytest.mark.exhaustive
@pytest.mark.parametrize("key", [key for key in OF_SETTINGS if key not in DECLARED])
def test_every_other_part_of_a_link_is_linear(key):
    texts = hostile_texts(SAMPLES[5:8], "_-.,\\1", pairs=4)
    assert fault(lambda text: from_query({key: text, "biases": "on"}), texts) is None


# ---- what is packed in something else


def zipped(text: str) -> bytes:
    """An archive with a member for each fifty characters, whose names repeat."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for at in range(0, min(len(text), 50_000), 50):
            archive.writestr(zipfile.ZipInfo(("x.npy", f"{at}.npy")[at % 100 == 0]), npy(text.encode()[:9]))
    return file.getvalue()


def state_with(value: object) -> bytes:
    return json.dumps({"format": "attention", "state": {"x": value}}).encode()


PACKED = {
    "header of an array": lambda text: files.read("a.npy", npy(text.encode()), "x"),
    "archive": lambda text: files.read("a.npz", zipped(text), "x"),
    "part of a state": lambda text: from_query(files.read_state(state_with(text))),
    "row of a state": lambda text: files.read_state(state_with([list(text)])),
    "column of a state": lambda text: files.read_state(state_with([[c] for c in text])),
    "keys of a state": lambda text: from_query(
        files.read_state(
            json.dumps({"format": "attention", "state": {text[i:]: "" for i in range(9)}}).encode()
        )
    ),
    "CSV": lambda text: files.read("a.csv", text.encode(), "x"),
    "plan": lambda text: from_query({"plan": packed(text.encode())}),
    "stop of a plan": lambda text: from_query({"plan": packed(f"\t\none_head\t{text}".encode())}),
    "names of a plan": lambda text: from_query({"plan": packed(f"\t\none_head\t\t{text}".encode())}),
}


@pytest.mark.exhaustive
@pytest.mark.filterwarnings("ignore:Duplicate name")  # the archive is made with them
@pytest.mark.parametrize("read", PACKED.values(), ids=PACKED)
def test_every_reader_of_something_packed_is_linear(read):
    texts = hostile_texts(SAMPLES[:3], ("\n", "\t", *MARKS), pairs=3)
    assert fault(read, texts) is None
