"""What the lesson says of the model's heads, recomputed from the shipped files with plain loops."""

import pytest
import torch

from attention.lab.real_heads import minilm, pronouns, store
from attention.lab.real_heads.texts import TEXTS
from pages.draw.winners import winner
from pages.lessons.real_heads import (
    anecdote,
    one_real_head,
    scene,
    settings,
    texts,
    which_head,
)
from pages.lessons.real_heads.settings import HEADS, LAYERS, RealHeadsNumbers
from tests.support.course import lesson
from tests.support.screen import bound, matrix, opened, said, visit

from .conftest import page_of

ANSWERED = {"which_head": (), "one_real_head": (("real_exchange", "shown"),)}
EVERY = [(layer, head) for layer in range(LAYERS) for head in range(HEADS)]


def test_the_settings_name_what_is_shipped():
    assert settings.SENTENCES == tuple(TEXTS) == tuple(store.sentences())
    assert settings.MOST_TOKENS == minilm.MOST_TOKENS
    assert (LAYERS, HEADS) == (store.LAYERS, store.HEADS)
    assert max(len(store.load(name).tokens) for name in TEXTS) <= settings.MOST_TOKENS


def looked_for(kind: str, tokens: tuple[str, ...]) -> list[tuple[int, list[int]]]:
    """The queries that count, each with the keys that are asked for."""
    n = len(tokens)
    if kind == "animal":
        return [(tokens.index("it"), [tokens.index("animal")])]
    if kind == "same_word":
        others = [[k for k in range(n) if k != q and tokens[k] == tokens[q]] for q in range(n)]
        return [(q, keys) for q, keys in enumerate(others) if keys]
    by = {"previous": -1, "next": 1, "first": None}[kind]
    places = [(q, [0] if by is None else [q + by]) for q in range(n)]
    return [(q, keys) for q, keys in places if 0 <= keys[0] < n]


@pytest.mark.parametrize("kind", [topic.name for topic in lesson("real_heads").part("which_head").topics])
def test_the_heads_that_do_it_are_the_right_ones(kind):
    """A head's mean is over all queries; right is every head over one half, and always the best one."""
    sentence = [store.load("tired")] if kind == "animal" else store.ordinary()
    start = [
        one.model_weights[..., q, keys].sum(-1)
        for one in sentence
        for q, keys in looked_for(kind, one.tokens)
    ]
    mean = torch.stack(start).mean(0)
    torch.testing.assert_close(which_head.weight_on(kind), mean)
    assert which_head.queries(kind) == len(start)
    right = {head for head in EVERY if which_head.does(kind, *head)}
    best = max(EVERY, key=lambda head: mean[head].item())
    assert right == {best, *(head for head in EVERY if mean[head] > 0.5)} and len(right) < LAYERS * HEADS


def test_one_head_leads_in_the_digits_that_are_printed():
    """These data never change, so their texts have no tie. A weight below 1 does not read as 1."""
    assert which_head.weight_on("previous").max() < 1
    assert which_head.facts(page_of("which_head"), "previous")["weight"] == "0.9998"
    for kind in (topic.name for topic in lesson("real_heads").part("which_head").topics):
        weights = which_head.weight_on(kind).flatten().tolist()
        layer, head = which_head.best(kind)
        assert winner(weights, [which_head.share_text(one) for one in weights]) == layer * HEADS + head
    control = pronouns.control(store.load("tired"), "it", "animal")
    assert winner((control.own - control.mean).flatten().tolist()) is not None


def test_the_value_of_cls_is_small_where_most_weight_goes_to_it():
    heads = [head for head in EVERY if which_head.weight_on("first")[head] > 0.5]
    shares = []
    for head in heads:
        of_texts = []
        for name in TEXTS:
            norms = [sum(v * v for v in value) ** 0.5 for value in store.load(name).value[head].tolist()]
            of_texts.append(norms[0] / (sum(norms[1:-1]) / len(norms[1:-1])))
        shares.append(sum(of_texts) / len(of_texts))
    result = which_head.of_first()
    ends = {"low": min(shares), "high": max(shares), "mean": sum(shares) / len(shares)}
    assert result == {name: f"{share:.0%}" for name, share in ends.items()} | {"texts": len(TEXTS)}
    assert max(shares) < 0.2
    text = page_of("which_head").t("because.real_first", **which_head.facts(page_of("which_head"), "first"))
    assert f"{result['low']} to {result['high']}" in text and f"In {len(heads)} of 72" in text


