"""Generators of data sets, found by file name: `generator: two-norm` is two_norm.py."""
