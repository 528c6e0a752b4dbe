"""Parameters, masks and labels that are not usable are refused by name, in every estimator."""

import datetime

import numpy as np
import pandas as pd
import pytest

from gramworks.errors import FitError, KernelError
from gramworks.fitting import (
    KernelNeighbours,
    KernelRidge,
    KernelStack,
    KernelSVM,
    cross_validate,
)
from gramworks.fitting.metrics import (
    accuracy_percent,
    area_under_curve,
    error_percent,
    mean_squared_error,
)
from gramworks.fitting.model_selection import select_gaussian_svm
from gramworks.kernels import alignment, centre, gaussian, linear, polynomial
from gramworks.kernels.checks import check_gram
from gramworks.kernels.gaussian_kernel import median_width
from gramworks.kernels.transforms import normalise
from gramworks.learning import MarginKernel

RNG = np.random.default_rng(0)
X = RNG.normal(size=(12, 2))
K = X @ X.T
Y = np.repeat(["a", "b"], 6)
CLASSIFIERS = [KernelSVM, KernelNeighbours, MarginKernel, KernelRidge]


def make(kind, **parameters):
    if kind is KernelRidge:
        parameters = {"task": "classification"} | parameters
    return kind(**parameters)


def given(kind, K):
    return [K] if kind is MarginKernel else K


NUMBERS = ["1", None, [1], 1e300, np.inf, np.nan, 0, -1, True, 1j, np.array([1.0]), 10**400]
WHOLES = ["1", None, [1], 1e300, 0, -1, 1.5, np.nan, True, 2**40]
PARAMETERS = [
    *((kind, name, value) for kind, names in (
        (KernelSVM, ("C", "tol")), (MarginKernel, ("C", "tol", "trace")), (KernelRidge, ("ridge",))
    ) for name in names for value in NUMBERS if not (name == "trace" and value is None)),
    *((KernelSVM, "max_iter", value) for value in WHOLES),
    *((KernelNeighbours, "neighbours", value) for value in [*WHOLES, 13]),
    *((kind, name, value) for kind, names in (
        (MarginKernel, ("criterion", "weights", "multiclass")), (KernelRidge, ("task",))
    ) for name in names for value in (["l1"], None, 3, "other", np.array(["l1", "l1"]))),
    *((KernelRidge, "centre", value) for value in ("a", None, 1, [])),
]  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "name", "value"), PARAMETERS, ids=lambda part: getattr(part, "__name__", repr(part))
)
def test_a_parameter_of_wrong_type_or_size_is_named_with_its_value(kind, name, value):
    with pytest.raises(FitError) as error:
        make(kind, **{name: value}).fit(given(kind, K), Y)
    text = str(error.value)
    assert f"{name}={value!r}" in text
    assert "allowed" in text or "Valid" in text or "available" in text


@pytest.mark.parametrize("one", [np.float32(1), np.int64(1), 1, 1.0])
def test_numbers_of_any_type_are_the_same(one):
    for kind, name in ((KernelSVM, "C"), (MarginKernel, "C"), (KernelRidge, "ridge")):
        found = make(kind, **{name: one}).fit(given(kind, K), Y).dual_coef_
        np.testing.assert_array_equal(found, make(kind).fit(given(kind, K), Y).dual_coef_)
    KernelNeighbours(one).fit(K, Y).predict()
    KernelSVM(max_iter=1000 * one).fit(K, Y)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("size", [1e-100, 1e100])
def test_the_largest_and_smallest_numbers_end_in_finite_coefficients(size):
    for kind, name in ((KernelSVM, "C"), (MarginKernel, "C"), (MarginKernel, "trace")):
        model = make(kind, **{name: size}).fit(given(kind, K), Y)
        assert np.isfinite(model.dual_coef_).all()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"C_grid": "a"}, "C_grid is 'a'"),
        ({"C_grid": 1.0}, "C_grid is 1.0"),
        ({"C_grid": [1, "2"]}, "C_grid is"),
        ({"C_grid": [1], "width_factors": None}, "width_factors is None"),
        ({"C_grid": [1], "partitions": "a"}, "partitions='a'"),
        ({"C_grid": [1], "test_fraction": None}, "test_fraction=None"),
        ({"C_grid": [1], "tol": 0}, "tol=0"),
        ({"C_grid": [1], "max_iter": None}, "max_iter=None"),
    ],
)
def test_options_of_the_selection(options, message):
    with pytest.raises(FitError, match=message):
        select_gaussian_svm(np.exp(-K), Y, **options)


@pytest.mark.parametrize(
    "options", [{"folds": "a"}, {"folds": None}, {"repeats": [1]}, {"stratified": "no"}]
)
def test_options_of_cross_validation(options):
    ((name, value),) = options.items()
    with pytest.raises(FitError) as error:
        cross_validate(KernelSVM(), K, Y, **options)
    assert f"{name}={value!r}" in str(error.value)


MASKED = np.ma.masked_array(K, mask=np.eye(12, dtype=bool))


