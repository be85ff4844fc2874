"""A text of the learner's own, read by a small model with the form of the real one; and how it is loaded."""

import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
import torch

from attention.lab.real_heads import minilm, store
from attention.lab.real_heads.toggles import traces_of
from pages.lessons.real_heads import loading, settings, texts
from pages.model.entries import SettingsError
from tests.ask.test_long_work import until
from tests.support.programs import ROOT
from tests.support.screen import matrix, opened, said, visit
from tests.support.states import with_own

from .conftest import small_model

TEXT, SECOND = "Cats like warm places because cats feel cold", "Dogs like cold places"
PARTS = {
    "which_head": ("next", (), "model_weights"),
    "a_model": ("find", (), "model_weights"),
    "one_real_head": ("exchange", (("real_exchange", "shown"),), "weights"),
    "explain": ("model", (("real_agree", "shown"),), "measures"),
}


def tokens(text: str) -> list[str]:
    return ["[CLS]", *text.lower().split(), "[SEP]"]


def open_typed(part: str, typed: str = TEXT, **own):
    topic, answers, _ = PARTS[part]
    return opened("real_heads", part, topic=topic, answers=answers, typed=typed, **own)


def names_in(app, part: str) -> list[str]:
    """The tokens in the part's matrix, without the numbers of repeated ones."""
    return [name.rstrip("₀₁₂₃₄₅₆₇₈₉") for name in matrix(app, PARTS[part][2])["cols"]]


# ---- the model


def test_a_read_text_is_what_the_core_computes_from_its_queries_and_keys():
    sentence = small_model().read(TEXT)
    assert sentence.tokens == tuple(tokens(TEXT)) and sentence.query.shape == (6, 12, 10, 32)
    torch.testing.assert_close(traces_of(sentence).weights, sentence.model_weights)


def test_a_head_that_is_switched_off_leaves_the_layer_without_its_output():
    model = small_model()
    x = model.input_of(model.ids_of(TEXT))
    whole, without = list(model.run(x)), list(model.run(x, off=(2, 5)))
    for layer in range(2):
        assert torch.equal(whole[layer].output, without[layer].output)
    heads, w_o = whole[2].attention.heads.output, model.layers[2]["w_o"].unflatten(0, (12, 32))
    rest = sum(heads[head] @ w_o[head] for head in range(12) if head != 5)
    torch.testing.assert_close(without[2].attention.output, rest)
    assert not torch.allclose(whole[5].output, without[5].output)
    steps = []
    effects = model.switched_off(TEXT, lambda: steps.append(1))
    assert effects.shape == (6, 12) and len(steps) == 72
    pair = whole[5].output.mean(0), without[5].output.mean(0)
    assert effects[2, 5].item() == pytest.approx(1 - torch.cosine_similarity(*pair, dim=0).item())


def test_the_requirements_name_every_package_that_is_needed():
    text = (ROOT / loading.COMMAND.split()[-1]).read_text("utf-8")
    pinned = [line.partition("==")[0].replace("-", "_") for line in text.splitlines() if "==" in line]
    assert set(minilm.PACKAGES) <= set(pinned)
    assert "models.txt" in (ROOT / "tests/tools/capture_requirements.txt").read_text("utf-8")
    assert "tests/tools/capture_requirements.txt" in (ROOT / ".ci/run").read_text("utf-8")


# ---- in every part


@pytest.mark.parametrize(("part", "text"), [*zip(PARTS, [TEXT] * 4, strict=True), ("which_head", "tired")])
def test_a_typed_text_is_read_in_every_part_also_one_with_the_name_of_a_shipped_sentence(part, text, loaded):
    app = open_typed(part, text)
    assert names_in(app, part) == tokens(text)
    assert "shipped sentence" not in said(app)


def test_a_typed_text_is_explained_with_the_other_text(loaded):
    app = open_typed("explain", typed_other=SECOND)
    wanted = loaded.get().explain(TEXT, SECOND)
    assert f"“{TEXT}” with “{SECOND}”" in said(app) and f"{wanted.similarity:.2f}" in said(app)
    shares = wanted.leave_one_out / wanted.leave_one_out.abs().sum()
    assert matrix(app, "measures")["values"][-1] == pytest.approx(shares.tolist())
    example = store.explained()["tired"].other
    assert f"with “{example}”" in said(open_typed("explain"))


