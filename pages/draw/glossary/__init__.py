"""The terms of the course: for the page that lists them, and the links of lessons (pages.draw.texts)."""

import difflib
from pathlib import Path

from pages.draw import say
from pages.model.languages import LANGUAGES

from ..texts import table
from .terms import TERMS, Term

HERE = Path(__file__).parent


def name(term: Term, language: str) -> str:
    return table(language, HERE)[f"name.{term.key}"]


def sentence(term: Term, language: str) -> str:
    """The meaning of the term, in one or two sentences."""
    return table(language, HERE)[f"says.{term.key}"]


def heading(term: Term, language: str) -> str:
    """The words for the term in all languages, the reader's first, without those that this one has in it."""
    own = name(term, language)
    others = [name(term, code) for code in LANGUAGES if code != language]
    return " · ".join([own, *(other for other in others if _ascii(other) not in _ascii(own))])


def _ascii(text: str) -> str:
    return text.translate(str.maketrans("（）", "()")).replace(" ", "")


def entry(term: Term, language: str) -> None:
    """The term in all languages, its symbol and shape, and its sentence."""
    facts = [f"${term.symbol}$"] if term.symbol else []
    facts += [term.shape] if term.shape else []
    say.markdown("\u2003".join([f"**{heading(term, language)}**", *facts]))
    say.markdown(sentence(term, language))


def formula(term: Term) -> None:
    """Its formula, if it has one."""
    if term.formula:
        say.markdown(f"$\\displaystyle {term.formula}$")


def matching(text: str) -> list[Term]:
    """The terms that have all words of the text, those that are called so first.

    A term has the words of its names, symbol and sentence, and other words for it (`also.<key>`).
    """
    words = text.casefold().split()
    terms = [term for term in TERMS if all(word in _searched(term) for word in words)]
    return sorted(terms, key=lambda term: _distance(" ".join(words), term)) if words else terms


def _distance(text: str, term: Term) -> int:
    """0 for the term of this name, 1 for another word for it, 2 if a name has the text in it, 3 otherwise."""
    names, others = [name.casefold() for name in _names(term)], _others(term)
    ranks = (text in names, text in others, any(text in name for name in (*names, *others)), True)
    return ranks.index(True)


def similar(text: str) -> list[Term]:
    """The terms whose names contain a similar word for each word of the text."""
    words = text.casefold().split()
    return [term for term in TERMS if all(_is_like(word, term) for word in words)]


def _is_like(word: str, term: Term) -> bool:
    """Whether a name has a similar word; in Chinese any part counts, with one wrong character."""
    names = " ".join(_names(term)).casefold()
    if word.isascii():
        parts, cutoff = names.split(), 0.75
    else:
        size = len(word)
        parts, cutoff = [names[i : i + size] for i in range(len(names))], max(size - 1, 1) / size
    return bool(difflib.get_close_matches(word, parts, n=1, cutoff=cutoff))


def _names(term: Term) -> list[str]:
    return [name(term, language) for language in LANGUAGES]


def _others(term: Term) -> list[str]:
    """Other words for the term, in all languages: for the search alone."""
    texts = [table(language, HERE).get(f"also.{term.key}", "") for language in LANGUAGES]
    return [word for text in texts for word in text.casefold().split(", ") if word]


def _searched(term: Term) -> str:
    sentences = [sentence(term, language) for language in LANGUAGES]
    return " ".join([*_names(term), *sentences, *_others(term), term.symbol, term.key]).casefold()
