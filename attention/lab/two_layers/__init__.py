"""One or two layers of attention on a sequence whose second half repeats its first half.

task       the sequences, and where the answer of each asked token is
model      the matrices, the residual stream through the layers, accuracy, and paths that are cut
run        the training, with what is kept of its steps
measures   what the heads do, how strongly the layers are composed, and what their circuits say
limits     how far one layer with one head can get in theory, and why
by_hand    two layers with whole numbers that do the task of a shorter sequence
"""

from attention.lab.two_layers.by_hand import HandModel, hand_made
from attention.lab.two_layers.limits import LayerLimit, four_sequences, one_layer_limit
from attention.lab.two_layers.measures import (
    circuit_ov,
    circuit_qk,
    composed_qk,
    composition_scores,
    induction_score,
    previous_token_score,
    unrelated,
)
from attention.lab.two_layers.model import (
    CUTS,
    Matrices,
    StreamTrace,
    TwoLayersOptions,
    accuracy_of,
    fresh,
    loss_of,
    trace_of,
)
from attention.lab.two_layers.run import TwoLayersRun, TwoLayersSnapshot, train
from attention.lab.two_layers.task import (
    ASKED,
    HALF,
    LENGTH,
    LETTERS,
    answers_of,
    draw,
    every,
    held_out,
    sources_of,
)
