"""Both languages say the same things, and the code asks for nothing else."""

import re
from pathlib import Path

import pytest

from pages.ui import texts
from pages.ui.entries import CODES, SettingsError
from pages.ui.messages import sentence

PAGES = Path(__file__).parents[2]
CODE = [*(PAGES / "pages").rglob("*.py"), PAGES / "app.py"]
FILES = sorted(path.stem for path in (texts.FOLDER / "en").glob("*.toml"))
# Keys of these sections are put together from a name (a step, a choice, an error's code).
DYNAMIC = re.compile(r'f[\'"](\w+\.)\{')


def all_keys(language: str) -> dict[str, str]:
    return {key: text for name in FILES for key, text in texts.table(language, name).items()}


def sections() -> set[str]:
    return {key.partition(".")[0] for key in all_keys("en")}


def test_both_languages_have_the_same_files():
    assert sorted(path.stem for path in (texts.FOLDER / "zh").glob("*.toml")) == FILES


@pytest.mark.parametrize("name", FILES)
def test_both_languages_have_the_same_keys_in_the_same_order(name):
    assert list(texts.table("en", name)) == list(texts.table("zh", name))


def placeholders(text: str) -> list[str]:
    return sorted(re.findall(r"(?<!\{)\{([a-z_]+)\}", re.sub(r"\\[a-z]+\{[a-z]+\}", "", text)))


@pytest.mark.parametrize("key", sorted(all_keys("en")))
def test_both_languages_have_the_same_placeholders(key):
    assert placeholders(all_keys("en")[key]) == placeholders(all_keys("zh")[key])


@pytest.mark.parametrize("key", sorted(all_keys("en")))
def test_both_languages_have_the_same_formulas(key):
    def formulas(text):
        return re.findall(r"\$[^$]+\$", text)

    assert formulas(all_keys("en")[key]) == formulas(all_keys("zh")[key])


def used() -> tuple[set[str], set[str]]:
    code = "\n".join(path.read_text("utf-8") for path in CODE)
    static = set(re.findall(rf"[\"']((?:{'|'.join(sections())})\.\w+)[\"']", code))
    static = {key for key in static if not key.endswith((".js", ".css", ".py"))}  # files, not keys
    return static, set(DYNAMIC.findall(code))


def test_every_key_that_the_code_names_exists():
    static, _ = used()
    assert static
    assert static <= set(all_keys("en"))


def test_every_key_is_used():
    static, prefixes = used()
    left = {key for key in all_keys("en") if key not in static and not key.startswith(tuple(prefixes))}
    assert {key for key in left if not key.startswith("editor.")} == set()


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize(("code", "facts"), CODES.items())
def test_every_refusal_is_said_with_its_own_facts(language, code, facts):
    assert set(placeholders(texts.Texts(language)(f"error.{code}"))) <= set(facts)


@pytest.mark.parametrize(("language", "label"), [("en", "Your own divisor"), ("zh", "自定的除数")])
def test_a_refusal_names_the_field_as_the_sidebar_does(language, label):
    problem = SettingsError("out_of_range", name="own_divisor", low=1, high=2, got=0)
    assert sentence(texts.Texts(language), problem).startswith(label)


def test_a_missing_key_raises():
    with pytest.raises(KeyError):
        texts.Texts("en")("no.such_key")


def test_a_value_with_braces_is_left_alone():
    t = texts.Texts("en", "one_head")
    assert (
        t("reading.most", query="{key}", key="{weight}", weight="1") == "{key} attends most to {weight} (1)."
    )


@pytest.mark.parametrize(
    "text", ["<b>x</b>", "**x**", "$x$", ":red[x]", "[a](b)", "`x`", "# x", "a_b_c", "\\"]
)
def test_literal_escapes_every_mark_of_markdown(text):
    shown = texts.literal(text)
    assert re.sub(r"\\(.)", r"\1", shown) == text
    assert not re.search(r"(?<!\\)[<*$:\[`#_]", re.sub(r"\\.", "", shown))
