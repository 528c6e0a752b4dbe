"""Kernel dependency estimation: learn from inputs to outputs, both known through kernels alone."""

from __future__ import annotations

import warnings

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from gramworks.errors import FitError
from gramworks.fitting.candidates import choose_outputs
from gramworks.fitting.inputs import (
    check_choice,
    check_new,
    check_positive,
    check_square,
    check_whole,
)
from gramworks.kernels.distances import squared_distances
from gramworks.kernels.gaussian_kernel import gaussian
from gramworks.kernels.linear_kernel import linear
from gramworks.kernels.tiles import fill
from gramworks.kernels.vectors import as_dense_vectors
from gramworks.solvers.gaussian_preimage import PreImages, gaussian_preimages
from gramworks.solvers.output_components import nearest, output_components
from gramworks.solvers.ridge import solve_ridge

PREIMAGES = ("candidates", "linear", "fixed-point")
_SMALLEST = 1e-140  # squares keep their digits above it
_SAME = 1e-6  # of the largest entry: L is the kernel of the outputs given


class KernelDependency(BaseEstimator):
    """Predict outputs of any kind from inputs of any kind.

    1. The outputs' Gram matrix L is centred and decomposed; the projections on its principal
       components are what is learned.
    2. Ridge regression, (K + ridge I) dual_coef = projections, gives all of them at once.
    3. The prediction is the output whose projections are nearest to those predicted.

    Parameters
    ----------
    ridge : float
        Positive, in units of the input kernel: |targets - f|^2 + ridge |w|^2. The paper divides
        the first term by the number of points m; its gamma is ridge / m.
    n_components : None, int or float
        All components of positive eigenvalue; a number of them (all if there are fewer); or, from
        a float below 1, as many as have that share of the variance.
    preimage : {"candidates", "linear", "fixed-point"}
        Step 3. "candidates": the nearest of a finite number of outputs, those of the training
        points unless others are given. For vectors: "linear" is the closed form for the linear
        output kernel, "fixed-point" an iteration for the Gaussian one.

    Attributes
    ----------
    dual_coef_ : ndarray of shape (n, p)
        Predicted projections are K_new dual_coef_.
    residuals_ : ndarray of shape (n, p)
        Leave-one-out residuals of the projections (their components and mean held fixed).
    projections_ : ndarray of shape (n, p)
        Of the training outputs.
    eigenvalues_ : ndarray of shape (p,)
        Of the centred L, descending.
    variance_share_ : float
        Part of the outputs' variance that the components have.
    n_components_ : int
        p; 0 where all outputs are the same.
    width_ : float
        For "fixed-point": of the Gaussian output kernel.

    Notes
    -----
    The outputs are centred, which is the regression's intercept: far from all training inputs
    the prediction is nearest to the mean output. The input kernel is not centred; centre it
    yourself, training and new rows alike, for a fit that does not depend on its origin. With a
    scalar output and the linear output kernel this is kernel ridge regression on y less its mean,
    with d outputs d of them.

    References
    ----------
    Weston, Chapelle, Elisseeff, Schoelkopf and Vapnik (2002), Kernel dependency estimation, NIPS
    15, pp. 897-904.
    """

    def __init__(self, ridge, n_components=None, preimage="candidates"):
        self.ridge = ridge
        self.n_components = n_components
        self.preimage = preimage

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = True
        tags.target_tags.required = True
        return tags

    def fit(self, K, L=None, outputs=None):
        """Learn the projections of the outputs.

        Parameters
        ----------
        K : array-like of shape (n, n)
            Gram matrix of the inputs; only read.
        L : array-like of shape (n, n)
            Gram matrix of the outputs, which stands for the loss; only read. May be left out
            for "linear".
        outputs : array-like of shape (n, d) or (n,), optional
            The outputs themselves, for "linear" and "fixed-point".

        Returns
        -------
        KernelDependency

        Raises
        ------
        FitError, KernelError
            Parameters or matrices are not usable, or L is not the kernel of the outputs that
            `preimage` supposes.
        """
        ridge = check_positive(self.ridge, "ridge")
        preimage = check_choice(self.preimage, "preimage", PREIMAGES)
        n_components = self._checked_components()
        K = check_square(K)
        n = K.shape[0]
        self._outputs, self._flat = None, False
        if preimage != "candidates":
            self._outputs, self._flat = _vectors(outputs, n, preimage)
        elif outputs is not None:
            raise FitError('outputs are given for preimage="linear" and "fixed-point" alone')
        if L is None and preimage != "linear":
            raise FitError("L is missing; give the Gram matrix (n, n) of the outputs")
        L = None if L is None else check_square(L, "L")
        if L is not None and L.shape[0] != n:
            raise FitError(
                f"L has shape {L.shape} and K {K.shape}; both are over the same {n} points"
            )
        if preimage == "linear":
            if L is not None:
                _require_same(L, linear(self._outputs), "the linear kernel of the outputs")
            # the same once centred, without the digits that a common offset takes
            L = linear(_centred(self._outputs))
        elif preimage == "fixed-point":
            self.width_ = _width_of(L, self._outputs)
        components = output_components(L, n_components)
        solution = solve_ridge(K, components.projections, ridge, centre=False)
        self.dual_coef_, self.residuals_ = solution.coefficients, solution.left_out
        self.projections_ = components.projections
        self.eigenvalues_ = components.eigenvalues
        self.variance_share_ = components.share
        self.n_components_ = components.eigenvalues.size
        self.n_features_in_ = n
        self._components, self._own = components, K
        return self

    def transform(self, K_new=None):
        """Predict projections.

        Parameters
        ----------
        K_new : array-like of shape (n_new, n), optional
            Input kernel between new rows and the n training points; default: the training points.

        Returns
        -------
        ndarray of shape (n_new, n_components_)
            On the axes of `projections_` (signs of eigenvectors are arbitrary).
        """
        check_is_fitted(self)
        K = self._own if K_new is None else check_new(K_new, self.n_features_in_)
        return K @ self.dual_coef_

    def project(self, L_new):
        """Project given outputs, less the mean output, on the components.

        Parameters
        ----------
        L_new : array-like of shape (n_new, n)
            Output kernel between them and the n training outputs.

        Returns
        -------
        ndarray of shape (n_new, n_components_)
        """
        check_is_fitted(self)
        L_new = check_new(
            L_new, self.n_features_in_, "L_new", rows="given outputs", known="training outputs"
        )
        return self._components.project(L_new)

    def predict(self, K_new=None, candidates=None):
        """Predict outputs.

        Parameters
        ----------
        K_new : array-like of shape (n_new, n), optional
            As in `transform`.
        candidates : array-like of shape (n_cand, n), optional
            Output kernel between the outputs to choose from and the n training outputs; default:
            the training outputs. Not for "linear" and "fixed-point".

        Returns
        -------
        ndarray of shape (n_new,), int, or (n_new, d)
            Row numbers of candidates, or of training outputs; of equally near ones the first. The
            vectors themselves for "linear" and "fixed-point".

        Warns
        -----
        ConvergenceWarning
            Fixed-point iterations failed; the nearest training output stands there instead.
            `preimages` says which.

        Notes
        -----
        Distances are those of projections: what a candidate has outside of the training outputs'
        span is not seen. Constant training outputs have no components; the candidate whose kernel
        values are nearest to theirs is taken then.
        """
        found = self.transform(K_new)
        if self.preimage == "candidates":
            return choose_outputs(self._components, found, candidates)
        if candidates is not None:
            raise FitError(f'candidates are for preimage="candidates", not {self.preimage!r}')
        if self.preimage == "linear":
            mean = self._outputs.mean(axis=0)
            axes = self._components.coefficients.T @ (self._outputs - mean)
            vectors = mean + found @ axes
        else:
            result = self._iterate(found)
            vectors = result.vectors
            if result.fell_back.any():
                warnings.warn(
                    f"{result.fell_back.sum()} of {len(vectors)} fixed-point iterations failed; "
                    "the nearest training output stands there. preimages() says which",
                    ConvergenceWarning,
                    stacklevel=2,
                )
        return vectors[:, 0] if self._flat else vectors

    def preimages(self, K_new=None) -> PreImages:
        """Give the fixed points of "fixed-point" with what became of each; `K_new` as above."""
        if self.preimage != "fixed-point":
            raise FitError(f'preimages() is for preimage="fixed-point", not {self.preimage!r}')
        return self._iterate(self.transform(K_new))

    def _iterate(self, found) -> PreImages:
        n = self.n_features_in_
        weights = 1.0 / n + found @ self._components.coefficients.T
        starts = self._outputs[nearest(found, self.projections_)]
        return gaussian_preimages(weights, self._outputs, self.width_, starts)

    def _checked_components(self):
        value = self.n_components
        if value is None:
            return None
        if isinstance(value, (float, np.floating)):
            if not 0 < value < 1:
                raise FitError(
                    f"n_components={value!r}; a share of the variance is between 0 and 1, a number "
                    "of components an int, and None all"
                )
            return float(value)
        return check_whole(value, "n_components")


