"""Streamlit looks once for the components of installed packages, not once for every AppTest.

Every AppTest reads the metadata of all installed distributions for that, which takes about 0.1 s, two fifths of the
time of a page's test; what is installed does not change meanwhile, and AppTest has no option for it. Streamlit's
function is therefore remembered for the time of the tests, and a release in which it is gone stops them.
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
