"""Where the claims of the lessons come from, with year and section."""

from pages.draw import say
from pages.draw.page import Page

# The key of each source's text, and its number at arXiv; None where it has none there.
SOURCES = {
    "bahdanau": "1409.0473",
    "luong": "1508.04025",
    "cheng": "1601.06733",
    "parikh": "1606.01933",
    "lin": "1703.03130",
    "vaswani": "1706.03762",
    "dong": "2103.03404",
    "dropout": None,
    "hinton": "1503.02531",
    "shazeer": "1911.02150",
    "ainslie": "2305.13245",
    "raffel": "1910.10683",
    "beltagy": "2004.05150",
    "su": "2104.09864",
    "press": "2108.12409",
    "milakov": "1805.02867",
    "dao": "2205.14135",
    "dao_second": "2307.08691",
    "henry": "2010.04245",
    "gemma_second": "2408.00118",
    "gemma_third": "2503.19786",
    "yang": "2505.09388",
    "kingma": "1412.6980",
    "jain": "1902.10186",
    "wiegreffe": "1908.04626",
    "serrano": "1906.03731",
    "kobayashi": "2004.10102",
    "clark": "1906.04341",
    "michel": "1905.10650",
    "elhage": None,
    "olsson": "2209.11895",
    "wang": "2002.10957",
    "levesque": None,
    "devlin": "1810.04805",
    "radford": None,
    "brown": "2005.14165",
    "chowdhery": "2204.02311",
    "touvron": "2307.09288",
    "jiang": "2310.06825",
    "dubey": "2407.21783",
    "katharopoulos": "2006.16236",
    "miller": None,
    "deepseek_second": "2405.04434",
    "deepseek_third": "2412.19437",
    "openai": "2508.10925",
}


def draw(page: Page) -> None:
    """The sources, in the order of their subject."""
    say.markdown(page.t("teachers.sources"))
    say.markdown(
        "\n".join(f"- {page.t(f'source.{name}')} {_link(number)}" for name, number in SOURCES.items())
    )


def _link(number: str | None) -> str:
    return "" if number is None else f"[arXiv:{number}](https://arxiv.org/abs/{number})"
