"""scikit-learn's own checks, with what is meant to differ and why."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from gramworks.fitting import (
    KernelNeighbours,
    KernelRidge,
    KernelSVM,
    SelfTrainingSVM,
    TransductiveSVM,
)

_WORDS = "refused as well, in a message that names the kernel, the place and what to do"
_EXPECTED = {
    "check_n_features_in_after_fitting": _WORDS,
    "check_complex_data": _WORDS,
    "check_dtype_object": _WORDS,
    "check_estimators_empty_data_messages": _WORDS,
    "check_estimators_nan_inf": "NaN in y is an unlabelled point; in the kernel it is refused",
    "check_fit2d_predict1d": _WORDS,
    "check_requires_y_none": _WORDS,
    "check_supervised_y_2d": "a column of labels is taken without a warning",
}
_CLASSES = {
    "check_classifiers_regression_target": "labels may be of any type, real numbers too",
}
_RIDGE = {
    "check_estimators_dtypes": "gives distances for a kernel: indefinite, and refused as such",
}


def expected(estimator):
    found = dict(_EXPECTED)
    if isinstance(estimator, KernelRidge):
        found |= _RIDGE
    if getattr(estimator, "task", "classification") == "classification":
        found |= _CLASSES
    return found


@pytest.mark.filterwarnings("ignore")
@parametrize_with_checks(
    [
        KernelSVM(),
        KernelRidge(),
        KernelRidge(task="classification"),
        KernelNeighbours(),
        TransductiveSVM(),
        SelfTrainingSVM(),
    ],
    expected_failed_checks=expected,
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)
