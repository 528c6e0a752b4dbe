"""From known targets to the known part of a unit vector, and back."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gramworks.errors import FitError
from gramworks.fitting.inputs import LARGEST


@dataclass(frozen=True)
class TargetScale:
    """u = (targets - mean) / scale, and the length of the unknown part.

    Attributes
    ----------
    u : ndarray of shape (m,)
    radius : float
        sqrt(1 - |u|^2).
    mean, scale : float
    """

    u: np.ndarray
    radius: float
    mean: float
    scale: float

    def restore(self, target):
        """Give a target vector in its own scale."""
        return self.mean + self.scale * target


def scale_targets(known, n, *, centred, others=None, what="targets") -> TargetScale:
    """Scale known targets.

    Parameters
    ----------
    known : ndarray of shape (m,)
    n : int
        Number of all points.
    centred : bool
        Whether the mean of the known targets is taken from them.
    others : ndarray of shape (n - m,), optional
        The true unknown targets: then all of them, less that mean, get unit length. Default:
        |u|^2 is m/n.
    what : str
        What to call them in messages.

    Returns
    -------
    TargetScale

    Raises
    ------
    FitError
        All known targets are equal to the mean that is taken from them, or one is too large.
    """
    m = known.size
    for part in (known, known[:0] if others is None else others):
        if np.abs(part).max(initial=0.0) > LARGEST:
            raise FitError(
                f"the {what} reach {np.abs(part).max():.3g} in size; allowed: up to {LARGEST:g}; "
                "give them in larger units"
            )
    mean = float(known.mean()) if centred else 0.0
    rest = known - mean
    largest = float(np.abs(rest).max())
    if largest <= 4 * np.finfo(np.float64).eps * abs(mean) or largest == 0:
        raise FitError(
            f"all {m} known {what} are {known[0]:g}: centred, they are zero and have no direction; "
            "label points of other values too"
        )
    length = _norm(rest)
    if others is None:
        scale, radius = length / np.sqrt(m / n), np.sqrt((n - m) / n)
        return TargetScale(rest / scale, float(radius), mean, float(scale))
    other = _norm(others - mean)
    scale = float(np.hypot(length, other))
    return TargetScale(rest / scale, other / scale, mean, scale)


def _norm(x):
    """Give the length of a vector whose squares may be beyond float64."""
    largest = np.abs(x).max(initial=0.0)
    return float(largest * np.sqrt(((x / largest) ** 2).sum())) if largest > 0 else 0.0
