"""The lesson `Worked examples` without a browser: every part, the audits on the screen, a learner's own."""

import re
from functools import partial
from types import SimpleNamespace
from urllib.parse import parse_qsl

import pytest
import torch

from attention import AttentionError, scaled_dot_product_attention
from attention.lab.worked_examples.audit import audit
from attention.lab.worked_examples.document import half_unit, of_notes
from pages.draw import glossary
from pages.draw.glossary.terms import TERMS
from pages.draw.texts import Texts
from pages.draw.winners import winner
from pages.lessons.worked_examples import code, gallery, opening, view
from pages.lessons.worked_examples.documents import CODES, read
from pages.lessons.worked_examples.own import sample
from pages.model.compute import trace_of
from pages.model.edits import example_start, with_choice
from pages.model.settings import Settings
from pages.model.view import Place
from tests.support import screen
from tests.support.course import from_query, lesson
from tests.support.screen import LANGUAGES, matrix, matrix_ids, open_page, pictures, said, unfolded, visit
from tests.support.states import looking, value_of

NOTES = of_notes()
GOOD = "Q = 1 0; 0 1\nK = 1 0; 0 1\nS = 1 0; 0 2"
opened = partial(screen.opened, "worked_examples")


@pytest.mark.parametrize("topic", [topic.name for topic in lesson("worked_examples").part("notes").topics])
def test_the_audit_is_not_in_sight_before_the_answer(topic):
    matrices = [
        one["id"]
        for picture in pictures(opened("notes", topic=topic, answers=()))
        for one in picture["matrices"]
    ]
    assert not {"exact", "difference", "own"} & set(matrices)


@pytest.mark.parametrize("topic", ["split", "dropout", "mask"])
def test_what_the_code_gives_is_asked_for(topic):
    """The same table is below the question, with question marks, and below the answer without."""
    asked, told = said(opened("code", topic=topic, answers=())), said(opened("code", topic=topic))
    assert asked.count("| ? |") > 1 and "| ? |" not in told


@pytest.mark.parametrize("step", ["query", "exponentials", "sums", "parts", "output"])
def test_each_step_shows_its_printed_numbers_their_differences_and_a_ring_where_it_is_wrong(step):
    app = opened("notes", step=step)
    outcome = audit(NOTES["cats"])
    assert matrix(app, "printed")["values"] == [list(row) for row in NOTES["cats"].block(step).rows]
    difference = matrix(app, "difference")
    for line in outcome.of(step):
        assert difference["values"][line.row][line.col] == pytest.approx(line.difference)
        assert not line.off or abs(round(line.difference, 2)) > half_unit(line.printed)  # is seen
        assert ([line.row, line.col] in difference["ringed"]) == (line.verdict == "wrong")
    assert "98 of 99" in said(app) and "Q[我, 1]" in said(app)


def test_the_own_previous_step_is_shown_where_it_differs_from_the_exact_one():
    app = opened("notes", step="scaled_scores")
    assert matrix(app, "own")["values"][0][0] == "1.145"
    assert "own" not in matrix_ids(opened("notes", topic="five_tokens"))


# ---- a learner's own


def test_a_pasted_example_is_audited_and_kept_in_the_link():
    app = opened("own")
    text_of(app).set_value(GOOD)
    app.button(key=check_button(app)).click().run()
    assert not app.exception and not app.warning
    assert read(value_of(visit(app).view, "document")) == read(GOOD)
    assert "1 of 4" in said(app)
    again = opened("own", document=value_of(visit(app).view, "document"))
    assert matrix(again, "printed") == matrix(app, "printed")


def text_of(app):
    """The text of the worked example."""
    [result] = app.text_area
    return result


def check_button(app, language="en") -> str:
    return next(one.key for one in app.button if one.label == Texts(language, "worked_examples")("own.check"))


