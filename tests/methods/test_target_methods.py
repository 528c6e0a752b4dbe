"""The methods of the optimal target paper: what they see, and what they give."""

import numpy as np
import pytest
from sklearn.datasets import load_iris

from gramworks.datasets.dataset import Dataset
from gramworks.datasets.splits import HeldOut, OwnDraws, make_splits, split_settings
from gramworks.draws import run_draws
from gramworks.errors import ConfigError
from gramworks.learning import OptimalTarget, TransductiveDiscrimination
from gramworks.methods.registry import load_method

X = load_iris().data[50:]
CODES = load_iris().target[50:] - 1
K = X @ X.T
IRIS = Dataset(
    id="iris-two", X=X, y=CODES.astype(np.int64), classes=["a", "b"], feature_names=list("abcd")
)
HOUSES = Dataset(id="h", X=X, y=X @ [1.0, 2.0, -1.0, 3.0], classes=[], feature_names=list("abcd"))


def run(name, parameters, data=IRIS, splits=None, repeats=range(2), settings=({},), shared=None):
    splits = splits or make_splits(OwnDraws(repeats=2), data.y, study="s", dataset=data.id)
    return run_draws(
        load_method(name), list(settings), parameters, data, splits, {"K1": K}, study="s",
        repeats=repeats, shared=shared, log=lambda line: None,
    )[0]  # fmt: skip


def values(rows, metric):
    return [float(row["value"]) for row in rows if row["metric"] == metric]


def test_kernel_pca_is_correlated_with_the_labels_by_the_workflow():
    rows = run("kernel-pca", {"components": 4})
    assert {row["metric"] for row in rows} == {"correlation"} | {
        f"correlation-{k}" for k in (2, 3, 4)
    }
    centred = X - X.mean(axis=0)
    first = np.linalg.svd(centred, full_matrices=False)[0][:, 0]
    expected = abs(np.corrcoef(first, CODES)[0, 1])
    np.testing.assert_allclose(values(rows, "correlation"), expected, rtol=1e-9)


def test_draws_of_its_own_are_those_of_the_estimator():
    rows = run("optimal-target", {"draws": 40, "n_labelled": 4, "components": 3}, repeats=[0])
    # the same draws, one by one through the estimator
    from gramworks.datasets.seeds import generator
    from gramworks.learning.target_draws import draw_rows

    chosen = draw_rows(100, 4, 40, generator("s", "iris-two", 4, 0, "labelled points"))
    found = []
    for known in chosen:
        mask = np.isin(np.arange(100), known)
        if len(set(CODES[known])) < 2:  # no classes to tell for the estimator: by the formula
            found.append(None)
            continue
        model = OptimalTarget().fit(K, CODES, labelled=mask)
        found.append([abs(np.corrcoef(c, CODES)[0, 1]) for c in model.components_.T[:3]])
    from gramworks.learning.target_draws import draw_correlations
    from gramworks.solvers.target_error import error_spectrum, kernel_eigenpairs

    spectrum = error_spectrum(kernel_eigenpairs(K), 1.0)
    seeded = generator("s", "iris-two", 4, 0, "labelled points")
    together = draw_correlations(spectrum, np.where(CODES == 1, 1.0, -1.0), 4, 40, seeded, 3)
    for one, other in zip(found, together, strict=True):
        if one is not None:
            np.testing.assert_allclose(other, one, atol=1e-8)
    assert sum(one is None for one in found) < 12
    for k, metric in enumerate(("correlation", "correlation-2", "correlation-3")):
        np.testing.assert_allclose(values(rows, metric), together[:, k].mean(), rtol=1e-9)


def test_lucky_and_unlucky_are_quantiles_of_the_same_draws():
    rows = run(
        "optimal-target",
        {"draws": 300},
        settings=[{"n_labelled": 4}]
        + [{"draw": draw, "n_labelled": 4} for draw in ("lucky", "unlucky")],
        repeats=[1],
    )
    by_setting = {
        row["setting"]: float(row["value"]) for row in rows if row["metric"] == "correlation"
    }
    mean = by_setting["n_labelled=4"]
    assert by_setting["draw=unlucky;n_labelled=4"] < mean < by_setting["draw=lucky;n_labelled=4"]
    [fraction] = values(rows, "fraction-better-than-kpca")
    assert 0.75 < fraction < 0.95


def test_fraction_on_iris_is_above_095_at_016():
    rows = run("optimal-target", {"draws": 1000, "labelled_fraction": 0.16}, repeats=[0])
    assert values(rows, "fraction-better-than-kpca")[0] > 0.95


