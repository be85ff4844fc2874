"""Plain modern English: words that nobody says today are refused wherever people read, with a better one.

Paragraphs are short: a long one is a list.
"""

import re

import pytest

from pages.draw import texts
from tests.policy.prose import ROOT, written
from tests.support.course import LESSONS, REFERENCE

INSTEAD = {
    r"mend(s|ed|ing)?": "correct, solve",
    r"anew": "again",
    r"stand(s|ing)?|stood": "is, appears, represents",
    r"came": "got, is given, follows",
    r"usual (mistake|slip)s?": "common mistakes",
    r"who(m)?ever": "if you …, a person who",
    r"dearest": "slowest, most expensive",
    r"in size": "in absolute value",
    r"which nothing (en|as)sures": "but this is not guaranteed",
    r"nothing forbids": "… is possible",
    r"hand(s|ed|ing)? over": "pass",
    r"tak(e|es|en|ing) in|took in": "read",
    r"t(ell|ells|elling|old)( [\w’]+){0,4} apart": "distinguish",
    r"beside": "next to, in addition to, compared with",
    r"(a|the) study notes?|study note’s": "a lecture note",
}
LINES = [(place, line) for place, line in written() if "test_wording" not in place]


def refused(wording: str, lines: list[tuple[str, str]]) -> list[str]:
    word = re.compile(rf"\b({wording})\b(?!-)", re.IGNORECASE)
    return [f"{place}: {line.strip()}" for place, line in lines if word.search(line)]


@pytest.mark.parametrize("wording", INSTEAD)
def test_no_text_has_a_word_that_was_replaced(wording):
    assert refused(wording, LINES) == [], f"instead: {INSTEAD[wording]}"


def test_such_a_word_is_found_in_each_kind_of_file():
    kinds = {place.partition(":")[0].rpartition(".")[2] for place, _ in LINES}
    assert {"py", "js", "css", "toml", "md"} <= kinds
    lines = [("a", "It is mended"), ("b", "Recommend it"), ("c", "it stands for"), ("d", "we understand")]
    assert [line[0] for wording in INSTEAD for line in refused(wording, lines)] == ["a", "c"]


# ---- what is named by its look, and by whom

FOLDERS = [texts.SHARED, texts.SHARED / "glossary", *(texts.LESSONS / one for one in (*LESSONS, *REFERENCE))]

# A shade that is light on a light page may be dark on a dark one. The words that are left are true on both.
SHADES = {
    "en": re.compile(r"\b(gr[ae]y|pale|bright|red|white|(light|dark)(?=:| cells?))\b", re.I),
    "zh": re.compile("灰色|浅色|深色：|颜色浅|颜色深|红色|白色|亮色|暗色"),
}
# Anyone can make a link or open a vote: the screens that come of it name no teacher.
TEACHER = {"en": re.compile("teacher", re.I), "zh": re.compile("教师(?!的教案)|老师")}
OWN_PAGE = "for_teachers"


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_nothing_is_named_by_a_shade_that_changes_with_the_theme(folder, language):
    table = texts.table(language, folder)
    assert {key: text for key, text in table.items() if SHADES[language].search(text)} == {}


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_no_screen_but_their_own_page_names_a_teacher(folder, language):
    table = {} if folder.name == OWN_PAGE else texts.table(language, folder)
    assert {key: text for key, text in table.items() if TEACHER[language].search(text)} == {}


def test_such_words_are_found():
    assert SHADES["en"].search("light: visible, dark: masked") and SHADES["zh"].search("浅色：可见")
    assert not SHADES["en"].search("The cells light up") and TEACHER["en"].search("Set up by your teacher")


# ---- paragraphs

MOST = {"en": (90, re.compile(r"[^\W\d_](?:[\w’'-]*\w)?")), "zh": (300, re.compile("[\u4e00-\u9fff]"))}


def long(text: str, language: str) -> list[str]:
    """The paragraphs and the items of lists that have more words than one reads in a breath."""
    most, word = MOST[language]
    text = re.sub(r"```.*?```|(?<=\])\([^)]*\)", "", text, flags=re.DOTALL)  # no code, no targets of links
    passages = re.split(r"\n\s*(?:\n|- )", text)
    return [passage for passage in passages if len(word.findall(passage)) > most]


