"""What the figures and sentences of the lesson show, against the core."""

import math

import pytest
import torch

from attention import alibi_bias, causal_mask, multi_head_attention
from attention.lab import order as lab
from pages.draw import charts
from pages.draw.texts import Texts
from pages.lessons.order import alibi, along, learned, limits, rotary, sinusoidal, swap
from pages.model import edits
from pages.model.compute import positions_of, tensors_of, trace_of
from pages.model.settings import POSITIONS, Settings
from pages.model.view import Place, View
from tests.support.course import lesson
from tests.support.example_states import ONE
from tests.support.hour import sentence_to_keep
from tests.support.screen import chart_rows, matrix, open_page, opened, pictures, said, visit
from tests.support.states import page_in, with_own

START = Settings()
REVERSED = [2, 1, 0]
LESSON = lesson("order")
ANSWERED = View(answers=tuple(sorted((question, "shown") for question in LESSON.questions)))


def shown(part: str, now: Settings = START, **place):
    return open_page("order", now, ANSWERED, Place(part=part, **place))


def test_without_positions_the_rows_move_along():
    app = shown("along")
    before, after = matrix(app, "output")["values"], matrix(app, "output_moved")["values"]
    for row, other in zip(after, before[::-1], strict=True):
        assert row == pytest.approx(other, abs=1e-12)
    assert matrix(app, "x_moved")["values"] == [list(row) for row in START.x[::-1]]
    assert "the same up to rounding" in said(app)


@pytest.mark.parametrize("kind", POSITIONS[1:])
def test_with_positions_rows_change(kind):
    now = with_own(START, position=kind, slope_factor=50.0, order=(1, 0, 2))
    assert along.not_moved_along(now.core, [1, 0, 2])[1]
    assert "have other numbers" in said(shown("along", now))


def test_alibi_cannot_tell_a_sequence_from_its_reverse_without_a_mask():
    now = edits.with_choice(START, position="alibi", slope_factor=50.0)
    assert along.not_moved_along(now, REVERSED)[1] == []
    assert along.not_moved_along(edits.with_choice(now, mask="causal"), REVERSED)[1]
    assert along.not_moved_along(edits.with_choice(now, position="rotary"), REVERSED)[1]
    equal = learned.equal_rows(START)  # nor can learned rows that are equal
    assert along.not_moved_along(edits.with_choice(equal, position="learned"), REVERSED)[1] == []
    assert along.not_moved_along(edits.with_choice(START, position="learned"), REVERSED)[1]


@pytest.mark.parametrize("on", [False, True])
def test_words_change_places_with_and_without_positions(on):
    """A before and after are the core's, whatever mask and positions other lessons have."""
    sentence = edits.example_start("tired")
    now = edits.with_choice(sentence, mask="causal", position="rotary")
    app = shown("swap", with_own(now, order=(1, 0, 2, 3), with_positions=on))
    plain = edits.with_choice(sentence, position="sinusoidal" if on else "none")
    for end, each in (("before", plain), ("after", edits.reordered(plain, (1, 0, 2, 3)))):
        assert matrix(app, f"weights_{end}")["values"] == trace_of(each).heads.weights[0].tolist()
    assert matrix(app, "weights_after")["ringed"] == [[2, 1]]
    names = [one["id"] for one in pictures(app)[0]["matrices"]]
    assert names == ["x_after", *(["p_after", "x_p_after"] if on else []), "weights_before", "weights_after"]
    if on:  # the words move, the rows of P do not, and the columns keep their names
        x, p, x_p = (matrix(app, f"{name}_after") for name in ("x", "p", "x_p"))
        assert torch.tensor(p["values"]).equal(positions_of(plain).float())
        total = torch.tensor(x["values"]) + torch.tensor(p["values"])
        assert torch.allclose(torch.tensor(x_p["values"]), total) and x_p["rows"] == x["rows"]
        assert x["cols"] == p["cols"] == x_p["cols"] == list(plain.dimensions)
    assert ("with the weight 0.78 before and 0.98 after" in said(app)) == on
    assert ("with the weight 0.79 before and after" in said(app)) != on
    page = page_in("order", "swap", with_own(sentence, order=(1, 0, 2, 3), with_positions=on))
    assert swap.task(page) == on
    kept = sentence_to_keep(page)
    assert "0.79 in either order" in kept and "0.78 in one order and 0.98 in the other" in kept


