"""Worked examples as documents print them: text is read into blocks of numbers and written back.

This is the work of a parser, not of tensors: nothing here needs PyTorch. attention.lab.worked_examples checks
the numbers.
"""
