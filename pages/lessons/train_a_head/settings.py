"""The lesson's own numbers and switches: which head is trained on what, and which step of it is shown.

They are all that a link needs: a run follows from them, so it is made again.
"""

from dataclasses import dataclass

from pages.model.fields import choice, count, flag, number, several

TASKS = ("previous", "same", "first", "bracket", "reverse", "count", "count_so_far", "both")
# A task that ends at this accuracy with this seed, although it can be learned with others.
STUCK = ("both", 42, 0.75)
SNAPSHOTS = 50  # steps of a run, besides its start
STEPS = dict.fromkeys(TASKS, 200) | dict.fromkeys(("count", "count_so_far"), 400)  # of a training
LAST = max(STEPS.values())
# Steps after which the learner takes over: from there gradient descent gets on visibly within ten steps.
FIRST_STEPS = dict.fromkeys(TASKS, 12) | dict.fromkeys(("count", "count_so_far"), 0)
SEQUENCES = 5  # of the test, that are shown
MOST_BY_HAND = 1024  # numbers of a head that is changed by hand
UNLIKE = ("seed", "scaling", "positions", "causal")


@dataclass(frozen=True)
class TrainingNumbers:
    """The small options of a run, of a second run, and of a step by hand."""

    task: str = choice("previous", "task", TASKS)
    train_seed: int = count(0, "trainseed", 0, 9999)
    # What is not as the task has it.
    heads_other: bool = flag(False, "trainheads")
    positions_other: bool = flag(False, "trainpositions")
    causal_other: bool = flag(False, "traincausal")
    unscaled: bool = flag(False, "unscaled")
    ran: bool = flag(False, "ran")  # a link with it makes the run again
    paired: bool = flag(False, "paired")  # and a second one
    unlike: str = choice("seed", "unlike", UNLIKE)  # what is different in the second run
    sequence: int = count(0, "sequence", 0, SEQUENCES - 1, from_one=True)  # the one in the picture
    train_step: int = count(LAST, "trainstep", 0, LAST)  # the one shown; past the last one: the last one
    turned: bool = flag(False, "turned")  # W_Q is multiplied by M, W_K by its inverse transposed
    rate: float = number(5.0, "rate", 0.01, 20.0, step=0.1, log=True)
    # The head that the learner changes in place of the optimiser, matrix by matrix; (): its start.
    hand: tuple[float, ...] = several((), "hand", "_", number(0.0, "hand"), 0, MOST_BY_HAND)
    slopes: bool = flag(False, "gradients")  # the gradients are shown
