"""The causal mask on the scores, and the attention weights without it and with it. A click masks a score."""

from dataclasses import replace

import torch
from torch import Tensor

from attention import causal_mask
from attention.lab.masks import masking
from pages import picture, session
from pages.ask import blocks, questions
from pages.draw import own_sentence, placing, winners
from pages.draw.numbers import short
from pages.draw.page import Page
from pages.draw.texts import quoted
from pages.model import edits
from pages.model.examples import row_of_it
from pages.model.languages import LANGUAGES
from pages.model.progress import Takeaway
from pages.model.settings import Settings
from pages.picture import Matrix

from .scene import MaskScene, choose_head, literal_names

QUESTION = "causal"
ANSWER = (0, 0)  # the first query may attend to the first key only


def draw(page: Page) -> blocks.Blocks:
    if len(page.tokens) == 1:
        yield blocks.info("no_looking.one_token")
        return
    yield blocks.control(own_sentence.offer)
    yield blocks.control(choose_head)
    yield blocks.asking(QUESTION, _ask)
    yield blocks.control(Page.toggle, "causal")
    yield blocks.picture(_picture)
    yield blocks.said(reading)
    yield blocks.text("no_looking.why")


def task(page: Page) -> bool:
    """Whether the causal mask is on, and the row of the task may not attend to the first word."""
    row = _asked(page)
    return page.own.causal and row > 0 and (row, 0) in page.own.barred


def _asked(page: Page) -> int:
    """The row of the task: that of “it”, or the last one where no word is before “it”."""
    return row_of_it(page.settings.tokens) or len(page.settings.tokens) - 1


def keep(page: Page) -> Takeaway:
    """A weight of “it” without a mask, and with the learner's, or else with the mask that is asked for."""
    mask, row = drawn_mask(page), row_of_it(page.settings.tokens)
    if mask[row].all() or not mask[row].any():
        if row == 0:
            page = replace(page, settings=edits.example_start(LANGUAGES[page.t.language].example))
            row = row_of_it(page.settings.tokens)
        mask = _mask_of(len(page.settings.tokens), True, frozenset({(row, 0)}))
    scene = _scene(page)
    before, after = (masking.attend(scene.head, each).weights[row] for each in (None, mask))
    col = int(after.argmax())
    facts = {"before": short(before[col].item()), "after": short(after[col].item())}
    facts |= {"query": page.words[row], "key": page.words[col]}
    return Takeaway({**facts, "masked": _masked(page.words, mask[row])})


def in_whole(page: Page) -> Settings:
    """The settings with the mask of this part, in place of that of the other lessons."""
    blocked = frozenset(map(tuple, (~drawn_mask(page)).nonzero().tolist()))
    kind = "custom" if page.own.barred else "causal" if page.own.causal else "none"
    return edits.with_choice(page.settings, mask=kind, mask_2="none", blocked=blocked)


def _masked(names: tuple[str, ...], visible: Tensor) -> tuple[str, ...]:
    """The names of the keys that are masked in a row."""
    return tuple(name for name, seen in zip(names, visible.tolist(), strict=True) if not seen)


def _scene(page: Page) -> MaskScene:
    """The learner's scores, without the mask of the other lessons."""
    return MaskScene(replace(page, settings=edits.with_choice(page.settings, mask="none", mask_2="none")))


def drawn_mask(page: Page) -> Tensor:
    """The causal mask, if it is on, and the scores that the learner has masked."""
    return _mask_of(len(page.settings.tokens), page.own.causal, page.own.barred)


def _mask_of(n: int, causal: bool, barred: frozenset[tuple[int, int]]) -> Tensor:
    mask = causal_mask(n) if causal else torch.ones(n, n, dtype=torch.bool)
    for row, col in barred:
        if row < n and col < n:
            mask[row, col] = False
    return mask


def _scores(page: Page, scene: MaskScene, **look) -> Matrix:
    """The scaled scores, −∞ where they are masked."""
    matrix = scene.masked(drawn_mask(page))
    return matrix.having(clickable=True, title=page.t("no_looking.scores"), symbol="S", **look)


def _without(page: Page, scene: MaskScene) -> Matrix:
    weights = masking.attend(scene.head, None).weights
    return scene.weights("free_weights", weights, recipe=picture.softmax("scaled_scores"), symbol="A")


def _picture(page: Page) -> None:
    """The scores under the mask, and the weights without and with it."""
    scene, mask = _scene(page), drawn_mask(page)
    weights = masking.attend(scene.head, mask).weights
    recipe = picture.softmax("masked_scores")
    ringed = [ANSWER] if mask[0].sum() == 1 and mask[ANSWER] else ()
    with_mask = scene.weights("weights_with", weights, mask, recipe=recipe, ringed=ringed, symbol="A")
    matrices = [_scores(page, scene, subtitle=page.t("no_looking.click")), _without(page, scene), with_mask]
    scene.draw("no_looking", matrices, on_pick=lambda picked: _clicked(page, picked), fit=True)


def _picked(page: Page, picked: dict, answer: placing.Picked) -> None:
    """A click on a score masks it, as the task asks for; a click on a weight is the answer."""
    if picked.get("matrix") == "masked_scores":
        _clicked(page, picked)
    else:
        answer(picked)


def _clicked(page: Page, picked: dict) -> None:
    """Masks a score, or makes it visible again."""
    if picked.get("matrix") == "masked_scores":
        session.set_own(barred=page.own.barred ^ {(int(picked["row"]), int(picked["col"]))})


def reading(page: Page) -> str:
    """What the mask does to the row of “it”, or to the first row with a masked score."""
    t, mask = page.t, drawn_mask(page)
    rows = [row for row in (row_of_it(page.settings.tokens), *range(len(mask))) if not mask[row].all()]
    if not rows:
        return t("no_looking.open")
    row = rows[0]
    facts = {"query": page.tokens[row], "masked": t.all_of(quoted(_masked(page.tokens, mask[row])))}
    if not mask[row].any():
        return t("no_looking.nothing_left", **facts)
    weights = masking.attend(_scene(page).head, mask).weights[row].tolist()
    return winners.sentence(t, "no_looking.most", page.tokens, weights, **facts)


def _ask(page: Page) -> bool:
    """Which weight is 1 whatever the numbers are? The cells are those of the weights without a mask."""
    scene, names, t = _scene(page), literal_names(page), page.t
    mask = causal_mask(len(names))
    shares = masking.attend(scene.head, mask).weights

    def verdict(row: int, col: int) -> tuple[bool, str]:
        count = int(mask[row].sum())
        kind = "masked" if col > row else "alone" if count == 1 else "shared"
        facts = {
            "query": names[row],
            "key": names[col],
            "count": count,
            "weight": short(shares[row, col].item()),
        }
        return kind == "alone", t(f"causal.{kind}", **facts)

    def board(suffix: str, on_pick: placing.Picked) -> None:
        matrices = [_scores(page, scene), _without(page, scene).looking(clickable=True)]
        scene.draw(
            f"question{suffix}", matrices, on_pick=lambda picked: _picked(page, picked, on_pick), fit=True
        )

    return questions.ask_cell(page, QUESTION, board, verdict, (page.tokens, page.tokens))
