"""Runs of training that a page has begun."""

from streamlit.testing.v1 import AppTest

from tests.ask.test_long_work import until
from tests.support.screen import again, visit


def until_done(app: AppTest, kind: str) -> None:
    """Waits until the visit's jobs of this kind have ended, and looks at the page again."""
    until(lambda: all(job.wait(1) for job in visit(app).memory.get(kind, {}).values()), 120)
    again(app)