def _vectors(outputs, n, preimage):
    if outputs is None:
        raise FitError(f"preimage={preimage!r} makes vectors: give fit the outputs (n, d)")
    flat = np.ndim(outputs) == 1
    Y = as_dense_vectors(np.reshape(outputs, (-1, 1)) if flat else outputs, "outputs")
    if len(Y) != n:
        raise FitError(f"outputs has {len(Y)} rows and K {n}; both are over the same points")
    return Y, flat


def _centred(Y):
    if not np.ptp(Y, axis=0).any():
        return np.zeros_like(Y)  # the mean is rounded
    moved = Y - Y.mean(axis=0)
    if (size := np.abs(moved).max()) < _SMALLEST:
        raise FitError(
            f"outputs are within {size:.3g} of their mean, and squares of that underflow; rescale "
            "them"
        )
    return moved


def _require_same(L, wanted, what):
    if np.abs(L - wanted).max() > _SAME * max(np.abs(wanted).max(), np.finfo(float).tiny):
        i, j = np.unravel_index(np.abs(L - wanted).argmax(), L.shape)
        raise FitError(
            f"L is not {what}: {L[i, j]:g} at ({i}, {j}) where that has {wanted[i, j]:g}; take "
            'preimage="candidates" for other kernels'
        )


def _width_of(L, Y):
    """Find the width from the pairs whose kernel value tells most of it."""
    distances = fill(squared_distances(Y))
    usable = (distances > 0) & (L > 1e-100) & (L < 1.0 - 1e-9)
    if (distances == 0).all():
        _require_same(L, np.ones_like(L), "the Gaussian kernel of the outputs, which are all equal")
        return 1.0  # any width gives the one output back
    if not usable.any():
        raise FitError(
            "L has no entries between 0 and 1 for different outputs, so that it shows no width; "
            'is it the Gaussian kernel of the outputs? Take preimage="candidates" for others'
        )
    logarithms = -np.log(L[usable])
    best = np.argsort(np.abs(logarithms - 1.0), kind="stable")[:1000]
    width = float(np.sqrt(np.median(distances[usable][best] / (2.0 * logarithms[best]))))
    _require_same(L, gaussian(Y, width=width), f"the Gaussian kernel of the outputs ({width:g})")
    return width
