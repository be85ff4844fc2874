"""The table of masks: an entry says all that a kind reads, and each kind has its texts."""

import pytest
import torch

from pages.draw.texts import Texts
from pages.lessons.masks import LESSON
from pages.model import edits
from pages.model.compute import one_mask
from pages.model.mask_kinds import KINDS, NUMBERS, packed_lengths

FIVE = edits.example_start("masks")
# The settings that kinds of masks may read → another value that each can have.
OTHERS = {name: getattr(FIVE, name) + 1 for name in NUMBERS if name != "packed"} | {"packed": (1, 2)}


@pytest.mark.parametrize("name", KINDS)
def test_a_mask_is_square_and_changes_with_just_the_numbers_of_its_entry(name):
    before = one_mask(FIVE, name)
    assert (before is None) == (name == "none")
    if before is None:
        return
    assert before.shape == (5, 5) and before.dtype == torch.bool
    changed = [
        field
        for field, value in OTHERS.items()
        if not one_mask(edits.with_choice(FIVE, **{field: value}), name).equal(before)
    ]
    assert tuple(changed) == KINDS[name].numbers


@pytest.mark.parametrize("language", ["en", "zh"])
def test_each_kind_has_its_name_and_its_meaning(language):
    t = Texts(language, LESSON.name)
    assert [*t.section("mask")] == [*KINDS]


@pytest.mark.parametrize(
    ("packed", "lengths"), [((2,), [2, 3]), ((2, 1), [2, 1, 2]), ((9,), [5]), ((1, 4, 7), [1, 4])]
)
def test_packed_sequences_share_the_tokens_out(packed, lengths):
    assert packed_lengths(packed, 5) == lengths
