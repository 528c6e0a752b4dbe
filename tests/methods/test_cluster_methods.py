"""The methods on cluster kernels: what draws share, what they choose, and parts of the points."""

import numpy as np
import pytest
from pydantic import ValidationError

from gramworks.datasets.dataset import Dataset
from gramworks.datasets.splits import Labelled, Subsets, make_splits
from gramworks.draws import run_draws
from gramworks.fitting.svm import KernelSVM
from gramworks.learning import ClusterKernel, MixtureKernel
from gramworks.methods import _cluster_spectrum
from gramworks.methods.registry import load_method
from gramworks.solvers.affinity import normalised_affinity
from gramworks.solvers.cluster_spectrum import spectral_representation
from gramworks.solvers.span_estimate import span_estimate

N = 90
Y = (np.arange(N) % 2).astype(np.int64)
X = np.random.default_rng(5).normal(size=(N, 2)) + 1.6 * Y[:, None]
K = np.exp(-((X[:, None] - X[None]) ** 2).sum(-1) / 0.5)
CLOUDS = Dataset(id="clouds", X=X, y=Y, classes=["a", "b"], feature_names=list("uv"))
SPLITS = make_splits(
    Labelled(sizes=[6, 12], scheme="balanced", repeats=3, test=40), Y, study="s", dataset="clouds"
)


def run(name, settings=({},), parameters=None, splits=None, shared=None, data=CLOUDS):
    splits = splits or SPLITS
    repeats = range(next(iter(splits.values())).repeats)
    return run_draws(
        load_method(name), list(settings), parameters or {}, data, splits, {"K1": K}, study="s",
        repeats=repeats, shared=shared, log=lambda line: None,
    )[0]  # fmt: skip


def learned(name, settings=({},), parameters=None):
    module = load_method(name).module
    return module.learn({"K1": K}, X, list(settings), parameters or {}, print)


def errors(rows, setting):
    found = {r["repeat"]: r for r in rows if r["setting"] == setting}
    assert {r["status"] for r in found.values()} == {"ok"}
    return [
        float(r["value"])
        for r in rows
        if r["setting"] == setting and r["metric"] == "test-error-percent"
    ]


def by_hand(kernel, setting):
    expected = []
    for repeat in range(3):
        known, _, test = SPLITS[setting].draw(repeat)
        model = KernelSVM(C=1000).fit(kernel[np.ix_(known, known)], Y[known])
        predicted = model.predict(kernel[np.ix_(test, known)])
        expected.append(100 * np.mean(predicted != Y[test]))
    return expected


@pytest.mark.parametrize("transfer", ["linear", "step", "linear-step", "polynomial", "poly-step"])
def test_a_draw_is_a_machine_on_the_estimators_kernel(transfer):
    rows = run(
        "cluster-kernel", [{"transfer": transfer}], {"rank": 4, "p": 3, "q": 1.5, "steps": 3}
    )
    kernel = ClusterKernel(transfer, rank=4, p=3, q=1.5, steps=3).fit(K).kernel_
    for size in ("n_labelled=6", "n_labelled=12"):
        assert errors(rows, f"{size};transfer={transfer}") == pytest.approx(by_hand(kernel, size))


def test_the_rank_can_follow_the_number_of_labelled_points():
    rows = run("cluster-kernel", [{"rank": "labelled+2"}])
    for size, rank in (("n_labelled=6", 8), ("n_labelled=12", 14)):
        kernel = ClusterKernel(rank=rank).fit(K).kernel_
        assert errors(rows, f"{size};rank=labelled+2") == pytest.approx(by_hand(kernel, size))


@pytest.mark.parametrize(
    ("name", "settings", "parameters"),
    [
        ("cluster-kernel", [{"transfer": t} for t in ("linear", "step", "poly-step")], {"rank": 5}),
        ("cluster-kernel", [{"rank": "span"}, {"rank": "labelled+3"}], {"neighbours": 8}),
        ("cluster-kernel", [{"rank": "span-pq"}], {"rank_grid": [2, 5], "q_grid": [1, 2.5]}),
        ("spectral-representation", [{"rank": 3}, {"rank": "labelled+1"}], {}),
        ("mixture-kernel", [{"covariance": "diag"}, {"covariance": "full"}], {}),
    ],
)
def test_what_draws_share_changes_no_score(name, settings, parameters):
    shared = learned(name, settings, parameters)
    assert shared
    rows = run(name, settings, parameters, shared=shared)
    assert {row["status"] for row in rows} == {"ok"}
    assert rows == run(name, settings, parameters)


