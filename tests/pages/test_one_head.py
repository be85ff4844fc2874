"""The first lesson without a browser: both languages, every switch, good and bad links."""

import pytest
from streamlit.testing.v1 import AppTest

from pages.ui.edits import resize, set_cell, with_choice
from pages.ui.examples import EXAMPLES
from pages.ui.link import to_query
from pages.ui.settings import MASKS, SCALINGS, Settings
from pages.ui.texts import Texts
from tests.browser_support import ROOT

LANGUAGES = ["en", "zh"]


def open_app(**query) -> AppTest:
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=30)
    for key, value in query.items():
        app.query_params[key] = value
    return app.run()


def charts(app) -> list:
    return app.get("vega_lite_chart")


def settings(app) -> Settings:
    return app.session_state["settings"]


def link(app) -> dict[str, str]:
    return {
        key: values[0] if isinstance(values, list) else values for key, values in app.query_params.items()
    }


@pytest.mark.parametrize("language", LANGUAGES)
def test_it_opens_with_all_steps_in_either_language(language):
    app = open_app(lang=language)
    t = Texts(language, "one_head")
    assert not app.exception
    assert not app.warning
    assert app.title[0].value == t("page.title")
    text = "\n".join(element.value for element in app.markdown)
    for step in ("query", "key", "value", "scores", "scaled_scores", "masked_scores", "weights", "output"):
        assert t(f"title.{step}") in text
    assert len(charts(app)) == 8


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("mask", MASKS)
@pytest.mark.parametrize("scaling", SCALINGS)
def test_every_scaling_and_mask_runs(language, mask, scaling):
    now = with_choice(Settings(language=language), mask=mask, scaling=scaling, blocked=frozenset({(0, 1)}))
    app = open_app(**to_query(now))
    assert not app.exception and not app.warning
    assert settings(app) == now


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("example", EXAMPLES)
def test_every_example_runs(language, example):
    app = open_app(lang=language)
    app.selectbox(key="set_example").select(example).run()
    assert not app.exception and not app.warning
    assert settings(app).example == example


def test_a_language_switch_keeps_every_number():
    app = open_app(**to_query(set_cell(Settings(), "x", 0, 0, 7.0)))
    before = settings(app)
    app.button_group(key="set_language").set_value("zh").run()
    assert not app.exception
    assert settings(app) == with_choice(before, language="zh")
    assert app.title[0].value == Texts("zh", "one_head")("page.title")
    assert link(app)["lang"] == "zh"


def test_the_link_always_says_the_present_state():
    app = open_app()
    assert link(app) == to_query(Settings())
    app.selectbox(key="set_mask").select("causal").run()
    assert link(app) == to_query(with_choice(Settings(), mask="causal"))
    app.button(key="undo").click().run()
    assert link(app) == to_query(Settings())


def test_a_link_changed_from_outside_is_taken_over_and_can_be_undone():
    app = open_app()
    changed = set_cell(Settings(), "w_q", 1, 1, -2.5)
    app.query_params.clear()
    for key, value in to_query(changed).items():
        app.query_params[key] = value
    app.run()
    assert settings(app) == changed
    app.button(key="undo").click().run()
    assert settings(app) == Settings()


def test_undo_redo_and_reset():
    app = open_app()
    assert app.button(key="undo").disabled and app.button(key="redo").disabled
    app.number_input(key="set_d_model").set_value(5).run()
    app.selectbox(key="set_scaling").select("none").run()
    app.button(key="undo").click().run()
    assert settings(app) == resize(Settings(), d_model=5)
    app.button(key="redo").click().run()
    assert settings(app).scaling == "none"
    app.button(key="reset").click().run()
    assert settings(app) == Settings()
    app.button(key="undo").click().run()
    assert settings(app).scaling == "none"


