"""Worked examples of study notes, checked number by number."""
