"""What a server does once, AppTest does for every test; here the tests do it once for all.

- Streamlit reads the metadata of all installed packages to find components: about 0.1 s.
- It compiles app.py and the page's script.
- A fresh server does not know yet that app.py is the router. It makes a page of each script in pages/ and
  runs the page's own script, which runs app.py (see pages/shell/entry.py). Tests with a server see that way.

AppTest has no options for these. A release of Streamlit without one of these functions stops the tests.
"""

import functools

import pytest
from streamlit.components.v2 import manifest_scanner
from streamlit.runtime.scriptrunner import script_runner
from streamlit.runtime.scriptrunner.script_cache import ScriptCache
from streamlit.testing.v1 import local_script_runner

_cache = ScriptCache()


def _run_router(main_script_path: str) -> None:
    exec(_cache.get_bytecode(main_script_path), {"__name__": "__main__", "__file__": main_script_path})


@pytest.fixture(autouse=True, scope="session")
def _what_a_server_does_once():
    look = functools.cache(manifest_scanner.scan_component_manifests)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(manifest_scanner, "scan_component_manifests", look)
        patch.setattr(local_script_runner, "ScriptCache", lambda: _cache)
        patch.setattr(script_runner, "_mpa_v1", _run_router)
        yield
