"""The whole model for files: all blocks and heads, from the words to the probabilities, line by line."""

import inspect
from collections.abc import Mapping
from dataclasses import replace

from attention.lab.transformer.plain import plain_model
from pages.draw.page import Page
from pages.draw.picture import Matrix
from pages.draw.picture.traced import Traced
from pages.hand.export.program import Ending, Program, asked, of_numbers

from . import scene, the_model
from .settings import ModelNumbers

OF_MODEL = ("mask", "one_hot", "e", "embedded", "p", "w_u", "logits", "probabilities")  # and of no block
CONSTANT = ("one_hot", "mask")  # no numbers of the model
OF_HEAD = ("scores", "scaled_scores", "masked_scores", "weights", "head_output")
# Step → the step of attention with which it is blank on a worksheet. The others are never blank.
LIKE = {name: name for name in ("query", "key", "value", *OF_HEAD)}
LIKE |= dict.fromkeys(("concatenated", "attention", "probabilities"), "output")


def program(page: Page) -> Program:
    """The computation of the sentence that the page has."""
    own: ModelNumbers = page.own
    files = _Files(page)
    likes = {name: LIKE.get(id, "") for name, (id, _) in files.shown.items()}
    inputs, steps = of_numbers(page, files.numbers.values(), files.texts, likes=likes)
    for name, entry in inputs.items():
        entry = replace(entry, title=f"{entry.title}{files.where(name)}")
        inputs[name] = entry if name in CONSTANT else entry.to_edit()
    names = [page.t(f"setting.{name}") for name in ("blocks", "model_heads", "norm")]
    facts = dict(zip(names, (str(own.blocks), str(own.model_heads), page.t(f"norm.{own.norm}")), strict=True))
    return Program(files.tokens, inputs, steps, facts, _questions(page), _ending(page, inputs))


class _Files:
    """The numbers by their names in the program, block by block and head by head.

    shown: name → its id in the picture, and the record of the block and the head where it is shown.
    """

    def __init__(self, page: Page):
        self.page, self.own = page, replace(page.own, stage="embedding")
        self.numbers: dict[str, Traced] = {}
        self.shown: dict[str, tuple[str, ModelNumbers]] = {}
        before: dict[str, Traced] = {}
        for block in range(1, self.own.blocks + 1):
            first = self._add(block, before)
            before = {"x": first.numbers[first.end]}
        self.tokens = first.tokens

    def _add(self, block: int, before: dict[str, Traced]) -> scene.ModelPicture:
        """The numbers of a block; its first head is returned, which joins the outputs of all."""
        heads, views = range(1, self.own.model_heads + 1), {}
        for head in reversed(heads):
            views[head] = self._view(block, head, before)
            before = before | {f"head_output_{head}": views[head].numbers["head_output"]}
        names = [*views[1].numbers]
        after = names.index("head_output") + 1
        for view, of_view in (*((views[head], names[:after]) for head in heads), (views[1], names[after:])):
            for id in of_view:
                number = view.numbers[id]
                self.numbers.setdefault(number.name, number)
                self.shown.setdefault(number.name, (id, view.own))
        return views[1]

    def _view(self, block: int, head: int, before: Mapping[str, Traced]) -> scene.ModelPicture:
        own = replace(self.own, block=block, head_shown=head)
        of_head = f"_head_{head}" if own.model_heads > 1 else ""

        def named(id: str) -> str:
            return id if id in OF_MODEL else f"{id}_{block}{of_head * (id in OF_HEAD)}"

        return the_model.drawn(
            self.page.with_numbers(self.page.numbers.having(own)), named=named, before=before
        )

    def texts(self, name: str) -> tuple[str, str]:
        """The title and the reason of a step."""
        t, (id, _) = self.page.t, self.shown[name]
        return f"{t(f'title.{id}')}{self.where(name)}", t(f"model_why.{id}")

    def where(self, name: str) -> str:
        """The block and the head of a matrix, where the model has several."""
        t, parts = self.page.t, []
        id, own = self.shown.get(name, (name, self.own))
        if own.blocks > 1 and id not in OF_MODEL:
            parts.append(t("model.of_block", block=own.block))
        if own.model_heads > 1 and id in OF_HEAD:
            parts.append(t("model.of_head", head=own.head_shown))
        return "".join(f" · {part}" for part in parts)


def _questions(page: Page) -> list[tuple[str, str]]:
    """The next word, and the questions of the part that have one answer for all numbers."""
    words = scene.sentence(page, page.own.words)
    return [(page.t("model.ask_next", words=words), the_model.reading(page)), *asked(page)]


def _ending(page: Page, inputs: Mapping[str, Matrix]) -> Ending | None:
    """The model in plain PyTorch, where it is the model on the screen, and a comparison with the steps."""
    own: ModelNumbers = page.own
    if not scene.is_plain(own):
        return None
    matrices = ", ".join(f'"{name}": {name}' for name in inputs if name not in CONSTANT)
    call = f"plain_model(m, torch.tensor({list(own.words)}), heads={own.model_heads})"
    lines = (f"m = {{{matrices}}}", f"print(torch.allclose({call}, probabilities))")
    code = "\n".join([inspect.getsource(plain_model), "", *lines])
    return Ending(page.t("model.code"), page.t("model.code_why"), code)