ANSWER = {
    "en": r"""Here is a worked example. The queries are q1 = [1, 0] and q2 = [0, 1].

**Keys**
$$K = \begin{bmatrix} 1 & 0 \\ 0 & 1 \end{bmatrix}$$

### Scores

| | I | am |
|---|---|---|
| I | 1 | 0 |
| am | 0 | **2** |

attention weights: tensor([[0.6698, 0.3302], [-, -]], dtype=torch.float64)
The next matrix: [[5, 6]]""",
    "zh": r"""下面是一个算例。查询为 q1 = [1, 0]，q2 = [0, 1]。

**键**
$$K = \begin{bmatrix} 1 & 0 \\ 0 & 1 \end{bmatrix}$$

### 注意力分数

| | 我 | 爱 |
|---|---|---|
| 我 | 1 | 0 |
| 爱 | 0 | **2** |

注意力权重 = tensor([[0.6698, 0.3302], [-, -]], dtype=torch.float64)
下一个矩阵：[[5, 6]]""",
}


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_assistant_s_answer_is_read_and_what_was_not_understood_is_told(language):
    app, t = opened("own", language=language), Texts(language, "worked_examples")
    text_of(app).set_value(ANSWER[language])
    app.button(key=check_button(app, language)).click().run()
    assert not app.exception and not app.warning
    assert matrix(app, "printed")["values"] == [["1", "0"], ["0", "2"]]
    assert matrix(app, "printed")["ringed"] == [[1, 1]]
    part = said(app).replace("\\", "")
    assert t("own.read", steps=t.listed(f"{step} (2 × 2)" for step in "QKSA")) in part
    assert "[[5, 6]]" in part


@pytest.mark.parametrize("language", LANGUAGES)
def test_text_and_results_are_there_together_after_another_part(language):
    app = opened("own", language=language)
    text_of(app).set_value(ANSWER[language])
    app.button(key=check_button(app, language)).click().run()
    view, results = said(app), pictures(app)
    for part in ("notes", "own"):
        visit(app).places["worked_examples"] = Place(part)
        app.run()
        assert len(app.text_area) == (part == "own")
    assert text_of(app).value == ANSWER[language] and said(app) == view
    assert pictures(app)[0]["matrices"] == results[0]["matrices"]


def test_the_text_follows_a_link_and_the_note_s_example_and_not_what_was_refused():
    app = opened("own", document=GOOD)
    assert text_of(app).value == GOOD and matrix(app, "printed")
    next(one for one in app.button if one.label == Texts("en", "worked_examples")("own.sample")).click().run()
    assert text_of(app).value == sample()
    text_of(app).set_value("Q = [[1")
    app.button(key=check_button(app)).click().run()
    assert text_of(app).value == "Q = [[1" and len(app.warning) == 1
    for part in ("notes", "own"):
        visit(app).places["worked_examples"] = Place(part)
        app.run()
    assert text_of(app).value == sample() and not app.warning


def test_a_matrix_can_be_left_out_or_corrected_and_is_judged_again():
    app = opened("own")
    text_of(app).set_value(GOOD + "\nA = 0.5 0.5; 0.2 0.8")
    app.button(key=check_button(app)).click().run()
    app = unfolded(app, "own_tables")
    boxes = {box.label: box for box in app.checkbox if box.key.startswith("reading-")}
    assert list(boxes) == [f"{step} \\(2 × 2\\)" for step in "QKSA"]
    boxes["A \\(2 × 2\\)"].uncheck().run()
    assert "1 of 4" in said(app)
    scores = next(area for area in app.text_area if area.key.endswith("rows-2"))
    scores.set_value("1 0\n0 1").run()
    assert not app.exception and "All printed numbers" in said(app)
    scores = next(area for area in app.text_area if area.key.endswith("rows-2"))
    scores.set_value("1 0\n0").run()
    assert not app.exception and len(app.warning) == 1


