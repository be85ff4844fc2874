"""The lesson `Worked examples` without a browser: every part, the audits on the screen, a learner's own."""

from types import SimpleNamespace

import pytest
import torch

from attention.lab.worked_audit import audit
from attention.lab.worked_document import half_unit, of_notes
from attention.lab.worked_reader import CODES
from attention.lab.worked_text import read
from pages.lessons.worked_examples import LESSON, code, gallery, opening, own, view
from pages.lessons.worked_examples.own import sample
from pages.model.compute import trace_of
from pages.model.edits import load_example
from pages.model.settings import Settings
from pages.model.view import Place, View
from pages.ui.texts import Texts
from tests.apps import LANGUAGES, matrix, open_page, pictures, said, visit

ANSWERS = tuple((question, "shown") for question in (*LESSON.questions, LESSON.ending))
TOPICS = {
    "notes": ("cats", "five_tokens", "three_scores", "it"),
    "code": ("split", "dropout", "mask", "shapes"),
}
PLACES = [(part.name, topic) for part in LESSON.parts for topic in TOPICS.get(part.name, (None,))]
NOTES = of_notes()
GOOD = "Q = 1 0; 0 1\nK = 1 0; 0 1\nS = 1 0; 0 2"


def page(part, topic=None, language="en", answers=ANSWERS, **view):
    return open_page(
        "worked_examples", None, View(language=language, answers=answers, **view), Place(part, topic=topic)
    )


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("answers", [(), ANSWERS], ids=["before", "after"])
@pytest.mark.parametrize(("part", "topic"), PLACES)
def test_every_part_runs_in_either_language(part, topic, answers, language):
    app = page(part, topic, language, answers)
    assert not app.exception and not app.warning


@pytest.mark.parametrize("topic", TOPICS["notes"])
def test_the_audit_is_not_in_sight_before_the_answer(topic):
    shown = [
        one["id"] for picture in pictures(page("notes", topic, answers=())) for one in picture["matrices"]
    ]
    assert not {"exact", "difference", "own"} & set(shown)


@pytest.mark.parametrize("step", ["query", "exponentials", "sums", "parts", "output"])
def test_each_step_shows_its_printed_numbers_their_differences_and_a_ring_where_it_is_wrong(step):
    app = open_page("worked_examples", None, View(answers=ANSWERS), Place("notes", step=step))
    found = audit(NOTES["cats"])
    assert matrix(app, "printed")["values"] == [list(row) for row in NOTES["cats"].block(step).rows]
    difference = matrix(app, "difference")
    for line in found.of(step):
        shown = difference["values"][line.row][line.col].replace("−", "-")
        assert float(shown) == pytest.approx(line.difference, abs=0.5 * 10.0 ** -len(shown.partition(".")[2]))
        assert not line.off or abs(float(shown)) > half_unit(line.printed)
        assert ([line.row, line.col] in difference["ringed"]) == (line.verdict == "wrong")
    assert "98 of 99" in said(app) and "Q[我, 1]" in said(app)


def test_the_own_previous_step_is_shown_where_it_differs_from_the_exact_one():
    app = open_page("worked_examples", None, View(answers=ANSWERS), Place("notes", step="scaled_scores"))
    assert matrix(app, "own")["values"][0][0] == "1.145"
    shown = [one["id"] for picture in pictures(page("notes", "five_tokens")) for one in picture["matrices"]]
    assert "own" not in shown


# ---- a learner's own


def test_a_pasted_example_is_audited_and_kept_in_the_link():
    app = page("own")
    app.text_area(key=own.TEXT).set_value(GOOD)
    app.button(key=check_button(app)).click().run()
    assert not app.exception and not app.warning
    assert read(visit(app).view.document)[0] == read(GOOD)[0]
    assert "1 of 4" in said(app)
    again = page("own", document=visit(app).view.document)
    assert matrix(again, "printed") == matrix(app, "printed")


def check_button(app) -> str:
    return next(one.key for one in app.button if one.label == Texts("en", "worked_examples")("own.check"))


