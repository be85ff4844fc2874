"""The lesson's own numbers and switches: which run is shown at which step, and which paths are cut in it.

They are all that a link needs: a run follows from its seed, so it is made again.
"""

from dataclasses import dataclass

from pages.model.fields import choice, count, flag

LAST = 600  # steps of a training
SNAPSHOTS = 50  # of its steps, besides its start, that are kept
SEQUENCES = 5  # of the test, that are shown
CUTS = ("query", "key", "value")


@dataclass(frozen=True)
class TwoLayersNumbers:
    """The run, the step and the sequence in the picture, and what is cut."""

    two_seed: int = count(0, "twoseed", 0, 9999)
    one_ran: bool = flag(False, "onelayer")  # a link with it trains one layer
    two_ran: bool = flag(False, "twolayers")  # two layers
    seeds_ran: bool = flag(False, "twentyseeds")  # two layers from twenty seeds
    two_step: int = count(LAST, "twostep", 0, LAST)
    two_sequence: int = count(0, "twosequence", 0, SEQUENCES - 1, from_one=True)
    cut_query: bool = flag(False, "cutquery")
    cut_key: bool = flag(False, "cutkey")
    cut_value: bool = flag(False, "cutvalue")
    circuit_of: str = choice("letters", "circuitof", ("letters", "places"))
