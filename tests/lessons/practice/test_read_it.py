"""Read it: a statement follows exactly if it is true for all numbers that the picture does not show."""

import functools

import pytest
import torch

from attention import multi_head_attention
from attention.lab.weights import reading
from pages.ask.exercise.look import LEVELS
from pages.draw.texts import Texts
from pages.lessons.practice.read_exercise import BANK, exercise
from pages.lessons.practice.read_it import TOKENS
from pages.lessons.practice.scene import N
from pages.model.view import Place
from tests.attention.lab.weights.test_reading import nudged, with_mask
from tests.support.course import COURSE
from tests.support.screen import LANGUAGES, matrix, open_page, pictures, said, visit
from tests.support.states import looking

SEEDS = range(1, 201)
DRAWS = 25  # of what the picture does not show


@functools.cache
def exercises():
    """All exercises of some hundred numbers."""
    return [exercise(level, number) for level in LEVELS for number in SEEDS]


def asked(*names):
    """All statements of these claims, each with its scene and facts."""
    for now in exercises():
        for one in now.statements:
            if one.claim.name in names:
                yield now.scene, one, dict(one.facts)


def test_four_statements_one_to_three_of_which_follow():
    for now in exercises():
        assert len(now.statements) == 4 and 1 <= sum(now.right) <= 3
        kins = [one.claim.kin for one in now.statements]
        assert len(set(kins)) == 4
        assert any(one.claim.never for one in now.statements), "one of the usual over-readings"


def test_the_bank_is_large_and_all_of_it_is_asked():
    more = [exercise(level, number) for level in LEVELS for number in range(201, 401)]
    sheet = {(one.claim.name, one.follows) for now in exercises() + more for one in now.statements}
    assert {name for name, _ in sheet} == set(BANK) and len(BANK) >= 40
    assert len({name for name, follows in sheet if follows}) >= 20
    assert not any(follows for name, follows in sheet if BANK[name].never)


def test_the_same_number_gives_the_same_exercise():
    first = exercise("2", 7)
    exercise.cache_clear()
    assert exercise("2", 7) == first
    assert first.scene.heads == exercise("2", 7).scene.heads != exercise("2", 8).scene.heads


def test_weights_are_the_core_s_and_exact_as_printed():
    for scene in (now.scene for now in exercises()):
        value = torch.zeros(N, 1, dtype=torch.float64)
        for head in scene.weights:
            torch.testing.assert_close(reading.attend(head, value, scene.mask).weights, head)
            assert all(abs(w * 20 - round(w * 20)) < 1e-9 for w in head.flatten().tolist())


# ---- every kind of statement against draws of what is not shown


def values(scene):
    """Draws of the values of both heads (2, N, 2); where V is shown, it is that."""
    torch.manual_seed(0)
    for _ in range(DRAWS):
        v = torch.randn(2, N, 2, dtype=torch.float64) * 3
        if scene.v is not None:
            v[0] = scene.v
        yield v


def near(a, b):
    return bool((a - b).abs().max() < 1e-9)


def of_head(scene, v, head=0):
    return scene.weights[head] @ v[head]


ON_VALUES = {
    "row_sum": lambda s, v, f: near(s.a[f["q"]].sum(), torch.tensor(1.0)),
    "column_sum": lambda s, v, f: near(s.a[:, f["k"]].sum(), torch.tensor(1.0)),
    "largest": lambda s, v, f: bool((s.a[f["q"]] <= s.a[f["q"], f["k"]]).all()),
    "symmetric": lambda s, v, f: near(s.a[f["q"], f["k"]], s.a[f["k"], f["q"]]),
    "mean_row": lambda s, v, f: near(of_head(s, v)[f["q"]], (s.a[f["q"]][:, None] * v[0]).sum(0)),
    "mean_column": lambda s, v, f: near(of_head(s, v)[f["q"]], (s.a[:, f["q"]][:, None] * v[0]).sum(0)),
    "own_value": lambda s, v, f: near(of_head(s, v)[f["q"]], v[0, f["k"]]),
    "one_hot_half": lambda s, v, f: near(of_head(s, v)[f["q"]], v[0, f["k"]]),
    "plain_mean": lambda s, v, f: near(of_head(s, v)[f["q"]], v[0][s.a[f["q"]] > 0].mean(0)),
    "equal_outputs": lambda s, v, f: near(of_head(s, v)[f["q"]], of_head(s, v)[f["o"]]),
    "top_part": lambda s, v, f: int((s.a[f["q"]] * v[0][:, f["c"]]).abs().argmax()) == f["k"],
    "between": lambda s, v, f: (
        v[0][:, f["c"]].min() <= of_head(s, v)[f["q"], f["c"]] <= v[0][:, f["c"]].max()
    ),
    "same_in_heads": lambda s, v, f: near(of_head(s, v)[f["q"]], of_head(s, v, 1)[f["q"]]),
    "two_heads_sum": lambda s, v, f: near(s.weights[:, f["q"]].sum(), torch.tensor(1.0)),
    "head_top": lambda s, v, f: int(s.weights[f["h"] - 1, f["q"]].argmax()) == f["k"],
}


