"""The JavaScript keeps to the types that its comments state. TypeScript reads them; nothing is built from it.

npm fetches TypeScript once and keeps it in its own cache. Where there is no Node or no way to npm the test is
skipped with the reason, and in CI it fails.
"""

import shutil
import subprocess

import pytest

from tests.support.programs import ROOT, missing

TYPESCRIPT = "typescript@5.9.3"


@pytest.mark.slow
def test_the_scripts_keep_to_their_types_and_a_name_that_is_not_imported_is_found(tmp_path):
    """Both in one run: of all the files only the one with the fault is named."""
    if not (npm := shutil.which("npm")):
        missing("no npm found (Debian: apt-get install nodejs npm)")
    (tmp_path / "x.js").write_text(
        "export const longer = (text) => shorten(text).length;\n", encoding="utf-8"
    )
    (tmp_path / "tsconfig.json").write_text(
        f'{{"extends": "{ROOT}/pages/tsconfig.json", "include": ["x.js", "{ROOT}/pages/**/*.js"]}}',
        encoding="utf-8",
    )
    fetched = [npm, "exec", "--yes", "--prefer-offline", "--package", TYPESCRIPT, "--"]
    command = [*fetched, "tsc", "--project", str(tmp_path)]
    checked = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, encoding="utf-8")
    if "TS" not in checked.stdout:
        missing(f"npm could not run {TYPESCRIPT}:\n{checked.stderr}")
    (fault,) = [line for line in checked.stdout.splitlines() if "error TS" in line]
    assert "x.js" in fault and "Cannot find name 'shorten'" in fault