def test_a_check_opens_at_the_first_wrong_step():
    def checked(document: str) -> str:
        text_of(app).set_value(document)
        app.button(key=check_button(app)).click().run()
        return matrix(app, "printed")["title"]

    app, right = opened("own"), "Q = 1 0\nK = 1 0; 0 1\nS = 1 0\n"
    assert checked(f"{right}A = 0.5 0.5") == "A, as printed"
    visit(app).places["worked_examples"] = Place("own", step="scores")
    app.run()
    assert matrix(app, "printed")["title"] == "S, as printed"
    assert checked(f"{right}A = 0.6 0.4") == "A, as printed"
    assert checked(f"{right}A = 0.6698 0.3302") == "S, as printed"
    assert checked("Q = 0.5 0\nK = 1 0; 0 1\nS = 0.5 0\nA = 0.7 0.3") == "A, as printed"


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_was_not_understood_is_told_with_a_refusal_too_and_all_of_it_can_be_seen(language):
    app, t = opened("own", language=language), Texts(language, "worked_examples")
    lines = [f"a matrix with number {i}: [[{i}, 2]]" for i in range(5)]
    text_of(app).set_value("Q = 1 0\n" + "\n".join(lines))
    app.button(key=check_button(app, language)).click().run()
    assert len(app.warning) == 1 and not app.exception
    assert t("own.all_skipped", count=5) in [one.label for one in app.expander]
    assert [one.value for one in unfolded(app, "own_skipped").code] == ["\n".join(lines)]


@pytest.mark.parametrize(
    ("printed", "exact", "difference"),
    [
        ("0.6604", "0.660477", "−0.000077"),
        ("0.661", "0.66048", "0.00052"),
        ("0.6605", "0.66048", "0.00002"),  # right: no more than one decimal more
        ("66%", "0.660", "0.000"),
        ("0.7", "0.66", "0.04"),
        ("0.9", "0.66", "0.24"),
        ("2/3", "0.6605", "0.0062"),
    ],
)
def test_a_difference_has_as_many_decimals_as_it_needs(printed, exact, difference):
    outcome = audit(read(f"scaled = 0 -0.665421\nA = {printed} -"))
    (line,) = outcome.of("weights")
    assert view.exact_text(line.exact, line) == exact
    assert view.exact_text(line.difference, line) == difference


def test_a_number_that_is_half_a_unit_off_but_for_a_trifle_is_seen_to_be_more():
    line = audit(read("Q = 0.50051\nK = 1\nS = 0.500")).lines[0]
    assert line.off and view.exact_text(line.difference, line) == "−0.00051"
    line = audit(read("Q = 0.50050001\nK = 1\nS = 0.500")).lines[0]
    assert line.off and view.exact_text(line.difference, line) == "−0.00050001"
    assert view.exact_text(line.exact, line) == "0.50050001"


def test_an_exact_value_beyond_all_numbers_is_shown():
    line = audit(read("scaled = 1000\nexp = 5")).lines[0]
    assert line.off and view.exact_text(line.exact, line) == "∞"


@pytest.mark.parametrize("bad", ["Q = [[1, 2], [3]]", '{"Q": [', "nothing here", "Q = 1\n" * 4000])
def test_what_cannot_be_read_is_said_and_changes_nothing(bad):
    app = opened("own", document=GOOD)
    before = matrix(app, "printed")
    text_of(app).set_value(bad)
    app.button(key=check_button(app)).click().run()
    assert not app.exception and len(app.warning) == 1
    assert "Nothing was changed" in app.warning[0].value
    assert value_of(visit(app).view, "document") == GOOD and matrix(app, "printed") == before


def test_a_link_with_a_broken_document_is_said_not_raised():
    app = open_page("worked_examples", view=looking(document="Q = [[1"), place=Place("own"))
    assert not app.exception and len(app.warning) == 1


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("entry", ["0e999", "1e999/1e999", "0√1e999", "1/0", "1" * 50])
def test_a_link_with_a_number_beyond_all_floats_is_refused_with_a_sentence(entry, language):
    query = {"part": "own", "lang": language, "document": f"Q = 1 1\nK = 1 1\nS = [[{entry}]]"}
    app = screen.open_link("worked_examples", query)
    assert not app.exception and not pictures(app)
    [warning] = app.warning
    assert warning.value.replace("\\", "").startswith("S") and entry[:40] in warning.value.replace("\\", "")


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_link_with_many_lines_of_prose_is_refused_with_a_sentence(language):
    app = open_page(
        "worked_examples", view=looking(language=language, document="a\n" * 1_500), place=Place("own")
    )
    assert not app.exception
    assert [one.value for one in app.warning] == [Texts(language, "worked_examples")("bad.nothing_found")]


