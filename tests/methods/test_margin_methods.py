"""Settings and metrics of the margin and alignment methods, as the published tables name them."""

import csv
from importlib.resources import files

import numpy as np
import pytest
from test_methods_conform import _with, problem, run

from gramworks.errors import ConfigError, FitError
from gramworks.learning import AlignmentKernel, MarginKernel
from gramworks.methods.registry import load_method
from gramworks.problem import Skip
from gramworks.settings import parse_setting

FIXED = ["single-1", "single-3", "uniform"]
LEARNED = ["margin-nonnegative", "margin-free"]
ALIGNED = ["alignment-nonnegative", "alignment-free", "centred-alignment"]
CRITERIA = ["hard", "l1", "l2", "l2-auto"]


def published():
    text = (files("gramworks") / "resources" / "published.csv").read_text()
    wanted = {}
    for row in csv.DictReader(text.splitlines()):
        if row["study"] == "margin-tables" and row["method"] != "svm-gaussian-cv":
            wanted.setdefault((row["method"], row["setting"]), set()).add(row["metric"])
    return sorted((*key, sorted(metrics)) for key, metrics in wanted.items())


@pytest.mark.parametrize(("method", "setting", "metrics"), published())
def test_every_published_metric_is_measured_at_its_setting(method, setting, metrics):
    outcome = run(method, problem("binary"), **parse_setting(setting))
    assert set(metrics) - {"test-accuracy-percent"} <= set(outcome.metrics)


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("task", ["binary", "multiclass"])
@pytest.mark.parametrize("name", FIXED + LEARNED + ALIGNED)
def test_every_criterion(name, task, criterion):
    made = problem(task)
    outcome = run(name, made, criterion=criterion)
    assert outcome.converged
    assert all(np.isfinite(value) for value in outcome.metrics.values())
    assert np.mean(outcome.predictions == made.truth[made.test]) >= 0.9
    # at the trace that all share
    n, kernels = made.labelled.size, list(made.kernels.values())
    traces = np.array([np.trace(K) for K in kernels])
    weights = np.array([outcome.metrics[f"weight-{i}"] for i in (1, 2, 3)])
    total = traces.sum()
    if criterion == "l2-auto":
        total += n - n / outcome.metrics["C"]
    assert weights @ traces == pytest.approx(total, rel=1e-6)
    assert ("margin" in outcome.metrics) == (criterion == "hard")
    assert ("omega-half" in outcome.metrics) == (criterion != "hard")
    assert ("C" in outcome.metrics) == (criterion == "l2-auto")


@pytest.mark.parametrize("criterion", CRITERIA)
def test_methods_give_what_the_estimators_give(criterion):
    made = problem("binary")
    kernels = list(made.kernels.values())
    for name in LEARNED:
        model = MarginKernel(criterion=criterion, weights=name.removeprefix("margin-"), C=2.0)
        model.fit(kernels, made.y, made.labelled)
        own = {"C": 2.0} if criterion in ("l1", "l2") else {}
        metrics = run(name, made, criterion=criterion, **own).metrics
        if criterion == "hard":
            assert metrics["margin"] == pytest.approx(model.margin_)
        else:
            assert metrics["omega-half"] == pytest.approx(model.objective_)
    aligned = AlignmentKernel(centred=True).fit(kernels, made.y, made.labelled)
    metrics = run("centred-alignment", made, criterion=criterion).metrics
    weights = np.array([metrics[f"weight-{i}"] for i in (1, 2, 3)])
    np.testing.assert_allclose(
        weights / weights.sum(), aligned.weights_ / aligned.weights_.sum(), atol=1e-12
    )
    assert metrics["alignment"] == pytest.approx(aligned.alignment_)


def test_learning_gains_on_what_is_fixed():
    made = problem("binary")
    for criterion in CRITERIA:
        values = {
            name: run(name, made, criterion=criterion).metrics
            for name in ["margin-free", "margin-nonnegative", *FIXED]
        }
        if criterion == "hard":
            objective = {name: 0.5 / v["margin"] ** 2 for name, v in values.items()}
        else:
            objective = {name: v["omega-half"] for name, v in values.items()}
        assert objective["margin-free"] <= objective["margin-nonnegative"] * (1 + 1e-6)
        for name in FIXED:
            assert objective["margin-nonnegative"] <= objective[name] * (1 + 1e-6)


