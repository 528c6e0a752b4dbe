"""The error bound of learned kernels in transduction."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gramworks.errors import FitError
from gramworks.fitting.inputs import check_choice, check_kernels, check_positive

CONSTANTS = ("printed", "provable")
WEIGHTS = ("nonnegative", "free")


@dataclass(frozen=True)
class TransductiveBound:
    """A bound of the error on the test half.

    Attributes
    ----------
    value : float
        The bound; it holds with probability at least 1 - delta.
    training : float
        Mean of max(0, 1 - y f) over the labelled half.
    capacity : float
        The bound of C(K) used.
    vacuous : bool
        Whether the value is 1 or more, so that it says nothing.
    """

    value: float
    training: float
    capacity: float

    @property
    def vacuous(self) -> bool:
        """Whether the value is 1 or more, so that it says nothing."""
        return self.value >= 1.0

    def __str__(self):
        return f"{self.value:.4g}" + (" (vacuous: above 1)" if self.vacuous else "")


def bound_test_error(
    margins, kernels, *, gamma, n_test, weights="nonnegative", trace=None, delta=0.05,
    constants="provable", unequal=False,
):  # fmt: skip
    """Bound the test error of a learned kernel: Lanckriet et al., JMLR 5 (2004), Theorem 24.

    For n labelled and n test points, a margin gamma fixed before the labels are seen, and
    functions f = sum_j a_j K(x_j, .) without intercept, a'Ka <= 1/gamma^2.

    Parameters
    ----------
    margins : array-like of shape (n,)
        y_i f(x_i) on the labelled points.
    kernels : sequence of m arrays of shape (2n, 2n)
        Base kernels over all points.
    gamma : float
    n_test : int
    weights : {"nonnegative", "free"}
        The set of combinations, of trace at most `trace`.
    trace : float, optional
        c; default: the sum of the traces of the kernels.
    delta : float
        Probability that the bound fails.
    constants : {"provable", "printed"}
        "printed": as the theorem stands, where sign vectors of length 2n count as n, and the
        deviation is sqrt(2 log(1/delta)). "provable": what its proof gives, 2n and
        2 sqrt(log(1/delta)).
    unequal : bool
        Take the bound although the halves are unequal, with the smaller one as n. The theorem
        does not say this.

    Returns
    -------
    TransductiveBound

    Raises
    ------
    FitError
        Unequal halves, kernels over other points, or numbers out of range.
    KernelError
        A kernel is not finite and symmetric.

    Notes
    -----
    `MarginKernel` has an intercept, the theorem has none. Of a fitted model take
    f = s K dual_coef_ with s such that its length is 1/gamma: the margins are y f on the labelled
    points, s = 1 / (gamma sqrt(dual_coef_' kernel_ dual_coef_)).
    """
    margins = np.asarray(margins, dtype=float)
    check_choice(weights, "weights", WEIGHTS)
    check_choice(constants, "constants", CONSTANTS)
    gamma = check_positive(gamma, "gamma")
    if not check_positive(delta, "delta") < 1:
        raise FitError(f"delta={delta!r}; allowed: between 0 and 1")
    if margins.ndim != 1 or not np.isfinite(margins).all():
        raise FitError(
            f"margins has shape {margins.shape}; allowed: one finite number y f(x) a labelled point"
        )
    kernels = check_kernels(kernels)
    if margins.size != n_test and not unequal:
        raise FitError(
            f"{margins.size} labelled and {n_test} test points; the theorem is for equal halves: "
            "split anew, or give unequal=True to take it as if both had the smaller size"
        )
    n = min(margins.size, n_test)
    if n < 1:
        raise FitError("no labelled or no test point; the theorem is for equal halves of both")
    if kernels[0].shape[0] != margins.size + n_test:
        raise FitError(
            f"the kernels are over {kernels[0].shape[0]} points; the theorem wants them over all "
            f"{margins.size} labelled and {n_test} test points"
        )
    traces = np.array([np.trace(K) for K in kernels])
    if not traces.max() > 0:
        raise FitError("all kernels are zero; give at least one that is not")
    c = float(traces.sum()) if trace is None else check_positive(trace, "trace")
    length = n if constants == "printed" else 2 * n
    capacity = c * length
    if weights == "nonnegative":
        largest = [np.linalg.eigvalsh(K)[-1] for K in kernels]
        ratio = max(v / r for v, r in zip(largest, traces, strict=True) if r > 0)
        capacity = c * min(len(kernels), length * ratio)
    deviation = np.sqrt((2.0 if constants == "printed" else 4.0) * np.log(1.0 / delta))
    training = float(np.maximum(1.0 - margins, 0.0).mean())
    value = training + (4.0 + deviation + np.sqrt(capacity / (n * gamma**2))) / np.sqrt(n)
    return TransductiveBound(float(value), training, float(capacity))
