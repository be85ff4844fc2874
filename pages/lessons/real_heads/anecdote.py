"""From one sentence to sixteen: what a head that was chosen by one sentence does in others."""

from typing import Any

from attention.lab.real_heads import pronouns, store
from attention.lab.real_heads.texts import NOTE_WEIGHTS, PAIRS, TRIALS
from pages import session
from pages.ask import blocks, questions
from pages.draw import placing, say
from pages.draw.numbers import confirmed, short
from pages.draw.page import Page
from pages.picture import Matrix, written

from . import own_pair, scene, texts, trials
from .settings import HEADS, LAYERS

ALL, MOST = LAYERS * HEADS, len(TRIALS)
BANDS = {"luck": (13, MOST), "more": (10, 12), "half": (7, 9), "fewer": (0, 6)}
TAILS = {"luck": 13, "more": 10, "much_more": 12}  # so many or more of a coin
LOW_TAILS = {"fewer": 6, "far_fewer": 3}  # so many or fewer


def draw(page: Page) -> blocks.Blocks:
    """The choice of a head; what it does in two sentences; how many others it gets right, and by chance."""
    yield blocks.control(_pick)
    yield blocks.picture(_heads)
    if not _is_chosen(page):
        return
    yield blocks.caption("anecdote.from_note")
    yield blocks.asking("real_trials", _ask)
    yield blocks.text("anecdote.rule")
    yield blocks.result(_against_a_coin)
    for number in range(len(trials.FIGURES)):
        yield blocks.work(_figure, number)
    yield blocks.aside(_table)
    yield blocks.aside(_own_pair)


def _figure(page: Page, number: int) -> None:
    trials.FIGURES[number](page, head(page))


def _against_a_coin(page: Page) -> str:
    return trials.against_a_coin(page, head(page))


def _table(page: Page) -> None:
    trials.draw_table(page, "sixteen", TRIALS, head(page))


def _own_pair(page: Page) -> None:
    own_pair.draw(page, head(page))


# ---- the head that finds “animal” for “tired”


def weights_on(name: str, noun: str, head: tuple[int, int]) -> float:
    return pronouns.on(store.load(name), "it", noun)[head].item()


def star() -> tuple[int, int]:
    """The head with the largest weight from “it” to “animal” in the first sentence."""
    return divmod(int(pronouns.on(store.load("tired"), "it", "animal").argmax()), HEADS)


# ---- the head that the learner chooses


def head(page: Page) -> tuple[int, int]:
    """The head that was chosen here; before that the one of the first question."""
    return divmod(page.look.believed - 1, HEADS) if page.look.believed else star()


def _believe(picked: dict) -> None:
    if picked.get("matrix") == "heads":
        session.set_view(believed=1 + int(picked["row"]) * HEADS + int(picked["col"]))


def _is_chosen(page: Page) -> bool:
    return page.look.believed > 0 or page.answer("real_trials") is not None


def _pick(page: Page) -> None:
    say.markdown(page.t("anecdote.pick", all=ALL, tired=texts.shipped(page.t, "tired", "“”")))


def _heads(page: Page) -> None:
    """All heads to choose from; once one is chosen, what it does in the two sentences."""
    weight = pronouns.on(store.load("tired"), "it", "animal")
    ringed = [head(page)] if _is_chosen(page) else []
    matrix = scene.of_heads(page, page.t("pattern.animal"), weight, 1, ringed=ringed)
    beside = [_beside_the_note(page)] if ringed else []
    placing.draw(page, "believed", [matrix, *beside], on_pick=_believe)


def _ask(page: Page) -> bool:
    answer = questions.only(trials_hold(*head(page)))
    return questions.ask(page, "real_trials", answer=answer, **_facts(page))


def _facts(page: Page) -> dict[str, Any]:
    """What the question and its reasons say: of the head, and of what one coin gets."""
    coin, luckiest = pronouns.coin(MOST), pronouns.luckiest_of(ALL, MOST)
    chances = {name: sum(coin[low:]) for name, low in TAILS.items()}
    chances |= {name: sum(coin[: high + 1]) for name, high in LOW_TAILS.items()}
    low, high = BANDS["half"]
    chances |= {"half": sum(coin[low : high + 1]), "luckiest": sum(luckiest[TAILS["luck"] :])}
    facts = {name: f"{chance:.1%}" for name, chance in chances.items()}
    right = int(pronouns.verdicts().right[head(page)])
    named = {"head": scene.head_name(page, *head(page)), "right": right}
    return facts | named | {"sentences": MOST, "pairs": len(PAIRS), "all": ALL}


def trials_hold(layer: int, head: int) -> dict[str, bool]:
    right = int(pronouns.verdicts().right[layer, head])
    return {band: low <= right <= high for band, (low, high) in BANDS.items()}


def _beside_the_note(page: Page) -> Matrix:
    """The weights of “it” in the head, in the mean of all heads, and as the note gives them."""
    t, (layer, number) = page.t, head(page)
    rows, values = [t("anecdote.note")], [NOTE_WEIGHTS]
    nouns_of = ("animal", "street")
    texts = [[f"{t('anecdote.note')}: {weight:g}" for weight in NOTE_WEIGHTS]]
    for name in ("tired", "wide"):
        animal, street = (pronouns.on(store.load(name), "it", noun) for noun in nouns_of)
        own = (animal[layer, number].item(), street[layer, number].item())
        mean = (animal.mean().item(), street.mean().item())
        rows += [f"{name}: {layer + 1}.{number + 1}", f"{name}: {t('anecdote.mean')}"]
        values += [(*nouns, 1 - sum(nouns)) for nouns in (own, mean)]
        texts.append(
            [f"A[it, {noun}] = {short(weight, 4)}" for noun, weight in zip(nouns_of, own, strict=True)]
        )
        sums = (weights.sum().item() for weights in (animal, street))
        texts.append([_mean(total) for total in sums])
        for line, nouns in zip(texts[-2:], (own, mean), strict=True):
            line.append(_rest(*nouns))
    columns = [*nouns_of, t("anecdote.others")]
    look: dict[str, Any] = {"kind": "weights", "recipe": written(texts)}
    return Matrix("it", t("anecdote.it"), rows, columns, values, **look).looking(alt=t("anecdote.it"))


def _mean(total: float) -> str:
    """The mean of a weight over all heads."""
    (text,) = confirmed(lambda total: total / ALL, (total,), total / ALL)
    return f"{text} / {ALL} = {short(total / ALL, 4)}"


def _rest(first: float, other: float) -> str:
    """What is left for the other keys."""
    left = 1 - first - other
    texts = confirmed(lambda a, b: 1 - a - b, (first, other), left)
    return f"1 − {texts[0]} − {texts[1]} = {short(left, 4)}"
