"""Exercises with blank cells: their random numbers, the verdicts, and the words."""
