"""The picture on an empty page, without Streamlit: what it draws, and the messages it would send."""

from pages import picture
from pages.draw import component
from pages.model.entries import MAX_TOKEN_LENGTH, MAX_VALUE
from pages.picture.modules import joined
from tests.support.picture_data import plain_data

# All of the component's functions; a module is strict, a plain script has to say so.
SCRIPT = "'use strict';\n" + joined(component.HERE / "render.js")
THEME = """
:root {
  --st-text-color: #262730; --st-background-color: #fff; --st-secondary-background-color: #f0f2f6;
  --st-border-color: #d3d6db; --st-font: sans-serif; --st-code-font: monospace; --st-red-color: #c00;
}
body { margin: 0; }
"""
START = """
window.sent = [];
window.board = document.body.appendChild(document.createElement('div'));
window.draw = (data, board = window.board) => {
  const tell = (kind) => (name, value) => window.sent.push([name, JSON.parse(JSON.stringify(value))]);
  return (board.leave = render({
    data, parentElement: board, setStateValue: tell('state'), setTriggerValue: tell('trigger')}));
};
"""


class Board:
    """A page with one picture. `draw` gives it data, as the server would; `sent` is what it answered."""

    def __init__(self, page, matrices, layout, **options):
        self.page, self.layout = page, layout
        limits = {"limit": MAX_VALUE, "name_limit": MAX_TOKEN_LENGTH}
        self.options = {"key": "picture", "seq": 0, "stamp": "0", **limits} | options
        page.goto("about:blank")  # with a script's scope of its own
        page.set_content(
            f'<meta name="viewport" content="width=device-width"><style>{THEME}{picture.style()}</style>'
        )
        page.add_script_tag(content=SCRIPT + START)
        self.draw(matrices)

    def draw(self, matrices, **options):
        self.options |= options
        self.matrices = list(matrices)
        data = plain_data(self.matrices, self.layout, **self.options)
        self.page.evaluate("(data) => { window.draw(data); }", data)

    def sent(self, name):
        """All messages of one name, oldest first."""
        return [value for kind, value in self.page.evaluate("window.sent") if kind == name]

    def edits(self):
        """{(matrix, row, column): value} of all edits so far."""
        return {
            (edit["matrix"], edit["row"], edit.get("col")): edit.get("value", edit.get("text"))
            for message in self.sent("edit")
            for edit in message["edits"]
        }

    def cell(self, matrix, row, col):
        return self.page.locator(at(matrix, row, col))

    def marked(self, attribute, value):
        """The cells with a mark, as {(matrix, row, column)}."""
        elements = self.page.evaluate(
            """([name, value]) => [...document.querySelectorAll(`.pic-cell[${name}]`)]
                 .filter((node) => node.getAttribute(name) === value)
                 .map((node) => [node.dataset.matrix, +node.dataset.row, +node.dataset.col])""",
            [attribute, value],
        )
        return {tuple(place) for place in elements}

    def box(self, selector):
        return self.page.locator(selector).first.bounding_box()

    def focused(self):
        """The cell with the focus, as (matrix, row, column)."""
        where = "(({matrix, row, col}) => [matrix, +row, +col])(document.activeElement.dataset)"
        return tuple(self.page.evaluate(where))

    def line(self):
        return self.page.locator(".pic-line").inner_text()


def at(matrix, row, col):
    return f'[data-matrix="{matrix}"][data-row="{row}"][data-col="{col}"]'
