"""The optimal target vector: unknown targets that kernel ridge regression fits best."""

from __future__ import annotations

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.metrics import r2_score
from sklearn.utils import ClassifierTags, RegressorTags
from sklearn.utils.validation import check_is_fitted

from gramworks.errors import FitError
from gramworks.fitting.decision import accuracy_on, choose_labels, unknown_rows
from gramworks.fitting.inputs import check_choice, check_positive, check_square, check_switch
from gramworks.fitting.labels import encode_labels, encode_targets, find_missing, refuse_numbers
from gramworks.learning.target_scale import TargetScale, scale_targets
from gramworks.solvers.secular_roots import stationary_points
from gramworks.solvers.target_error import (
    KernelEigenpairs,
    error_spectrum,
    general_components,
    kernel_eigenpairs,
    solve_targets,
    target_levels,
)

LENGTHS = ("expected", "oracle")
TASKS = ("classification", "regression")


class OptimalTarget(BaseEstimator):
    """Unknown targets of the least training error of kernel ridge regression, of given length.

    The target vector y of all n points has unit length and holds the known targets; the others
    minimise y'Hy with H = (I - G)^2, G = K (K + ridge I)^-1 and K centred over all points. Where
    nothing is known it is the first kernel principal component. Angelini, Marinazzo, Pellicoro
    and Stramaglia (2007), section 2.

    Parameters
    ----------
    ridge : float
        lambda, positive, in units of the kernel.
    length : {"expected", "oracle"}
        How long the known part is, and so the unknown one. "expected": |u|^2 = m/n, from the m
        known targets alone. "oracle": known targets are scaled as all targets are, which must all
        be in y (`labelled` then says which may be used otherwise): not to be had in practice.
    task : {"classification", "regression"}
        Classes are +-1/sqrt(n), one against the rest where there are more than two. Numbers are
        centred on the mean of the known ones and scaled.
    centre_targets : bool
        Centre the +-1 of classes too, on the mean of the known ones. The paper assumes centred
        targets, and takes +-1/sqrt(n) as they are.

    Attributes
    ----------
    target_ : ndarray of shape (n,), or (q, n) for q > 2 classes
        y*, of unit length; so are the rows for each class below.
    multiplier_ : float, or ndarray of shape (q,)
        mu of (7); NaN where nothing is unknown.
    energy_ : float, or ndarray of shape (q,)
        t'H0 t + 2 t'H1 u, (6).
    hard_ : bool, or ndarray of shape (q,)
        Hard case: the minimum is one of two or more; the sign is fixed by a rule.
    roots_, root_energies_ : ndarray of shape (k,), or a list of q such
        Multipliers of all stationary points, ascending, and their energies; made when asked for.
    levels_, linear_ : ndarray of shape (k,), or a list of q such
        Eigenvalues mu_a of H0 and f_a; the last may be 1, with f = 0, for all that the kernel does
        not reach. Made when asked for.
    components_ : ndarray of shape (n, k), or (q, n, k)
        Generalised kernel principal components: the eigenvectors of H - PH - HP + PHP, P = y*y*',
        of its eigenvalues below 1, ascending, y* first. Made when asked for.
    component_eigenvalues_ : ndarray of shape (k,), or (q, k)
    left_out_ : ndarray of shape (n,), or (q, n)
        Leave-one-out errors of the ridge regression of y* on the centred kernel, (4):
        (G y* - y*)_i / (1 - G_ii).
    classes_ : ndarray of shape (q,)
        For classification; for two classes positive targets mean the second.
    labelled_ : ndarray of shape (n,), bool

    Notes
    -----
    The points of the fit are the only ones that have targets (it is transductive), so that
    `cross_validate` and GridSearchCV, which fit on some points and score others, refuse it. Choose
    `ridge` by fits on all points: with known targets hidden in turn behind the mask `labelled`,
    and `score` for the hidden ones; or, without further fits of parts, by the smallest mean of
    ``left_out_[labelled_] ** 2``.
    """

    def __init__(self, ridge=1.0, length="expected", task="classification", centre_targets=False):
        self.ridge = ridge
        self.length = length
        self.task = task
        self.centre_targets = centre_targets

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        if self.task == "classification":
            tags.estimator_type, tags.classifier_tags = "classifier", ClassifierTags()
        else:
            tags.estimator_type, tags.regressor_tags = "regressor", RegressorTags()
        tags.input_tags.pairwise = True
        return tags

    def fit(self, K, y=None, labelled=None):
        """Find the target vector.

        Parameters
        ----------
        K : array-like of shape (n, n), or KernelEigenpairs
            Positive semidefinite kernel over all points; centred here, only read. Or its
            decomposition by `gramworks.solvers.target_error.kernel_eigenpairs`, for many fits.
        y : array-like of shape (n,), optional
            Labels of any type, or numbers; NaN or None where unknown. None, or nothing
            known: kernel principal components.
        labelled : array-like of shape (n,), bool, optional
            Which targets may be used; default: all that are known.

        Returns
        -------
        OptimalTarget

        Raises
        ------
        FitError
            Parameters, targets or K are not usable; one class alone, or equal numbers; classes that
            are measured numbers; a kernel that is constant.
        KernelError
            K is not finite, symmetric and positive semidefinite.
        """
        check_choice(self.length, "length", LENGTHS)
        check_choice(self.task, "task", TASKS)
        check_switch(self.centre_targets, "centre_targets")
        ridge = check_positive(self.ridge, "ridge")
        pairs = K if isinstance(K, KernelEigenpairs) else kernel_eigenpairs(check_square(K))
        n = pairs.vectors.shape[0]
        scales, mask, classes = self._read_targets(y, n, labelled)
        spectrum = error_spectrum(pairs, ridge)
        known = np.flatnonzero(mask)
        found = solve_targets(
            spectrum,
            np.tile(known, (len(scales), 1)),
            np.array([scale.u for scale in scales]).reshape(len(scales), len(known)),
            np.array([scale.radius for scale in scales]),
        )
        targets = np.empty((len(scales), n))
        targets[:, known] = [scale.u for scale in scales]
        targets[:, ~mask] = found.targets
        # all at once and last, so that a fit that fails leaves the one before
        if classes is not None:
            self.classes_ = classes
        elif hasattr(self, "classes_"):
            del self.classes_
        self.labelled_, self._spectrum = mask, spectrum
        self._scales_, self._targets, self._single = scales, targets, len(scales) == 1
        self.target_ = self._one(targets)
        self.multiplier_ = self._one(found.multiplier)
        self.energy_ = self._one(found.energy)
        self.hard_ = self._one(found.hard)
        self.n_features_in_ = n
        return self

    def _read_targets(self, y, n, labelled):
        """Turn known targets into u, one a machine; give them, the mask of known ones, classes."""
        mask = _known_mask(y, n, labelled)
        if not mask.any():
            return [TargetScale(np.zeros(0), 1.0, 0.0, 1.0)], mask, None
        oracle = self.length == "oracle"
        if self.task == "regression":
            values, mask = encode_targets(y, n, labelled)
            rows, classes = values[mask][None], None
            whole = encode_targets(self._all_known(y), n)[0][None] if oracle else None
            centred, what = True, "targets"
        else:
            labels = encode_labels(y, n, labelled)
            refuse_numbers(labels, 'for numbers state task="regression"')
            rows, mask, classes = labels.signs(), labels.labelled, labels.classes
            whole = self._all_signs(y, n, classes) if oracle else None
            centred, what = bool(self.centre_targets), "labels"
        others = [None] * len(rows) if whole is None else whole[:, ~mask]
        scales = [
            scale_targets(row, n, centred=centred, others=rest, what=what)
            for row, rest in zip(rows, others, strict=True)
        ]
        return scales, mask, classes

    def _all_known(self, y):
        missing = find_missing(y)[1]
        if missing.any():
            i = int(np.flatnonzero(missing)[0])
            raise FitError(
                f'length="oracle" takes the length of the unknown targets from the true ones, but '
                f'y[{i}] is not known; give all of y and the mask `labelled`, or length="expected"'
            )
        return y

    def _all_signs(self, y, n, classes):
        whole = encode_labels(self._all_known(y), n)
        if len(whole.classes) != len(classes):
            raise FitError(
                f"y has {len(whole.classes)} classes, {len(classes)} of them on labelled "
                'points; length="oracle" wants a labelled point of each'
            )
        return whole.signs()

    def predict(self):
        """Give targets of all n points, in y's own scale, or labels; known ones as they are given.

        Raises
        ------
        FitError
            Nothing was known: `target_` and `components_` are the principal components.
        """
        values = self.decision_function()
        if self.task == "regression":
            return values
        if self._single:
            return choose_labels(values, self.classes_)
        return choose_labels(values.T, self.classes_)

    def decision_function(self):
        """Give targets in y's own scale, of classes that of -1 and +1: (n,), or (q, n)."""
        check_is_fitted(self)
        if not self.labelled_.any():
            raise FitError(
                "no target was known in the fit, so that there is no scale to predict in; "
                "target_ and components_ are the kernel principal components"
            )
        rows = [s.restore(t) for s, t in zip(self._scales_, self._targets, strict=True)]
        return rows[0] if self._single else np.array(rows)

    def score(self, K, y):
        """Give R^2, or the accuracy, over the points that were unknown and whose target y gives.

        K is not looked at: the method predicts the n points of the fit alone.
        """
        predicted = self.predict()
        values, rows = unknown_rows(predicted, y, self.labelled_)
        if self.task == "classification":
            return accuracy_on(predicted[rows], values[rows])
        return float(r2_score(values[rows].astype(float), predicted[rows]))

    @property
    def levels_(self):
        """Eigenvalues of H0."""
        return self._each(lambda s: target_levels(self._spectrum, self._known_rows(), s.u)[0])

    @property
    def linear_(self):
        """Linear term Psi'H1 u on the eigenvectors of `levels_`."""
        return self._each(lambda s: target_levels(self._spectrum, self._known_rows(), s.u)[1])

    @property
    def roots_(self):
        """Multipliers of all stationary points."""
        return self._each(lambda s: self._stationary(s).multipliers)

    @property
    def root_energies_(self):
        """Energies of all stationary points."""
        return self._each(lambda s: self._stationary(s).energies)

    @property
    def components_(self):
        """Generalised components."""
        check_is_fitted(self)
        return self._one(general_components(self._spectrum, self._targets)[1])

    @property
    def component_eigenvalues_(self):
        """Eigenvalues of the generalised components."""
        check_is_fitted(self)
        return self._one(general_components(self._spectrum, self._targets)[0])

    @property
    def left_out_(self):
        """Leave-one-out errors."""
        check_is_fitted(self)
        # both as parts of I - G, which keeps the digits that a small ridge leaves
        V, rests = self._spectrum.vectors, self._spectrum.rests
        inside = self._targets @ V
        missed = (inside * rests) @ V.T + (self._targets - inside @ V.T)
        free = (V**2 * rests).sum(axis=1) + (1.0 - (V**2).sum(axis=1))
        return self._one(-missed / free)

    def _known_rows(self):
        check_is_fitted(self)
        return np.flatnonzero(self.labelled_)

    def _stationary(self, scale):
        levels, linear, rounding = target_levels(self._spectrum, self._known_rows(), scale.u)
        return stationary_points(levels, linear, scale.radius, rounding)

    def _each(self, make):
        check_is_fitted(self)
        found = [make(scale) for scale in self._scales_]
        return found[0] if self._single else found

    def _one(self, rows):
        if not self._single:
            return rows
        return rows[0] if rows.ndim > 1 else rows[0].item()


def _known_mask(y, n, labelled):
    """Give the mask of known targets; whether they are usable is for the encoders."""
    if y is None:
        return np.zeros(n, dtype=bool)
    if labelled is not None:
        mask = np.asarray(labelled)
        usable = mask.shape == (n,) and mask.dtype == bool
        return mask.copy() if usable else np.ones(n, dtype=bool)
    missing = find_missing(y)[1]
    return ~missing if missing.shape == (n,) else np.ones(n, dtype=bool)