@pytest.mark.parametrize("name", ON_VALUES)
def test_claims_about_weights_and_values(name):
    results = list(asked(name))
    assert results
    for scene, one, facts in results:
        assert one.follows == all(ON_VALUES[name](scene, v, facts) for v in values(scene)), (scene, facts)


def printed(text):
    return float(text.replace("−", "-"))


def test_claims_that_name_a_number():
    for scene, one, facts in asked("value_nudge"):
        change = nudged(scene.a, torch.randn(N, 2, dtype=torch.float64), facts["k"], 0)[facts["q"], 0]
        assert one.follows == (abs(float(change) - printed(facts["said"])) < 1e-9)
    for scene, one, facts in asked("output_cell"):
        x = float(scene.output[facts["q"], facts["c"]])
        assert one.follows == (abs(x - printed(facts["said"])) < 0.0051)
        assert one.follows or abs(x - printed(facts["said"])) > 0.03


def scores(scene):
    """Draws of scores with these weights: a constant a row, anything where the mask hides it."""
    torch.manual_seed(0)
    for _ in range(DRAWS):
        drawn = 3 * torch.randn(N, N, dtype=torch.float64)
        seen = torch.ones(N, N, dtype=torch.bool) if scene.mask is None else scene.mask
        own = torch.where(seen, scene.a, 1.0).log() + 9 * torch.randn(N, 1, dtype=torch.float64)
        yield torch.where(seen, own, drawn), seen


ON_SCORES = {
    "equal_scores": lambda s, seen, f: float(s[f["q"]][seen[f["q"]]].std(correction=0)) < 1e-9,
    "across_rows": lambda s, seen, f: bool(s[f["q"], f["k"]] > s[f["o"], f["k"]]),
    "within_row": lambda s, seen, f: bool(s[f["q"], f["k"]] > s[f["q"], f["o"]]),
    "log_ratio": lambda s, seen, f: near(
        (s[f["q"], f["k"]] - s[f["q"], f["o"]]).exp(), torch.tensor(int(f["ratio"]))
    ),
}


@pytest.mark.parametrize("name", ON_SCORES)
def test_claims_about_scores(name):
    for scene, one, facts in asked(name):
        assert one.follows == all(ON_SCORES[name](*drawn, facts) for drawn in scores(scene)), (scene, facts)


def test_claims_about_the_mask():
    for scene, one, facts in asked("ratio_unmasked", "same_unmasked"):
        q, k = facts["q"], facts["k"]
        free = [with_mask(drawn, None) for drawn, _ in scores(scene)]
        if one.claim.name == "same_unmasked":
            assert one.follows == all(near(a[q, k], scene.a[q, k]) for a in free)
        else:
            ratio = scene.a[q, k] / scene.a[q, facts["o"]]
            assert one.follows == all(near(a[q, k] / a[q, facts["o"]], ratio) for a in free)


@pytest.mark.parametrize("name", ["input_change", "layer_change"])
def test_claims_about_a_changed_input(name):
    torch.manual_seed(0)
    heads = 2 if name == "layer_change" else 1
    x, w_q, w_k, w_v, w_o = (torch.randn(N, N, dtype=torch.float64) for _ in range(5))
    for scene, one, facts in asked(name):
        changed = x.clone()
        changed[facts["k"]] += 1
        options = {"w_q": w_q, "w_k": w_k, "w_v": w_v, "w_o": w_o, "num_heads": heads, "mask": scene.mask}
        before, after = (multi_head_attention(one_x, **options).output[facts["q"]] for one_x in (x, changed))
        assert one.follows == near(before, after)


TWO_HEADS = ("equal_layer", "swap_heads", "head_off", "other_half", "one_hot_layer", "first_half")