def test_one_decomposition_serves_all_rows(monkeypatch):
    calls = []
    decompose = _cluster_spectrum.cluster_spectrum
    monkeypatch.setattr(
        _cluster_spectrum, "cluster_spectrum", lambda *a: calls.append(a) or decompose(*a)
    )
    settings = [{"transfer": t} for t in ("linear", "step", "polynomial", "poly-step")]
    shared = learned("cluster-kernel", settings, {"rank": "labelled+10"})
    run("cluster-kernel", settings, {"rank": "labelled+10"}, shared=shared)
    assert len(calls) == 1
    assert {"K1-values", "K1-vectors", "K1-power-1.0", "K1-power-2.0", "K1-power-5.0"} == set(
        shared
    )


def test_span_chooses_the_lowest_estimate_the_first_among_equals():
    grid = [2, 3, 5, 9]
    rows = run("cluster-kernel", [{"rank": "span"}], {"rank_grid": grid})
    for repeat in range(3):
        known = SPLITS["n_labelled=6"].draw(repeat)[0]
        signs = np.where(Y[known] == 1, 1.0, -1.0)
        found = []
        for rank in grid:
            kernel = ClusterKernel(rank=rank).fit(K).kernel_
            found.append(span_estimate(kernel[np.ix_(known, known)], signs, 1000.0).error)
        own = {
            r["metric"]: float(r["value"])
            for r in rows
            if r["setting"] == "n_labelled=6;rank=span" and r["repeat"] == repeat
        }
        assert own["chosen-rank"] == grid[int(np.argmin(found))]
        assert own["span-error-percent"] == pytest.approx(100 * min(found))
        assert own["on-edge-rank"] == (own["chosen-rank"] in (2, 9))


def test_span_chooses_p_and_q_as_well():
    settings, grids = [{"rank": "span-pq"}], {"rank_grid": [2, 6], "p_grid": [1, 4], "q_grid": [3]}
    rows = run("cluster-kernel", settings, grids)
    metrics = {row["metric"] for row in rows}
    assert {"chosen-rank", "chosen-p", "on-edge-p"} <= metrics
    assert "chosen-q" not in metrics  # there is one
    rows = run("cluster-kernel", settings, grids | {"transfer": "step"})
    assert {row["status"] for row in rows} == {"skipped"}


def test_several_classes_are_told_one_against_the_rest():
    three = Dataset(
        id="three", X=X, y=(np.arange(N) % 3).astype(np.int64), classes=list("abc"),
        feature_names=list("uv"),
    )  # fmt: skip
    splits = make_splits(
        Labelled(sizes=[9], scheme="balanced", repeats=2), three.y, study="s", dataset="three"
    )
    for settings in ([{"rank": "span"}], [{"rank": 4, "estimate": True}]):
        parameters = settings[0]
        rows = run("cluster-kernel", [{}], parameters, splits, data=three)
        assert {row["status"] for row in rows} == {"ok"}
        assert any(row["metric"] == "span-error-percent" for row in rows)


def test_rows_that_cut_elsewhere_share_the_decomposition_of_a_part(monkeypatch):
    calls = []
    decompose = _cluster_spectrum.cluster_spectrum
    monkeypatch.setattr(
        _cluster_spectrum, "cluster_spectrum", lambda *a: calls.append(a) or decompose(*a)
    )
    splits = make_splits(Subsets(pool=60, labelled=12, repeats=5), Y, study="s", dataset="pool")
    ranks = [{"rank": rank} for rank in (2, 7, 30)]
    _cluster_spectrum._KEPT.clear()
    together = run("cluster-kernel", ranks, {}, splits, shared=learned("cluster-kernel", ranks, {}))
    assert len(calls) == 2  # by `learn`, and of the pool
    for setting in ranks:  # the same numbers, whichever rows a job has
        _cluster_spectrum._KEPT.clear()
        shared = learned("cluster-kernel", ranks, {})
        alone = run("cluster-kernel", [setting], {}, splits, shared=shared)
        name = f"rank={setting['rank']}"
        assert alone == [row for row in together if name in row["setting"].split(";")]


