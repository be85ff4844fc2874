"""The worksheet: its numbers are the core's, and just the chosen steps are blank."""

import re
from dataclasses import replace
from urllib.parse import parse_qs, urlsplit

import pytest
import segno
import torch
from hypothesis import given
from hypothesis import settings as limits
from hypothesis import strategies as st

from attention.multi_head import BEFORE_SCORES
from pages.draw.inputs import names as given_names
from pages.draw.numbers import entered, short
from pages.draw.steps import NAMES
from pages.draw.texts import Texts
from pages.hand.export import program, sheet, worksheet
from pages.hand.export.worksheet import Wanted
from pages.model import edits
from pages.model.compute import cross_trace_of, positions_of, trace_of
from pages.model.languages import LANGUAGES
from pages.model.settings import Settings
from tests.support.course import LESSONS, from_query
from tests.support.random_settings import drawn
from tests.support.screen import offered_files, opened, unfolded, visit
from tests.support.states import start_of
from tests.support.worksheets import Sheet, page_of

START = Settings()
TWO = edits.example_start("two_jobs")
LINK = "https://attention.example.org/one_head?lang=en&example=cats"
ALL = frozenset(NAMES)
COMPUTING = ("one_head", "cross_attention")
seeds = st.integers(0, 10**6)


def sheet_of(now: Settings, blank=frozenset(), name="one_head", language="en", head=0, link=LINK) -> Sheet:
    page = page_of(now, name, language, head)
    return Sheet(worksheet.make(page, blank, link) + worksheet.make_key(page))


def steps_of(now: Settings, name: str, head: int) -> dict[str, torch.Tensor]:
    """The steps of the shown head, as the core has them."""
    trace = cross_trace_of(now) if name == "cross_attention" else trace_of(now)
    one, kv = trace.head(head), now.kv_head(head)
    d_k, d_v = now.head_dim, now.value_dim
    sheet = {
        "query": trace.query[:, head * d_k : (head + 1) * d_k],
        "key": trace.key[:, kv * d_k : (kv + 1) * d_k],
        "value": trace.value[:, kv * d_v : (kv + 1) * d_v],
        "scores": one.scores,
        "scaled_scores": one.scaled_scores,
        "weights": one.weights,
        "output": trace.output,
    }
    forms = {step: getattr(trace, step) for step in BEFORE_SCORES if getattr(trace, step) is not None}
    sheet |= {step: tensor[kv if step.endswith("key") else head] for step, tensor in forms.items()}
    if one.biased_scores is not None:
        sheet["biased_scores"] = one.biased_scores
    if one.mask is not None:
        sheet["masked_scores"] = one.masked_scores
    if now.num_heads > 1:
        sheet |= {"head_output": one.output, "concatenated": trace.concatenated}
    if name == "one_head" and positions_of(now) is not None:
        sheet["x_p"] = trace.query_input
    return sheet


def says(rows: list[list[str]], tensor: torch.Tensor) -> bool:
    """Each cell has its number, with the digits of the screen."""
    values = tensor.tolist()
    same = [len(row) for row in rows] == [len(row) for row in values]
    pairs = [pair for one, other in zip(rows, values, strict=True) for pair in zip(one, other, strict=True)]
    return same and all(text in (short(value), short(value, 3)) for text, value in pairs)


@pytest.mark.parametrize("name", COMPUTING)
@limits(max_examples=25)
@given(seed=seeds)
def test_the_key_has_the_core_s_numbers_and_the_sheet_the_given_ones(name, seed):
    now = drawn(seed)
    head = seed % now.num_heads
    sheet, wanted = sheet_of(now, ALL, name, head=head), steps_of(now, name, head)
    assert set(sheet.key) - {"other_weights"} == set(wanted)
    for step, tensor in wanted.items():
        assert says(sheet.key[step].rows, tensor), step
    assert sheet.key["weights"].sums == [short(sum(row)) for row in wanted["weights"].tolist()]
    x = [[entered(value) for value in row] for row in now.x]
    assert sheet.sheet["x"].rows == x and set(given_names(now)) <= set(sheet.sheet)
    if "masked_scores" in wanted:
        visible = [["✓" if cell else "×" for cell in row] for row in mask_of(now, name, head)]
        assert sheet.sheet["mask"].rows == visible