def test_the_head_for_the_same_word_mostly_matches_one_word():
    words = []
    for pattern in store.ordinary():
        words += [token for token in pattern.tokens if pattern.tokens.count(token) > 1]
    result = which_head.of_same_word()
    assert (
        len(words) == which_head.queries("same_word")
        and words.count("the") == result["times"] > len(words) / 2
    )
    own = torch.cat([one.model_weights.diagonal(0, -2, -1) for one in store.ordinary()], -1).mean(-1)
    best = which_head.best("same_word")
    assert result["word"] == "the" and result["itself"] == f"{own[best].item():.2f}"
    assert result["rank"] == sum(own[head] >= own[best] for head in EVERY) == 1


def test_the_summary_says_only_what_was_answered():
    answers = (("real_zero", "norm"), ("real_agree", "weight"), ("real_without", "last"))
    some = said(opened("real_heads", "explain", topic="yours", answers=answers))
    assert page_of("explain").t("summary.zero") in some
    assert "switched off by itself in" in some
    assert "measures were compared with leaving a token out" in some
    assert "sentences that were not chosen for it; a coin" not in some
    every = said(opened("real_heads", "explain", topic="yours"))
    assert (
        "sentences that were not chosen for it; a coin" in every
        and "measures were compared with leaving a token out" in every
    )


@pytest.mark.parametrize("kind", [topic.name for topic in lesson("real_heads").part("which_head").topics])
def test_a_head_is_judged_and_the_table_names_the_best(kind):
    question = f"real_{kind}"
    (layer, head), wrong = which_head.best(kind), (0, 1)
    app = opened("real_heads", "which_head", topic=kind, answers=((question, f"{layer}_{head}"),))
    assert len(app.success) == 1 and f"layer {layer + 1}, head {head + 1}" in said(app)
    assert matrix(app, "heads")["values"] == which_head.weight_on(kind).tolist()
    app = opened("real_heads", "which_head", topic=kind, answers=((question, f"{wrong[0]}_{wrong[1]}"),))
    assert not app.success and not which_head.does(kind, *wrong)


@pytest.mark.parametrize("kind", [topic.name for topic in lesson("real_heads").part("which_head").topics])
def test_the_head_that_the_answer_names_is_drawn(kind):
    """After “Show me the answer” and after a wrong head, in a presentation too; until another is chosen."""
    question, start = f"real_{kind}", {"layer": 2, "head_of_layer": 4}
    layer, head = which_head.best(kind)
    weights = texts.load("tired").model_weights
    for answer in ("shown", "0_1"):
        app = opened("real_heads", "which_head", topic=kind, answers=((question, answer),), **start)
        assert matrix(app, "model_weights")["values"] == weights[layer, head].tolist()
    app = opened("real_heads", "which_head", topic=kind, answers=(), presenting=True, **start)
    visit(app).revealed.add(question)
    assert matrix(app.run(), "model_weights")["values"] == weights[layer, head].tolist()
    app = opened("real_heads", "which_head", topic=kind, answers=((question, "shown"),), after=kind, **start)
    assert matrix(app, "model_weights")["values"] == weights[2, 4].tolist()


def test_the_thumbnails_are_the_model_s_weights_and_a_line_is_a_layer():
    app = opened(
        "real_heads", "which_head", topic="next", answers=(), sentence="heavy", layer=2, head_of_layer=4
    )
    sentence = store.load("heavy")
    values = matrix(app, "weights_3_5")
    assert values["chosen"] and values["choose"] == 2 * HEADS + 4
    expected = sentence.model_weights[2, 4]
    torch.testing.assert_close(
        torch.tensor(values["values"], dtype=torch.float64), expected, atol=6e-4, rtol=0
    )
    assert matrix(app, "model_weights")["values"] == expected.tolist()


# ---- one head


def plain(**own) -> RealHeadsNumbers:
    return RealHeadsNumbers(**own)


@pytest.mark.parametrize("name", ["tired", "tasty"])
def test_with_nothing_switched_it_is_what_the_model_computed(name):
    for layer, head in EVERY[::7]:
        trace = scene.trace_of(layer, head, plain(sentence=name))
        model = store.load(name).model_weights[layer, head]
        torch.testing.assert_close(trace.weights, model, atol=2e-3, rtol=0)


