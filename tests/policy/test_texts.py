"""Both languages say the same things, and each lesson's code asks for just the keys that its texts have."""

import ast
import re
from collections.abc import Iterable
from pathlib import Path

import pytest

from attention import AttentionError
from attention.errors import CODES as CORE_CODES
from pages.draw import texts
from pages.draw.messages import sentence, translation
from pages.model import edits
from pages.model.course import Question
from pages.model.entries import CODES, SettingsError
from pages.model.examples import EXAMPLES
from pages.model.fields import specs
from pages.model.languages import LANGUAGES
from pages.model.settings import Settings
from pages.model.view import View
from tests.hostile import markup
from tests.support.course import COURSE, LESSONS, REFERENCE

PAGES = Path(texts.__file__).parents[1]
FOLDERS = {"shared": texts.SHARED} | {name: texts.LESSONS / name for name in (*LESSONS, *REFERENCE)}
every_folder = pytest.mark.parametrize("folder", FOLDERS.values(), ids=FOLDERS)


@every_folder
def test_both_languages_have_the_same_keys_in_the_same_order(folder):
    """The errors of the core apart: they have their English sentence from the core."""
    chinese = [key for key in texts.table("zh", folder) if not key.startswith("core.")]
    assert list(texts.table("en", folder)) == chinese


def test_every_error_of_the_core_is_translated_in_the_same_order():
    assert list(texts.Texts("zh").section("core")) == list(CORE_CODES)


@pytest.mark.parametrize("name", [name for name in FOLDERS if name != "shared"])
def test_a_lesson_shadows_no_shared_text(name):
    assert not set(texts.table("en", FOLDERS[name])) & set(texts.table("en", texts.SHARED))


def placeholders(text: str) -> set[str]:
    plain = re.sub(r"\\[a-z]+\{[a-z]+\}|\^\{|_\{[^}]*\}", "", text)  # without TeX and indices
    return set(re.findall(r"(?<!\{)\{([a-z_0-9]+)\}", plain))


def facts_of(text: str) -> tuple[list, list]:
    """Placeholders and formulas, in an order that the languages need not share."""
    return sorted(placeholders(text)), sorted(re.findall(r"\$[^$]+\$", text))


@every_folder
def test_both_languages_have_the_same_placeholders_and_formulas(folder):
    english, chinese = texts.table("en", folder), texts.table("zh", folder)
    assert [key for key in english if facts_of(english[key]) != facts_of(chinese[key])] == []


def asked_for(files: Iterable[Path]) -> tuple[set[str], set[str]]:
    """The keys that the code names, and the beginnings of those that it puts together."""
    whole, parts, beginnings = set(), set(), set()
    for path in files:
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                whole.add(node.value)
            if isinstance(node, ast.JoinedStr) and isinstance(node.values[0], ast.Constant):
                beginnings.add(node.values[0].value)
                parts |= {one.value for one in node.values if isinstance(one, ast.Constant)}
    return whole - parts, {beginning for beginning in beginnings if re.match(r"\w+\.", beginning)}


def is_named(key: str, whole: set[str]) -> bool:
    """Whether the code names it, the winner whose tie it is (pages/draw/winners.py), or the button that it
    explains (see say.button)."""
    return {key, key.removesuffix("_tie"), key.removesuffix("_help")} & whole != set()


def sections(folder: Path) -> set[str]:
    return {key.partition(".")[0] for key in texts.table("en", folder)}


@pytest.mark.parametrize("name", [name for name in FOLDERS if name != "shared"])
def test_a_lesson_s_code_asks_for_its_texts_and_no_others(name):
    folder = FOLDERS[name]
    whole, beginnings = asked_for(folder.rglob("*.py"))
    own, shared = set(texts.table("en", folder)), set(texts.table("en", texts.SHARED))
    ours = sections(folder) | sections(texts.SHARED)
    named = {key for key in whole if re.fullmatch(r"\w+\.\w+", key) and key.partition(".")[0] in ours}
    assert named <= own | shared, "the code names a key that is nowhere"
    # What shared code puts together from a name: what the course declares, plots, controls and programs.
    by_name = ("missing.", "title.", "why.", "setting.", "help.", "stop.", "program.", "program_why.")
    declared = COURSE.texts[name]
    asked = {key for key in own if is_named(key, whole) or key in declared}
    unused = {key for key in own - asked if not key.startswith((*beginnings, *by_name))}
    assert unused == set(), "nobody asks for these texts"


def test_every_shared_text_is_used():
    whole, beginnings = asked_for([*PAGES.rglob("*.py"), PAGES.parent / "app.py"])
    by_section = ("picture.", "gloss.", "presenting.")
    left = {key for key in texts.table("en", texts.SHARED) if not is_named(key, whole)}
    assert {key for key in left if not key.startswith((*beginnings, *by_section))} == set()


