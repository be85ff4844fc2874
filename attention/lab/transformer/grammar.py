"""Six sentences of three words. The third word depends on the first, past the second.

A word is its number: 0 is the point that ends a sentence and begins the next one. "a sheep rests ." and
"two sheep rest ." are 0 1 3 6 0 and 0 2 3 7 0: "sheep" is both, so the verb follows from "a" or "two" alone.
"""

import math
from collections import Counter, defaultdict
from itertools import product

WORDS, LENGTH, POINT = 8, 4, 0
FIRST, SECOND, THIRD = (1, 2), (3, 4, 5), (6, 7)
SENTENCES = tuple((POINT, FIRST[i], word, THIRD[i], POINT) for i, word in product(range(2), SECOND))


def best_loss(seen: int = LENGTH) -> float:
    """The least mean cross-entropy of the next word, for a model of the last `seen` words and their place."""
    counts: dict[tuple[int, ...], Counter[int]] = defaultdict(Counter)
    for sentence in SENTENCES:
        for place in range(LENGTH):
            counts[place, *sentence[max(0, place + 1 - seen) : place + 1]][sentence[place + 1]] += 1
    losses = [
        -count * math.log(count / following.total())
        for following in counts.values()
        for count in following.values()
    ]
    return sum(losses) / (len(SENTENCES) * LENGTH)
