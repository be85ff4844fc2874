"""Attention with every intermediate kept. PyTorch only.

Dimension names, in shapes such as (..., q_len, head_dim):

    ...           leading dimensions (batch, heads), broadcast as in torch.matmul
    q_len         number of queries: rows of the scores
    kv_len        number of keys, and of values: columns of the scores
    embed_dim     size of a token's vector (d_model in the papers)
    head_dim      size of a head's query and key (d_k)
    value_dim     size of a head's value (d_v)
    num_heads     number of query heads (h), on dimension −3
    num_kv_heads  number of key/value heads; it divides num_heads
    hidden_dim    size of the feed-forward layer's hidden vector (d_ff)
    ·             any size

Rows are queries, columns are keys. A mask is boolean, True = may attend. A bias is added to the scores.
"""

from attention.blocks import (
    BlockTrace,
    FeedForwardTrace,
    LayerNormTrace,
    feed_forward,
    layer_norm,
    transformer_block,
)
from attention.checking import check
from attention.errors import AttentionError
from attention.flash import FlashTile, FlashTrace, OnlineSoftmax, flash_attention, online_softmax
from attention.masks import (
    block_diagonal_mask,
    causal_mask,
    padding_mask,
    prefix_mask,
    sliding_window_mask,
)
from attention.modules import MultiHeadAttention, SelfAttention
from attention.multi_head import MultiHeadTrace, multi_head_attention
from attention.positions import alibi_bias, rotary_embedding, sinusoidal_encoding
from attention.scaled_dot_product import AttentionTrace, Step, scaled_dot_product_attention
from attention.showing import show

__all__ = [
    "AttentionError",
    "AttentionTrace",
    "BlockTrace",
    "FeedForwardTrace",
    "FlashTile",
    "FlashTrace",
    "LayerNormTrace",
    "MultiHeadAttention",
    "MultiHeadTrace",
    "OnlineSoftmax",
    "SelfAttention",
    "Step",
    "alibi_bias",
    "block_diagonal_mask",
    "causal_mask",
    "check",
    "feed_forward",
    "flash_attention",
    "layer_norm",
    "multi_head_attention",
    "online_softmax",
    "padding_mask",
    "prefix_mask",
    "rotary_embedding",
    "scaled_dot_product_attention",
    "show",
    "sinusoidal_encoding",
    "sliding_window_mask",
    "transformer_block",
]
