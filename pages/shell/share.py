"""The popover *Share*: the link, files to save, ways for teachers, and files to load."""

import zlib
from collections.abc import Callable
from contextlib import suppress
from itertools import chain
from typing import NamedTuple

import streamlit as st

from pages import session
from pages.draw import copy_link, inputs, qr_code, readings, say
from pages.draw.messages import sentence
from pages.draw.page import Page
from pages.draw.texts import Texts
from pages.hand import class_results
from pages.hand import hand_out as panel
from pages.hand.export import CHOICES, FORMATS, Format, ScreenText
from pages.model import files
from pages.model.entries import SettingsError
from pages.model.files import Brought
from pages.model.languages import LANGUAGES
from pages.model.link import LONGEST, typed_of
from pages.model.view import View

from . import following

FOR_TEACHERS = "for_teachers"  # the page
FILE, TEXT, MATRIX, RESIZE = "import_file", "import_text", "import_matrix", "import_resize"
PLACEHOLDER = "tensor([[1.0, 0.5],\n        [0.3, 1.2]])"


def draw(page: Page, screen: ScreenText) -> None:
    """screen: called when a file is asked for, since a gesture does not draw the popover again."""
    t = page.t
    share = session.popover(t("share.title"), "share", keep=True, icon=":material/ios_share:")
    if share is None:
        return
    with share:
        take, bring = st.tabs([t("share.take"), t("share.bring")])
    with take, st.container(gap="xsmall"):
        _typed(page)
        _link(page, screen()[1])
        _for_teachers(page)
        if page.hidden_matrices:  # the picture lacks hidden numbers, which the other files would have
            say.markdown(t("share.hidden"))
        shown = [kind for kind in FORMATS if not (page.hidden_matrices and kind.has_every_number)]
        for group in dict.fromkeys(kind.group for kind in shown):
            _group(page, group, [kind for kind in shown if kind.group == group], screen)
    with bring:
        _bring(page)


def _link(page: Page, link: str) -> None:
    """The link to what is on the screen: to copy, and as a QR code."""
    t = page.t
    if not link:
        say.markdown(t("share.too_long", limit=LONGEST))
        return
    say.markdown(f"**{t('share.link')}** {t('share.link_why')}")
    with st.container(key="share_link", horizontal=True, gap="medium"):
        copy_link.draw(t("share.copy"), t("share.copied"), link, name="link")
        if len(link) > qr_code.MOST:
            say.caption(t("handout.no_code", length=len(link), limit=qr_code.MOST))
        else:
            qr_code.draw(link, t("handout.code"), t("handout.enlarge"), name="share")


def _for_teachers(page: Page) -> None:
    """Links with locks, plans and votes."""
    title = Texts(page.t.language, FOR_TEACHERS)("lesson.title")
    say.markdown(f"**{title}{LANGUAGES[page.t.language].colon.rstrip()}** {page.t('share.teachers_why')}")
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        panel.draw(page)
        following.offer(page)
        st.page_link(session.script(FOR_TEACHERS), label=page.t("share.plans"))
    class_results.draw(page)


def _typed(page: Page) -> None:
    """A switch, if a document was pasted: links and files include it."""
    if page.lesson.look is None or not typed_of(View(own=(page.look,))):
        return
    visit, about = session.visit(), page.t("help.typed_shared")
    visit.shares_typed = st.toggle(page.t("share.typed"), visit.shares_typed, key="share_typed", help=about)


def _group(page: Page, group: str, formats: list[Format], screen: ScreenText) -> None:
    say.markdown(f"**{page.t(f'share.{group}')}** {page.t(f'share.{group}_why')}")
    if group in CHOICES:
        CHOICES[group](page)
    with st.container(horizontal=True, gap="small"):
        for kind in formats:
            kind.draw(page, screen)


def _bring(page: Page) -> None:
    """Loads numbers from a file or from text, for one matrix or for all matrices that the file names.

    A lesson without these matrices takes a whole state only.
    """
    t, several = page.t, page.lesson.has_matrices
    names = [*inputs.names(page.settings), *(("y",) if page.lesson.crosses else ())]
    if several:
        st.selectbox(
            t("share.into"),
            names,
            format_func=inputs.SYMBOLS.__getitem__,
            key=MATRIX,
            help=t("help.import_matrix"),
            width=150,
        )
    st.file_uploader(
        t("share.file"),
        key=FILE,
        help=t("help.import_file" if several else "help.import_state"),
        on_change=_newest,
        args=(FILE,),
        max_upload_size=1,
    )
    if several:
        st.text_area(
            t("share.text"),
            key=TEXT,
            height=100,
            help=t("help.import_text"),
            placeholder=PLACEHOLDER,
            on_change=_newest,
            args=(TEXT,),
        )
    source = _source()
    usable = source is not None and _offer(page, source)
    st.button(t("share.use"), key="import_take", type="primary", on_click=_take, disabled=not usable)


