"""Transfer functions of cluster kernels: what becomes of the eigenvalues of an affinity."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

TRANSFERS = ("linear", "step", "linear-step", "polynomial", "poly-step")


@dataclass(frozen=True)
class Transfer:
    """One transfer function phi; Chapelle, Weston and Schölkopf (2002), section 3 and (2).

    It is one function of the eigenvalues up to the cut, the head, and a power of those beyond it,
    the tail. `linear` and `polynomial` have no head, `step` and `linear-step` no tail.
    """

    kind: str = "poly-step"
    """One of `TRANSFERS`."""
    rank: int = 10
    """r: how many of the largest eigenvalues are the head."""
    p: float = 2.0
    """Of `poly-step`: the head is lambda^(1/p)."""
    q: float = 2.0
    """Of `poly-step`: the tail is lambda^q."""
    steps: int = 5
    """t of `polynomial`."""

    @property
    def cuts(self) -> bool:
        """Whether there is a head."""
        return self.kind in ("step", "linear-step", "poly-step")

    @property
    def exponent(self) -> float | None:
        """Power of the eigenvalues beyond the cut; None where they are dropped."""
        return {
            "linear": 1.0,
            "polynomial": float(self.steps),
            "poly-step": float(self.q),
        }.get(self.kind)

    def head(self, values) -> np.ndarray:
        """Give phi of eigenvalues up to the cut; they are positive."""
        if self.kind == "step":
            return np.ones_like(values)
        return values if self.kind == "linear-step" else values ** (1.0 / self.p)