@pytest.mark.parametrize(
    ("parameters", "reason"),
    [
        ({"draws": 5}, "one of n_labelled and labelled_fraction, found 0"),
        ({"draws": 5, "n_labelled": 3, "labelled_fraction": 0.5}, "one of n_labelled"),
        ({"n_labelled": 3}, "n_labelled: of no use without draws"),
        ({"labelled_fraction": 0.5}, "labelled_fraction: of no use without draws"),
        ({"draw": "lucky"}, "draw: of no use without draws"),
        ({"n_labelled": 3, "draw": "lucky"}, "n_labelled and draw: of no use without draws"),
        ({"ridge": 1, "relative_ridge": 1}, "both state lambda"),
        ({"draws": 5, "n_labelled": 3, "length": "oracle"}, "leave out length"),
        ({"draws": 5, "n_labelled": 3, "threshold": "oracle"}, "leave out threshold"),
        ({"draws": 5, "n_labelled": 3, "centre_targets": 1}, "leave out centre_targets"),
    ],
)
def test_settings_that_another_one_would_ignore_are_refused(parameters, reason):
    with pytest.raises(ConfigError, match=reason):
        load_method("optimal-target").parameters(parameters, "test")


def test_draws_that_leave_nothing_unknown_are_skipped():
    rows = run("optimal-target", {"draws": 5, "n_labelled": 100}, repeats=[0])
    assert [row["status"] for row in rows] == ["skipped"]
    assert "leave none" in rows[0]["reason"]


@pytest.mark.parametrize(
    ("name", "parameters", "own", "reason"),
    [
        ("kernel-ridge", {}, True, "own-draws"),
        ("transductive-linear-discrimination", {}, True, "own-draws"),
        ("optimal-target", {}, True, "own-draws are for methods that label points themselves"),
        ("optimal-target", {"draws": 5, "n_labelled": 4}, False, "kind: own-draws"),
    ],
)
def test_splits_that_a_method_cannot_use_are_told_with_what_to_do(name, parameters, own, reason):
    held = make_splits(HeldOut(sizes=[60], repeats=1), CODES, study="s", dataset="iris-two")
    rows = run(name, parameters, splits=None if own else held, repeats=[0])
    assert [row["status"] for row in rows] == ["skipped"]
    assert reason in rows[0]["reason"]


@pytest.mark.parametrize("name", ["kernel-pca", "optimal-target"])
def test_components_that_the_kernel_has_not_are_failed_rows_of_their_own(name):
    held = make_splits(HeldOut(sizes=[60], repeats=1), CODES, study="s", dataset="iris-two")
    cases = [({"components": 9}, held)]
    if name == "optimal-target":
        cases.append(({"components": 9, "draws": 3, "n_labelled": 4}, None))
    there = 4 if name == "kernel-pca" else 5  # y* is not in the span of the features
    for parameters, splits in cases:
        rows = run(name, parameters, splits=splits, repeats=[0])
        told = {row["metric"]: row for row in rows if row["metric"].startswith("correlation-")}
        assert set(told) == {f"correlation-{k}" for k in range(2, 10)}
        for k in range(2, 10):
            row = told[f"correlation-{k}"]
            assert row["status"] == ("ok" if k <= there else "failed")
            if k > there:
                assert f"the kernel gives {there} components, 9 are asked for" in row["reason"]


def test_only_oracle_rows_and_own_draws_see_all_labels():
    method = load_method("optimal-target")
    oracles = [({"length": "oracle"}, True), ({"threshold": "oracle"}, True)]
    own = {"draws": 3, "n_labelled": 2}
    for values_, sees in (({}, False), (own, True), *oracles):
        assert method.sees_test_labels(method.parameters(values_, "test")) is sees


def test_the_threshold_of_the_oracle_is_the_best_there_is():
    splits = make_splits(HeldOut(sizes=[60], repeats=4), CODES, study="s", dataset="iris-two")
    rows = run(
        "optimal-target", {}, splits=splits, repeats=range(4),
        settings=[{}, {"threshold": "oracle"}],
    )  # fmt: skip
    for repeat in range(4):
        labelled, _, test = splits["n_test=60"].draw(repeat)
        model = OptimalTarget().fit(K, CODES, labelled=np.isin(np.arange(100), labelled))
        t = model.target_[test]
        tried = [np.mean((t > cut) != CODES[test]) for cut in [t.min() - 1, *t]]
        for setting, expected in (
            ("n_test=60;threshold=oracle", min(tried)),
            ("n_test=60", np.mean((t > 0) != CODES[test])),
        ):
            own = [r for r in rows if r["setting"] == setting and r["repeat"] == repeat]
            assert values(own, "test-error-percent") == pytest.approx([100 * expected])


