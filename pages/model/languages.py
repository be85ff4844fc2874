"""The languages of the course: each is a row here, and its texts."""

from dataclasses import dataclass

SHORT_ENGLISH = ("cats eat fish", "I love cats", "little cats eat fish", "I love little cats")
SHORT_CHINESE = ("猫 吃 鱼", "我 爱 猫", "小 猫 吃 鱼", "我 爱 小 猫")


@dataclass(frozen=True)
class Language:
    """name: in the language itself; html: the page's `lang`; example: where a visit without a link begins.

    sentences: short ones, for exercises of three and of four tokens. The others join words and sentences.
    """

    code: str
    name: str
    html: str
    space: str  # between two sentences
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