def test_claims_about_two_heads():
    torch.manual_seed(0)
    w_o = torch.randn(4, 3, dtype=torch.float64)
    for scene, one, facts in asked(*TWO_HEADS):
        holds = []
        for v in values(scene):
            joined = (scene.weights @ v).transpose(0, 1).flatten(1)
            out, q = joined @ w_o, facts.get("q")
            if one.claim.name == "equal_layer":
                holds.append(near(out[q], out[facts["o"]]))
            elif one.claim.name == "swap_heads":
                swapped = (scene.weights.flip(0) @ v.flip(0)).transpose(0, 1).flatten(1) @ w_o[[2, 3, 0, 1]]
                holds.append(near(out, swapped))
            elif one.claim.name == "head_off":
                holds.append(near(joined[:, :2] @ w_o[:2], out / 2))
            elif one.claim.name == "other_half":
                v[0, facts["k"]] += 1
                after = (scene.weights @ v).transpose(0, 1).flatten(1)
                half = slice(0, 2) if facts["half"] == 1 else slice(2, 4)
                holds.append(near(after[q, half], joined[q, half]))
            elif one.claim.name == "one_hot_layer":
                holds.append(near(out[q, :2], v[facts["h"] - 1, facts["k"]]))
            else:
                holds.append(near(joined[q, :2], (scene.a[q][:, None] * v[0]).sum(0)))
        assert one.follows == all(holds), (scene, one)


def test_never_reaches_is_refuted_by_a_way_of_two_layers():
    for scene, one, facts in asked("never_reaches"):
        assert not one.follows and scene.a[facts["q"], facts["k"]] == 0
        assert scene.a[facts["q"], facts["mid"]] > 0 and scene.a[facts["mid"], facts["k"]] > 0


# ---- on the page


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_statement_can_be_said_and_leads_somewhere(language):
    t = Texts(language, "practice")
    for one in (one for now in exercises() for one in now.statements):
        facts = dict.fromkeys((*dict(one.facts), *TOKENS), "x")
        kind = "follows" if one.follows else "refuted"
        for text in (f"claim.{one.claim.name}", f"{kind}.{one.claim.name}"):
            assert "{" not in t(text, **facts), text
        assert any(COURSE.treating("claims", name) for name in (one.claim.name, one.claim.about))


def opened(level, language="en", number=2):
    app = open_page(
        "practice", view=looking(language=language, level=level, exercise=number), place=Place("read_it")
    )
    assert not app.exception
    return app


def tick(app, answer):
    for box, wanted in zip(app.checkbox, answer, strict=True):
        if box.value != wanted:
            box.set_value(wanted)
    app.button(key="check").click().run()
    assert not app.exception


@pytest.mark.parametrize(("level", "language"), [*zip(LEVELS, ("en", "zh", "en"), strict=True)])
def test_wrong_then_right(level, language):
    app, now = opened(level, language), exercise(level, 2)
    assert len(app.checkbox) == 4 and not app.warning
    matrices = [m["id"] for m in pictures(app)[0]["matrices"]]
    assert matrices == {"1": ["weights1"], "2": ["weights1", "value"], "3": ["weights1", "weights2"]}[level]

    one_off = (not now.right[0], *now.right[1:])
    tick(app, one_off)
    assert len(app.warning) == 1 and app.warning[0].value.count("**") == 2
    assert len(app.main.get("page_link")) == 1
    tick(app, now.right)
    attempt = visit(app).memory["practice"]["read_it", level, 2, None]
    assert attempt.solved and not attempt.at_once and app.success
    assert all(box.disabled for box in app.checkbox)
    assert said(app).count("**") >= 8, "all four are explained"
    if level == "2":
        torch.testing.assert_close(torch.tensor(matrix(app, "output")["values"]).double(), now.scene.output)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_wrong_try_gives_away_one_statement_only(language):
    app, now = opened("1", language), exercise("1", 2)
    tick(app, [not right for right in now.right])
    [warning] = app.warning
    t = Texts(language, "practice")
    told = [
        number
        for verdict in ("yes", "no")
        for number in range(1, 5)
        if t(f"read.{verdict}", number=number, why="")[:-1] in warning.value
    ]
    assert told == [1] and t("read.others") in warning.value
    assert len(app.main.get("page_link")) == 1


@pytest.mark.parametrize("level", LEVELS)
def test_hints_and_the_solution(level):
    app = opened(level, number=4)
    for count in (1, 2, 3):
        app.button(key="hint").click().run()
        assert not app.exception and len(app.info) == count
    assert str(sum(exercise(level, 4).right)) in app.info[2].value
    app.button(key="show_solution").click().run()
    assert not app.exception and all(box.disabled for box in app.checkbox)


def test_another_exercise_begins_unticked():
    app = opened("1")
    tick(app, (True,) * 4)
    app.button(key="next_exercise").click().run()
    assert not any(box.value for box in app.checkbox) and not app.warning
