"""A trained model: the head that does what was just trained, and what one fine sentence is worth."""

import functools
from typing import Any

from attention.lab.real_heads import pronouns, store
from attention.lab.real_heads.texts import PAIRS, TRIALS, Trial
from pages.ask import blocks, questions
from pages.draw import placing, say
from pages.draw.numbers import short
from pages.draw.page import Page
from pages.model.progress import Takeaway
from pages.picture import Matrix

from . import scene, texts, which_head
from .anecdote import star, weights_on
from .settings import HEADS, LAYERS

NOUNS = ("animal", "street")
SENTENCES = ("tired", "wide")


def draw(page: Page) -> blocks.Blocks:
    yield from blocks.topics(page, {"find": _find, "decide": _decide})


# ---- the head that does what was trained


def _find(page: Page) -> blocks.Blocks:
    """All heads; a click on one says how much of its weight is on the token before."""
    yield blocks.text("model.find", all=LAYERS * HEADS, layers=LAYERS, heads=HEADS)
    yield blocks.said(_found)
    yield blocks.aside(_own_text)
    yield blocks.figure(_all_heads)
    yield blocks.caption("model.special")


def _found(page: Page) -> str:
    """Whether the head that is looked at is one of those that are looked for."""
    layer, head = scene.head(page)
    verdict = "right" if which_head.does("previous", layer, head) else "wrong"
    facts = {"head": scene.head_name(page, layer, head), "sentences": which_head.sentences("previous")}
    return page.t(f"model.{verdict}", weight=_weight_before(page), **facts)


def _own_text(page: Page) -> None:
    """The sentence in the pictures, with its meaning, and the way to another one."""
    if texts.sentence_name(page.own, "tired") == "tired":
        say.caption(page.t("model.sentence", text=texts.shipped(page.t, "tired", "“”")))
    if not texts.MINILM.missing():
        texts.type_in(page)
    texts.explain_unread(page)


def _all_heads(page: Page) -> None:
    head = scene.head_name(page, *scene.head(page))
    before = page.t("model.before", head=head, weight=_weight_before(page))
    which_head.draw_all(page, texts.sentence_name(page.own, "tired"), before)


def _weight_before(page: Page) -> str:
    """The mean weight of the head that is looked at on the token before the query."""
    return which_head.share_text(which_head.weight_on("previous")[scene.head(page)].item())


# ---- the sentence of the course in a real head


def _decide(page: Page) -> blocks.Blocks:
    """The question; then the exchange of one word, and the same in other pairs of sentences."""
    yield blocks.asking("real_wide", _ask_wide)
    yield blocks.control(_choice)
    yield blocks.picture(_row)
    yield blocks.said(_sentence, _of_pairs)
    yield blocks.aside(_draw_pairs)


def _choice(page: Page) -> None:
    ends = functools.partial(_end_of, page)
    page.choose("sentence", SENTENCES, ends, value=shown_sentence(page))


def _row(page: Page) -> None:
    placing.draw(page, "decide", [_weights_of_it(page, shown_sentence(page))], fit=True)


def _end_of(page: Page, name: str) -> str:
    """The words in which both sentences differ, in a label that a phone has room for."""
    *_, was, too, word = store.sentences()[name].split()
    return f"… {was} {too} {texts.with_meaning(page.t, word)}"


def shown_sentence(page: Page) -> str:
    """One of the two sentences; the first where the lesson shows another one."""
    return page.own.sentence if page.own.sentence in SENTENCES and not page.own.typed else SENTENCES[0]


def wide_holds() -> dict[str, bool]:
    """Where that head has more weight for “wide”; alike: neither noun has twice as much as the other."""
    street, animal = (weights_on("wide", noun, star()) for noun in ("street", "animal"))
    more = {"street": street > 2 * animal, "animal": animal > 2 * street}
    return more | {"alike": not any(more.values())}


def _ask_wide(page: Page) -> bool:
    head = star()
    facts: dict[str, Any] = {
        "head": scene.head_name(page, *head),
        "weight": short(weights_on("tired", "animal", head)),
    }
    facts |= {noun: short(weights_on("wide", noun, head)) for noun in ("animal", "street")}
    facts |= {name: texts.shipped(page.t, name, "“”") for name in SENTENCES}

    def picture() -> None:
        whole, row = scene.large(page, "tired", head), store.load("tired").tokens.index("it")
        ringed = [(row, list(whole.cols).index(noun)) for noun in NOUNS]
        placing.draw(page, "star", [whole.looking(ringed=ringed)], fit=True)

    answer = questions.only(wide_holds())
    return questions.ask(page, "real_wide", picture, answer=answer, **facts)


def _weights_of_it(page: Page, name: str) -> Matrix:
    """The row of “it” in the head, with both nouns ringed."""
    row = scene.large(page, name, star(), query="it")
    return row.looking(ringed=[(0, list(row.cols).index(noun)) for noun in NOUNS])


def _sentence(page: Page) -> str:
    """What “it” gives to both nouns, in the sentence that is shown."""
    name = shown_sentence(page)
    facts = {noun: short(weights_on(name, noun, star())) for noun in NOUNS}
    return page.t(f"model.{name}", **facts)


# ---- the same in other sentences


def _draw_pairs(page: Page) -> None:
    """Each pair with its first sentence, and for both the noun with more weight and whether it is right."""
    header = [page.t(f"model.{name}") for name in ("pair", "first_word", "second_word")]
    say.table(header, [_of_pair(page, *pair) for pair in PAIRS])


def _of_pair(page: Page, first: Trial, second: Trial) -> list[str]:
    return [texts.shipped(page.t, first.name), _preferred(page, first), _preferred(page, second)]


def _preferred(page: Page, trial: Trial) -> str:
    """The word that decides, the noun with more weight, and a mark."""
    noun, mark = (trial.right, "✓") if pronouns.finds(trial)[star()] else (trial.wrong, "✗")
    return page.t("model.preferred", word=texts.with_meaning(page.t, trial.name), noun=noun, mark=mark)


def _of_pairs(page: Page) -> str:
    facts = {"sentences": len(TRIALS), "half": len(TRIALS) // 2, "pairs": len(PAIRS)}
    right = int(pronouns.verdicts().right[star()])
    return page.t("model.pairs", head=scene.head_name(page, *star()), right=right, **facts)


# ---- as a stop of the hour


def task(page: Page) -> bool:
    """“tired” is exchanged for “wide”."""
    return shown_sentence(page) == "wide"


def keep(page: Page) -> Takeaway:
    facts = {name: short(weights_on(name, "animal", star())) for name in SENTENCES}
    right = int(pronouns.verdicts().right[star()])
    return Takeaway({**facts, "right": str(right), "sentences": str(len(TRIALS))})