def test_a_course_that_lacks_texts_is_told_which_and_where():
    """When it is built: see pages/shell/course.py."""
    texts.check(COURSE.texts)
    question = Question("swap_again", ("rows", "same", "3"), "rows")
    with pytest.raises(ValueError) as error:
        texts.check({"order": (*question.texts, "ask.order_slope")})
    needed = [
        *("swap_again in [ask]", "swap_again in [short]", "swap_again_rows in [option]"),
        *("swap_again_same in [option]", "swap_again_rows in [because]", "swap_again_same in [because]"),
        "swap_again_3 in [because]",
    ]
    files = [f"pages/lessons/order/{language}.toml" for language in LANGUAGES]
    assert str(error.value).splitlines() == [
        "texts are missing:",
        *(f"  {file} needs {text}" for file in files for text in needed),
    ]
    assert all((PAGES.parent / file).is_file() for file in files)


@pytest.mark.parametrize(
    ("question", "texts"),
    [
        (Question("q", ("a", "b"), "a", own_words=True), ("because.q_a", "because.q_b")),
        (Question("q"), ()),
        (Question("q", kind="number"), ("because.q",)),
    ],
)
def test_what_the_part_says_itself_needs_no_text(question, texts):
    assert question.texts == ("ask.q", "short.q", *texts)


NAMES = "((?:“[^“”]*”(?:, | and |、|和)?)+)"
NAMED = {
    "lesson.title": re.compile(rf"lessons? {NAMES}|{NAMES}[一两三]课"),
    "part": re.compile(rf"parts? {NAMES}|{NAMES}这一?部分"),
}


def names_of(kind: str, text: str) -> list[str]:
    """What a text calls the title of a lesson, or a part; not what is filled in."""
    results = [
        name for names in NAMED[kind].findall(text) for name in re.findall("“([^“”]*)”", "".join(names))
    ]
    return [name for name in results if "{" not in name]


def test_names_of_lessons_are_found():
    assert names_of("lesson.title", "the lessons “A”, “B” and “C”; the part “D”, “E”") == ["A", "B", "C"]
    assert names_of("lesson.title", "“甲”“乙”和“丙”三课；“丁”") == ["甲", "乙", "丙"]


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("lesson", [None, *LESSONS, *REFERENCE])
def test_a_lesson_and_a_part_are_called_by_their_names(lesson, language):
    titles = {texts.Texts(language, name)("lesson.title") for name in (*LESSONS, *REFERENCE)}
    t = texts.Texts(language, lesson)
    known = {"lesson.title": titles, "part": set(t.section("part").values())}
    folder = texts.SHARED if lesson is None else texts.LESSONS / lesson
    for key, text in texts.table(language, folder).items():
        for kind, names in known.items():
            assert set(names_of(kind, text)) <= names, key


@every_folder
@pytest.mark.parametrize(
    ("language", "point", "tap"), [("en", "point at a", " tap "), ("zh", "指针|指向.{0,9}单元格", "点按")]
)
def test_who_is_told_to_point_at_something_is_told_to_tap_it(folder, language, point, tap):
    """A phone has no pointer: the same text says it, or the one that a touch screen has in its place."""
    sentences = texts.table(language, folder)
    pointed = [key for key, text in sentences.items() if re.search(point, text, re.IGNORECASE)]
    assert [
        key
        for key in pointed
        if tap not in f" {sentences[key]} {sentences.get(key.replace('point', 'tap'))} ".lower()
    ] == []


def test_chinese_tokens_of_the_examples_have_their_meaning_in_english():
    t = texts.Texts("en")
    tokens = {token for name in EXAMPLES for token in edits.example_start(name).tokens}
    assert [token for token in tokens if not token.isascii() and not t.gloss(token)] == []


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_control_has_a_label_and_a_help(language):
    labels, helps = {}, {}
    for name in (None, *LESSONS):
        t = texts.Texts(language, name)
        labels |= t.section("setting")
        helps |= t.section("help")
    assert set(labels) <= set(helps)
    assert all(helps[name].strip() for name in labels)
    chosen = {name for record in (Settings, View) for name in specs(record)}
    assert (
        chosen
        - set(labels)
        - {
            *("language", "answers", "plan", "stop", "presenting", "vote", "follows", "free", "blocked"),
            *("dimensions", "logits", "reversed", "off", "dropout_seed"),
        }
        == set()
    )


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize(("code", "facts"), CODES.items())
def test_every_refusal_is_said_with_its_own_facts(language, code, facts):
    text = texts.Texts(language)(f"error.{code}")
    assert placeholders(text) | {name for name, _ in texts.FORMS.findall(text)} <= set(facts)


@pytest.mark.parametrize(("code", "facts"), CORE_CODES.items())
def test_an_error_of_the_core_has_the_same_facts_in_translation(code, facts):
    template = texts.Texts("zh")(f"core.{code}")
    assert placeholders(template) == {*facts, "argument"}


