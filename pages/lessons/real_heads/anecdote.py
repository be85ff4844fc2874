"""From one sentence to sixteen: the head that finds “animal” for “it”, and what chance would find."""

import streamlit as st

from attention.lab.real_heads import pronouns, store
from attention.lab.real_heads.texts import NOTE_WEIGHTS, PAIRS, TRIALS, Trial
from pages.ui import charts, figure, plots, questions, say
from pages.ui.charts import Axis, Chart
from pages.ui.numbers import short
from pages.ui.page import Page
from pages.ui.picture import Matrix

from . import scene
from .settings import HEADS, LAYERS

ALL, MOST = LAYERS * HEADS, len(TRIALS)
NEARLY = 0.999  # a chance above it is said to be more than that
WIDE = ("street", "animal", "alike")
BANDS = {"luck": (13, MOST), "more": (10, 12), "half": (7, 9), "fewer": (0, 6)}
COLUMNS = ("sentence", "right_noun", "right_weight", "wrong_noun", "wrong_weight", "found")


def draw(page: Page) -> None:
    if _ask_wide(page) and _ask_trials(page):
        _results(page)


# ---- the head that finds “animal” for “tired”, on “wide”


def weights_on(name: str, noun: str, head: tuple[int, int]) -> float:
    return pronouns.on(store.load(name), "it", noun)[head].item()


def star() -> tuple[int, int]:
    """The head with the largest weight from “it” to “animal” in the first sentence."""
    return divmod(int(pronouns.on(store.load("tired"), "it", "animal").argmax()), HEADS)


def wide_holds() -> dict[str, bool]:
    """Where that head has more weight for “wide”; alike: neither noun has twice as much as the other."""
    street, animal = (weights_on("wide", noun, star()) for noun in ("street", "animal"))
    more = {"street": street > 2 * animal, "animal": animal > 2 * street}
    return more | {"alike": not any(more.values())}


def _ask_wide(page: Page) -> bool:
    head = star()
    facts = {"head": scene.named(page, *head), "weight": short(weights_on("tired", "animal", head))}
    facts |= {noun: short(weights_on("wide", noun, head)) for noun in ("animal", "street")}
    facts |= {name: store.sentences()[name] for name in ("tired", "wide")}
    return questions.ask(page, "real_wide", WIDE, questions.only(wide_holds()), **facts)


# ---- the head that the learner believes in


def _ask_trials(page: Page) -> bool:
    """The choice of a head, what it does in the two sentences, and how far its luck reaches."""
    st.markdown(page.t("anecdote.pick", all=ALL, tired=store.sentences()["tired"]))
    weight = pronouns.on(store.load("tired"), "it", "animal")
    matrix = scene.of_heads(page, page.t("pattern.animal"), weight, ringed=[scene.head(page)])
    figure.draw(page, "believed", [matrix, _beside_the_note(page)], on_pick=scene.pick_head)
    st.caption(page.t("anecdote.from_note"))
    head, found = scene.head(page), pronouns.verdicts()
    facts = {"head": scene.named(page, *head), "sentences": MOST, "pairs": len(PAIRS), "all": ALL}
    facts |= {"right": int(found.right[head]), "lucky": short(pronouns.mean_of(luck()), 1)}
    return questions.ask(page, "real_trials", tuple(BANDS), questions.only(trials_hold(*head)), **facts)


def trials_hold(layer: int, head: int) -> dict[str, bool]:
    right = int(pronouns.verdicts().right[layer, head])
    return {band: low <= right <= high for band, (low, high) in BANDS.items()}


def _beside_the_note(page: Page) -> Matrix:
    """The weights of “it” in the head, in the mean of all heads, and as the note gives them."""
    t, (layer, head) = page.t, scene.head(page)
    rows, values = [t("anecdote.note")], [NOTE_WEIGHTS]
    for name in ("tired", "wide"):
        animal, street = (pronouns.on(store.load(name), "it", noun) for noun in ("animal", "street"))
        own = (animal[layer, head].item(), street[layer, head].item())
        mean = (animal.mean().item(), street.mean().item())
        rows += [f"{name}: {layer + 1}.{head + 1}", f"{name}: {t('anecdote.mean')}"]
        values += [(*nouns, 1 - sum(nouns)) for nouns in (own, mean)]
    columns = ["animal", "street", t("anecdote.others")]
    return Matrix("it", t("anecdote.it"), rows, columns, values, kind="weights", alt=t("anecdote.it"))


# ---- sixteen sentences


def luck() -> list[float]:
    """The chances that the luckiest of as many fair coins as there are heads gets 0, 1, … right."""
    return pronouns.luckiest_of(ALL, MOST)


def _results(page: Page) -> None:
    st.markdown(page.t("anecdote.rule"))
    counts = counted()
    series = {
        page.t("anecdote.coins", all=ALL): luck(),
        page.t("anecdote.heads", all=ALL): [count / ALL for count in counts],
    }
    plots.draw(page, "luck", [_chart(page, series)], {page.t("axis.right"): list(range(MOST + 1))} | series)
    for line in said(page):
        say.sentence(line)
    rows = [_row(page, trial) for trial in TRIALS]
    say.table([page.t(f"column.{name}") for name in COLUMNS], rows)
    plots.csv(page, "sixteen", plots.columns(page, COLUMNS, rows))


def counted() -> list[int]:
    """How many of the heads get 0, 1, … sentences right."""
    right = pronouns.verdicts().right.flatten().tolist()
    return [right.count(number) for number in range(MOST + 1)]


def _chart(page: Page, series: dict[str, list[float]]) -> Chart:
    right, share = Axis(page.t("axis.right"), (0, MOST), whole=True), Axis(page.t("axis.share"), (0.0, 1.0))
    now = int(pronouns.verdicts().right[scene.head(page)])
    return charts.curves(right, share, range(MOST + 1), series, kind="measured", now=now)


def said(page: Page) -> list[str]:
    """The chosen head, the best of all, and the luckiest coin."""
    t, found, head = page.t, pronouns.verdicts(), scene.head(page)
    right, pairs = int(found.right[head]), int(found.pairs[head])
    best = int(found.right.max())
    facts = {"sentences": MOST, "pairs": len(PAIRS), "all": ALL}
    lines = [t("anecdote.head", head=scene.named(page, *head), right=right, whole=pairs, **facts)]
    if found.same_noun[head] == len(PAIRS):
        lines.append(t("anecdote.same_noun", **facts))
    several = int((found.right == best).sum())
    lines.append(t("anecdote.best", best=best, several=several, whole=int(found.pairs.max()), **facts))
    chances = luck()
    share, mean = sum(chances[best + 1 :]), short(pronouns.mean_of(chances), 1)
    chance = t("anecdote.nearly") if share > NEARLY else f"{share:.1%}"
    return [*lines, t("anecdote.luck", mean=mean, chance=chance, best=best, **facts)]


def _row(page: Page, trial: Trial) -> tuple[str, ...]:
    """A sentence, the right noun and its weight, the other noun and its weight, and whether it is found."""
    pattern, head = store.load(trial.name), scene.head(page)
    right, wrong = (
        pronouns.on(pattern, trial.pronoun, noun)[head].item() for noun in (trial.right, trial.wrong)
    )
    verdict = page.t("checks.holds" if right > wrong else "checks.fails")
    return (
        store.sentences()[trial.name],
        trial.right,
        short(right, 3),
        trial.wrong,
        short(wrong, 3),
        verdict,
    )
