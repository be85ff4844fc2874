"""Plain modern English: words that nobody says today are refused wherever people read, with a better one.

Paragraphs are short: a long one is a list. First comes why a number matters, then the number.
"""

import re

import pytest

from pages.draw import texts
from pages.model.languages import LANGUAGES
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


def refused(wording: str, lines: list[tuple[str, str]]) -> list[str]:
    word = re.compile(rf"\b({wording})\b(?!-)", re.IGNORECASE)
    return [f"{place}: {line.strip()}" for place, line in lines if word.search(line)]


def test_no_text_has_a_word_that_was_replaced():
    lines = [(place, line) for place, line in written() if "test_wording" not in place]
    words = {wording: places for wording in INSTEAD if (places := refused(wording, lines))}
    assert words == {}, "instead: " + "; ".join(INSTEAD[wording] for wording in words)
    kinds = {place.partition(":")[0].rpartition(".")[2] for place, _ in lines}
    assert {"py", "js", "css", "toml", "md"} <= kinds


def test_such_a_word_is_found():
    lines = [("a", "It is mended"), ("b", "Recommend it"), ("c", "it stands for"), ("d", "we understand")]
    assert [line[0] for wording in INSTEAD for line in refused(wording, lines)] == ["a", "c"]


# ---- what is wrong with a text, by the name of the rule

FOLDERS = [texts.SHARED, texts.SHARED / "glossary", *(texts.LESSONS / one for one in (*LESSONS, *REFERENCE))]

# A shade that is light on a light page may be dark on a dark one. The words that are left are true on both.
SHADES = {
    "en": re.compile(r"\b(gr[ae]y|pale|bright|red|white|(light|dark)(?=:| cells?))\b", re.I),
    "zh": re.compile("灰色|浅色|深色：|颜色浅|颜色深|红色|白色|亮色|暗色"),
}
# Anyone can make a link or open a vote: the screens that come of it name no teacher.
TEACHER = {"en": re.compile("teacher", re.I), "zh": re.compile("教师(?!的教案)|老师")}
# A limit, or a condition in the words of a proof, in place of what the number shows.
DECODED = {
    "en": re.compile(r"(differs?|changes?)\b[^.:]* by at most|exactly (if|when)|nearer to the median"),
    "zh": re.compile("最多(相差|改变|偏差)|当且仅当|接近中位数"),
}
MOST = {"en": (90, re.compile(r"[^\W\d_](?:[\w’'-]*\w)?")), "zh": (300, re.compile("[\u4e00-\u9fff]"))}
LONGEST = {"en": 25, "zh": 45}  # words, characters of a sentence
# A formula, code, a link's target, and an option in braces are no words of the sentence.
NO_WORDS = re.compile(r"```.*?```|\$[^$]*\$|`[^`]*`|\]\([^)]*\)|\{[a-z_]+:[^}]*\}", re.S)
SENTENCE = {"en": re.compile(r"(?<=[.!?])\s+|\n|\|"), "zh": re.compile(r"[。！？；\n|]")}
WORDS = {"en": re.compile(r"[\w’'{}%.√-]+"), "zh": re.compile(r"[\u4e00-\u9fff]|[\w{}]+")}
# A token of the sentence of the course, or a value that may be one: here the sentence has no other “it”.
TOKENS = "animal|best|first|it|key|last|name|nearest|other|query|row|second|token|wanted|word"
TOKEN = re.compile(rf"“(?:it|它|\{{(?:{TOKENS})\}})”")
PRONOUN = {"en": re.compile(r"(?<!-)\b(it|its|itself)\b", re.IGNORECASE), "zh": re.compile("它")}


def long(text: str, language: str) -> list[str]:
    """The paragraphs and the items of lists that have more words than one reads in a breath."""
    most, word = MOST[language]
    text = re.sub(r"```.*?```|(?<=\])\([^)]*\)", "", text, flags=re.DOTALL)  # no code, no targets of links
    passages = re.split(r"\n\s*(?:\n|- )", text)
    return [passage for passage in passages if len(word.findall(passage)) > most]


def read_twice(text: str, language: str) -> list[str]:
    """The sentences that are too long to be read once."""
    sentences = SENTENCE[language].split(NO_WORDS.sub("F", text))
    return [one for one in sentences if len(WORDS[language].findall(one)) > LONGEST[language]]


def with_pronoun(text: str, language: str) -> list[str]:
    """The sentences with a token and a pronoun outside of quotations: the token may be spelled like it."""
    sentences = [one for one in SENTENCE[language].split(text) if TOKEN.search(one)]
    return [one for one in sentences if PRONOUN[language].search(re.sub("“[^”]*”", "", one))]


RULES = {
    "a shade that changes with the theme": lambda text, language: SHADES[language].findall(text),
    "a teacher": lambda text, language: TEACHER[language].findall(text),
    "a long paragraph": long,
    "a long sentence": read_twice,
    "a number to be decoded": lambda text, language: DECODED[language].findall(text),
    "a pronoun next to a token of its spelling": with_pronoun,
}
FORMULAS = ("formula.rotated_query", "formula.rotated_key", "own.grammar")  # no sentences
# Rule → the keys, or the folder, that may break it.
EXCEPT = {"a teacher": ("for_teachers",), "a long sentence": FORMULAS}


@pytest.mark.parametrize("rule", RULES)
def test_no_text_has(rule):
    faults = {
        (folder.name, language, key): fault
        for folder in FOLDERS
        for language in LANGUAGES
        for key, text in texts.table(language, folder).items()
        if not {folder.name, key} & set(EXCEPT.get(rule, ())) and (fault := RULES[rule](text, language))
    }
    assert faults == {}


LONG = {"en": ("word ", 90, 25), "zh": ("字", 300, 45)}  # words of a paragraph, of a sentence


@pytest.mark.parametrize("language", LONG)
def test_what_is_long_is_found(language):
    word, paragraph, sentence = LONG[language]
    assert long(word * (paragraph + 1), language)
    assert not long("\n\n".join([word * paragraph] * 2), language)
    assert not long(f"- {word * paragraph}\n- {word * paragraph}", language)
    assert read_twice(word * (sentence + 1), language) and not read_twice(word * sentence, language)


def test_such_words_are_found():
    assert SHADES["en"].search("light: visible, dark: masked") and SHADES["zh"].search("浅色：可见")
    assert not SHADES["en"].search("The cells light up") and TEACHER["en"].search("Set up by your teacher")
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
