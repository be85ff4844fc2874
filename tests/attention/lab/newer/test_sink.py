"""A key and value of zeros in place of a sink."""

import pytest
import torch

from attention import causal_mask, scaled_dot_product_attention
from attention.lab.newer.sink import with_a_key_of_zeros
from tests.support.tolerance import close


@pytest.mark.parametrize("sink", [-3.0, 0.0, 2.5])
@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize("biased", [False, True])
def test_it_gives_the_output_of_the_sink_and_the_last_weight_is_its_share(normal, sink, masked, biased):
    mask, bias = causal_mask(5) if masked else None, normal(5, 5) if biased else None
    number = torch.tensor(sink, dtype=torch.float64)
    trace = scaled_dot_product_attention(
        normal(5, 3), normal(5, 3), normal(5, 2), mask=mask, bias=bias, scale=0.7, sinks=number
    )
    other = with_a_key_of_zeros(trace, sink)
    close(other.output, trace.output)
    close(other.weights, torch.cat((trace.weights, trace.sink_weights[:, None]), dim=-1))


def test_a_fully_masked_row_gives_all_to_the_sink_also_with_a_finite_masked_score(normal):
    mask = torch.zeros(2, 2, dtype=torch.bool)
    options = {"mask": mask, "masked_score": -1e9}
    trace = scaled_dot_product_attention(
        normal(2, 3), normal(2, 3), normal(2, 3), sinks=torch.tensor(0.0).double(), **options
    )
    other = with_a_key_of_zeros(trace, 0.0, masked_score=-1e9)
    close(other.output, trace.output)
    assert trace.sink_weights.tolist() == [1, 1]
