"""Learning a kernel by its alignment with the labels."""

from __future__ import annotations

import warnings

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning

from gramworks.errors import FitError
from gramworks.fitting.inputs import check_choice, check_kernels, check_positive, check_switch
from gramworks.fitting.labels import encode_labels
from gramworks.kernels.transforms import centre
from gramworks.learning.combination import check_semidefinite, tell_left_out
from gramworks.learning.rank_one import RankOneFamily
from gramworks.solvers.alignment import align_free, align_nonnegative
from gramworks.solvers.kernel_sums import combine
from gramworks.solvers.psd_slice import frobenius_products


class AlignmentKernel(BaseEstimator):
    """The combination of base kernels that is most aligned with the labels.

    Maximises <K_tr, yy'>_F over <K, K>_F <= 1, K = sum_i mu_i K_i over all n points, K_tr its
    labelled block: Lanckriet et al., JMLR 5 (2004), (52)-(55). With more than two classes yy' is
    the sum over the classes, each against the rest.

    Parameters
    ----------
    weights : {"nonnegative", "free"}
        "free": any sign, K positive semidefinite over all points, (53).
    centred : bool
        Centre the kernels, and take the labelled points alone: the alignment of Cortes, Mohri
        and Rostamizadeh, JMLR 13 (2012). The weights are of the kernels as given. For
        nonnegative weights.
    tol : float
        Wanted relative gap.
    checked : bool
        The kernels are known to be finite, symmetric and positive semidefinite, as those of the
        Gram store are: not checked again, which costs more than an SVM where n is in the thousands.

    Attributes
    ----------
    weights_ : ndarray of shape (m,)
        At <K, K>_F = 1 over all n points.
    objective_ : float
        <K_tr, yy'>_F at these weights; centred: of the centred kernels, at norm 1.
    alignment_ : float
        The cosine <K_tr, yy'>_F / (|K_tr| |yy'|), definition 6; centred: of centred matrices.
    gap_ : float
        Certified: the maximum of the objective is at most objective_ / (1 - gap_).
    kernel_ : ndarray of shape (n, n)
    classes_ : ndarray of shape (q,)
    """

    def __init__(self, weights="nonnegative", centred=False, tol=1e-6, checked=False):
        self.weights = weights
        self.centred = centred
        self.tol = tol
        self.checked = checked

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = True
        tags.target_tags.required = True
        return tags

    def fit(self, kernels, y, labelled=None):
        """Learn the weights.

        Parameters
        ----------
        kernels : sequence of m arrays (n, n), array of shape (m, n, n), or KernelStack
            Positive semidefinite base kernels over all points; only read. Or a `RankOneFamily`,
            for which the answer is known, (54).
        y : array-like of shape (n,)
            Labels of any type, NaN or None where unknown.
        labelled : array-like of shape (n,), bool, optional
            Which labels may be used; default: all that are known.

        Returns
        -------
        AlignmentKernel

        Raises
        ------
        FitError
            Parameters, shapes or labels are not usable, or no kernel is aligned at all.
        KernelError
            A kernel is not finite and symmetric, or for "free" not positive semidefinite.
        """
        check_choice(self.weights, "weights", ("nonnegative", "free"))
        check_switch(self.centred, "centred")
        check_switch(self.checked, "checked")
        check_positive(self.tol, "tol")
        if self.centred and self.weights == "free":
            raise FitError("centred=True wants weights='nonnegative'; found 'free'")
        if isinstance(kernels, RankOneFamily):
            return self._fit_family(kernels, y, labelled)
        kernels = check_kernels(kernels, self.checked)
        labels = encode_labels(y, kernels[0].shape[0], labelled)
        rows = np.flatnonzero(labels.labelled)
        signs = labels.signs()
        compared = kernels
        if self.centred:
            compared = [centre(K[rows][:, rows]) for K in kernels]
            signs = signs - signs.mean(axis=1, keepdims=True)
        products = frobenius_products(compared)
        blocks = (K if self.centred else K[rows][:, rows] for K in compared)
        targets = np.array([sum(s @ block @ s for s in signs) for block in blocks])
        if self.weights == "free":
            for i, K in enumerate(() if self.checked else kernels):
                check_semidefinite(K, i, criterion="alignment with free weights")
            found = align_free(kernels, products, targets, gap=self.tol)
        else:
            found = align_nonnegative(products, targets)
        mu = found.weights
        self.kernel_ = combine(kernels, mu)
        if self.centred:  # as the others: the kernel itself at norm 1
            size = np.linalg.norm(self.kernel_)
            mu, self.kernel_ = mu / size, self.kernel_ / size
        block = self.kernel_[rows][:, rows]
        block = centre(block) if self.centred else block
        return self._keep(mu, found, labels, signs, block)

    def _fit_family(self, family, y, labelled):
        if self.centred:
            raise FitError("centred=True wants kernels; found a RankOneFamily")
        labels = encode_labels(y, family.vectors.shape[0], labelled)
        signs = labels.signs()
        targets = ((signs @ family.vectors[labels.labelled]) ** 2).sum(axis=0)
        # orthogonal vectors: so are their kernels
        found = align_nonnegative(np.diag(family.sizes**2), targets)
        self.kernel_ = family.combine(found.weights)
        rows = np.flatnonzero(labels.labelled)
        return self._keep(found.weights, found, labels, signs, self.kernel_[rows][:, rows])

    def _keep(self, mu, found, labels, signs, block):
        outer = signs.T @ signs
        self.weights_ = mu
        self.objective_ = found.value
        self.alignment_ = float(
            np.vdot(block, outer) / (np.linalg.norm(block) * np.linalg.norm(outer))
        )
        self.gap_ = found.gap
        self.converged_ = found.gap <= self.tol
        self.n_iter_ = found.n_iter
        self.classes_ = labels.classes
        tell_left_out(found.left_out, stacklevel=4)
        if not self.converged_:
            warnings.warn(
                f"the certified gap is {self.gap_:.2g}, not tol={self.tol:g}: raise tol",
                ConvergenceWarning,
                stacklevel=3,
            )
        return self
