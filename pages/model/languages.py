"""The languages of the course: a row each, in addition to its texts."""

from dataclasses import dataclass

SHORT_ENGLISH = ("cats eat fish", "I love cats", "little cats eat fish", "I love little cats")
SHORT_CHINESE = ("猫 吃 鱼", "我 爱 猫", "小 猫 吃 鱼", "我 爱 小 猫")


@dataclass(frozen=True)
class Language:
    """A language. name: in the language itself; html: the page's `lang`; example: of a visit without a link.

    sentences: of three and of four tokens, for exercises. The other fields join words and sentences.
    """

    code: str
    name: str
    html: str
    space: str  # between two sentences, and between two words
    comma: str  # in a series
    semicolon: str  # in a series of items that have commas
    colon: str
    example: str = "tired"
    sentences: tuple[str, ...] = SHORT_ENGLISH


ROWS = (
    Language("en", "English", "en", " ", ", ", "; ", ": "),
    Language("zh", "中文", "zh-CN", "", "、", "；", "：", "tired_zh", SHORT_CHINESE),
)
LANGUAGES = {language.code: language for language in ROWS}
START = ROWS[0].code


def preferred(locale: str | None) -> str:
    """The course's language for a browser's locale, such as zh-Hant-TW."""
    code = (locale or "").lower().split("-")[0]
    return code if code in LANGUAGES else START