@pytest.mark.parametrize(("language", "word"), [("en", "word "), ("zh", "字")])
def test_a_long_paragraph_is_found(language, word):
    most = MOST[language][0]
    assert long(word * (most + 1), language)
    assert not long("\n\n".join([word * most] * 2), language)
    assert not long(f"- {word * most}\n- {word * most}", language)


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_no_paragraph_is_long(folder, language):
    encoding = {key: long(text, language) for key, text in texts.table(language, folder).items()}
    assert {key: passages for key, passages in encoding.items() if passages} == {}


# ---- sentences that are read once

LONGEST = {"en": 25, "zh": 45}  # words, characters
# A formula, code, a link's target, and an option in braces are no words of the sentence.
NO_WORDS = re.compile(r"```.*?```|\$[^$]*\$|`[^`]*`|\]\([^)]*\)|\{[a-z_]+:[^}]*\}", re.S)
SENTENCE = {"en": re.compile(r"(?<=[.!?])\s+|\n|\|"), "zh": re.compile(r"[。！？；\n|]")}
WORDS = {"en": re.compile(r"[\w’'{}%.√-]+"), "zh": re.compile(r"[\u4e00-\u9fff]|[\w{}]+")}
FORMULAS = ("formula.rotated_query", "formula.rotated_key", "own.grammar")  # no sentences


@pytest.mark.parametrize("language", LONGEST)
@pytest.mark.parametrize("folder", FOLDERS, ids=lambda one: one.name)
def test_a_sentence_is_short_enough_to_be_read_once(folder, language):
    table = texts.table(language, folder)
    sentences = [
        (key, sentence.strip())
        for key, text in table.items()
        if key not in FORMULAS
        for sentence in SENTENCE[language].split(NO_WORDS.sub("F", text))
    ]
    count = WORDS[language]
    assert [one for one in sentences if len(count.findall(one[1])) > LONGEST[language]] == []


# ---- first why it matters, then the number

# A limit, or a condition in the words of a proof, in place of what the number shows.
DECODED = {
    "en": re.compile(r"(differs?|changes?)\b[^.:]* by at most|exactly (if|when)|nearer to the median"),
    "zh": re.compile("最多(相差|改变|偏差)|当且仅当|接近中位数"),
}


@pytest.mark.parametrize("language", DECODED)
@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_no_number_has_to_be_decoded(folder, language):
    table = texts.table(language, folder)
    assert {key: text for key, text in table.items() if DECODED[language].search(text)} == {}


# ---- a pronoun and a token that may be spelled like it

# A token of the sentence of the course, or a value that may be one: here the sentence has no other “it”.
TOKENS = "animal|best|first|it|key|last|name|nearest|other|query|row|second|token|wanted|word"
TOKEN = re.compile(rf"“(?:it|它|\{{(?:{TOKENS})\}})”")
PRONOUN = {"en": re.compile(r"(?<!-)\b(it|its|itself)\b", re.IGNORECASE), "zh": re.compile("它")}


def with_pronoun(text: str, language: str) -> list[str]:
    """The sentences with a token and a pronoun outside of quotations."""
    sentences = [one for one in SENTENCE[language].split(text) if TOKEN.search(one)]
    return [one for one in sentences if PRONOUN[language].search(re.sub("“[^”]*”", "", one))]


@pytest.mark.parametrize("language", PRONOUN)
@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_no_pronoun_is_next_to_a_token_of_its_spelling(folder, language):
    table = texts.table(language, folder)
    assert {key: result for key, text in table.items() if (result := with_pronoun(text, language))} == {}


def test_such_a_pronoun_is_found():
    assert with_pronoun("“{query}” attends to its own key.", "en") and with_pronoun("“它”关注它自己。", "zh")
    assert not with_pronoun("“it” is a word. Its key is 0. “it” means the animal.", "en")


# ---- what explains is dark

PALE = re.compile(r"\.caption\(\s*(?:\w+\.)*t(?:\.joined)?\([^)]*?[\"']([\w.{}]+)[\"']")
# Names of texts that explain; the others are side facts: counts, sources, omissions, replacements.
EXPLAINS = re.compile(r"(?:^|[._])(?:why|lead|intro|how|parts|rule|summary)$|^not[.]|[.]path$")


def test_what_explains_is_no_caption():
    lessons = sorted((ROOT / "pages" / "lessons").rglob("*.py"))
    captions = [(path.name, key) for path in lessons for key in PALE.findall(path.read_text("utf-8"))]
    assert len(captions) > 30
    assert [caption for caption in captions if EXPLAINS.search(caption[1])] == []
