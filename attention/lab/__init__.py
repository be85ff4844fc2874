"""Experiments on top of the core, PyTorch only: a function a claim, each with tests that measure the claim.

Random draws take a seed and give the same numbers for it.

mistakes         the mistakes of attention.checking.mistakes in lessons, and what finds them
    forms           wrong forms of one step, next to the right one
    checks          the checks that find a mistake in a run
    mask_checks     three checks that people write for their masks, and what each of them finds
    by_hand         one step worked by hand, right or with a mistake, and how far rounding leads off
masks            what masks do, here and elsewhere
    masking         outcomes of fully masked rows, leaks, left padding, float masks
    padding         how far NaN from a fully masked row spreads
    libraries       what PyTorch does with a mask, asked on the spot; what was measured elsewhere
softmax          softmax by itself
    scores          a few scores: temperature, bounds, Jacobian, axes, dropout
    lines           five lines that people write for attention weights
    precision       four floating-point formats
scaling          why the scores are divided by √d_k
    divisors        √d_k, and what it is confused with
    variance        the spread of dot products and of weights, in theory
    products        dot products of many pairs, drawn once for any mean, variance and correlation
    draws           largest weights and gradients under several scalings, as quartiles over many draws
    learning        gradients through the softmax, and how weights are drawn at the start
heads            one head and several
    again           one head once more, with something changed
    parts           what each head contributes and costs, and equal ways to write them
    sharing         key/value heads pooled into groups, and what that does to the weights
real_heads       heads of a small trained model, from files that ship with the package
    texts           the sentences, and the pronouns in pairs of them
    store           sentences with their queries, keys, values and weights, loaded
    toggles         one head through the core, with something changed
    measure         what every head attends to on average
    pronouns        which noun a head finds for a pronoun, and what chance finds
    explain         how much a token counts: weight, norm, gradient × input, leaving it out
    minilm          any text through that model; it needs other libraries, as a causal model does
    causal          a causal model: its forward pass, and one of its heads switched off
    causal_tokens   its tokens
    causal_file     its weights, from their file
    causal_store    what it makes of one text, shipped with the package
weights          what attention weights tell
    changes         what a change of one row of V, or of all scores, moves
    directions      queries and keys as arrows: the plane that shows most of them, and a query that turns
    reading         what follows from weights, and numbers that refute what does not
training         heads trained on small tasks
    tasks           what is asked: sequences, answers, and the pattern that solves each task
    options         what one training depends on
    model           the matrices, the core's attention with them, loss, accuracy and gradients
    run             the training, and what is kept of its steps
    descent         steps by hand, and other matrices that compute the same
    likeness        how alike two runs are, and a run and the pattern of its task
    limits          how far a head can get in theory
transformer      a whole small model
    grammar         the sentences that it learns, and the best loss
    model           the matrices, the core's blocks with them, logits, probabilities and loss
    run             the training, and what is kept of its steps
    trained         the numbers of a trained model
    plain           the model in plain PyTorch
    generate        the next word: temperature, top-k, argmax
    depth           how alike the rows become from block to block
two_layers       a second half of a sequence that repeats the first half
    task            the sequences
    model           one or two layers of one causal head each, with a residual stream
    run             the training, and what is kept of its steps
    measures        scores of its heads, composition, cut paths, circuits
    limits          how far one layer with one head can get
    by_hand         two layers with whole numbers
order            tokens in another order; how positions behave when shifted, and far apart
cost             what attention costs
    steps           multiply–adds and bytes of every step, and of the KV cache
    layers          self-attention compared with recurrent and convolutional layers: operations, steps, paths
    benchmark       how long attention and other layers take here
flash            FlashAttention
    tiling          its state after some of its tiles
    traffic         what moves between slow and fast memory, with tiles and without
newer            what newer models change
    sink            one more key and value of zeros in place of a sink
    windows         local and global layers in turn: how far they reach, and what the cache holds
    latent          latent attention: keys and values from one short row, and products in another order
    linear          attention without softmax: products in another order, and one token after another
worked_examples  worked examples of lecture notes, number by number
    audit           every printed number next to the exact one
    code            what the notes' code prints, and what happens when it is run
    document        blocks of printed numbers; the examples of the notes, which are in notes.toml
"""
