"""From known targets to the known part of a unit vector, and back."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gramworks.errors import FitError


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


def scale_targets(known, n, *, centred, whole=None, what="targets") -> TargetScale:
    """Scale known targets.

    Parameters
    ----------
    known : ndarray of shape (m,)
    n : int
        Number of all points.
    centred : bool
        Whether the mean of the known targets is taken from them.
    whole : ndarray of shape (n,), optional
        All targets: then they, less that mean, get unit length. Default: |u|^2 is m/n.
    what : str
        What to call them in messages.

    Returns
    -------
    TargetScale

    Raises
    ------
    FitError
        All known targets are equal to the mean that is taken from them.
    """
    m = known.size
    mean = float(known.mean()) if centred else 0.0
    rest = known - mean
    largest = float(np.abs(rest).max())
    if largest <= 4 * np.finfo(np.float64).eps * abs(mean) or largest == 0:
        raise FitError(
            f"all {m} known {what} are {known[0]:g}: centred, they are zero and have no direction; "
            "label points of other values too"
        )
    length = largest * float(np.sqrt(((rest / largest) ** 2).sum()))
    if whole is None:
        scale, radius = length / np.sqrt(m / n), np.sqrt((n - m) / n)
        return TargetScale(rest / scale, float(radius), mean, float(scale))
    others = np.abs(whole - mean).max()
    scale = others * float(np.sqrt((((whole - mean) / others) ** 2).sum()))
    u = rest / scale
    radius = float(np.sqrt(max(1.0 - u @ u, 0.0))) if m < n else 0.0
    return TargetScale(u, radius, mean, scale)
