"""A whole transformer, small enough for one screen: eight words, four positions, width 4.

grammar    the six sentences that it learns, and the best loss that any model can reach
model      the matrices, the core's blocks with them, logits, probabilities and loss
run        the training, and what is kept of its steps
generate   the next word: temperature, top-k, argmax
trained    the numbers of a trained model
plain      the model in plain PyTorch
depth      how alike the rows become from block to block
"""

from attention.lab.transformer.depth import spread, spread_by_depth
from attention.lab.transformer.generate import continued, shaped
from attention.lab.transformer.grammar import SENTENCES, best_loss
from attention.lab.transformer.model import ModelOptions, ModelTrace, evaluate_model, fresh_model, model_trace
from attention.lab.transformer.run import ModelSnapshot, train_model
from attention.lab.transformer.trained import SEED, trained_model
