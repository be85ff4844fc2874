"""The lesson's own numbers: how the entries of q and k are drawn in its experiments, and a cap on scores."""

from dataclasses import dataclass

from pages.model.fields import choice, count, number


@dataclass(frozen=True)
class ScaleNumbers:
    """A sample of dot products, and the cap."""

    sample: str = choice("normal", "sample", ("normal", "uniform", "signs"))
    sample_case: str = choice("independent", "case", ("independent", "correlated", "same"))
    sample_mean: float = number(0.0, "mean", -10.0, 10.0)
    sample_variance: float = number(1.0, "variance", 0.01, 100.0, log=True)
    sample_correlation: float = number(0.5, "correlation", -1.0, 1.0, step=0.05)
    sample_inside: float = number(0.0, "inside", 0.0, 1.0, step=0.05)  # correlation inside q, and inside k
    sample_d_k: int = count(64, "sampledk", 1, 1024, step=0.1, log=True)
    tried_d_k: int = count(4, "triedk", 4, 512, step=0.1, log=True)  # in the experiment
    sample_keys: int = count(64, "samplekeys", 2, 1024, step=0.1, log=True)
    sample_pairs: int = count(5000, "pairs", 100, 50_000, step=1000)
    sample_seed: int = count(0, "seed", 0, 9999)
    softcap: float = number(2.0, "softcap", 0.1, 1000.0, step=0.1, log=True)  # of the learner's own scores
