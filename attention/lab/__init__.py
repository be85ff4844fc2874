"""Experiments on top of the core, PyTorch only: a function a claim, each with tests that measure the claim.

    mistakes        wrong ways to split heads and to mask
    misconceptions  wrong scales, A transposed, one projection for all three, columns for rows
    bugs            whole runs with one mistake each, the checks that find them, and their code
    slips           one step worked by hand: bounds for rounding, and what usual slips give instead
    masking         what a mask does: outcomes of fully masked rows, leaks, left padding, float masks
    mask_checks     three checks that people write for their masks, and what each of them finds
    padding         how far NaN from a fully masked row spreads
    libraries       what PyTorch does with a mask, asked on the spot; what was measured elsewhere
    heads           what each head contributes and costs, and equal ways to write them
    changes         what a change of one row of V, or of all scores, moves
    sharing         key/value heads pooled into groups, and what that does to the weights
    softmax         a few scores: temperature, bounds, Jacobian, axes, dropout
    softmax_lines   five lines that people write for attention weights
    precision       softmax in four floating-point formats
    variance        the spread of dot products and of weights, in theory
    products        dot products of many pairs, drawn once for any mean, variance and correlation
    scaling         largest weights and gradients under several scalings, as quartiles over many draws
    learning        gradients through the softmax, and how weights are drawn at the start
    order           tokens in another order; how positions behave when shifted, and far apart
    layers          self-attention beside recurrent and convolutional layers: operations, steps, paths
    cost            multiply–adds and bytes of every step, and of the KV cache
    traffic         what moves between slow and fast memory, with tiles and without

Random draws take a seed and give the same numbers for it.
"""