class Source(NamedTuple):
    """A file or a text that may be used: its mark, and its reader."""

    mark: str
    read: Callable[[], Brought]


def _newest(key: str) -> None:
    """The file or the text that was chosen last is read; the other one is forgotten with its problems."""
    session.memory("import", dict[str, str])["newest"] = key


def _source() -> Source | None:
    matrix = _into()
    if session.memory("import", dict[str, str]).get("newest") == FILE:
        file = session.uploaded_file(FILE)
        if file is None:  # the learner has removed it
            return None
        name, data = str(getattr(file, "name", "")), file.getvalue()
        return Source(f"{name} {matrix} {zlib.crc32(data)}", lambda: files.read(name, data, matrix))
    text = str(session.widget_value(TEXT) or "")
    return Source(f"{matrix} {text}", lambda: files.read_text(text, matrix)) if text.strip() else None


def _offer(page: Page, source: Source) -> bool:
    """What was read, before it replaces the learner's numbers; whether it can be used here."""
    seen = session.memory("import", dict[str, str])
    seen["seen"] = source.mark
    try:
        brought = source.read()
    except SettingsError as problem:
        say.warning(sentence(page.t, problem))
        return True  # the press says it again
    if brought.state is not None:
        say.caption(page.t("share.whole_state"))
        return True
    if not page.lesson.has_matrices:
        seen["seen"] = ""
        say.warning(page.t("share.state_only"))
        return False
    tables = [offer.table for offer in brought.offers]
    say.caption(page.t("share.read"))
    readings.draw(
        page, source.mark, tables, [_title(page, offer) for offer in brought.offers], _used(brought)
    )
    for note in brought.notes:
        if note.code != "text_others" and note not in chain(*(table.notes for table in tables)):
            say.caption(sentence(page.t, note))
    return _can_be_used(page, source)


def _title(page: Page, offer: files.Offer) -> str:
    """The name in the text, and the matrix that it replaces."""
    name = offer.table.name or page.t("share.unnamed")
    if offer.table.fault is not None:
        return name
    if offer.table.step == files.WEIGHTS and offer.target in (None, files.WEIGHTS):
        return "A"
    if offer.table.step in inputs.SYMBOLS and offer.table.one_of < 2:
        return inputs.SYMBOLS[offer.table.step]
    target = offer.target or files.target_of(offer.table, _into())
    return f"{name} → {inputs.SYMBOLS.get(target, target)}"


def _can_be_used(page: Page, source: Source) -> bool:
    """Whether something is chosen. If its size differs from the present one, that size can be changed."""
    try:
        chosen = _chosen(source)
        if not chosen.matrices:
            say.caption(page.t("share.choose"))
            return False
        if files.WEIGHTS in chosen.matrices and page.lesson.crosses:
            say.caption(page.t("share.no_weights"))
            return False
        files.with_matrices(page.settings, chosen.matrices)
    except SettingsError as problem:
        with suppress(SettingsError):
            if problem.code == "file_shape":
                resized = files.with_matrices(page.settings, chosen.matrices, resize=True)
                sizes = {"d_model": resized.d_model, "d_k": resized.head_dim, "d_v": resized.value_dim}
                st.checkbox(page.t("share.resize", **sizes), key=RESIZE, help=page.t("help.import_resize"))
    return True


def _into() -> str:
    """The matrix for numbers without a name."""
    return str(session.widget_value(MATRIX) or "x")


def _used(brought: Brought) -> list[bool]:
    return [offer.target is not None for offer in brought.offers]


def _take() -> None:
    """Uses what was shown. A text that was typed meanwhile is shown first."""
    source = _source()
    if source is not None and session.memory("import", dict[str, str]).get("seen") == source.mark:
        session.bring(lambda: _chosen(source))


def _chosen(source: Source) -> Brought:
    """The matrices that the learner did not leave out, with their corrections. Raises SettingsError."""
    brought = source.read()
    if not brought.offers:
        return brought
    tables = readings.chosen(source.mark, [offer.table for offer in brought.offers], _used(brought))
    matrix = _into()
    offers = (
        files.Offer(tables[i], offer.target or files.target_of(offer.table, matrix))
        if i in tables
        else files.Offer(offer.table, None)
        for i, offer in enumerate(brought.offers)
    )
    resize = bool(session.widget_value(RESIZE))
    return files.of_offers(tuple(offers), brought.matrices)._replace(resize=resize)
