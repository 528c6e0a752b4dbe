"""Columns of the files that figures of kernels and single points are drawn from."""

ALIGNMENT = ("kernel", "other", "alignment")
MAP = ("point", "label", "target", "first", "second")
"""``label`` is a class name, ``target`` a number; both are "" where nobody knows the target."""
PREDICTIONS = ("setting", "repeat", "point", "truth", "prediction", "decision", "positive")
"""``positive`` is the class that decision values above the rest stand for."""