def mask_of(now: Settings, name: str, head: int) -> list[list[bool]]:
    trace = cross_trace_of(now) if name == "cross_attention" else trace_of(now)
    return trace.head(head).mask.tolist()


@limits(max_examples=40)
@given(seed=seeds, blank=st.frozensets(st.sampled_from(NAMES)))
def test_just_the_chosen_steps_are_blank_in_the_sheet_and_none_in_the_key(seed, blank):
    now = drawn(seed)
    sheet, wanted = sheet_of(now, blank), steps_of(now, "one_head", 0)
    for step, tensor in wanted.items():
        rows = sheet.sheet[step].rows
        if step == "concatenated":  # the shown head's output once more; the others' are given
            matrices, others = (
                [row[: now.value_dim] for row in rows],
                [row[now.value_dim :] for row in rows],
            )
            assert says(others, tensor[:, now.value_dim :])
            rows, tensor = matrices, tensor[:, : now.value_dim]
            empty = bool(blank & {"concatenated", "head_output"})
        else:
            empty = step in blank
        assert all(cell == "" for row in rows for cell in row) if empty else says(rows, tensor), step
        assert not any(cell == "" for row in sheet.key[step].rows for cell in row)


def test_every_step_can_be_chosen_and_at_first_q_k_and_v_are_given():
    chosen = [step for choice in worksheet.BLANKS for step in worksheet.steps_of([choice])]
    assert sorted(chosen) == sorted(NAMES)
    given = worksheet.steps_of(worksheet.BLANKS) - worksheet.steps_of(worksheet.BLANK)
    assert given == {"x_p", "query", "key", "value", *BEFORE_SCORES}


def test_a_wide_matrix_takes_several_tables_and_a_landscape_page():
    now = edits.resize(START, num_heads=4, d_k=2, d_v=9)
    text = worksheet.make(page_of(now), ALL, LINK)
    assert text.count('data-matrix="concatenated"') == 3  # 36 columns
    assert "size: landscape" in text and "size: landscape" not in worksheet.make(page_of(TWO), ALL, LINK)


@pytest.mark.parametrize("token", ["<script>alert(1)", '"><img src=x>', "a_b^c", "&amp;", "</style>"])
def test_what_the_learner_typed_is_shown_as_typed(token):
    now = replace(START, tokens=(token, "b", "c"), source=(token, "d"), y=START.y[:2])
    for name in COMPUTING:
        sheet = sheet_of(now, ALL, name)
        assert sheet.sheet["x"].names[0] == sheet.key["weights"].names[0] == token
        assert not sheet.tags & {"script", "img"}
        assert sum(f"· {token}" in words for words in sheet.words) == 2


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", LESSONS)
def test_each_file_stands_alone_in_the_chosen_language(language, name):
    page, t = page_of(start_of(name), name, language), Texts(language, name)
    whole = program.of(page)
    first = t("title.query") if whole is None else whole.steps[0].panel.title
    files = {
        worksheet.make(page, ALL, LINK): ("sheet.title", "sheet.given", "sheet.steps"),
        worksheet.make_key(page): ("sheet.key", "sheet.computed"),
    }
    for text, keys in files.items():
        sheet = Sheet(text)
        for wanted in (*map(t, keys), t("sheet.questions"), first):
            assert any(wanted in words for words in sheet.words), wanted
        assert f'<html lang="{language}' in text and not sheet.tags & {"script", "link", "img", "iframe"}
        assert set(sheet.links) <= {LINK} and "url(" not in text and "@import" not in text
    assert bool(re.search("[a-z]{4,}", t("sheet.lead"))) == (language == "en")


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_sheet_says_no_answer_and_has_a_link_only_where_it_is_wanted(language):
    page, t = page_of(START, language=language), Texts(language)
    for wanted, links in ((Wanted(), 0), (Wanted(link=True), 2)):
        sheet = Sheet(worksheet.of_choices(page, LINK, wanted))
        assert len(sheet.links) == links and ("svg" in sheet.tags) == bool(links)
        assert not sheet.key and not any(t("sheet.key") == words for words in sheet.words)
    key = Sheet(worksheet.make_key(page))
    assert not key.links and set(key.key) >= {"scores", "weights", "output"} and not key.sheet


