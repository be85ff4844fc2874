"""Heads trained on small tasks whose solution is a pattern of attention.

tasks      what is asked: sequences, answers, and the pattern that solves each task
options    one training: its task, seed, heads, switches and learning rate
model      the matrices, the core's attention with them, loss, accuracy and gradients
run        the training itself, with what is kept of its steps
descent    steps by hand: plain gradient descent, and other matrices that compute the same
likeness   how alike two runs are, and a run and the pattern of its task
limits     how far a head can get in theory, and why
"""

from attention.lab.training.descent import descend, equivalent, well_conditioned
from attention.lab.training.likeness import Agreement, agreement, distance_from_pattern
from attention.lab.training.limits import LEARNED, Limit, limit
from attention.lab.training.model import Evaluation, accuracy_of_all, chance, evaluate, fresh, trace_of
from attention.lab.training.options import Options
from attention.lab.training.run import Snapshot, TrainingRun, train
from attention.lab.training.tasks import TASKS, Batch, Task
