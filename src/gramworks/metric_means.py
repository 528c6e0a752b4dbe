"""How a metric is averaged, over draws and over labels."""

from __future__ import annotations

import numpy as np

BY_INVERSE = {"C": 1e5}
"""Metrics of which the inverse is averaged and judged, the ridge 1/C, and the value above which
they count as infinite: a ridge below 1e-5 is what a solver leaves of zero."""


def metric_mean(metric: str, values: np.ndarray) -> float:
    """Average values of a metric: those of `BY_INVERSE` by their inverses."""
    values = np.asarray(values, dtype=float)
    return float(1.0 / np.mean(1.0 / values)) if metric in BY_INVERSE else float(np.mean(values))
