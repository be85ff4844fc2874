"""Which tests plain `pytest` runs, and settings for property tests.

Plain `pytest` leaves out the tests marked `slow` or `models`; `pytest -m slow` and `pytest -m models` run
them. Where a path is named, as in `pytest tests`, all tests below it run. The browser's tests are slow except
those in WALK. Of a test marked `exhaustive` every case but the first is slow; with `exhaustive("name")`, but
the first of each name.

Property tests have no deadline, because a machine may be shared: tests/benchmarks measures speed.
"""

import asyncio
import logging

import pytest
from hypothesis import settings

from tests.support.once import _what_a_server_does_once  # noqa: F401
from tests.support.programs import ROOT, serving
from tests.support.visitor import Visitor, apart

# The browser's walk over the gestures that matter.
WALK = ("test_one_head", "test_questions", "test_history", "test_fits")

settings.register_profile("shared", deadline=None)
settings.load_profile("shared")
# Without a server Streamlit warns at every call, and a failed test shows all warnings below its message.
logging.getLogger("streamlit.runtime.scriptrunner_utils.script_run_context").disabled = True


def pytest_configure(config):
    if config.args_source is not pytest.Config.ArgsSource.ARGS and not config.option.markexpr:
        config.option.markexpr = "not slow and not models"


@pytest.hookimpl(tryfirst=True)  # before pytest selects by marks
def pytest_collection_modifyitems(items):
    covered = set()
    for item in items:
        exhaustive = item.get_closest_marker("exhaustive")
        by = exhaustive.args if exhaustive else ()
        test = item.path, item.originalname, *(item.callspec.params[name] for name in by)
        in_browser = "browser" in item.path.parts
        if in_browser:
            item.add_marker(pytest.mark.browser)
        repeated = exhaustive and test in covered
        if repeated or (in_browser and item.path.stem not in WALK):
            item.add_marker(pytest.mark.slow)
        covered.add(test)


@pytest.fixture(autouse=True)
def _without_the_browsers_loop(request):
    """Playwright's loop goes on in this thread after its tests, and asyncio would run no other one."""
    loop = None if "browser" in request.path.parts else asyncio._get_running_loop()
    if loop is None:
        yield
        return
    asyncio._set_running_loop(None)
    yield
    asyncio._set_running_loop(loop)


@pytest.fixture(scope="session")
def server_log(tmp_path_factory):
    """The file with all that the server writes."""
    return tmp_path_factory.mktemp("server") / "log.txt"


@pytest.fixture(scope="session")
def address(server_log):
    """The address of a server that runs as README says, one for all tests of a worker."""
    with serving(ROOT / "app.py", log=server_log) as (address, _):
        yield address


@pytest.fixture
def server(address, server_log):
    """The address of that server, which logs no exception during the test."""
    before = server_log.stat().st_size
    yield address
    assert b"Traceback" not in server_log.read_bytes()[before:]


@pytest.fixture
def visitor(server):
    """Opens a page: visitor(page, link) is a visitor without a browser, wait_for runs what it does."""
    with apart() as wait_for:
        opened = []

        def visit(page: str = "one_head", link: dict | str = "lang=en") -> Visitor:
            one = Visitor(server)
            opened.append(one)
            wait_for(one.open(link, page=page))
            return one

        visit.wait_for = wait_for
        yield visit
        for one in opened:
            wait_for(one.close())