def test_draws_may_leave_points_out():
    pool = Dataset(
        id="pool", X=X, y=Y, classes=["a", "b"], feature_names=list("uv"),
        partitions=[(np.arange(60), np.arange(60, 90))],
    )  # fmt: skip
    splits = make_splits(
        Subsets(pool=60, labelled=12, repeats=5), Y, study="s", dataset="pool",
        partitions=pool.partitions,
    )  # fmt: skip
    _cluster_spectrum._KEPT.clear()
    rows = run(
        "cluster-kernel", [{}], {"rank": 3}, splits,
        shared=learned("cluster-kernel", [{}], {"rank": 3}), data=pool,
    )  # fmt: skip
    assert {row["status"] for row in rows} == {"ok"}
    assert len(_cluster_spectrum._KEPT) == 1  # once for all draws that leave the same points out
    within = ClusterKernel(rank=3).fit(K[:60, :60]).kernel_
    whole = ClusterKernel(rank=3).fit(K).kernel_
    for setting, kernel in (("n_labelled=12", within), ("n_labelled=12;test=held-out", whole)):
        expected = []
        for repeat in range(5):
            known, _, test = splits[setting].draw(repeat)
            model = KernelSVM(C=1000).fit(kernel[np.ix_(known, known)], Y[known])
            wrong = model.predict(kernel[np.ix_(test, known)]) != Y[test]
            expected.append(100 * np.mean(wrong))
        assert errors(rows, setting) == pytest.approx(expected)


def test_the_spectral_representation_has_a_zero_diagonal():
    rows = run("spectral-representation", [{"rank": 3}])
    points = spectral_representation(normalised_affinity(K, zero_diagonal=True), 3)
    found = errors(rows, "n_labelled=6;rank=3")
    assert found == pytest.approx(by_hand(points @ points.T, "n_labelled=6"))


def test_the_mixture_kernel_is_fitted_to_all_points():
    rows = run("mixture-kernel", [{"covariance": "full"}])
    kernel = MixtureKernel(2, "full").fit(X).kernel_
    kernel = kernel / np.mean(np.diag(kernel))
    found = errors(rows, "covariance=full;n_labelled=12")
    assert found == pytest.approx(by_hand(kernel, "n_labelled=12"))


def test_ranks_beyond_the_kept_eigenvectors_say_what_to_raise(monkeypatch):
    from gramworks.solvers import leading_eigenpairs

    monkeypatch.setattr(leading_eigenpairs, "FULL_POINTS", 10)
    parameters = {"rank": "labelled+10", "transfer": "step", "largest_rank": 5}
    rows = run(
        "cluster-kernel", [{}], parameters, shared=learned("cluster-kernel", [{}], parameters)
    )
    assert {row["status"] for row in rows} == {"failed"}
    assert "raise largest_rank (5)" in rows[0]["reason"]


@pytest.mark.parametrize("rank", ["label+3", "labelled", 0, -2, 1.5, True, "spam"])
def test_unusable_ranks_are_refused(rank):
    with pytest.raises(ValidationError, match="allowed: a whole number from 1, labelled"):
        load_method("cluster-kernel").module.Params(rank=rank)


def test_one_labelled_class_is_a_row_that_says_so():
    splits = make_splits(
        Labelled(sizes=[6], scheme="balanced", repeats=1), Y, study="s", dataset="clouds"
    )
    same = np.flatnonzero(Y == 0)[:6]
    splits["n_labelled=6"].labelled[0] = same
    splits["n_labelled=6"].test[0, : N - 6] = np.setdiff1d(np.arange(N), same)
    for name in ("cluster-kernel", "spectral-representation", "mixture-kernel"):
        [row] = run(name, splits=splits)
        assert row["status"] == "failed"
        assert "y has 1 class" in row["reason"]


@pytest.mark.parametrize(
    "setting", [{"q": 0.123456789}, {"transfer": "polynomial", "steps": 1234567}]
)
def test_exponents_of_many_digits_find_their_powers(setting):
    shared = learned("cluster-kernel", [setting])
    rows = run("cluster-kernel", settings=[setting], shared=shared)
    assert {row["status"] for row in rows} == {"ok"}


def test_mixtures_of_nearly_the_same_ridge_are_two():
    settings = [{"ridge": 0.1}, {"ridge": 0.10000001}]
    assert len(load_method("mixture-kernel").module.learn({"K1": K}, X, settings, {}, None)) == 2
