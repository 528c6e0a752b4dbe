"""A kernel on data, functionals on its functions, and deformed kernels of any nu from both."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import eigvalsh

from gramworks.errors import FitError, KernelError
from gramworks.fitting.inputs import (
    check_choice,
    check_positive,
    check_square,
    check_weight,
    check_whole,
)
from gramworks.kernels.gaussian_kernel import median_width
from gramworks.kernels.vectors import as_dense_vectors
from gramworks.learning.functionals import as_functionals
from gramworks.solvers.deformed_dense import deform_dense
from gramworks.solvers.deformed_iterative import ERROR_SHARE, deform_iteratively
from gramworks.solvers.deformed_span import SpanApproximation
from gramworks.solvers.functional_preconditioner import Preconditioner
from gramworks.solvers.functional_system import FunctionalSystem
from gramworks.solvers.gaussian_expansion import GaussianExpansion
from gramworks.solvers.gram_expansion import GramExpansion
from gramworks.solvers.laplacian import check_semidefinite
from gramworks.solvers.polynomial_expansion import PolynomialExpansion

KERNELS = ("gaussian", "polynomial", "precomputed")
SOLVERS = ("auto", "dense", "cg", "span")
DENSE_FUNCTIONALS = 4000  # up to here one factor costs less than conjugate gradients,
DENSE_SHARE = 20, 12000  # and up to so many a point, and so many in all
_WIDTHS = 1e-70, 1e70
MOST_DENSE = 20000  # 3.2 GB for N, and as much for its factor


@dataclass(frozen=True)
class Deformed:
    """A deformed kernel of one nu.

    Attributes
    ----------
    kernel : ndarray of shape (t, t)
    residual : float
        Largest relative residual of the systems solved for it; NaN of the span approximation,
        which solves none.
    error : float
        Bound on what any entry may be off, for want of iterations and by rounding: where K~ is
        far smaller than K, little is left of the digits of K. NaN of the approximation.
    solution : ndarray of shape (t, p) or None
        (I / (2 nu) + N)^-1 Z by rows.
    iterations : int
    met : bool
        Whether the residual is within `tol`, and the error within ten times that part of the
        largest diagonal entry; True of the approximation.
    """

    kernel: np.ndarray
    residual: float = 0.0
    error: float = 0.0
    solution: np.ndarray | None = None
    iterations: int = 0
    met: bool = True


class Deformation:
    """Deformed kernels of one data set, sharing over nu whatever does not depend on it.

    Parameters
    ----------
    X, functionals, kernel, width, degree, offset, solver, tol, max_iterations, log
        As in `gramworks.learning.deformed_kernels`.

    Attributes
    ----------
    width : float or None
        As taken.
    solver : str
        dense, cg or span.
    system : FunctionalSystem
    """

    def __init__(
        self, X, *, functionals="gradient", kernel="gaussian", width=None, degree=None, offset=1.0,
        solver="auto", tol=1e-6, max_iterations=1000, log=None,
    ):  # fmt: skip
        described = as_functionals(functionals)
        check_choice(kernel, "kernel", KERNELS)
        check_choice(solver, "solver", SOLVERS)
        self.tol = check_positive(tol, "tol")
        self.max_iterations = check_whole(max_iterations, "max_iterations")
        self.log = log
        self.X, self.width, expansion = _expand(X, described, kernel, width, degree, offset)
        families = [functional.family(expansion, self.X) for functional in described]
        self.system = FunctionalSystem(expansion, families).reduced()
        self.solver = self._choose(solver)
        self._shared = self._size = None

    def _choose(self, solver) -> str:
        p = self.system.count
        if solver == "auto":
            share, most = DENSE_SHARE
            few = p <= DENSE_FUNCTIONALS or p <= min(share * self.system.points, most)
            return "dense" if few or not self.system.uses_fields else "cg"
        if solver == "dense" and p > MOST_DENSE:
            raise FitError(
                f"solver='dense' with {p} functionals wants {p * p * 16 / 1e9:.0f} GB; allowed: up "
                f"to {MOST_DENSE}. solver='cg' never makes their Gram matrix."
            )
        return solver

    def deform(self, nu) -> Deformed:
        """Give the deformed kernel of one nu; 0 gives the plain kernel itself."""
        nu = check_nu(nu)
        system = self.system
        if nu == 0 or system.count == 0:
            return Deformed(system.expansion.gram.copy())
        if self._shared is None:
            self._shared = self._prepare()
        if self.solver == "span":
            return Deformed(self._shared.deform(nu), float("nan"), float("nan"))
        if self.solver == "dense":
            N, Z = self._shared
            kernel, solution, residual, condition = deform_dense(system, nu, N=N, Z=Z)
            # Beyond this the system that was solved is another one; K~ is between 0 and K.
            lost = condition > 0.1 / np.finfo(np.float64).eps
            error = float(system.expansion.gram.diagonal().max()) if lost else 0.0
            found = Deformed(kernel, residual, error, solution, met=residual <= self.tol)
        else:
            found = deform_iteratively(
                system, nu, self._shared, tol=self.tol, max_iterations=self.max_iterations,
                log=self.log,
            )  # fmt: skip
        return self._with_rounding(found, nu)

    def _with_rounding(self, found, nu) -> Deformed:
        """Add what rounding may take: of p terms of the size of K, and of A = I / (2 nu) + N.

        A change of A by one part in 10^16 changes an entry by b_a' dA b_c, with b_a = A^-1 z_a.
        """
        eps, terms = np.finfo(np.float64).eps, self.system.count + 10
        plain = float(self.system.expansion.gram.diagonal().max())
        if self._size is None:
            self._size = _largest_eigenvalue(self.system)
        longest = max(float(np.linalg.norm(row.astype(np.float64))) for row in found.solution)
        error = found.error + eps * (terms * plain + (self._size + 0.5 / nu) * longest**2)
        within = error <= ERROR_SHARE * self.tol * found.kernel.diagonal().max()
        return Deformed(
            found.kernel, found.residual, error, found.solution,
            iterations=found.iterations, met=bool(found.met and within),
        )  # fmt: skip

    def missed(self, found: Deformed) -> str:
        """Say how far a kernel that has not met `tol` is from it, and what to do."""
        largest = found.kernel.diagonal().max()
        plain = self.system.expansion.gram.diagonal().max()
        by_iteration = self.solver == "cg"
        return (
            f"a relative residual of {found.residual:.1e}, and entries that may be off by "
            f"{found.error:.1e} where the largest of the diagonal is {largest:.2g} (of the plain "
            f"kernel: {plain:.2g}), were reached"
            f"{f' in {found.iterations} iterations' if by_iteration else ''}, where "
            f"tol={self.tol:g}; {'raise max_iterations, ' if by_iteration else ''}lower nu or "
            "scale the features down"
        )

    def extend(self, nu, X_new, solution=None) -> np.ndarray:
        """Give the deformed kernel between new points and those of the data, (n_new, t).

        Parameters
        ----------
        nu : float
        X_new : array-like of shape (n_new, n), or (n_new, t) for a precomputed kernel
        solution : ndarray of shape (t, p)
            That of `deform`; not needed by the approximation, nor for nu = 0.
        """
        system, expansion = self.system, self.system.expansion
        if expansion.derivatives:
            X_new = as_new_points(X_new, self.X.shape[1])
        K_new = expansion.new_gram(X_new)
        if nu == 0 or system.count == 0:
            return K_new
        if self.solver == "span":
            if self._shared is None:
                self._shared = self._prepare()
            return self._shared.extend(nu, K_new)
        given = X_new if expansion.derivatives else K_new
        step = max(1, 2**24 // system.count)
        for start in range(0, len(K_new), step):
            rows = slice(start, start + step)
            K_new[rows] -= system.new_columns(given[rows]) @ solution.T
        return K_new

    def release(self) -> None:
        """Forget what further nu would share, and the log; `extend` does not need them."""
        if self.solver != "span":
            self._shared = None
        self.log = None

    def _prepare(self):
        if self.solver == "span":
            return SpanApproximation(self.system)
        if self.solver == "dense":
            return self.system.dense(), self.system.columns(slice(None))
        return Preconditioner(self.system)


def _largest_eigenvalue(system) -> float:
    """Bound the largest eigenvalue of N from above, in practice, by a few products.

    Ten steps on eight random vectors are within a factor of two for any spectrum.
    """
    rows = np.random.default_rng(0).standard_normal((8, system.count))
    size = 0.0
    for _ in range(10):
        norms = np.linalg.norm(rows, axis=1, keepdims=True)
        rows = np.divide(rows, norms, out=np.zeros_like(rows), where=norms > 0)
        rows = system.product(rows)[0]
        size = float(np.linalg.norm(rows, axis=1).max())
    return 2.0 * size


def functional_system(
    X, functionals, *, kernel="gaussian", width=None, degree=None, offset=1.0
) -> FunctionalSystem:
    """Give the representers of functionals at the points of X, each as it was stated.

    Where only the sum of squares counts, `Deformation` takes fewer functionals with the same sum;
    other losses want these.

    Parameters
    ----------
    X, functionals, kernel, width, degree, offset
        As in `gramworks.learning.deformed_kernels`.

    Returns
    -------
    FunctionalSystem
        ``dense()`` is <z_i, z_j>, ``new_columns(X_new)`` is z_j(x) with a row for each new point.
    """
    described = as_functionals(functionals)
    check_choice(kernel, "kernel", KERNELS)
    X, _, expansion = _expand(X, described, kernel, width, degree, offset, turn=False)
    return FunctionalSystem(expansion, [each.family(expansion, X) for each in described])


def as_new_points(X_new, features) -> np.ndarray:
    """Check new points, sparse or not, against the number of features of the fit."""
    X_new = as_dense_vectors(X_new, "X_new")
    if X_new.shape[1] != features:
        raise KernelError(
            f"X_new has {X_new.shape[1]} features; the points of the fit have {features}, in the "
            "same order"
        )
    return X_new


def check_nu(nu) -> float:
    """Check a weight of the invariances: 0 or more."""
    try:
        return check_weight(nu, "nu")
    except FitError as error:
        if np.ndim(nu) == 0:
            raise
        raise FitError(f"{error}; several: gramworks.learning.deformed_kernels") from None


def _expand(X, described, kernel, width, degree, offset, turn=True):
    """Make the expansion; gives the data as checked, the width taken, and it."""
    if kernel == "precomputed":
        _unused(kernel, width=width, degree=degree)
        _unused(kernel, offset=None if offset == 1.0 else offset)
        K = check_square(X, "X (the kernel matrix, since kernel='precomputed')")
        K = 0.5 * (K + K.T)
        check_semidefinite(eigvalsh(K, check_finite=False), "X")
        return K, None, GramExpansion(K)
    # A copy: new points are compared with these, whatever becomes of the caller's array.
    X = np.array(as_dense_vectors(X))
    # tangents leave the span of the points, which derivatives along the axes need not
    turn = turn and all(functional.along_axes for functional in described)
    if kernel == "polynomial":
        _unused(kernel, width=width)
        if degree is None:
            raise FitError("degree=None; kernel='polynomial' wants a whole number from 1")
        if any(functional.spread for functional in described):
            raise FitError(
                "LocalAverage has a closed form for kernel='gaussian' alone; found 'polynomial'"
            )
        degree = check_whole(degree, "degree")
        return X, None, PolynomialExpansion(X, degree, offset, turn=turn)
    _unused(kernel, degree=degree, offset=None if offset == 1.0 else offset)
    width = median_width(X) if width is None else check_positive(width, "width")
    if not _WIDTHS[0] <= width <= _WIDTHS[1]:
        raise KernelError(
            f"width={width:g}; allowed with derivatives: {_WIDTHS[0]:g} to {_WIDTHS[1]:g}, its "
            "fourth power is worked with; scale the features"
        )
    spreads = dict.fromkeys(f.spread for f in described if f.spread)
    return X, width, GaussianExpansion(X, width, spreads, turn=turn)


def _unused(kernel, **parameters):
    for name, value in parameters.items():
        if value is not None:
            raise KernelError(f"{name}={value!r} has no part in kernel={kernel!r}; leave it out")
