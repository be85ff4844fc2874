"""Softmax by itself."""