@pytest.mark.exhaustive
@pytest.mark.parametrize("part", PARTS)
def test_a_longer_text_is_refused_with_its_number_of_tokens(part, loaded):
    app = open_typed(part, "word " * 70)
    assert "has 72 tokens" in said(app) and "At most 64" in said(app)
    assert names_in(app, part)[1] == "the"
    assert "warm" not in said(app) and names_in(open_typed(part, "word " * 62), part)[1] == "word"


@pytest.mark.exhaustive
@pytest.mark.parametrize("part", PARTS)
def test_without_the_model_a_shipped_sentence_is_shown_and_the_page_says_why(part, monkeypatch):
    monkeypatch.setattr(texts, "MINILM", replace(texts.MINILM, packages=("no_such_package",)))
    app = open_typed(part)
    assert not app.text_input and f"“{TEXT}” cannot be read here" in said(app)
    assert names_in(app, part)[1] == "the"


def test_without_the_model_the_page_can_say_what_it_needs(monkeypatch):
    monkeypatch.setattr(texts, "MINILM", replace(texts.MINILM, packages=("no_such_package",)))
    closed = texts.session.popover
    opened_box = {"own_text": lambda label, key: texts.st}
    monkeypatch.setattr(
        texts.session, "popover", lambda *about, **extra: opened_box.get(about[1], closed)(*about, **extra)
    )
    text = said(open_typed("which_head", ""))
    assert text.count(loading.COMMAND) == 1
    assert f"{loading.DOWNLOAD} MB" in text and f"{texts.MINILM.memory} MB of memory" in text


def test_a_text_with_too_many_letters_is_refused_and_the_old_one_stays(loaded):
    assert with_own(None, typed="  a \n b ").own[0].typed == "a b"
    with pytest.raises(SettingsError):
        with_own(None, typed="a" * (settings.MOST_LETTERS + 1))
    app = open_typed("which_head")
    app.text_input[0].set_value("a" * (settings.MOST_LETTERS + 1)).run()
    assert f"has {settings.MOST_LETTERS + 1} characters" in app.warning[0].value
    assert names_in(app, "which_head") == tokens(TEXT)


# ---- loading


@pytest.fixture
def gate(installed, monkeypatch):
    """The model is loaded while the gate is open, and each loading is counted."""
    gate = threading.Event()
    gate.loadings = 0

    def load(step):
        gate.loadings += 1
        assert gate.wait(30)
        return small_model(step)

    monkeypatch.setattr(texts, "MINILM", replace(installed, load=load))
    yield gate
    gate.set()


def job_of(app):
    return visit(app).memory["models"]["small"]


def test_a_model_is_loaded_once_with_its_progress_and_the_text_is_read_then(gate):
    one, other = open_typed("which_head"), open_typed("one_real_head")
    for app in (one, other):
        assert names_in(app, "which_head" if app is one else "one_real_head")[1] == "the"
        assert [bar.proto.text for bar in app.get("progress")] and app.button(key="stop_small")
    gate.set()
    until(lambda: job_of(one).wait(0) and job_of(other).wait(0))
    for app, part in ((one, "which_head"), (other, "one_real_head")):
        assert names_in(app.run(), part)[1] == "cats" and not app.get("progress")
    assert gate.loadings == 1


def test_a_loaded_model_does_not_wait_for_the_loading_of_another(loaded):
    begun, goes_on = threading.Event(), threading.Event()

    def slow(step):
        begun.set()
        return goes_on.wait(60)

    with ThreadPoolExecutor(2) as pool:
        other = pool.submit(replace(loaded, name="slow", load=slow).keep)
        try:
            assert begun.wait(30)
            assert pool.submit(loaded.keep).result(30) is loaded.get()
        finally:
            goes_on.set()
            other.result(60)
            loading._loaded.pop("slow", None)


def test_the_loading_can_be_stopped_and_begun_again(gate):
    app = open_typed("which_head")
    app.button(key="stop_small").click().run()
    gate.set()
    until(lambda: job_of(app).ended)
    app.run()
    assert texts.MINILM.get() is None and names_in(app, "which_head")[1] == "the"
    app.button(key="load_small").click().run()
    until(lambda: job_of(app).wait(0))
    assert names_in(app.run(), "which_head")[1] == "cats"


def test_a_model_that_cannot_be_loaded_says_how_to_go_on(installed, monkeypatch):
    is_open = threading.Event()

    def load(step):
        is_open.wait()
        raise OSError("no such file")

    monkeypatch.setattr(texts, "MINILM", replace(installed, load=load))
    app = open_typed("which_head")
    is_open.set()
    until(lambda: job_of(app).ended)
    app.run()
    (warning,) = app.warning
    assert loading.COMMAND in warning.value and app.button(key="load_small")