@pytest.mark.parametrize("kind", CLASSIFIERS)
def test_masked_kernels_and_labels_are_refused(kind):
    masked_y = np.ma.masked_array(np.repeat([0, 1], 6), mask=np.arange(12) == 3)
    known = np.ma.masked_array(np.ones(12, dtype=bool), mask=np.arange(12) == 3)
    model = make(kind).fit(given(kind, K), Y)
    for action in (
        lambda: make(kind).fit(given(kind, MASKED), Y),
        lambda: make(kind).fit(given(kind, K), masked_y),
        lambda: make(kind).fit(given(kind, K), Y, known),
        lambda: model.predict(given(kind, MASKED)),
        lambda: model.score(None, masked_y),
        lambda: cross_validate(make(kind), given(kind, MASKED), Y, folds=2),
        lambda: cross_validate(make(kind), given(kind, K), Y, labelled=known, folds=2),
        lambda: MarginKernel().fit(np.ma.stack([MASKED, MASKED]), Y),
        lambda: KernelStack([K, MASKED]),
        lambda: select_gaussian_svm(MASKED, Y, C_grid=[1]),
    ):
        with pytest.raises(FitError, match="has masked values; allowed: plain arrays"):
            action()


def test_masked_data_are_refused_by_the_kernels():
    data = np.ma.masked_array(X, mask=np.eye(12, 2, dtype=bool))
    for action in (
        lambda: linear(data),
        lambda: linear(X, data),
        lambda: polynomial(data, degree=2),
        lambda: gaussian(data, width=1.0),
        lambda: median_width(data),
        lambda: linear(list(data)),
        lambda: centre(MASKED),
        lambda: normalise(MASKED),
        lambda: alignment(K, MASKED),
    ):
        with pytest.raises(KernelError, match="has masked values; allowed: plain arrays"):
            action()
    refused = check_gram(MASKED)
    assert refused.outcome == "refused"
    assert "masked values" in refused.reason


DATES = np.array(["2020-01-05", "2021-03-01"], dtype="datetime64[D]")


@pytest.mark.parametrize("kind", CLASSIFIERS)
@pytest.mark.parametrize("unit", ["D", "s", "us", "ns", "Y"])
def test_dates_come_back_as_they_were(kind, unit):
    y = np.repeat(DATES, 6).astype(f"datetime64[{unit}]")
    model = make(kind).fit(given(kind, K), y)
    found = model.predict()
    assert found.dtype == y.dtype
    assert np.isin(found, y).all()
    np.testing.assert_array_equal(found == y, make(kind).fit(given(kind, K), Y).predict() == Y)
    assert model.score(None, y) == np.mean(found == y)
    holes = y.copy()
    holes[[0, 7]] = "NaT"
    known = ~np.isnat(holes)
    np.testing.assert_array_equal(
        make(kind).fit(given(kind, K), holes).predict(),
        make(kind).fit(given(kind, K), y, known).predict(),
    )


@pytest.mark.parametrize(
    "y",
    [
        pd.Series(np.repeat(DATES, 6).astype("datetime64[ns]")),
        [datetime.date(2020, 1, 5)] * 6 + [datetime.date(2021, 3, 1)] * 6,
        list(np.repeat(DATES, 6)),
        np.repeat(np.array([5, 7], dtype="timedelta64[ns]"), 6),
    ],
)
def test_times_of_other_kinds(y):
    found = KernelNeighbours(1).fit(K, y).predict()
    assert len(found) == 12
    assert all(a == b for a, b in zip(found, y, strict=True))


@pytest.mark.parametrize("kind", CLASSIFIERS)
def test_complex_labels_are_refused(kind):
    for y in (np.repeat([1j, 2], 6), [1j] * 6 + [2] * 6, np.repeat([1, 2], 6).astype(object) * 1j):
        with pytest.raises(FitError, match=r"y\[0\] is .*complex labels"):
            make(kind).fit(given(kind, K), y)
    with pytest.raises(FitError, match=r"y\[0\] is .*complex labels"):
        KernelRidge().fit(K, np.ones(12) * 1j)


@pytest.mark.parametrize("metric", [accuracy_percent, error_percent, mean_squared_error])
def test_metrics_refuse_unequal_shapes(metric):
    for truth, predicted in (
        (np.zeros(3), np.zeros(4)),
        (np.zeros(3), np.zeros((3, 1))),
        (np.zeros(3), 0.0),
        ([], []),
    ):
        with pytest.raises(FitError, match="truth has shape"):
            metric(truth, predicted)
    with pytest.raises(FitError, match="masked values"):
        metric(np.ma.masked_array([1.0, 2.0], mask=[0, 1]), [1.0, 2.0])


def test_the_area_refuses_unequal_shapes():
    for truth, decisions, classes in (
        ([0, 1, 1], [0.1, 0.2], [0, 1]),
        ([0, 1, 1], np.zeros((3, 1)), [0, 1]),
        ([0, 1, 2], np.zeros((3, 2)), [0, 1, 2]),
        ([0, 1, 2], np.zeros(3), [0, 1, 2]),
    ):
        with pytest.raises(FitError, match="truth has shape"):
            area_under_curve(truth, decisions, classes)
