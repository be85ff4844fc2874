"""Joins JavaScript modules into one script, so that no bundler is needed.

A file says with `import { a, b } from './x.js';` what it needs of another file of its folder, and with
`export` before a declaration what it gives. In the joined script a file comes after the files that it needs.
All share one scope there, so two files may not declare the same name. The entry may have an `export default`.
"""

import re
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

IMPORT = re.compile(r"^import \{([^{}]*)\} from '\./([\w-]+\.js)';\n+", re.MULTILINE)
DECLARED = re.compile(r"^(export )?(?:const|let|class|(?:async )?function\*?) ([\w$]+)", re.MULTILINE)
COMMENT = re.compile(r"^[ \t]*(?://[^\n]*|/\*\*(?:(?!\*/).)*\*/)\n+", re.MULTILINE | re.DOTALL)
EXPORT = re.compile(r"^export (?!default )", re.MULTILINE)


def joined(entry: Path) -> str:
    """The script of a file and of all that it imports. ValueError says which import or name is wrong."""
    sources = _with_imports(entry)
    _check(sources)
    needs = {name: [file for _, file in IMPORT.findall(source)] for name, source in sources.items()}
    try:
        order = list(TopologicalSorter(needs).static_order())
    except CycleError as error:
        raise ValueError(f"files import each other in a circle: {' ← '.join(error.args[1])}") from None
    return "\n".join(EXPORT.sub("", IMPORT.sub("", sources[name])) for name in order)


def without_comments(script: str) -> str:
    """The script without the comments that have lines of their own: a fifth of what is sent."""
    return COMMENT.sub("", script)


def _with_imports(entry: Path) -> dict[str, str]:
    """The sources of the entry and of all that it imports, however far away, by their names."""
    sources: dict[str, str] = {}
    waiting = [(entry.name, "the entry")]
    while waiting:
        name, importer = waiting.pop()
        if name in sources:
            continue
        path = entry.parent / name
        if not path.is_file():
            raise ValueError(f"{importer}: there is no file {name} in {entry.parent.name}")
        sources[name] = path.read_text(encoding="utf-8")
        waiting += [(file, name) for _, file in IMPORT.findall(sources[name])]
    return sources


def _check(sources: dict[str, str]) -> None:
    """Each import must be exported by its file, and each name declared once."""
    owners: dict[str, str] = {}
    exported = {
        file: {one for export, one in DECLARED.findall(text) if export} for file, text in sources.items()
    }
    for file, text in sources.items():
        if unread := re.search(r"^import\b.*", IMPORT.sub("", text), re.MULTILINE):
            raise ValueError(f"{file}: write `import {{ … }} from './x.js';` in place of `{unread.group()}`")
        for names, other in IMPORT.findall(text):
            for name in re.findall(r"[^,\s][^,]*", names):
                if name.strip() not in exported[other]:
                    raise ValueError(f"{file} imports {name.strip()}, which {other} does not export")
        for _, name in DECLARED.findall(text):
            if name in owners:
                raise ValueError(f"{owners[name]} and {file} both declare {name}: give one another name")
            owners[name] = file
