"""The lesson's own numbers and switches: the form of the model, its matrices, its sentence."""

from dataclasses import dataclass

from pages.model.fields import choice, count, flag, number, row, several

WORDS, LENGTH, WIDTH = 8, 4, 4
MOST = 500  # numbers of a model of three blocks
SNAPSHOTS, STEPS = 50, 400  # of a training
STAGES = ("all", "embedding", "attention", "forward", "prediction")
NORMS = ("before", "after", "none")
_WORD = count(0, "words", 0, WORDS - 1, from_one=True)


@dataclass(frozen=True)
class ModelNumbers:
    """A model, the words that it reads, and how it goes on."""

    words: tuple[int, ...] = several((0, 1, 3, 6), "words", ",", _WORD, 1, LENGTH)
    from_training: bool = flag(True, "trainedmodel")  # else as it begins, from its seed
    model_seed: int = count(1, "modelseed", 0, 9999)
    # All numbers of a model that the learner has changed, matrix by matrix; it has the size of that model.
    changed: tuple[float, ...] = several((), "model", "_", number(0.0, "model"), 0, MOST)
    blocks: int = count(1, "blocks", 1, 3)
    block: int = count(1, "block", 1, lambda record: record.blocks)  # the one in the picture
    model_heads: int = count(1, "modelheads", 1, 2)
    head_shown: int = count(1, "modelhead", 1, lambda record: record.model_heads)
    norm: str = choice("before", "modelnorm", NORMS)
    residual: bool = flag(True, "residual")
    forward: bool = flag(True, "forward")
    stage: str = choice("all", "stage", STAGES)
    model_temperature: float = number(1.0, "modeltemperature", 0.0, 5.0, step=0.1)
    top_k: int = count(WORDS, "topk", 1, WORDS)
    chance: int = count(0, "chance", 0, 9999)  # which draw it is
    model_ran: bool = flag(False, "modelran")  # a link with it trains again
    model_step: int = count(STEPS, "modelstep", 0, STEPS)  # the step that is shown
    norm_row: tuple[float, ...] = row((1.0, 2.0, 3.0, 6.0), "normrow", WIDTH)  # that a LayerNorm reads
    norm_factor: float = number(100.0, "normfactor", 0.1, 1000.0, step=0.1, log=True)  # of that row
    alone: float = number(-2.0, "alone", -3.0, 3.0)  # the one number of a token that is alone
