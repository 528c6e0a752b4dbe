"""The deformed kernels of one data set for several nu, one after another."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator

from sklearn.exceptions import ConvergenceWarning

from gramworks.errors import FitError
from gramworks.learning.deformation import Deformation, Deformed, check_nu


def deformed_kernels(
    X,
    nus,
    *,
    functionals="gradient",
    kernel: str = "gaussian",
    width: float | None = None,
    degree: int | None = None,
    offset: float = 1.0,
    solver: str = "auto",
    tol: float = 1e-6,
    max_iterations: int = 1000,
    log: Callable[[str], None] | None = None,
) -> Iterator[tuple[float, Deformed]]:
    """Make the deformed kernels for several nu, sharing decompositions between them.

    Parameters
    ----------
    X : array-like of shape (t, n), or (t, t) where `kernel` is precomputed
        All points, labelled or not.
    nus : sequence of float
        Weights of the invariances, 0 or more. They are taken in this order.
    functionals : "gradient", or one or more of Gradient, Tangent, GraphDifference, LocalAverage
    kernel : {"gaussian", "polynomial", "precomputed"}
    width : float, optional
        Of the Gaussian kernel. Default: the median distance between the points.
    degree, offset : int, float
        Of the polynomial kernel.
    solver : {"auto", "dense", "cg", "span"}
        As `gramworks.learning.invariance.InvarianceKernel`.
    tol : float
        Relative residual wanted from "cg". From 1e-5 on products are of float32.
    max_iterations : int
        Of a right-hand side.
    log : callable, optional
        Receives progress lines.

    Yields
    ------
    nu : float
    found : Deformed
        With ``kernel`` (t, t), exactly symmetric; ``residual``, the largest relative one (NaN from
        "span", which is an approximation, and 0 for nu = 0); ``error``, a bound on what the entries
        may be off; and ``met``, whether both are within what InvarianceKernel wants. Where they are
        not there is a ConvergenceWarning.
    """
    try:
        nus = list(nus)
    except TypeError:
        raise FitError(
            f"nus={nus!r}; allowed: a sequence of numbers: for one give [{nus!r}]"
        ) from None
    nus = [check_nu(nu) for nu in nus]
    deformation = Deformation(
        X, functionals=functionals, kernel=kernel, width=width, degree=degree, offset=offset,
        solver=solver, tol=tol, max_iterations=max_iterations, log=log,
    )  # fmt: skip
    return _each(deformation, nus)


def _each(deformation, nus):
    for nu in nus:
        found = deformation.deform(nu)
        if deformation.log is not None:
            deformation.log(
                f"nu = {nu:g}: {deformation.solver}, {deformation.system.count} functionals, "
                f"relative residual {found.residual:.1e}, kernel off by at most {found.error:.1e}"
            )
        if not found.met:
            warnings.warn(
                f"nu = {nu:g}: {deformation.missed(found)}", ConvergenceWarning, stacklevel=2
            )
        yield nu, found
        del found
