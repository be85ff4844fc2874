"""FlashAttention, tile by tile."""