def test_very_large_and_very_small_numbers_are_drawn():
    app = opened("own", document="scaled = 600 -1e6; 1e-300 0\nexp = 5 0.000001; 1e-300 1\nA = 1 0; 1e-320 1")
    assert "e+" in matrix(app, "exact")["values"][0][0] and not app.exception


def test_the_sample_gives_the_note_s_audit_without_the_parts():
    outcome, note = audit(read(sample())), audit(NOTES["cats"])
    kept = [(line.step, line.row, line.col, line.exact) for line in note.lines if line.step != "parts"]
    assert [(line.step, line.row, line.col, line.exact) for line in outcome.lines] == kept


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_refusal_is_said_with_its_own_facts(language):
    t = Texts(language, "worked_examples")
    for code_, facts in CODES.items():
        text = t(f"bad.{code_}", **dict.fromkeys(facts, "FACT"))
        assert "{" not in text.replace("[{", "").replace("}]", "")


# ---- opened in the first lesson


@pytest.mark.parametrize("name", ["cats", "five_tokens", "three_scores"])
def test_an_opened_example_computes_the_exact_values(name):
    outcome, settings = audit(NOTES[name]), opening.settings_of(NOTES[name])
    head = trace_of(settings).head(0)
    for step in ("scaled_scores", "weights", "output"):
        if step in outcome.exact:
            exact = outcome.exact[step]
            torch.testing.assert_close(getattr(head, step)[: len(exact)], exact, rtol=1e-12, atol=1e-12)


def test_the_long_example_is_the_start_and_another_one_is_opened_by_a_link():
    assert opening.settings_of(NOTES["cats"]) == Settings()
    app = opened("notes", topic="five_tokens")
    (link,) = [one for one in app.main.get("page_link") if one.proto.page == "one_head"]
    state, *_ = from_query(dict(parse_qsl(link.proto.query_string)))
    assert state.core == opening.settings_of(NOTES["five_tokens"])


def test_what_is_too_wide_or_says_too_little_has_no_settings():
    assert opening.settings_of(NOTES["it"]) is None
    rows = "; ".join(" ".join("1" for _ in range(9)) for _ in range(2))
    wide = read(f"Q = {rows}\nK = {rows}\nS = 9 9; 9 9")
    assert opening.settings_of(wide) is None


# ---- examples made by hand


def weights(name):
    return trace_of(example_start(name)).heads.weights


@pytest.mark.parametrize("name", [name for name in gallery.EXAMPLES if name != "it"])
def test_all_of_the_gallery_is_made_of_whole_numbers(name):
    settings = example_start(name)
    for matrix_ in (settings.x, settings.w_q, settings.w_k, settings.w_v, settings.w_o):
        assert all(value == int(value) for row in matrix_ for value in row)


def test_the_gallery_does_what_it_says():
    n = 4
    assert weights("same_word")[0].round(decimals=2).tolist() == [[0.5, 0, 0.5, 0], [0, 0.5, 0, 0.5]] * 2
    assert torch.allclose(weights("uniform"), torch.tensor(1 / 3, dtype=torch.float64))
    assert torch.allclose(weights("one_hot")[0], torch.eye(3).double().roll(1, 1), atol=1e-9, rtol=0)
    copied = trace_of(example_start("causal_copy")).output
    assert torch.allclose(copied, torch.eye(n).double(), atol=5e-4)
    free = trace_of(with_choice(example_start("causal_copy"), mask="none")).heads.weights
    assert 0 < (free - weights("causal_copy")).abs().max() < 5e-4
    for name, token, key in (("bank", 1, 4), ("it", 2, 0)):
        head = trace_of(example_start(name)).head(0)
        assert head.weights[token].argmax() == key
    bank = trace_of(example_start("bank")).head(0)
    assert bank.query[1].tolist() == [3, 5] and bank.key.any(-1).tolist() == [False] * 4 + [True]
    first, second = weights("induction")
    assert first.argmax(-1).tolist() == [0, 0, 1, 2] and second[3].argmax() == 1 and second[3, 1] > 0.99
    assert second[2].tolist() == pytest.approx([1 / 3, 1 / 3, 1 / 3, 0])


