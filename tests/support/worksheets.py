"""A worksheet as a test reads it: its tables in the two parts, and its plain text."""

from dataclasses import dataclass, field
from html.parser import HTMLParser

from pages.draw.page import Page
from pages.model.settings import Settings
from pages.model.state import State
from pages.model.view import View
from tests.support.states import page_in


def page_of(now: Settings | State, name: str = "one_head", language: str = "en", head: int = 0) -> Page:
    return page_in(name, settings=now, view=View(language=language, head=head))


@dataclass
class Table:
    """A matrix with the text of its cells; the parts of one that takes several tables side by side."""

    rows: list[list[str]] = field(default_factory=list)
    names: list[str] = field(default_factory=list)  # of the rows
    sums: list[str] = field(default_factory=list)


class Sheet(HTMLParser):
    """sheet, key: matrix → its table in the sheet and in the answer key."""

    def __init__(self, text: str):
        super().__init__()
        self.sheet: dict[str, Table] = {}
        self.key: dict[str, Table] = {}
        self.links: list[str] = []
        self.tags: set[str] = set()
        self.words: list[str] = []
        self.part, self.table, self.row, self.cell = self.sheet, None, 0, None
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        start = dict(attrs)
        self.tags.add(tag)
        if start.get("id") == "key":
            self.part = self.key
        if tag == "a":
            self.links.append(start["href"])
        if tag == "table":
            self.table, self.row = self.part.setdefault(start["data-matrix"], Table()), -1
        if tag == "tbody":
            self.row = 0
        if self.table is None or self.row < 0:
            return
        if tag == "tr" and len(self.table.rows) == self.row:
            self.table.rows.append([])
        if tag == "th" and len(self.table.names) == self.row:
            self.table.names.append("")
            self.cell = self.table.names
        if tag == "td":
            self.cell = self.table.sums if start.get("class") == "sum" else self.table.rows[self.row]
            self.cell.append("")

    def handle_endtag(self, tag):
        if tag in ("td", "th"):
            self.cell = None
        if tag == "tr":
            self.row += self.row >= 0
        if tag == "table":
            self.table = None

    def handle_data(self, data):
        self.words.append(data)
        if self.cell is not None:
            self.cell[-1] += data
