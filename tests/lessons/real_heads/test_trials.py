"""What “An anecdote” says of heads and coins, recomputed from Q and K with plain loops."""

import math

import pytest
import torch

from attention.lab.real_heads import pronouns, store
from attention.lab.real_heads.texts import PAIRS
from pages.draw.numbers import power
from pages.draw.texts import Name
from pages.lessons.real_heads import anecdote, one_real_head, trials
from pages.lessons.real_heads.settings import HEADS, LAYERS
from tests.support.screen import chart_rows, matrix, opened, said
from tests.support.states import looking

from .conftest import page_of

EVERY = [(layer, head) for layer in range(LAYERS) for head in range(HEADS)]
BINOMIAL = [math.comb(16, k) / 2**16 for k in range(17)]


def weights(trial, head) -> tuple[float, float]:
    """On the right noun and on the other one: the softmax of the head's scores, in float64."""
    one = store.load(trial.name)
    query = one.query[head][one.tokens.index(trial.pronoun)].tolist()
    scores = [sum(map(math.prod, zip(query, key, strict=True))) / 32**0.5 for key in one.key[head].tolist()]
    exps = [math.exp(score - max(scores)) for score in scores]
    return tuple(exps[one.tokens.index(noun)] / sum(exps) for noun in (trial.right, trial.wrong))


@pytest.fixture(scope="module")
def judged() -> dict[tuple[int, int], list[list[bool]]]:
    """For each head and pair, whether it is right in the first sentence and in the second."""
    return {
        head: [[right > wrong for right, wrong in (weights(trial, head) for trial in pair)] for pair in PAIRS]
        for head in EVERY
    }


def test_the_band_of_every_head_is_the_one_that_holds(judged):
    for head in EVERY:
        (band,) = [name for name, does in anecdote.trials_hold(*head).items() if does]
        low, high = anecdote.BANDS[band]
        assert low <= sum(map(sum, judged[head])) <= high


def test_a_weight_that_is_0_in_half_precision_is_not_written_as_0():
    """In layer 1, head 3 both weights are rounded to 0 in the file, and one is larger all the same."""
    right, wrong = weights(PAIRS[7][1], (0, 2))
    assert 1e-8 < right < 1e-7 and wrong < 1e-12
    text = said(opened("real_heads", "anecdote", believed=3))
    assert "| given" not in text and f"| maria | {power(right, 0)} |" in text


# ---- no head is chosen before the learner chooses one


@pytest.mark.parametrize("language", ["en", "zh"])
def test_no_head_is_believed_in_before_one_is_chosen(language):
    """The head that was looked at in another part is none that the learner believes in."""
    view = {"answers": (("real_wide", "shown"),), "layer": 1, "head_of_layer": 8, "language": language}
    app = opened("real_heads", "anecdote", **view)
    assert matrix(app, "heads")["ringed"] == []
    assert not [one for one in app.button if (one.key or "").startswith("guess-real_trials")]
    app = opened("real_heads", "anecdote", believed=38, **view)
    assert matrix(app, "heads")["ringed"] == [[3, 1]]
    assert [one for one in app.button if (one.key or "").startswith("guess-real_trials")]


def test_a_choice_is_part_of_the_link():
    page = page_of("anecdote", believed=72)
    assert anecdote.head(page) == (5, 11) and looking(believed=72).own
    assert anecdote.head(page_of("anecdote", layer=1, head_of_layer=8)) == anecdote.star()


def test_a_click_chooses_the_head_of_its_cell(monkeypatch):
    looks = {}
    monkeypatch.setattr(anecdote.session, "set_view", lambda **fields: looks.update(fields))
    anecdote._believe({"matrix": "heads", "row": 3, "col": 1})
    one_real_head.read_row({"matrix": "weights", "row": 8, "col": 3})
    assert looks == {"believed": 1 + 3 * HEADS + 1, "query": 8}
    text = said(opened("real_heads", "anecdote", believed=looks["believed"]))
    right = int(pronouns.verdicts().right[3, 1])
    assert f"this head (layer 4, head 2) in {right}." in text and f"This head gets {right}." in text


# ---- like with like


def test_one_head_is_compared_with_one_coin(judged):
    right = sum(map(sum, judged[5, 11]))
    tail = sum(chance for k, chance in enumerate(BINOMIAL) if abs(k - 8) >= abs(right - 8))
    text = trials.against_a_coin(page_of("anecdote"), (5, 11))
    assert "right in 8 ± 2 of 16" in text and f"{tail:.1%}" in text
    assert f"this head (layer 6, head 12) in {right}." in text


def test_the_best_head_is_compared_with_the_luckiest_coin(judged):
    rights = [sum(map(sum, result)) for result in judged.values()]
    below = [sum(BINOMIAL[: k + 1]) ** 72 for k in range(17)]
    luckiest = sum(k * (below[k] - (below[k - 1] if k else 0)) for k in range(17))
    best, spread = trials.of_all(page_of("anecdote"), [0] * 12 + [72] + [0] * 4)
    assert f"right in {max(rights)} of 16" in best and f"({rights.count(max(rights))} of 72)" in best
    assert f"{luckiest:.1f} on average, 12 in this throw" in best
    mean = sum(rights) / 72
    deviation = math.sqrt(sum((one - mean) ** 2 for one in rights) / 72)
    assert (
        f"Of the 72 heads, {rights.count(8)} are" in spread
        and f"deviation is {deviation:.2f}, and that of coins 2" in spread
    )
    assert f"in {min(rights)} to {max(rights)}" in spread


