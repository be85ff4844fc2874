"""Joins JavaScript modules into one script, so that no bundler is needed.

A file says with `import { a, b } from './x.js';` what it needs of another file, and with `export` before a
declaration what it gives. In the joined script a file comes after the files that it needs. All share one
scope there, so two files may not declare the same name. The entry may have an `export default`.
"""

import re
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

IMPORT = re.compile(r"^import \{([^{}]*)\} from '(\.{1,2}/[\w/.-]+\.js)';\n+", re.MULTILINE)
DECLARED = re.compile(r"^(export )?(?:const|let|class|(?:async )?function\*?) ([\w$]+)", re.MULTILINE)
COMMENT = re.compile(r"^[ \t]*(?://[^\n]*|/\*\*(?:(?!\*/).)*\*/)\n+", re.MULTILINE | re.DOTALL)
EXPORT = re.compile(r"^export (?!default )", re.MULTILINE)


def joined(entry: Path) -> str:
    """The script of a file and of all that it imports. ValueError says which import or name is wrong."""
    sources = _with_imports(entry)
    _check(sources)
    needs = {path: list(_imports(path, source).values()) for path, source in sources.items()}
    try:
        order = list(TopologicalSorter(needs).static_order())
    except CycleError as error:
        files = " ← ".join(path.name for path in error.args[1])
        raise ValueError(f"files import each other in a circle: {files}") from None
    return "\n".join(EXPORT.sub("", IMPORT.sub("", sources[path])) for path in order)


def without_comments(script: str) -> str:
    """The script without the comments that have lines of their own: a fifth of what is sent."""
    return COMMENT.sub("", script)


def _imports(path: Path, source: str) -> dict[str, Path]:
    """The names that a file imports, as they are written together → the file that has them."""
    return {names: (path.parent / file).resolve() for names, file in IMPORT.findall(source)}


def _with_imports(entry: Path) -> dict[Path, str]:
    """The sources of the entry and of all that it imports, however far away."""
    sources: dict[Path, str] = {}
    waiting = [(entry.resolve(), "the entry")]
    while waiting:
        path, importer = waiting.pop()
        if path in sources:
            continue
        if not path.is_file():
            raise ValueError(f"{importer}: there is no file {path.name} in {path.parent.name}")
        sources[path] = path.read_text(encoding="utf-8")
        waiting += [(file, path.name) for file in _imports(path, sources[path]).values()]
    return sources


def _check(sources: dict[Path, str]) -> None:
    """Each import must be exported by its file, and each name declared once."""
    owners: dict[str, str] = {}
    exported = {
        path: {name for export, name in DECLARED.findall(text) if export} for path, text in sources.items()
    }
    for path, text in sources.items():
        file = path.name
        if unread := re.search(r"^import\b.*", IMPORT.sub("", text), re.MULTILINE):
            raise ValueError(f"{file}: write `import {{ … }} from './x.js';` in place of `{unread.group()}`")
        for names, other in _imports(path, text).items():
            for name in re.findall(r"[^,\s][^,]*", names):
                if name.strip() not in exported[other]:
                    raise ValueError(f"{file} imports {name.strip()}, which {other.name} does not export")
        for _, name in DECLARED.findall(text):
            if name in owners:
                raise ValueError(f"{owners[name]} and {file} both declare {name}: give one another name")
            owners[name] = file
