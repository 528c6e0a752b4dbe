"""Is this matrix a Gram matrix? Fine, repaired by a stated amount, or refused with the number."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Literal

import numpy as np

from gramworks.errors import KernelError
from gramworks.kernels.eigenvalue_ends import Ends, exact_ends, lanczos_ends
from gramworks.kernels.tiles import upper_tiles
from gramworks.kernels.transforms import as_square

LARGEST_ASYMMETRY = 1e-8
"""Repaired up to this part of the largest entry."""
FINE_NEGATIVE = 1e-10
"""A smallest eigenvalue down to minus this part of the largest is rounding."""
FINE_NEGATIVE_SINGLE = 2.0**-23
"""The same for values that were rounded to float32: rounding each by up to 2^-24 of itself moves
eigenvalues by about as much of the largest."""
REPAIRED_NEGATIVE = 1e-6
"""Down to minus this part of the largest it is taken away by a shift of the diagonal."""
EXACT_POINTS = 2000
"""Up to here eigenvalues come from LAPACK, beyond from the Lanczos process."""


@dataclass(frozen=True)
class GramCheck:
    """What was found in a Gram matrix, and what was done about it."""

    outcome: Literal["fine", "repaired", "refused"]
    reason: str
    """A sentence for people; empty when fine."""
    asymmetry: float = 0.0
    """Largest \\|K_ij - K_ji\\|, taken away by averaging when repaired."""
    shift: float = 0.0
    """Added to the diagonal when repaired."""
    trace: float = float("nan")
    """After repair."""
    smallest_eigenvalue: float = float("nan")
    """Before the shift."""
    largest_eigenvalue: float = float("nan")
    eigenvalue_error: float = 0.0
    """0 from LAPACK; else the Lanczos residual (the smallest is then an upper bound)."""
    precision: str = "float64"
    """Of the values on file, which eigenvalues and trace are of; computed in float64."""

    def repair(self, K) -> np.ndarray:
        """Apply the repair to a matrix, as a new array (float64 ``K`` itself if it is fine).

        Raises
        ------
        KernelError
            The matrix was refused.
        """
        self.require()
        K = as_square(K)
        if self.outcome == "fine":
            return K
        K = K.copy() if self.asymmetry == 0 else 0.5 * K + 0.5 * K.T
        K.flat[:: K.shape[0] + 1] += self.shift
        return K

    def require(self) -> None:
        """Raise KernelError with the reason if the matrix was refused."""
        if self.outcome == "refused":
            raise KernelError(self.reason)

    def record(self) -> dict[str, float | str]:
        """Give the fields as a dict for the result file."""
        return dataclasses.asdict(self)


def check_gram(K, name: str = "K") -> GramCheck:
    """Check that a matrix is finite, symmetric and positive semidefinite.

    Parameters
    ----------
    K : array-like of shape (n, n)
        Not changed; `GramCheck.repair` makes the repaired matrix.
    name : str
        Its name in the reason.

    Returns
    -------
    GramCheck
        *fine*: symmetric to the bit, smallest eigenvalue at least -1e-10 of the largest.
        *repaired*: asymmetric by up to 1e-8 of the largest entry (averaged with the transpose),
        or a smallest eigenvalue down to -1e-6 of the largest (the diagonal is raised by its
        size). *refused*: beyond that, not square, or with values that are not finite.

    Notes
    -----
    Eigenvalues come from LAPACK up to 2000 points. Beyond, up to 300 Lanczos steps give an upper
    bound of the smallest one, usually within 1e-8 of the largest of an eigenvalue: a refusal is
    certain, a pass is as sure as ``eigenvalue_error`` says.
    """
    try:
        K = as_square(K, name)
    except KernelError as error:
        return GramCheck("refused", str(error))
    asymmetry, place = _asymmetry(K)
    largest = float(np.abs(K).max())
    if asymmetry > LARGEST_ASYMMETRY * largest:
        i, j = place
        return GramCheck(
            "refused",
            f"{name} is not symmetric: {K[i, j]:.10g} in row {i}, column {j} and {K[j, i]:.10g} "
            f"in row {j}, column {i} (rounding up to {LARGEST_ASYMMETRY:g} of the largest entry "
            "is repaired). A Gram matrix holds all pairs of one set of points.",
            asymmetry=asymmetry,
        )
    n = K.shape[0]
    symmetric = K if asymmetry == 0 else 0.5 * K + 0.5 * K.T
    if n <= EXACT_POINTS:
        ends = exact_ends(symmetric)
    else:
        ends = lanczos_ends(
            lambda v: symmetric @ v, n, tolerance=1e-8, least_steps=30, most_steps=300
        )
    return judge(ends, trace=float(np.trace(K)), n=n, asymmetry=asymmetry, name=name)


def judge(
    ends: Ends,
    *,
    trace: float,
    n: int,
    scale: float = 0.0,
    asymmetry: float = 0.0,
    name: str = "K",
    precision: str = "float64",
) -> GramCheck:
    """Decide the outcome for a matrix that is finite and symmetric, from its spectrum's ends.

    Parameters
    ----------
    ends : Ends
    trace : float
    n : int
    scale : float
        Size of the numbers it was computed from, if they were larger than the result: what is
        left of equal points after centring is rounding of this size.
    asymmetry : float
        To be repaired.
    name : str
        Its name in the reason.
    precision : str
        float64, or float32 where the values were rounded to it: what is rounding is larger then.

    Returns
    -------
    GramCheck
    """
    largest = max(abs(ends.largest), abs(ends.smallest), scale)
    negative = max(-ends.smallest, 0.0)
    found = {
        "asymmetry": asymmetry,
        "smallest_eigenvalue": ends.smallest,
        "largest_eigenvalue": ends.largest,
        "eigenvalue_error": ends.error,
        "precision": precision,
    }
    if negative > REPAIRED_NEGATIVE * largest:
        return GramCheck(
            "refused",
            f"{name} is not positive semidefinite: its smallest eigenvalue {ends.smallest:.6g} "
            f"is {ends.smallest / largest:.3g} of the largest in size (down to "
            f"{-REPAIRED_NEGATIVE:g} is repaired). The tanh 'kernel' and most similarities are "
            "like this; take a Gaussian or polynomial kernel, or drop the negative part "
            "yourself: w, V = numpy.linalg.eigh(K); K = (V * w.clip(0)) @ V.T",
            trace=trace,
            **found,
        )
    fine = FINE_NEGATIVE if precision == "float64" else FINE_NEGATIVE_SINGLE
    shift = negative if negative > fine * largest else 0.0
    repairs = []
    if asymmetry:
        repairs.append(f"averaged with its transpose (largest difference {asymmetry:.3g})")
    if shift:
        repairs.append(f"{shift:.3g} added to the diagonal (smallest eigenvalue {-shift:.3g})")
    return GramCheck(
        "repaired" if repairs else "fine",
        f"{name}: {' and '.join(repairs)}" if repairs else "",
        shift=shift,
        trace=trace + n * shift,
        **found,
    )


def _asymmetry(K: np.ndarray) -> tuple[float, tuple[int, int]]:
    """Find the largest difference between K and its transpose, and where."""
    largest, place = 0.0, (0, 0)
    for rows, columns in upper_tiles(K.shape[0]):
        difference = np.abs(K[rows, columns] - K[columns, rows].T)
        if difference.max() > largest:
            i, j = np.unravel_index(difference.argmax(), difference.shape)
            largest, place = float(difference[i, j]), (rows.start + int(i), columns.start + int(j))
    return largest, place
