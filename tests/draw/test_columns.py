"""A chart's columns in Arrow's buffers, against Arrow's own reading of the lists."""

import math

import pyarrow
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pages.draw.columns import table

TEXTS = st.lists(st.text(max_size=5).filter(lambda text: not any(0xD800 <= ord(c) < 0xE000 for c in text)))
NUMBERS = st.lists(st.floats(allow_nan=False) | st.integers(-(2**53), 2**53) | st.booleans())


@given(TEXTS | NUMBERS)
def test_a_column_is_read_as_it_was_written(values):
    [column] = table({"a": values}).columns
    assert column.to_pylist() == values
    column.validate(full=True)


def test_columns_have_the_types_that_arrow_gives_them():
    columns = {"x": [0.5, math.inf], "name": ["è", "你好"]}
    assert table(columns).equals(pyarrow.table(columns))
    assert math.isnan(table({"x": [math.nan]})["x"][0].as_py())


def test_columns_of_other_lengths_are_refused():
    with pytest.raises(ValueError, match="length"):
        table({"a": [1.0], "b": []})