@pytest.mark.parametrize("head", EVERY[::11])
def test_the_others_share_what_two_keys_had(head):
    """Without [CLS] and [SEP] all other weights of a row grow by one factor, and the row sums to 1."""
    before = scene.trace_of(*head, plain()).weights
    after = scene.trace_of(*head, plain(no_special=True)).weights
    assert after[:, [0, -1]].abs().max() == 0
    torch.testing.assert_close(after.sum(-1), torch.ones(len(after), dtype=torch.float64))
    left = before[:, 1:-1]
    torch.testing.assert_close(after[:, 1:-1], left / left.sum(-1, keepdim=True))


@pytest.mark.parametrize("head", EVERY[::11])
def test_exchanged_rows_take_their_weights_along(head):
    before = scene.trace_of(*head, plain())
    after = scene.trace_of(*head, plain(one_place=2, other_place=8))
    order = list(range(15))
    order[2], order[8] = 8, 2
    torch.testing.assert_close(after.weights, before.weights[order][:, order])
    torch.testing.assert_close(after.output, before.output[order])
    assert (after.weights - before.weights).abs().max() > 1e-3  # as a matrix it does not stay


def test_temperature_and_scaling_multiply_and_a_mask_leaves_weight_only_where_it_allows():
    sentence = store.load("tired")
    trace = scene.trace_of(2, 3, plain(real_scaling="d_k", real_temperature=0.5))
    expected = sentence.query[2, 3] @ sentence.key[2, 3].mT / (32 * 0.5)
    torch.testing.assert_close(trace.scaled_scores, expected)
    query, key = torch.arange(15)[:, None], torch.arange(15)
    causal = key <= query
    for own, allowed in (
        ({"real_mask": "causal"}, causal),
        ({"real_mask": "window"}, (query - key).abs() <= 1),
        ({"real_mask": "causal", "no_special": True}, causal & (key > 0) & (key < 14)),
        ({"no_special": True, "one_place": 0, "other_place": 5}, (key != 5) & (key != 14) & (query >= 0)),
    ):
        assert torch.equal(scene.trace_of(5, 11, plain(**own)).weights > 0, allowed)


def test_the_switches_on_the_page_are_those_of_the_head():
    app = opened("real_heads", "one_real_head", topic="switches", layer=5, head_of_layer=11)
    bound(app, "toggle", "no_special").set_value(True).run()
    bound(app, "selectbox", "real_mask").select("causal").run()
    own = visit(app).state.of(RealHeadsNumbers)
    assert own.no_special and own.real_mask == "causal"
    assert matrix(app, "weights")["values"] == scene.trace_of(5, 11, own).weights.tolist()
    app = opened("real_heads", "one_real_head", topic="exchange")
    app.button(key="nouns").click().run()
    names = store.load("tired").tokens
    assert [row for row in (2, 8) if matrix(app, "query")["rows"][row] != names[10 - row]] == []


def test_the_sentences_below_the_picture_hold():
    view = {"part": "one_real_head", "layer": 0, "head_of_layer": 2}
    text = said(opened("real_heads", topic="switches", **view))
    assert "agree with those in the file (largest difference" in text
    text = said(opened("real_heads", topic="switches", real_temperature=20.0, **view))
    assert "The switches change the row of “" in text and "those in the file" not in text
    text = said(opened("real_heads", topic="exchange", one_place=2, other_place=8, **view))
    before, after = (
        pronouns.on(store.load(name), "it", "animal")[0, 2].item() for name in ("tired", "exchanged")
    )
    assert "changed places with the tokens" in text and f"is then {after:.2f}, and {before:.2f}" in text
    text = said(opened("real_heads", topic="exchange", one_place=40, other_place=63, **view))
    assert "changed places with the tokens" not in text and "Nothing is changed" in text
    text = said(
        opened("real_heads", topic="exchange", one_place=2, other_place=8, real_mask="causal", **view)
    )
    assert "The mask belongs to places" in text


def test_a_fully_masked_row_is_none_whose_weight_goes_elsewhere():
    """The first token under a causal mask and without itself; the weight of any other row goes somewhere."""
    own = {"real_mask": "causal", "no_special": True}
    trace = scene.trace_of(5, 0, plain(**own))
    assert trace.weights[0].abs().max() == 0
    lines = one_real_head.sentences(page_of("one_real_head", **own), trace)
    (line,) = [one for one in lines if "switches change" in one]
    assert "“[CLS]”" not in line


# ---- the anecdote


def test_the_head_of_the_anecdote_keeps_to_its_noun():
    star = anecdote.star()
    tired = pronouns.on(store.load("tired"), "it", "animal")
    assert tired[star] == tired.max()
    assert anecdote.weights_on("wide", "animal", star) > 2 * anecdote.weights_on("wide", "street", star)