def test_mean_diagonal_is_the_trace_per_point():
    made = problem("binary")
    n = made.labelled.size
    one = run("margin-nonnegative", made, criterion="l2-auto", mean_diagonal=5.0).metrics
    two = run("margin-nonnegative", made, criterion="l2-auto", trace=5.0 * n).metrics
    assert one == two


def test_classes_that_overlap_skip_the_hard_margin_with_the_reason():
    made = problem("binary")
    flat = {"K1": np.ones((made.labelled.size,) * 2)}
    with pytest.raises(Skip, match="no combination of the kernels separates the classes"):
        run("single-1", _with(made, kernels=flat), criterion="hard")
    assert run("single-1", _with(made, kernels=flat), criterion="l1").converged


@pytest.mark.parametrize("criterion", CRITERIA)
def test_gaussian_by_cross_validation_takes_every_criterion(criterion):
    made = problem("binary")
    outcome = run("svm-gaussian-cv", made, criterion=criterion)
    assert np.mean(outcome.predictions == made.truth[made.test]) >= 0.9
    assert outcome.metrics["chosen-C"] == 1e5 if criterion == "hard" else True


def test_unknown_criterion_is_refused_with_the_choices():
    with pytest.raises(ConfigError, match="hard"):
        load_method("margin-free").parameters({"criterion": "hrad"}, "test")


def test_criteria_of_a_draw_share_partitions_and_l2_auto_is_l2():
    made = [
        _with(problem("binary"), setting={"criterion": name}) for name in ("l1", "l2", "l2-auto")
    ]
    outcomes = [run("svm-gaussian-cv", draw, **draw.setting) for draw in made]
    assert outcomes[1].metrics == outcomes[2].metrics
    np.testing.assert_array_equal(outcomes[1].predictions, outcomes[2].predictions)
    # other labels are another choice, whatever the draw is called
    other = made[1]
    turned = _with(other, y=np.where(other.labelled, 1 - other.y, 0))
    again = run("svm-gaussian-cv", turned, criterion="l2")
    np.testing.assert_array_equal(again.predictions, 1 - outcomes[1].predictions)


@pytest.mark.parametrize("method", ["margin-nonnegative", "margin-free"])
def test_the_bound_of_theorem_24_is_that_of_the_learned_direction(method):
    made = problem("binary")
    half = np.flatnonzero(made.labelled | made.test)[: 2 * min(made.labelled.sum(), 18)]
    rows = np.sort(half)
    labelled = np.arange(rows.size) // 2 % 2 == 0
    kernels = {name: K[np.ix_(rows, rows)] for name, K in made.kernels.items()}
    small = _with(
        made, kernels=kernels, y=np.where(labelled, made.truth[rows], 0), labelled=labelled,
        test=~labelled, unlabelled=np.zeros(rows.size, bool), truth=made.truth[rows],
    )  # fmt: skip
    found = run(method, small, bound_gamma=0.2).metrics
    model = MarginKernel(weights=method.removeprefix("margin-"))
    model.fit(list(kernels.values()), small.y, labelled=labelled)
    w = model.dual_coef_ / np.sqrt(model.dual_coef_ @ model.kernel_ @ model.dual_coef_) / 0.2
    cost = np.maximum(0, 1 - np.where(small.y == 1, 1, -1) * (model.kernel_ @ w))[labelled].mean()
    n, c = labelled.sum(), sum(np.trace(K) for K in kernels.values())
    capacity = 2 * n * c
    if method == "margin-nonnegative":
        ratio = max(np.linalg.eigvalsh(K)[-1] / np.trace(K) for K in kernels.values())
        capacity = c * min(3, 2 * n * ratio)
    expected = cost + (4 + 2 * np.log(20) ** 0.5 + (capacity / (n * 0.2**2)) ** 0.5) / n**0.5
    assert found["bound-provable"] == pytest.approx(expected, rel=1e-6)
    assert found["bound-printed"] < found["bound-provable"]


def test_the_bound_wants_equal_halves_and_two_classes():
    with pytest.raises(FitError, match="equal halves"):
        run("margin-nonnegative", problem("binary"), bound_gamma=0.2)
    with pytest.raises(Skip, match="two classes; the data have 3"):
        run("margin-nonnegative", problem("multiclass"), bound_gamma=0.2)


@pytest.mark.parametrize("criterion", ["hard", "l2-auto"])
def test_a_C_that_is_not_used_is_refused(criterion):
    with pytest.raises(ConfigError, match=f"criterion {criterion} has no C of its own"):
        load_method("single-1").parameters({"criterion": criterion, "C": 1.0}, "test")
