"""Worked examples of lecture notes, checked number by number."""
