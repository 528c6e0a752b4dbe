"""One call of LIBSVM's sequential minimal optimisation on a precomputed Gram matrix.

scikit-learn's compiled binding is called directly: `SVC.fit` checks parameters and labels for
about 1.5 ms a call, more than the optimisation itself takes on a few hundred points, and model
selection makes thousands of calls. Where the binding is absent or has changed, `SVC` is used.
"""

from __future__ import annotations

import warnings

import numpy as np

try:
    from sklearn.svm import _libsvm as _binding
except ImportError:  # a private module: scikit-learn may move it
    _binding = None


def minimise_sequentially(K, signs, C, *, tol=1e-3, max_iter=1_000_000):
    """Maximise a'e - a'Ga/2 over 0 <= a <= C, a'y = 0, with G_ij = y_i y_j K_ij.

    Parameters
    ----------
    K : ndarray of shape (n, n), float64
        Gram matrix; read only.
    signs : ndarray of shape (n,), float64
        Labels, -1 and +1, both present.
    C : float
        Upper bound of every coefficient.
    tol : float
        Largest violation of the optimality conditions, in units of the margin y f.
    max_iter : int
        Cap on the number of two-coefficient steps.

    Returns
    -------
    alpha : ndarray of shape (n,)
    n_iter : int
    converged : bool
        False when the cap was met.
    """
    K = np.ascontiguousarray(K, dtype=np.float64)
    signs = np.ascontiguousarray(signs, dtype=np.float64)
    options = {"C": float(C), "tol": float(tol), "max_iter": int(max_iter), "cache_size": 200.0}
    fit = _fit_estimator if _binding is None else _fit_binding
    support, coefficients, n_iter, converged = fit(K, signs, options)
    alpha = np.zeros(signs.shape[0])
    alpha[support] = np.minimum(np.abs(coefficients), C)
    return alpha, n_iter, converged


def _fit_binding(K, signs, options):
    _binding.set_verbosity_wrap(0)  # LIBSVM starts out printing
    try:
        support, _, _, coefficients, _, _, _, status, n_iter = _binding.fit(
            K, signs, kernel="precomputed", **options
        )
    except TypeError:  # another signature
        return _fit_estimator(K, signs, options)
    return support, np.asarray(coefficients).ravel(), int(np.max(n_iter)), status == 0


def _fit_estimator(K, signs, options):
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.svm import SVC

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # reported as `converged`
        svm = SVC(kernel="precomputed", **options).fit(K, signs)
    return svm.support_, svm.dual_coef_.ravel(), int(np.max(svm.n_iter_)), svm.fit_status_ == 0
