"""The picture's JavaScript files are joined in the order that their imports ask for."""

import subprocess
import sys

import pytest

from pages.draw.component import scripts
from pages.picture.modules import joined, without_comments


@pytest.fixture
def join(tmp_path):
    """join(a="…", b="…") joins the files a.js and b.js, from a.js on."""

    def write_and_join(**sources):
        for name, source in sources.items():
            (tmp_path / f"{name}.js").write_text(source, encoding="utf-8")
        return joined(tmp_path / f"{next(iter(sources))}.js")

    return write_and_join


def test_a_file_comes_once_and_after_all_that_it_needs(join):
    script = join(
        a="// a\n\nimport { two } from './b.js';\nimport { three } from './c.js';\n\nconst one = 1;\n",
        b="import {\n  three,\n} from './c.js';\n\nexport const two = three - 1;\n",
        c="export const three = 3;\n",
    )
    assert script == "const three = 3;\n\nconst two = three - 1;\n\n// a\n\nconst one = 1;\n"


def test_the_entry_keeps_its_default_export(join):
    assert join(a="export default () => undefined;\n") == "export default () => undefined;\n"


@pytest.mark.parametrize(
    ("sources", "fault"),
    [
        ({"a": "import { x } from './b.js';\nexport const y = 1;\n",
          "b": "import { y } from './a.js';\nexport const x = 1;\n"}, "in a circle: .*a.js.*b.js"),
        ({"a": "import { x } from './b.js';\n"}, "a.js: there is no file b.js"),
        ({"a": "import { x } from './b.js';\n", "b": "const x = 1;\n"},
         "a.js imports x, which b.js does not export"),
        ({"a": "import { x } from './b.js';\nconst y = 1;\n", "b": "export const x = 1;\nfunction y() {}\n"},
         "both declare y"),
        ({"a": "import * as b from './b.js';\n", "b": ""}, "in place of `import \\* as b"),
        ({"a": "import { x as z } from './b.js';\n", "b": "export const x = 1;\n"}, "imports x as z"),
    ],
)  # fmt: skip
def test_what_cannot_be_joined_is_said(join, sources, fault):
    with pytest.raises(ValueError, match=fault):
        join(**sources)


def test_comments_on_lines_of_their_own_are_left_out():
    script = "// a\n\n/** b\n * c */\nconst x = '// d'; // e\n  // f\n  const y = x /* g */ + 1;\n"
    assert without_comments(script) == "const x = '// d'; // e\n  const y = x /* g */ + 1;\n"


def test_every_process_gives_the_code_the_same_version():
    """Several servers behind one address, or one that was started again, leave an open tab its code."""
    ask = "from pages.draw.component import scripts; print(scripts(), end='')"
    other = subprocess.run(
        [sys.executable, "-c", ask], capture_output=True, check=True, text=True, encoding="utf-8"
    )
    assert other.stdout == str(scripts())
    assert "VERSION = 'version'" not in other.stdout


def test_code_after_a_comment_in_its_line_stays():
    script = "/** a type */ (one)();\n/** of its own */\ntwo(); // with code\n"
    assert without_comments(script) == "/** a type */ (one)();\ntwo(); // with code\n"