def test_the_code_is_that_of_the_link_and_large_enough():
    text = worksheet.make(page_of(START), ALL, LINK)
    assert segno.make(LINK, micro=False, error="m").svg_inline(omitsize=True, border=4, svgclass="qr") in text
    for length in (60, 300, 301, sheet.LONGEST):
        code = sheet.qr_code(LINK + "x" * (length - len(LINK)))
        dots = code.symbol_size(border=4)[0]
        assert max(sheet.CODE, dots * sheet.MODULE) / dots >= 0.4 and sheet.CODE >= 30


def test_a_link_that_is_too_long_for_a_code_is_said_and_can_be_clicked():
    link = LINK + "&x=" + "1" * sheet.LONGEST
    result = sheet_of(START, ALL, link=link)
    assert "svg" not in result.tags and result.links == [link]
    assert any(str(len(link)) in words for words in result.words)
    assert not any("1" * 100 in words for words in result.words)
    assert sheet_of(START, ALL, link="").links == []


@limits(max_examples=40)
@given(seed=seeds)
def test_the_answers_hold(seed):
    now = drawn(seed)
    sheet = sheet_of(now, ALL)
    weights = trace_of(now).head(0).weights
    text = " ".join(sheet.words)
    t = Texts("en")
    if t("sheet.ask_scaling").split(" √")[0] in text:
        after = trace_of(replace(now, scaling="none")).head(0).weights
        assert bool((after.amax(-1) >= weights.amax(-1) - 1e-9).all())
    else:
        values = trace_of(now).head(0).value[:, 0]
        mixed = trace_of(now).head(0).output[:, 0]
        if "Between which two numbers" in text:
            slack = 1e-9 * max(1.0, values.abs().max().item())
            assert values.min() - slack <= mixed.min() and mixed.max() <= values.max() + slack
    if "other_weights" not in sheet.key:
        assert len(now.tokens) == 1 or bool(trace_of(now).head(0).mask.all())
        return
    kind = "causal" if trace_of(now).head(0).mask is None else "none"
    other = trace_of(replace(now, mask=kind, mask_2="none")).head(0).weights
    assert says(sheet.key["other_weights"].rows, other)
    if kind == "causal":
        visible = weights.tril()
        sums = visible.sum(-1, keepdim=True)
        near = sums[:, 0] > 1e-6  # of a smaller sum too few digits are left
        torch.testing.assert_close((visible / sums)[near], other[near], rtol=1e-6, atol=1e-9)
    else:
        kept = trace_of(now).head(0).mask.all(-1)
        torch.testing.assert_close(weights[kept], other[kept])


def test_the_choice_of_blank_steps_lasts_and_is_read_when_the_sheet_is_asked_for():
    app = unfolded(opened("one_head", "picture"), "share")
    pills = next(one for one in app.get("button_group") if one.label == Texts("en")("sheet.blank"))
    assert pills.value == list(worksheet.BLANK)
    pills.set_value(["output", "scores"]).run()
    assert not app.exception and visit(app).memory["worksheet"].blank == ["scores", "output"]
    labels = offered_files(app)
    assert labels["export_worksheet"] == Texts("en")("share.worksheet")
    assert labels["export_answer_key"] == Texts("en")("share.answer_key")
    assert not visit(app).memory["worksheet"].link
    app.toggle(key="set_worksheet_link").set_value(True).run()
    app.switch_page("pages/many_heads.py").run()
    assert visit(app).memory["worksheet"] == Wanted(["scores", "output"], link=True)


def test_the_link_brings_the_setup_back_without_the_answers():
    page = page_of(edits.set_cell(START, "x", 0, 0, 9.0))
    page = replace(page, view=replace(page.view, answers=(("swap", "shown"),)))
    address, wanted = "https://example.org/one_head?lang=en&guess=swap:shown", Wanted(["output"], link=True)
    sheet = Sheet(worksheet.of_choices(page, address, wanted))
    base, query = sheet.links[0].split("?")
    state, view, _, problems = from_query(parse_qs(urlsplit(sheet.links[0]).query))
    assert base == "https://example.org/one_head" and "guess" not in query
    assert state.core == page.settings and view.answers == () and not problems
    assert sheet.sheet["output"].rows[0] == [""] * 4 and sheet.sheet["scores"].rows[0][0]
