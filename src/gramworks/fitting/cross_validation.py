"""Cross-validation that slices kernels on both axes."""

from __future__ import annotations

import inspect

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import KFold, StratifiedKFold

from gramworks.errors import FitError
from gramworks.fitting.inputs import check_kernels, check_square, check_switch, check_whole
from gramworks.fitting.kernel_stack import KernelStack
from gramworks.fitting.labels import find_missing
from gramworks.fitting.metrics import find_metric
from gramworks.masked_values import refuse_masked


def cross_validate(
    estimator,
    kernels,
    y,
    *,
    labelled=None,
    folds=5,
    repeats=1,
    stratified=True,
    random_state=None,
    scoring=None,
):
    """Fit and score an estimator on folds of the labelled points.

    In each fold the estimator sees the kernel between the training points only, and scores on
    the kernel between test and training points. Points without a label take part in every
    training set, unlabelled, and are never scored.

    Parameters
    ----------
    estimator : object
        With `fit(K, y, labelled)`, `predict(K_new)`, ...; cloned, not changed.
    kernels : array (n, n), sequence of m arrays (n, n), array (m, n, n), or KernelStack
        One kernel for an estimator on one kernel, several for one that combines.
    y : array-like of shape (n,)
        Labels or targets, NaN or None where unknown.
    labelled : array-like of shape (n,), bool, optional
        Which of y may be used; default: all that are known.
    folds : int
        At least 2.
    repeats : int
        Shuffles, each cut into `folds`.
    stratified : bool
        Keep the shares of the classes in each fold; False for numbers.
    random_state : int, numpy Generator or None
        Where the shuffles come from.
    scoring : str or callable, optional
        Name of a metric, or `scoring(estimator, K_test, y_test)`; default: the estimator's
        `score`.

    Returns
    -------
    dict of ndarrays of shape (repeats * folds,)
        "repeat", "fold" and "score", in this order.

    Raises
    ------
    FitError
        A class with fewer members than folds, or numbers out of range; an estimator that predicts
        the points of its fit only.
    """
    if scoring is None and not hasattr(estimator, "score"):
        raise FitError(
            f"{type(estimator).__name__} has no `score`, since it predicts nothing; give "
            "`scoring`, or fit a machine on its kernel_, such as KernelSVM"
        )
    if hasattr(estimator, "predict") and not inspect.signature(estimator.predict).parameters:
        raise FitError(
            f"{type(estimator).__name__} is transductive: it predicts the points of its fit only, "
            "so that there is nothing to score on others; hide known targets behind the mask "
            "`labelled` of a fit on all points, and score those"
        )
    if hasattr(kernels, "vectors"):
        raise FitError(
            "a RankOneFamily cannot be cut into folds, since its vectors would not stay "
            "orthogonal; give the kernel it comes from, or the list of its kernels v v'"
        )
    several = not (hasattr(kernels, "ndim") and kernels.ndim == 2)
    stack = KernelStack(check_kernels(kernels) if several else [check_square(kernels)])
    values, known = _known_labels(y, stack.shape[0], labelled)
    indices = np.flatnonzero(known)
    codes = _codes(values[indices])
    _check_folds(codes, values[indices], folds, repeats, stratified)
    generator = np.random.default_rng(random_state)
    splitter = StratifiedKFold if stratified else KFold
    rows = {"repeat": [], "fold": [], "score": []}
    for repeat in range(int(repeats)):
        seed = int(generator.integers(2**31))
        cut = splitter(n_splits=int(folds), shuffle=True, random_state=seed)
        for fold, (_, test) in enumerate(cut.split(codes, codes)):
            held = indices[test]
            train = np.setdiff1d(np.arange(known.size), held)
            pair = [stack[np.ix_(some, train)] for some in (train, held)]
            given, asked = (s if several else s.kernels[0] for s in pair)
            fitted = clone(estimator).fit(given, values[train], known[train])
            rows["repeat"].append(repeat)
            rows["fold"].append(fold)
            rows["score"].append(_score(fitted, asked, values[held], scoring))
    return {name: np.array(column) for name, column in rows.items()}


def _known_labels(y, n, labelled):
    values, missing = find_missing(y)
    if values.shape != (n,):
        raise FitError(f"y has shape {values.shape}; the kernels have {n} points: give ({n},)")
    if labelled is None:
        return values, ~missing
    refuse_masked(labelled, "labelled", FitError)
    known = np.asarray(labelled)
    if known.dtype != bool or known.shape != (n,) or np.any(known & missing):
        raise FitError(
            f"labelled is a boolean mask of shape ({n},), True only where y holds a label; found "
            f"type {known.dtype}, shape {known.shape}"
        )
    return values, known


def _codes(values):
    """Give each distinct label a number, in order of appearance."""
    numbers = {}
    return np.array([numbers.setdefault(value, len(numbers)) for value in values], dtype=np.intp)


def _check_folds(codes, values, folds, repeats, stratified):
    check_whole(folds, "folds", 2, codes.size, f"the {codes.size} labelled points")
    check_whole(repeats, "repeats")
    if not check_switch(stratified, "stratified"):
        return
    counts = np.bincount(codes)
    if counts.min() < folds:
        rare = int(counts.argmin())
        label = values[np.flatnonzero(codes == rare)[0]]
        raise FitError(
            f"class {label!r} has {counts[rare]} labelled member(s), fewer than the {folds} "
            "folds: use fewer folds, label more of it, or stratified=False (for numbers too)"
        )


def _score(fitted, asked, truth, scoring):
    if scoring is None:
        return fitted.score(asked, truth)
    if callable(scoring):
        return scoring(fitted, asked, truth)
    metric = find_metric(scoring)
    if metric.of == "decisions":
        return metric.compute(truth, fitted.decision_function(asked), fitted.classes_)
    return metric.compute(truth, fitted.predict(asked))
