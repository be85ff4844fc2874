"""The whole model for files: all blocks and heads, from the words to the probabilities, line by line."""

import inspect
import re
from collections.abc import Iterable, Mapping
from dataclasses import replace

from attention import causal_mask
from attention.lab.transformer.plain import plain_model
from pages.draw import matrix
from pages.draw.page import Page
from pages.draw.picture import Matrix
from pages.hand.export.program import Ending, Program, ProgramStep

from . import scene, the_model
from .settings import ModelNumbers

OF_MODEL = ("one_hot", "e", "embedded", "p", "w_u", "logits", "probabilities")  # and of no block
OF_HEAD = ("scores", "scaled_scores", "masked_scores", "weights", "head_output")
# Step → the step of attention with which it is blank on a worksheet. The others are never blank.
LIKE = {name: name for name in ("query", "key", "value", *OF_HEAD)}
LIKE |= dict.fromkeys(("concatenated", "attention", "probabilities"), "output")
NAME = re.compile(r"\b[a-z]\w*")


def program(page: Page) -> Program:
    """The computation of the sentence that the page has."""
    own: ModelNumbers = page.own
    files = _Files(page)
    tokens, length = files.tokens, len(own.words)
    mask = matrix.of("mask", page.t("sheet.mask"), causal_mask(length), tokens, tokens, **page.axes)
    names = [page.t(f"setting.{name}") for name in ("blocks", "model_heads", "norm")]
    facts = dict(zip(names, (str(own.blocks), str(own.model_heads), page.t(f"norm.{own.norm}")), strict=True))
    return Program(
        tokens,
        files.inputs | {"mask": mask},
        [*files.steps.values()],
        facts,
        _questions(page),
        _ending(page, files.inputs),
    )


class _Files:
    """The inputs and the steps by their names in the program, block by block and head by head."""

    def __init__(self, page: Page):
        self.page, self.own = page, replace(page.own, stage="embedding")
        self.inputs: dict[str, Matrix] = {}
        self.steps: dict[str, ProgramStep] = {}
        self.end = ""  # the output of the block before
        for block in range(1, self.own.blocks + 1):
            heads = range(1, self.own.model_heads + 1)
            views = [self._view(block, head) for head in heads]
            names = [*views[0].matrices]
            after = names.index("head_output") + 1
            for view in views:
                self._add(view, names[:after])
            self._add(views[0], names[after:])
            self.end = f"{views[0].end}_{block}"
        self.tokens = views[0].tokens

    def _view(self, block: int, head: int) -> scene.ModelPicture:
        own = replace(self.own, block=block, head_shown=head)
        return the_model.drawn(self.page.with_numbers(self.page.numbers.having(own)))

    def _names(self, view: scene.ModelPicture) -> dict[str, str]:
        """Name on the screen → name in the program."""
        block, several = view.own.block, view.several
        of_head = f"_head_{view.own.head_shown}" if several else ""
        names = {
            name: name if name in OF_MODEL else f"{name}_{block}{of_head * (name in OF_HEAD)}"
            for name in view.matrices
        }
        return names | ({"x": self.end} if self.end else {})

    def _add(self, view: scene.ModelPicture, names: Iterable[str]) -> None:
        of_program, code = self._names(view), view.code()
        for name in names:
            entry, own = view.matrices[name], of_program[name]
            if own in self.inputs or own in self.steps or name.startswith("moments"):
                continue
            where = self._where(name, view.own)
            if entry.step_name is None:
                self.inputs[own] = replace(entry, id=own, title=f"{entry.title}{where}")
                continue
            panel = view.panel(name, code)
            heads = range(1, view.own.model_heads + 1)
            outputs = ", ".join(f"head_output_{view.own.block}_head_{head}" for head in heads)
            line = panel.code.replace("head_outputs", f"({outputs})")
            line = NAME.sub(lambda match: of_program.get(match[0], match[0]), line)
            panel = replace(panel, name=own, code=line, title=f"{panel.title}{where}")
            self.steps[own] = ProgramStep(panel, entry, LIKE.get(name, ""))

    def _where(self, name: str, own: ModelNumbers) -> str:
        """The block and the head of a matrix, where the model has several."""
        t, parts = self.page.t, []
        if own.blocks > 1 and name not in OF_MODEL:
            parts.append(t("model.of_block", block=own.block))
        if own.model_heads > 1 and name in OF_HEAD:
            parts.append(t("model.of_head", head=own.head_shown))
        return "".join(f" · {part}" for part in parts)


def _questions(page: Page) -> list[tuple[str, str]]:
    """The next word, and the questions of the part that have one answer for all numbers."""
    t = page.t
    asked = [page.lesson.by_name[name] for name in page.part.questions]
    right = [(question.name, f"{question.name}_{question.right}") for question in asked if question.right]
    words = scene.sentence(page, page.own.words)
    return [
        (t("model.ask_next", words=words), the_model.reading(page)),
        *((t(f"ask.{name}"), f"{t(f'option.{option}')}: {t(f'because.{option}')}") for name, option in right),
    ]


def _ending(page: Page, inputs: Mapping[str, Matrix]) -> Ending | None:
    """The model in plain PyTorch, where it is the model on the screen, and a comparison with the steps."""
    own: ModelNumbers = page.own
    if not scene.is_plain(own):
        return None
    matrices = ", ".join(f'"{name}": {name}' for name in inputs if name != "one_hot")
    call = f"plain_model(m, torch.tensor({list(own.words)}), heads={own.model_heads})"
    lines = (f"m = {{{matrices}}}", f"print(torch.allclose({call}, probabilities))")
    code = "\n".join([inspect.getsource(plain_model), "", *lines])
    return Ending(page.t("model.code"), page.t("model.code_why"), code)