@pytest.mark.parametrize(
    "settings", [{"threshold": "oracle"}, {"components": 2}, {"centre_targets": 1}]
)
def test_settings_of_classes_are_skipped_for_numbers(settings):
    splits = make_splits(HeldOut(sizes=[10], repeats=1), HOUSES.y, study="s", dataset="h")
    rows = run("optimal-target", settings, HOUSES, splits, range(1))
    assert [row["status"] for row in rows] == ["skipped"]
    assert "leave it out" in rows[0]["reason"]


def test_regression_with_expected_and_oracle_length():
    splits = make_splits(HeldOut(sizes=[10], repeats=3), HOUSES.y, study="s", dataset="h")
    assert list(splits) == ["n_test=10"]
    rows = run("optimal-target", {}, HOUSES, splits, range(3), settings=[{}, {"length": "oracle"}])
    assert {row["status"] for row in rows} == {"ok"}
    assert {row["setting"] for row in rows} == {"n_test=10", "length=oracle;n_test=10"}
    expected = []
    for repeat in range(3):
        labelled, _, test = splits["n_test=10"].draw(repeat)
        model = OptimalTarget(task="regression")
        model.fit(K, HOUSES.y, labelled=np.isin(np.arange(100), labelled))
        expected.append(np.sqrt(np.mean((model.predict()[test] - HOUSES.y[test]) ** 2)))
    own = [row for row in rows if row["setting"] == "n_test=10"]
    np.testing.assert_allclose(values(own, "root-mean-square-error"), expected, rtol=1e-8)
    squares = values(own, "mean-square-error")
    np.testing.assert_allclose(squares, np.square(expected), rtol=1e-8)


@pytest.mark.parametrize(
    "name", ["optimal-target", "kernel-pca", "transductive-linear-discrimination"]
)
def test_what_draws_share_changes_no_score(name):
    splits = make_splits(HeldOut(sizes=[60], repeats=2), CODES, study="s", dataset="iris-two")
    learned = load_method(name).module.learn({"K1": K}, X, [{}], {}, print)
    assert set(learned) == {"K1-values", "K1-vectors"}
    assert run(name, {}, splits=splits) == run(name, {}, splits=splits, shared=learned)


def dense_joint_error(K, ridge, y):
    n = len(K)
    centring = np.eye(n) - 1 / n
    K = centring @ K @ centring
    errors = []
    for i in range(n):
        rest = np.delete(np.arange(n), i)
        coefficients = np.linalg.solve(K[np.ix_(rest, rest)] + ridge * np.eye(n - 1), y[rest])
        errors.append(K[i, rest] @ coefficients - y[i])
    return np.square(errors).sum()


@pytest.mark.parametrize("kernel", ["linear", "gaussian"])  # low rank, and full
def test_transductive_discrimination_minimises_the_joint_leave_one_out_error(kernel):
    rows = np.arange(0, 100, 4)
    Z, y = X[rows], CODES[rows]
    gram = Z @ Z.T if kernel == "linear" else np.exp(-((Z[:, None] - Z[None]) ** 2).sum(-1))
    known = np.arange(25) % 3 == 0
    model = TransductiveDiscrimination(ridge=0.7, closeness=0.3).fit(gram, y, labelled=known)
    np.testing.assert_array_equal(model.target_[known], np.where(y[known] == 1, 1, -1))

    def objective(t):
        whole = model.target_.copy()
        whole[~known] = t
        near = model.inductive_[~known]
        return dense_joint_error(gram, 0.7, whole) + 0.3 * np.sum((t - near) ** 2)

    best, t = objective(model.target_[~known]), model.target_[~known]
    step = 1e-4
    for i in range(len(t)):
        shift = np.zeros(len(t))
        shift[i] = step
        up, down = objective(t + shift), objective(t - shift)
        assert abs(up - down) / (2 * step) < 1e-6  # the slope is zero
        assert up + down > 2 * best
    far = TransductiveDiscrimination(ridge=0.7, closeness=1e9).fit(gram, y, labelled=known)
    np.testing.assert_allclose(far.target_, far.inductive_, atol=1e-6)


def test_settings_of_splits_name_what_is_counted():
    assert list(split_settings(HeldOut(sizes=[5, 7], repeats=1))) == ["n_test=5", "n_test=7"]
    assert split_settings(OwnDraws(repeats=1)) == {"": None}
    [splits] = make_splits(OwnDraws(repeats=3), CODES, study="s", dataset="d").values()
    labelled, unlabelled, test = splits.draw(2)
    assert (len(labelled), len(unlabelled), len(test)) == (0, 100, 0)
