"""Streamlit searches the installed packages for components once, not once for every AppTest.

Every AppTest reads the metadata of all installed distributions for that, which takes about 0.1 s, two fifths
of the time of a page's test. What is installed does not change meanwhile, and AppTest has no option for it.
Therefore the result of Streamlit's function is remembered while the tests run. A release of Streamlit without
that function stops the tests.
"""

import functools

import pytest
from streamlit.components.v2 import manifest_scanner


@pytest.fixture(autouse=True, scope="session")
def _components_are_looked_for_once():
    look = functools.cache(manifest_scanner.scan_component_manifests)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(manifest_scanner, "scan_component_manifests", look)
        yield