def test_a_row_that_is_clicked_moves_up_and_back():
    app = shown("swap", edits.example_start("tired"))
    assert swap.order_of(page_in("order", "swap", visit(app).state)) == [0, 1, 2, 3]
    app.button("order_pair").click().run()
    assert matrix(app, "x_after")["rows"] == ["street", "animal", "it", "tired"]
    app.button("order_own").click().run()
    assert matrix(app, "x_after")["rows"] == ["animal", "street", "it", "tired"]


MASKS_NOTHING = {"mask": "custom", "blocked": frozenset[tuple[int, int]]()}


@pytest.mark.parametrize(
    ("fields", "causes"),
    [
        ({"mask": "causal"}, ["mask"]),
        ({"mask": "causal", "position": "alibi", "slope_factor": 100.0}, ["mask"]),
        ({"position": "rotary", **MASKS_NOTHING}, ["position"]),
        ({"mask": "causal", "position": "rotary"}, ["mask", "position"]),
    ],
    ids=str,
)
def test_what_is_named_as_a_cause_has_an_effect(fields, causes):
    """Reversed, the distances stay, so ALiBi alone changes nothing; nor does a mask that masks nothing."""
    now = edits.with_choice(START, **fields)
    assert along.causes(now, REVERSED) == causes
    text, t = said(shown("along", now)), Texts("en", "order")
    for cause in ("mask", "position", "both"):
        assert (t(f"along.because_{cause}") in text) == (cause in causes)


def test_the_table_and_the_picture_are_the_core_s():
    now = edits.with_choice(START, position_base=50.0, first_position=4)
    app = shown("sinusoidal", now)
    expected = positions_of(edits.with_choice(now, position="sinusoidal"))
    assert matrix(app, "p")["values"] == expected.tolist()
    x = torch.tensor(START.x, dtype=torch.float64)
    weights = multi_head_attention(x + expected, **tensors_of(START)).heads.weights[0]
    assert matrix(app, "weights")["values"] == weights.tolist()
    assert matrix(app, "weights_without")["values"] == trace_of(START).heads.weights[0].tolist()
    table = torch.tensor(sinusoidal.table(50.0))
    products = lab.products_by_distance(sinusoidal.LENGTH, sinusoidal.WIDTH, 50.0)
    assert (table @ table.mT)[7, 3].item() == pytest.approx(products[4].item(), abs=1e-5)


def test_the_charts_of_waves_and_their_file_have_the_base_of_the_page():
    base, wave, width = 50.0, 5, sinusoidal.WIDTH
    now = with_own(edits.with_choice(START, position_base=base), wave=wave)
    rates = [base ** (-(col - col % 2) / width) for col in range(width)]
    waves = [
        [(math.cos if col % 2 else math.sin)(place * rate) for col, rate in enumerate(rates)]
        for place in range(sinusoidal.LENGTH)
    ]
    products = [sum(math.cos(place * rate) for rate in rates[::2]) for place in range(sinusoidal.LENGTH)]
    app = shown("sinusoidal", now)
    shades = [row["shade"] for row in chart_rows(app, 0)]
    assert shades == pytest.approx(charts.heat("", "", waves)[0]["shade"], abs=1)
    curves = [[row["y"] for row in chart_rows(app, number)] for number in (1, 2)]
    assert curves[0] == pytest.approx([row[wave] for row in waves], abs=1e-5)
    assert curves[1] == pytest.approx(products, abs=1e-5)
    places, *columns = sinusoidal._file(page_in("order", "sinusoidal", now)).values()
    assert places == list(range(sinusoidal.LENGTH))
    for column, wanted in zip(columns, [*zip(*waves, strict=True), products], strict=True):
        assert column == pytest.approx(list(wanted), abs=1e-5)


@pytest.mark.parametrize("first", [0, 1, 100])
def test_rotary_scores_stay_when_all_positions_rise(first):
    now = edits.with_choice(START, first_position=first)
    app = shown("rotary", now)
    difference = [abs(value) for row in matrix(app, "difference")["values"] for value in row]
    assert max(difference) < 1e-12
    turned = matrix(app, "rotated_query")["values"]
    assert (turned == trace_of(START).query.tolist()) is False


def test_the_code_on_the_screen_gives_the_core_s_rotation():
    now = edits.with_choice(START, position="rotary", first_position=3, position_base=20.0)
    trace = trace_of(now)
    known = {"torch": torch, "query": trace.query, "key": trace.key, "base": 20.0, "d_k": 4}
    known["positions"] = torch.arange(3, 6, dtype=torch.float64)
    exec(rotary.CODE, known)
    torch.testing.assert_close(known["rotated_query"], trace.heads.query[0], rtol=1e-6, atol=1e-6)
    torch.testing.assert_close(known["rotated_key"], trace.heads.key[0], rtol=1e-6, atol=1e-6)