def test_a_translated_error_has_its_facts_as_the_code_has_them():
    """Names in quotation marks, ∞ for no maximum, and every mark as it is."""
    chosen = AttentionError("unknown_choice", "outer", value="w_*", choices=("keys", "queries"))
    counted = AttentionError("out_of_range", "num_heads", value=0, minimum=1, maximum=None)
    matrices = [texts.plain(translation(texts.Texts("zh"), problem)) for problem in (chosen, counted)]
    assert matrices == [
        'outer：应为 "keys" | "queries" 之一，实际是 w_*。',
        "num_heads：应在 1 到 ∞ 之间，实际是 0。",
    ]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_refusal_names_the_field_as_the_toolbar_does(language):
    t = texts.Texts(language)
    problem = SettingsError("out_of_range", name="padding", low=1, high=2, got=0)
    assert sentence(t, problem).startswith(f"“{t('setting.padding')}”")


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("name", ["order", "cost", "flash_attention", "worked_examples"])
def test_every_line_of_a_summary_has_its_reason(name, language):
    reason = {"en": r"\b(because|since)\b", "zh": "因为"}[language]
    lines = texts.Texts(language, name).section("summary")
    apart = {"one"} if name == "order" else set()  # it has its reason in `summary.why`
    assert {key for key, line in lines.items() if not re.search(reason, line)} <= apart


@pytest.mark.parametrize(
    ("number", "sentence"),
    [(1, "1 token is"), (0, "0 tokens are"), ("1", "1 token is"), ("1,001", "1,001 tokens are"),
     ("1.0", "1.0 tokens are"), ("50%", "50% tokens are"), ("−1", "−1 token is")],
)  # fmt: skip
def test_nouns_and_verbs_agree_with_their_number(number, sentence):
    text = texts.agreeing("{n:token is|tokens are}", {"n": number}, "en")
    assert f"{number} {text}" == sentence


@every_folder
def test_each_noun_has_the_forms_of_its_language(folder):
    """English nouns have two forms; Chinese nouns have one, and so no forms are written."""
    two = {key: texts.FORMS.findall(text) for key, text in texts.table("en", folder).items()}
    assert {key for key, forms in two.items() if any(words.count("|") != 1 for _, words in forms)} == set()
    assert [key for key, text in texts.table("zh", folder).items() if texts.FORMS.search(text)] == []


@pytest.mark.parametrize(("language", "listed"), [("en", "“a”, “b”, and “c”"), ("zh", "“a”、“b”和“c”")])
def test_a_list_in_a_sentence_ends_with_a_conjunction(language, listed):
    assert texts.Texts(language).all_of(texts.quoted("abc")) == listed


def test_latin_names_in_a_chinese_list_have_their_space():
    assert texts.Texts("zh").all_of(["W_Q", "X", "掩码"]) == "W_Q、X 和掩码"


def test_a_label_in_quotation_marks_has_single_ones_inside():
    assert texts.nested("“it”: the animal") == "‘it’: the animal"


def test_a_missing_key_raises_and_says_where_it_should_be():
    places = "pages/lessons/order/zh.toml or pages/draw/zh.toml"
    with pytest.raises(KeyError, match=rf"{places} has no text no.such_key"):
        texts.Texts("zh", "order")("no.such_key")
    with pytest.raises(KeyError, match=r"^'pages/draw/en\.toml has no text no\.such_key'$"):
        texts.Texts("en")("no.such_key", count=1)


def test_a_value_with_braces_is_left_alone():
    t = texts.Texts("en")
    text = t("reading.most", query="{name}", name="{value}", value="1")
    assert text == "“{name}” attends most to “{value}” (1)."


@pytest.mark.parametrize(
    "text", ["<b>x</b>", "**x**", "$x$", ":red[x]", "[a](b)", "`x`", "# x", "a_b_c", "\\"]
)
def test_literal_escapes_every_mark_of_markdown(text):
    part = texts.literal(text).replace(texts.JOINER, "")
    assert re.sub(r"\\(.)", r"\1", part) == text
    assert not re.search(r"(?<!\\)[<*$:\[`#_]", re.sub(r"\\.", "", part))


@pytest.mark.parametrize("text", [*markup.NAMES, "我", "d_k", "3.5", "a: b", "a\\*"])
def test_what_a_visitor_typed_is_escaped_where_it_is_filled_in(text):
    """Also in lists; and a place that knows no Markdown shows it as typed."""
    t, name = texts.Texts("en"), texts.Name(text)
    filled = t("reading.most", query=name, name=t.listed([name, name]), value="**1**")
    view = texts.literal(text)
    assert filled == f"“{view}” attends most to “{view}, {view}” (**1**)."
    assert texts.plain(filled) == f"“{text}” attends most to “{text}, {text}” (**1**)."


@pytest.mark.parametrize("name", ["我", "hello", "cats₁", "don't", "naïve", "№ 5", "a, b"])
def test_a_usual_name_looks_as_before(name):
    assert texts.literal(name) == name