def test_the_chart_has_as_many_coins_as_heads(judged):
    app = opened("real_heads", "anecdote", believed=72)
    rows = [row for row in chart_rows(app, 0) if row["kind"] == "measured"]
    heads, coins = ([row["y"] for row in rows if row["series"] == series] for series in (0, 1))
    rights = [sum(map(sum, result)) for result in judged.values()]
    assert heads == [rights.count(k) for k in range(17)] and sum(coins) == sum(heads) == 72
    app.button(key="toss").click().run()
    again = [row["y"] for row in chart_rows(app, 0) if row["kind"] == "measured" and row["series"] == 1]
    assert sum(again) == 72 and again != coins


def test_what_the_reasons_say_of_a_coin():
    facts = anecdote._facts(page_of("anecdote"))
    assert facts["luck"] == f"{sum(BINOMIAL[13:]):.1%}" and facts["more"] == f"{sum(BINOMIAL[10:]):.1%}"
    assert facts["much_more"] == f"{sum(BINOMIAL[12:]):.1%}" == "3.8%"
    assert (facts["fewer"], facts["far_fewer"]) == (f"{sum(BINOMIAL[:7]):.1%}", f"{sum(BINOMIAL[:4]):.1%}")
    assert facts["half"] == f"{sum(BINOMIAL[7:10]):.1%}"
    assert facts["luckiest"] == f"{1 - sum(BINOMIAL[:13]) ** 72:.1%}" == "53.7%"  # so it is no evidence there
    assert sum(BINOMIAL[:4]) < 0.025 < sum(BINOMIAL[:5])  # “only about 3 or fewer”
    assert sum(BINOMIAL[12:]) < 0.05 < sum(BINOMIAL[11:])  # “12 would be some evidence”


# ---- the finding and its controls


def test_nearly_all_heads_prefer_the_same_noun_in_both_sentences(judged):
    same = {head: sum(one != other for one, other in result) for head, result in judged.items()}
    text = trials.same_noun(page_of("anecdote"), (3, 1))
    assert (
        f"In {list(same.values()).count(8)} of 72 heads the same noun" in text
        and f"at least {min(same.values())} pairs" in text
    )
    assert f"in layer 4, head 2 for {same[3, 1]}." in text and "0.4%" in text
    view = matrix(opened("real_heads", "anecdote", believed=38), "same_noun")
    assert view["values"] == [[same[layer, head] / 8 for head in range(HEADS)] for layer in range(LAYERS)]


def test_the_other_tokens_are_the_control():
    """In layer 6, head 12 most tokens attend to “animal”, in layer 4, head 2 only “it” does."""
    one = store.load("tired")
    it, animal = one.tokens.index("it"), one.tokens.index("animal")
    others = [place for place in range(len(one.tokens)) if place not in (it, animal)]

    def column(head):
        a = one.model_weights[head].tolist()
        mean = sum(a[place][animal] for place in others) / len(others)
        return a[it][animal], mean, sum(a[place].index(max(a[place])) == animal for place in others)

    star, special = column((5, 11)), column((3, 1))
    assert special[0] - special[1] == max(column(head)[0] - column(head)[1] for head in EVERY)
    text = trials.other_rows(page_of("anecdote"), (5, 11))
    for own, mean, tops in (star, special):
        assert f"{own:.2f}" in text and f"{mean:.2f}" in text and f"for {tops} of" in text
    assert "layer 4, head 2" in text and star[2] == 8 and special[2] == 2
    page = page_of("anecdote")
    assert page.t("anecdote.special_own", pronoun=Name("it")) in trials.other_rows(page, (3, 1))


def test_the_weight_of_a_noun_hardly_grows_where_it_is_right():
    values = {
        head: [
            sum(weights(pair[i], head)[0] - weights(pair[1 - i], head)[1] for i in range(2)) / 2
            for pair in PAIRS
        ]
        for head in ((5, 11), (3, 1), (0, 3))
    }
    result = pronouns.selectivity()
    for head, of_pairs in values.items():
        mean = sum(of_pairs) / 8
        error = math.sqrt(sum((one - mean) ** 2 for one in of_pairs) / 7 / 8)
        assert (result.mean[head].item(), result.error[head].item()) == pytest.approx((mean, error))
        assert bool(result.beyond[head]) == (abs(mean) > 2.365 * error)
    text = trials.selectivity_sentence(page_of("anecdote"), (5, 11))
    assert f"Here {int(result.beyond.sum())} heads lie outside." in text and "3.6 of 72" in text
    assert int(result.beyond.sum()) < 0.05 * 72  # no more than chance gives


def test_a_throw_of_coins_is_fair_and_follows_from_its_number():
    throws = [pronouns.toss(72, 16, seed) for seed in range(100)]
    assert throws == [pronouns.toss(72, 16, seed) for seed in range(100)]
    total = [sum(column) for column in zip(*throws, strict=True)]
    for k, count in enumerate(total):
        expected = 7200 * BINOMIAL[k]
        assert abs(count - expected) < 4 * math.sqrt(expected) + 3
    assert torch.tensor(total).sum() == 7200 and all(len(one) == 17 for one in throws)


def test_how_far_a_coin_comes():
    for right in range(17):
        wanted = sum(chance for k, chance in enumerate(BINOMIAL) if abs(k - 8) >= abs(right - 8))
        assert pronouns.as_far(right, 16) == pytest.approx(wanted)


def test_the_note_is_drawn_with_the_model():
    app = opened("real_heads", "anecdote", believed=72)
    rows = matrix(app, "it")
    assert rows["values"][0] == [0.6, 0.3, 0.1]
    own = [pronouns.on(store.load("tired"), "it", noun)[5, 11].item() for noun in ("animal", "street")]
    assert rows["values"][1] == [*own, pytest.approx(1 - sum(own))]