def test_tokens_are_added_renamed_and_removed():
    app = open_app()
    app.button(key="add_token").click().run()
    assert len(settings(app).tokens) == 4
    assert settings(app).x[:3] == Settings().x
    app.text_input(key="set_token_name").set_value("你").run()
    assert settings(app).tokens[0] == "你"
    app.button(key="remove_token").click().run()
    assert settings(app).tokens[:2] == Settings().tokens[1:]
    assert settings(app).x[0] == Settings().x[1]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", ["", "x" * 200, " \n "])
def test_a_token_that_cannot_be_is_refused_with_a_sentence(language, name):
    app = open_app(lang=language)
    app.text_input(key="set_token_name").set_value(name).run()
    assert not app.exception
    assert len(app.warning) == 1
    assert settings(app) == Settings(language=language)
    assert app.text_input(key="set_token_name").value == "我"


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_head_count_that_does_not_divide_is_refused_with_a_sentence(language):
    app = open_app(lang=language)
    app.number_input(key="set_num_heads").set_value(3).run()
    assert not app.exception
    assert len(app.warning) == 1
    assert "3" in app.warning[0].value and "4" in app.warning[0].value
    assert app.number_input(key="set_num_heads").value == 1


def test_several_heads_show_thumbnails_concatenation_and_w_o():
    app = open_app()
    app.number_input(key="set_num_heads").set_value(2).run()
    assert not app.exception
    assert len(charts(app)) == 11
    app.button_group(key="set_head").set_value(1).run()
    assert settings(app).head == 1


def test_sizes_of_one_s_own_and_back_to_following():
    app = open_app()
    app.number_input(key="set_d_k").set_value(7).run()
    assert settings(app).head_dim == 7
    assert not app.toggle(key="set_follow").value
    app.toggle(key="set_follow").set_value(True).run()
    assert settings(app).head_dim == 4


def test_biases_are_switched_on_and_off():
    app = open_app()
    app.toggle(key="set_biases").set_value(True).run()
    assert not app.exception
    assert settings(app).b_q == (0.0,) * 4
    app.toggle(key="set_biases").set_value(False).run()
    assert settings(app).b_q is None


@pytest.mark.parametrize("how", ["zeros", "identity", "normal", "round_1", "round_2"])
def test_every_fill_runs_and_can_be_undone(how):
    app = open_app()
    app.selectbox(key="fill_how").select(how)
    app.selectbox(key="fill_matrix").select("w_q")
    app.button(key="fill_apply").click().run()
    assert not app.exception
    if how == "zeros":
        assert settings(app).w_q == ((0.0,) * 4,) * 4
    if how == "identity":
        assert settings(app).w_q[1] == (0.0, 1.0, 0.0, 0.0)
    if settings(app) != Settings():
        app.button(key="undo").click().run()
    assert settings(app) == Settings()


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    "query",
    [
        {"x": "1,2"},
        {"x": "a" * 100_000},
        {"heads": "-1", "mask": "banana", "tokens": ""},
        {"cell": "weights", "row": "99", "head": "9"},
        {"nonsense": "1"},
        {"dk": "1e400", "scaling": "own", "divisor": "0"},
    ],
)
def test_a_broken_link_is_said_and_crashes_nothing(language, query):
    app = open_app(lang=language, **query)
    assert not app.exception
    assert app.warning
    assert len(charts(app)) >= 8
    assert settings(app).language == language


@pytest.mark.parametrize("masked_score", ["-inf", "-1e9"])
def test_a_row_that_may_attend_to_nothing(masked_score):
    blocked = frozenset((0, col) for col in range(3))
    app = open_app(
        **to_query(with_choice(Settings(), mask="custom", blocked=blocked, masked_score=masked_score))
    )
    assert not app.exception
    html = " ".join(element.proto.body for element in app.get("html"))
    t = Texts("en", "one_head")
    if masked_score == "-inf":
        assert t("reading.nothing", query="我 I") in html
    else:
        assert t("checks.fails") in html  # uniform weights on masked cells: the check says so
    assert "nan" not in html.lower()


def test_no_page_file_is_named_like_its_path():
    # Streamlit would run such a file without app.py.
    for script in (ROOT / "pages").glob("*.py"):
        assert "_" in script.stem and script.stem != script.stem.replace("_", "-")
