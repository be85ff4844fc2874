"""The JavaScript keeps to the types that its comments state. TypeScript reads them; nothing is built from it.

npm fetches TypeScript once and keeps it in its own cache. Where there is no Node or no way to npm the test is
skipped with the reason, and in CI it fails.
"""

import os
import shutil
import subprocess

import pytest

from tests.browser_support import ROOT

TYPESCRIPT = "typescript@5.9.3"


@pytest.fixture(scope="module")
def typescript():
    """typescript(*arguments) runs TypeScript's compiler."""
    if not (npm := shutil.which("npm")):
        missing("no npm found (Debian: apt-get install nodejs npm)")

    def run(*arguments):
        command = [npm, "exec", "--yes", "--prefer-offline", "--package", TYPESCRIPT, "--", "tsc", *arguments]
        return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, encoding="utf-8")

    if (tried := run("--version")).returncode:
        missing(f"npm could not fetch {TYPESCRIPT}:\n{tried.stderr}")
    return run


def missing(reason):
    if os.environ.get("CI"):
        pytest.fail(reason)
    pytest.skip(reason)


def test_the_scripts_keep_to_their_types(typescript):
    checked = typescript("--project", "pages/ui/tsconfig.json")
    assert checked.returncode == 0, checked.stdout


def test_a_name_that_is_not_imported_is_found(typescript, tmp_path):
    (tmp_path / "x.js").write_text(
        "export const longer = (text) => shorten(text).length;\n", encoding="utf-8"
    )
    (tmp_path / "tsconfig.json").write_text(
        f'{{"extends": "{ROOT}/pages/ui/tsconfig.json", "include": ["x.js"]}}', encoding="utf-8"
    )
    assert "Cannot find name 'shorten'" in typescript("--project", str(tmp_path)).stdout
