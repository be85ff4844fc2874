"""Attention, by hand. `streamlit run app.py` finds `app` below, and runs this file for each run of a page."""

import copy

import streamlit as st
from starlette.middleware import Middleware
from starlette.routing import Route

from pages import session
from pages.ask import vote
from pages.draw import component
from pages.draw.texts import Texts
from pages.model import turns
from pages.shell import direct, early, entry, head_start, overview, sidebar, unfinished
from pages.shell.course import COURSE
from pages.shell.uploads import Uploads

SIDEBAR = 230  # px wide


def route() -> None:
    """Runs the page of the address."""
    st.set_page_config(page_title="Attention 注意力", layout="wide", initial_sidebar_state=SIDEBAR)
    st.html(entry.STYLE)
    session.begin(COURSE)
    component.code(session.visit().screen.code_sent, on_lack=session.send_code)
    entry.stay_in_touch()
    session.open_link()
    language = session.view().language
    titles = {name: Texts(language, name)("lesson.title") for name in COURSE.pages}
    pages = {name: session.script(name, title) for name, title in titles.items()}
    # The app's own address shows the first page, or what a lesson's link says.
    is_home = session.path().rpartition("/")[2] not in COURSE.pages
    shown = COURSE.at_home(session.query() if is_home else {})
    home = session.script(shown.name, titles[shown.name], url_path="", default=True)
    page = st.navigation([copy.copy(page) for page in (*pages.values(), home)], position="hidden")
    if overview.is_asked_for():
        overview.draw()
        return
    name = page.url_path or shown.name
    at_home = not page.url_path and not shown.front
    sidebar.draw(pages, Texts(language), home, name=name, at_home=at_home)
    with entry.routing():
        page.run()


if st.runtime.exists():
    with turns.PAGES.turn():
        route()
else:  # the server starts
    base = st.get_option("server.baseUrlPath").strip("/")  # Streamlit puts only its own addresses below it
    routes = [
        Route(f"/{base}{own.path}" if base else own.path, own.endpoint, methods=list(own.methods or ()))
        for own in (direct.ROUTE, vote.CHANNEL.route, *early.ROUTES)
    ]
    vote.CHANNEL.people = vote.people(direct.draw_moves)
    unfinished.limit()
    middleware = [Middleware(Uploads), Middleware(early.Early)]
    app = st.App(__file__, lifespan=head_start.lifespan, routes=routes, middleware=middleware)
