"""The lesson's own numbers: the sizes of the layers that are compared, of a drawn path, and of a KV cache."""

from dataclasses import dataclass

from pages.model.fields import count, flag


@dataclass(frozen=True)
class CostNumbers:
    """Sizes to count with."""

    cost_n: int = count(64, "costn", 2, 131_072, step=0.1, log=True)
    cost_d: int = count(512, "costd", 8, 16_384, step=0.1, log=True)
    cost_kernel: int = count(3, "kernel", 2, 64)
    cost_window: int = count(8, "costwindow", 2, 4096, step=0.1, log=True)
    path_n: int = count(16, "pathn", 2, 64)
    dilated: bool = flag(True, "dilated")
    cache_tokens: int = count(4096, "cachetokens", 1, 131_072, step=0.1, log=True)
    cache_batch: int = count(1, "cachebatch", 1, 1024, step=0.1, log=True)
