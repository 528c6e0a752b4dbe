"""Invariances as a deformed kernel: what is penalised in functions is taken out of the kernel."""

from __future__ import annotations

import warnings

from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from gramworks.learning.deformation import Deformation, check_nu


class InvarianceKernel(BaseEstimator):
    """Kernel of the functions whose functionals L_j(f) are small: invariances, softly imposed.

    The norm |f|^2 + 2 nu sum_j L_j(f)^2 has the kernel

        k~(x, z) = k(x, z) - z(x)' (I / (2 nu) + N)^-1 z(z),    z(x)_j = L_j(k(x, .)),

    N_ij = <z_i, z_j>, so that a machine on it solves min |f|^2 / 2 + lambda sum_i loss(f(x_i), y_i)
    + nu sum_j L_j(f)^2. Zhang, Lee and Teh, NIPS 26 (2013) 2031-2039, equation (2) with squared l2.

    Parameters
    ----------
    nu : float
        0 or more; 0 gives the plain kernel.
    functionals : "gradient", or one or more of Gradient, Tangent, GraphDifference, LocalAverage
        From `gramworks.learning.functionals`. "gradient" penalises all derivatives at all points.
    kernel : {"gaussian", "polynomial", "precomputed"}
        "precomputed" goes with GraphDifference alone, and X is the kernel matrix then.
    width : float, optional
        sigma of the Gaussian kernel exp(-|x - z|^2 / (2 sigma^2)). Default: the median distance
        between the points.
    degree, offset : int, float
        Of the polynomial kernel.
    solver : {"auto", "dense", "cg", "span"}
        "dense" factors I / (2 nu) + N, "cg" takes conjugate gradients with products that never make
        N; "auto" the first for up to 4000 functionals, up to 12000 where they are at most 20
        a point, and the second beyond. "span" is an
        approximation: functions restricted to the span of k(x_i, .), near for small nu or many
        points for their dimension.
    tol : float
        Relative residual wanted, from "cg" by iterating; the bound `error_` is wanted below 10 tol
        of the largest diagonal entry too. From 1e-5 on products are of float32 while that will do.
        `kernel_` is right to second order in the residuals, `extend` to first order.
    max_iterations : int
        Of a right-hand side of "cg", in either precision. Where they do not suffice there is a
        ConvergenceWarning, with what was reached.

    Attributes
    ----------
    kernel_ : ndarray of shape (t, t)
        Deformed kernel of the points, exactly symmetric, semidefinite to rounding.
    residual_ : float
        Largest relative residual of the systems solved, worked out anew from the solution; 0 for
        nu = 0 and NaN from "span".
    error_ : float
        Bound on what an entry of `kernel_` may be off, for want of iterations and by rounding,
        which leaves little of a kernel far smaller than the plain one (polynomials of large
        features). Above 10 tol of the largest diagonal entry there is a ConvergenceWarning.
    n_iter_ : int
        Iterations of the slowest right-hand side, 0 without iterations.
    width_ : float or None
        Of the Gaussian kernel.
    solver_ : str
        What was taken.

    Notes
    -----
    The diagonal shrinks as nu grows, so that one C means less: divide `kernel_`, and what `extend`
    gives, by the mean of the diagonal of `kernel_` before a machine whose C was chosen for another
    kernel, as the methods of the workflow do. `deformed_kernels` makes those of several nu.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.svm import SVC
    >>> from gramworks.learning import InvarianceKernel
    >>> X = np.array([[0.0], [0.2], [1.0], [1.2]])
    >>> labelled, y = [0, 3], [-1, 1]
    >>> model = InvarianceKernel(nu=0.1, width=0.5).fit(X)
    >>> scale = model.kernel_.diagonal().mean()
    >>> machine = SVC(C=10.0, kernel="precomputed")
    >>> _ = machine.fit(model.kernel_[labelled][:, labelled] / scale, y)
    >>> machine.predict(model.extend([[0.1], [1.1]])[:, labelled] / scale).tolist()
    [-1, 1]
    """

    def __init__(
        self, nu, functionals="gradient", kernel="gaussian", width=None, degree=None, offset=1.0,
        solver="auto", tol=1e-6, max_iterations=1000,
    ):  # fmt: skip
        self.nu = nu
        self.functionals = functionals
        self.kernel = kernel
        self.width = width
        self.degree = degree
        self.offset = offset
        self.solver = solver
        self.tol = tol
        self.max_iterations = max_iterations

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.kernel == "precomputed"
        return tags

    def fit(self, X, y=None):
        """Deform the kernel on all points, labelled, unlabelled and test.

        Parameters
        ----------
        X : array-like of shape (t, n), or the kernel matrix (t, t)
            Only read.
        y : None
            Labels have no part in it.

        Returns
        -------
        InvarianceKernel

        Raises
        ------
        FitError
            Parameters that are not usable, or functionals that the kernel has no closed form for.
        KernelError
            X is not a finite matrix of numbers.
        """
        nu = check_nu(self.nu)
        parameters = self.get_params(deep=False)
        del parameters["nu"]
        deformation = Deformation(X, **parameters)
        found = deformation.deform(nu)
        if not found.met:
            warnings.warn(deformation.missed(found), ConvergenceWarning, stacklevel=2)
        self.kernel_ = found.kernel
        self.residual_ = found.residual
        self.error_ = found.error
        self.n_iter_ = found.iterations
        self.width_ = deformation.width
        self.solver_ = deformation.solver
        self.n_features_in_ = deformation.X.shape[1]
        deformation.release()
        self._fitted = deformation, nu, found.solution
        return self

    def extend(self, X_new):
        """Give the deformed kernel between new points and those of the fit.

        With "cg" it is off by first order of `residual_`, where `kernel_` is by second: lower
        `tol` where that counts.

        Parameters
        ----------
        X_new : array-like of shape (n_new, n), or (n_new, t) for a precomputed kernel
            New points; for a precomputed kernel its values between them and those of the fit.

        Returns
        -------
        ndarray of shape (n_new, t)

        Raises
        ------
        KernelError, FitError
            Another number of columns, or values that are not finite.
        """
        check_is_fitted(self)
        deformation, nu, solution = self._fitted
        return deformation.extend(nu, X_new, solution)
