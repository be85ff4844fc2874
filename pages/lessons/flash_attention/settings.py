"""The lesson's own numbers: the tiles of the learner's scores, and lengths as they occur in practice."""

from dataclasses import dataclass

from pages.model.fields import choice, count, flag
from pages.model.matrices import MAX_TOKENS


@dataclass(frozen=True)
class FlashNumbers:
    """How the scores are cut into tiles, and sizes to count with."""

    block_q: int = count(2, "blockq", 1, MAX_TOKENS)  # where there are fewer tokens, all of them
    block_k: int = count(2, "blockk", 1, MAX_TOKENS)
    outer: str = choice("keys", "outer", ("keys", "queries"))
    flash_n: int = count(4096, "flashn", 16, 131_072, step=0.1, log=True)
    flash_d: int = count(64, "flashd", 1, 256, step=0.1, log=True)
    flash_memory: int = count(49_152, "flashmemory", 256, 4_194_304, step=0.1, log=True)  # in numbers


@dataclass(frozen=True)
class FlashLook:
    """Where the learner is on the way through the tiles."""

    tile: int = count(1, "tile", 0, MAX_TOKENS**2)  # how many are done
    playing: bool = flag(False, "play")  # one tile after another by itself