@pytest.mark.parametrize("bad", ["Q = [[1, 2], [3]]", '{"Q": [', "nothing here", "Q = 1\n" * 4000])
def test_what_cannot_be_read_is_said_and_changes_nothing(bad):
    app = page("own", document=GOOD)
    before = matrix(app, "printed")
    app.text_area(key=own.TEXT).set_value(bad)
    app.button(key=check_button(app)).click().run()
    assert not app.exception and len(app.warning) == 1
    assert "Nothing was changed" in app.warning[0].value
    assert visit(app).view.document == GOOD and matrix(app, "printed") == before


def test_a_link_with_a_broken_document_is_said_not_raised():
    app = page("own", document="Q = [[1")
    assert not app.exception and len(app.warning) == 1


def test_the_sample_gives_the_note_s_audit_without_the_parts():
    found, note = audit(read(sample())[0]), audit(NOTES["cats"])
    kept = [(line.step, line.row, line.col, line.exact) for line in note.lines if line.step != "parts"]
    assert [(line.step, line.row, line.col, line.exact) for line in found.lines] == kept


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_refusal_is_said_with_its_own_facts(language):
    t = Texts(language, "worked_examples")
    for code_, facts in CODES.items():
        text = t(f"bad.{code_}", **dict.fromkeys(facts, "FACT"))
        assert "{" not in text.replace("[{", "").replace("}]", "")


# ---- opened in the first lesson


@pytest.mark.parametrize("name", ["cats", "five_tokens", "three_scores"])
def test_an_opened_example_computes_the_exact_values(name):
    found, settings = audit(NOTES[name]), opening.settings_of(NOTES[name])
    head = trace_of(settings).head(0)
    for step in ("scaled_scores", "weights", "output"):
        if step in found.exact:
            exact = found.exact[step]
            torch.testing.assert_close(getattr(head, step)[: len(exact)], exact, rtol=1e-12, atol=1e-12)


def test_the_long_example_is_the_start():
    assert opening.settings_of(NOTES["cats"]) == Settings()


def test_what_is_too_wide_or_says_too_little_has_no_settings():
    assert opening.settings_of(NOTES["it"]) is None
    rows = "; ".join(" ".join("1" for _ in range(9)) for _ in range(2))
    wide = read(f"Q = {rows}\nK = {rows}\nS = 9 9; 9 9")[0]
    assert opening.settings_of(wide) is None


# ---- examples made by hand


def weights(name):
    return trace_of(load_example(Settings(), name)).heads.weights


@pytest.mark.parametrize("name", gallery.EXAMPLES)
def test_all_of_the_gallery_is_made_of_whole_numbers(name):
    settings = load_example(Settings(), name)
    for matrix_ in (settings.x, settings.w_q, settings.w_k, settings.w_v, settings.w_o):
        assert all(value == int(value) for row in matrix_ for value in row)


def test_the_gallery_does_what_it_says():
    n = 4
    assert weights("same_word")[0].round(decimals=2).tolist() == [[0.5, 0, 0.5, 0], [0, 0.5, 0, 0.5]] * 2
    assert torch.allclose(weights("uniform"), torch.tensor(1 / 3, dtype=torch.float64))
    assert torch.allclose(weights("one_hot")[0], torch.eye(3).double().roll(1, 1), atol=1e-9, rtol=0)
    copied = trace_of(load_example(Settings(), "causal_copy")).output
    assert torch.allclose(copied, torch.eye(n).double(), atol=1e-3)
    first, second = weights("induction")
    assert first.argmax(-1).tolist() == [0, 0, 1, 2] and second[3].argmax() == 1 and second[3, 1] > 0.99
    assert second[2].tolist() == pytest.approx([1 / 3, 1 / 3, 1 / 3, 0])


def test_the_code_part_shows_what_the_lab_finds():
    app = page("code", "split")
    assert "1 of 15" in said(app) and str(code.split().shapes[-1].comes) in said(app)


def test_repeated_tokens_are_told_apart_in_the_file():
    found = SimpleNamespace(document=SimpleNamespace(tokens=("好", "人", "好", "人")))
    rows, columns = view.labels(found, SimpleNamespace(shape=(4, 4), step="scores"))
    assert rows == columns == ["好₁", "人₁", "好₂", "人₂"]
