"""The sentences that ship with what the model made of them, and what a head should find in some."""

from typing import NamedTuple


class Trial(NamedTuple):
    """A sentence with a pronoun, the noun it refers to, and another noun that it could refer to."""

    name: str  # of the sentence
    pronoun: str
    right: str
    wrong: str


ANIMAL = "The animal didn't cross the street because it was too {}"
ANECDOTE = (Trial("tired", "it", "animal", "street"), Trial("wide", "it", "street", "animal"))
# What a lecture note gives for “it” in the first: on “animal”, “street” and the rest. No model computed it.
NOTE_WEIGHTS = (0.6, 0.3, 0.1)

# Pairs of sentences that differ in one word, which decides what the pronoun refers to, in the manner of
# Levesque et al. 2012. The first word makes it the first noun, the second word the second noun.
_PAIRS = (
    ("The cup does not fit in the box because it is too {}", "it", ("cup", "box"), ("large", "small")),
    ("The stone broke the window because it was {}", "it", ("stone", "window"), ("heavy", "thin")),
    ("The cat ate the mouse because it was {}", "it", ("cat", "mouse"), ("hungry", "tasty")),
    ("The truck passed the bus because it was {}", "it", ("truck", "bus"), ("fast", "slow")),
    ("The wolf ran from the bear because it was {}", "it", ("wolf", "bear"), ("afraid", "dangerous")),
    ("The bridge carried the train because it was {}", "it", ("bridge", "train"), ("strong", "light")),
    ("John lent Paul some money because he was {}", "he", ("john", "paul"), ("rich", "poor")),
    ("Anna thanked Maria because she had {} help", "she", ("anna", "maria"), ("received", "given")),
)
PAIRS = tuple(
    (Trial(words[0], pronoun, *nouns), Trial(words[1], pronoun, *nouns[::-1]))
    for _, pronoun, nouns, words in _PAIRS
)
TRIALS = tuple(trial for pair in PAIRS for trial in pair)

# Each under its name. With their queries, keys and values:
TEXTS = {
    "tired": ANIMAL.format("tired"),
    "wide": ANIMAL.format("wide"),
    "exchanged": "The street didn't cross the animal because it was too tired",
    **{word: text.format(word) for text, _, _, words in _PAIRS for word in words},
}

# Whose embedding the embedding of a sentence of TEXTS is compared with, to see which of its tokens count.
COMPARED = {
    "tired": "The animal was tired",
    "wide": "The street was wide",
    "exchanged": "The animal was tired",
    "hungry": "A hungry cat",
    "rich": "A rich man helps a poor friend",
    "received": "Maria helped Anna",
}

# Over which heads are measured. Some have a word twice.
ORDINARY_TEXTS = (
    "The children played in the garden until it became dark.",
    "Water boils at a lower temperature in the mountains.",
    "She opened the letter and read it twice.",
    "The train to the city leaves at nine in the morning.",
    "A good teacher asks more questions than she answers.",
    "My brother bought a new bicycle last summer.",
    "The old bridge over the river was closed for repairs.",
    "Nobody knew why the lights in the house were on.",
    "If it rains tomorrow, we will stay at home.",
    "The doctor told him to drink more water and sleep more.",
    "Most birds build their nests in spring.",
    "He forgot his keys and had to wait for his wife.",
    "The museum shows paintings from the last three centuries.",
    "Can you tell me the way to the station?",
    "Bread is made from flour, water, salt and yeast.",
    "The judge listened to both sides before she decided.",
    "A small stone can start a large avalanche.",
    "They walked along the beach and talked about the future.",
    "The price of oil rose sharply last week.",
    "I have never seen such a beautiful sunset.",
    "The computer stopped working after the last update.",
    "Her grandmother taught her how to bake bread.",
    "The earth moves around the sun once a year.",
    "We missed the bus because the meeting ended late.",
    "A cat sat on the wall and watched a bird.",
    "The company plans to open two new factories.",
    "Please close the door when you leave the room.",
    "The results of the experiment surprised the scientists.",
    "He plays the piano better than he plays the violin.",
    "The mayor promised to build more schools.",
    "Snow covered the roofs of the village.",
    "What you say matters less than what you do.",
    "The soup was cold, but the bread was still warm.",
    "Few people have crossed the desert on foot.",
    "The students wrote their essays in the library.",
    "It took the engineers a year to find the mistake.",
    "The farmer sold his horses and bought a tractor.",
    "Where did you put the book that I gave you?",
    "The team won the first game and lost the second game.",
    "Light travels faster than sound.",
    "The actor thanked the audience and left the stage.",
    "An apple a day keeps the doctor away.",
    "The road was blocked by a fallen tree.",
    "Our neighbours have two dogs and a parrot.",
    "The minister refused to answer the question.",
    "Time passes slowly when you wait for a call.",
    "The ship reached the harbour before the storm.",
    "You can borrow my umbrella, but bring it back.",
)