def test_the_code_part_shows_what_the_lab_finds():
    app = opened("code", topic="split")
    assert "1 of 15" in said(app) and str(code.split().shapes[-1].comes) in said(app)


def test_repeated_tokens_are_told_apart_in_the_file():
    result = SimpleNamespace(document=SimpleNamespace(tokens=("好", "人", "好", "人")))
    rows, columns = view.labels(result, SimpleNamespace(shape=(4, 4), step="scores"))
    assert rows == columns == ["好₁", "人₁", "好₂", "人₂"]


# What lecture notes say that is not so, or not all: where the course says what is.
ANSWERS = {
    "": ("why.scores", "why.scores_normalized"),
    "many_heads": ("code.modules", "code.w_o"),
    "softmax": ("bars.intro",),
    "worked_examples": ("code.shapes",),
}


def test_what_the_notes_say_of_shapes_layers_names_and_weights_is_answered():
    both = {"en": re.compile("lecture note|the notes’", re.IGNORECASE), "zh": re.compile("笔记")}
    for language, note in both.items():
        said_of = {
            key: Texts(language, where or None)(key) for where, keys in ANSWERS.items() for key in keys
        }
        said_of |= {
            term.key: glossary.sentence(term, language) for term in TERMS if term.key in ("query", "weights")
        }
        assert [key for key, text in said_of.items() if not note.search(text)] == []
    x, layer = torch.randn(3, 4), torch.nn.Linear(4, 2)
    assert torch.allclose(layer(x), x @ layer.weight.T + layer.bias) and layer.weight.shape == (2, 4)
    with pytest.raises(AttentionError):  # a query and a key of different widths
        scaled_dot_product_attention(x, torch.randn(3, 5), x)
    weights = trace_of(Settings()).heads.weights[0]
    assert not torch.allclose(weights, weights.mT) and weights.min() >= 0


def test_the_gallery_s_sentences_hold():
    """Mostly the position before; nearly all weight in equal parts on the same word; one key that leads."""
    weights = trace_of(example_start("previous")).heads.weights[0]
    assert weights.argmax(-1).tolist() == [0, 0, 1, 2] and weights.amax(-1).min() > 0.7
    settings = example_start("same_word")
    for token, row in zip(settings.tokens, trace_of(settings).heads.weights[0], strict=True):
        same = row[[other == token for other in settings.tokens]]
        assert same.sum() > 0.99 and same.max() - same.min() < 1e-12
    for example, query, key in (("bank", "bank", "river"), ("it", "it", "animal")):
        settings = example_start(example)
        row = trace_of(settings).heads.weights[0, settings.tokens.index(query)]
        assert settings.tokens[winner(row.tolist())] == key


@pytest.mark.parametrize("language", LANGUAGES)
def test_rows_of_weights_that_do_not_sum_to_1_are_named_with_their_sums(language):
    weights = "A = [[0.67, 0.33], [0.33, 0.5]]\n"
    for document in (weights, f"Q = [[1, 0], [0, 1]]\nK = [[1, 0], [0, 1]]\n{weights}"):
        app = opened("own", document=document, language=language)
        assert "2 (0.83)" in said(app) and not app.warning and not app.exception
    named = f"tokens: the cat\n{weights}"
    assert "cat (0.83)" in said(opened("own", document=named, language=language))
