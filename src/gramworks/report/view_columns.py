"""Columns of the files that figures of kernels and single points are drawn from."""

ALIGNMENT = ("kernel", "other", "alignment")
MAP = ("point", "label", "first", "second")
PREDICTIONS = ("setting", "repeat", "point", "truth", "prediction", "decision")