def test_alibi_s_bias_has_the_slopes_times_their_factor():
    now = edits.with_choice(edits.resize(START, num_heads=4), slope_factor=3.0, position="alibi")
    bias = matrix(shown("alibi", now), "bias")["values"]
    assert bias == (3.0 * alibi_bias(4, 3, 3, dtype=torch.float64)[0]).tolist()


def test_alibi_s_axis_ends_where_its_curves_do():
    for factor, end in ((1.0, alibi.LENGTH - 1), (1_000.0, alibi.SHORTEST)):
        page = shown("alibi", edits.with_choice(START, slope_factor=factor, position="alibi"))
        assert max(row["x"] for row in chart_rows(page, 0)) == end


def test_the_slope_of_the_question_is_one_click_away_and_changes_what_is_seen():
    app = shown("alibi")
    assert max(abs(value) for row in matrix(app, "bias")["values"] for value in row) < 0.01
    app.button("asked_slope").click().run()
    assert visit(app).settings == edits.with_choice(START, slope_factor=128.0)
    assert matrix(app, "bias")["values"][0] == [0.0, -0.5, -1.0]
    with_it, without = (torch.tensor(matrix(app, name)["values"]) for name in ("weights", "weights_without"))
    assert (with_it - without).abs().max() > 0.05
    assert app.button("asked_slope").disabled


def test_a_shift_changes_what_is_added_to_x_and_nothing_else():
    result = limits.shifts(edits.with_choice(START, first_position=2))
    assert result["sinusoidal"] > 0.01 and result["learned"] > 0.01
    assert result["rotary"] < 1e-12 and result["alibi"] == 0
    masked = limits.shifts(edits.with_choice(START, first_position=2, mask="causal"))
    assert masked["rotary"] < 1e-12 and masked["alibi"] == 0


def test_pairs_that_turned_once():
    expected = sum(2 * math.pi * 10_000 ** (k / 32) <= 2048 for k in range(32))
    assert limits.turned_pairs(10_000.0, 2048) == expected > limits.turned_pairs(500_000.0, 2048)


def test_four_heads_have_the_paper_s_slopes():
    now = alibi._four_heads(START)
    assert now.num_heads == 4 and now.head_dim == START.head_dim


@pytest.mark.parametrize(("layers", "sees"), [(1, False), (2, True)])
def test_two_causal_layers_without_positions_see_the_order_and_one_does_not(layers, sees):
    """The summary's claim: the first two tokens change places, and the last row of the output is compared."""
    generator = torch.Generator().manual_seed(0)
    x, *weights = torch.randn(4, 4, 4, generator=generator, dtype=torch.float64)
    names = dict(zip(("w_q", "w_k", "w_v"), weights, strict=True))

    def last(rows: torch.Tensor) -> torch.Tensor:
        for _ in range(layers):
            rows = multi_head_attention(rows, **names, mask=causal_mask(4)).output
        return rows[-1]

    assert torch.allclose(last(x), last(x[[1, 0, 2, 3]])) != sees


def test_the_summary_says_only_what_the_numbers_show():
    """One token has no order; where W_V is 0, positions change no output; where W_Q is 0, no weight."""
    one, still = shown("limits", ONE), shown("limits", edits.fill(START, "w_v", "zeros"))
    t = Texts("en", "order")
    assert t("summary.one_token") in said(one) and t("summary.why") not in said(one)
    assert t("summary.two_same", first=limits.QUESTION_SHIFT) in said(still)
    assert t("summary.why") in said(still)
    level = shown("sinusoidal", edits.fill(START, "w_q", "zeros"))
    assert t("scene.not_moved") in said(level) and t("scene.not_moved") not in said(shown("sinusoidal"))


def test_a_slope_is_written_without_an_exponent():
    texts = {0.5: "0.5", 1 / 256: "0.00391", 3.90625e-05: "0.0000391", 500.0: "500"}
    assert [*map(alibi.slope_text, texts)] == [*texts.values()]


def test_the_columns_of_a_positional_encoding_are_no_properties():
    for part in ("sinusoidal", "learned"):
        app, names = opened("order", part, edits.example_start("tired"), position=part), {"animal", "tired"}
        assert not names & {*matrix(app, "x_p")["cols"], *matrix(app, "p")["cols"]}
        assert names <= {*matrix(app, "x")["cols"]}
