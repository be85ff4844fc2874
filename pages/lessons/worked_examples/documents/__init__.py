"""Worked examples as people paste them: text is read into blocks of numbers, and written back."""
