"""Every registered method, on small problems of every task it states."""

import re

import joblib
import numpy as np
import pytest
from numpy.testing import assert_array_equal

from gramworks.datasets.dataset import OUTPUT_TASKS
from gramworks.datasets.seeds import generator
from gramworks.errors import FileDamaged
from gramworks.methods.registry import load_method, method_names
from gramworks.output_kernel import OutputKernel
from gramworks.problem import Problem, Skip

N, N_LABELLED = 45, 21
OUTPUT_KERNELS = {
    "structured": OutputKernel("spectrum-l1", {"length": 1, "raw": False}),
    "vectors": OutputKernel("gaussian-w2", {"width": 2.0}),
}
GRAPH_METHODS = {"laplacian-svm", "random-walk", "label-propagation", "label-spreading"}


def problem(task, repeat=0, wide=False, seed=3):
    """Three separated clouds (two for binary), Gaussian and linear Gram matrices."""
    rng = np.random.default_rng(seed)
    n_classes = {"binary": 2, "regression": 0}.get(task, 3)
    codes = np.arange(N) % (n_classes or 3)
    X = rng.standard_normal((N, 4)) + 4.0 * np.eye(4)[codes]
    squared = ((X[:, None] - X[None]) ** 2).sum(-1)
    kernels = {"K1": X @ X.T, "K2": np.exp(-squared / 8), "K3": np.exp(-squared / 32)}
    for K in kernels.values():
        K.setflags(write=False)
    truth = {
        "regression": X @ np.ones(4),
        "vectors": np.tanh(X[:, :3]),
        "structured": [("aab", "bbc", "cca")[code] for code in codes],
    }.get(task, codes)
    labelled = np.zeros(N, dtype=bool)
    labelled[rng.permutation(N)[:N_LABELLED]] = True
    test = ~labelled
    y = hidden(truth, labelled)
    for array in (labelled, test) if task == "structured" else (y, labelled, test):
        array.setflags(write=False)
    return Problem(
        study="s", dataset="d", task=task, setting={}, repeat=repeat, kernels=kernels, y=y,
        labelled=labelled, unlabelled=np.zeros(N, dtype=bool), test=test, n_classes=n_classes,
        generator=generator("s", "d", repeat), truth=truth, log=lambda line: None,
        features=np.tanh(X) if task == "vectors" else X, output_kernel=OUTPUT_KERNELS.get(task),
    )  # fmt: skip


def hidden(truth, labelled, by=0):
    """Hide what is not labelled behind zeros or empty strings, or behind something else."""
    if isinstance(truth, list):
        return [text if known else "b" * by for text, known in zip(truth, labelled, strict=True)]
    shown = truth.copy()
    shown[~labelled] = by
    return shown


def predicted(made, outcome):
    """Predictions, or the outputs of the pre-images."""
    if outcome.preimages is None:
        return outcome.predictions
    assert outcome.preimages.shape == (made.test.sum(),)
    assert made.labelled[outcome.preimages].all()
    return [made.y[row] for row in outcome.preimages]


CASES = [(name, task) for name in method_names() for task in load_method(name).tasks]


def run(name, made, **values):
    method = load_method(name)
    if name == "transductive-svm" and made.task == "binary":
        # two thirds of the labelled points are of class 0, and less of the others
        values = {"positive_fraction": float(np.mean(made.truth[made.test] == 1)), **values}
    if name == "svm-gaussian-cv":
        made = _with(made, kernels={"K1": made.kernels["K3"]})
        values = {"C_grid": [1, 10], "width_factors": [0.5, 1], "partitions": 2, **values}
    if name in GRAPH_METHODS:  # their weights are not negative, as those of K1 are
        values = {"kernel": "K2", **values}
    params = method.parameters(values, "test")
    if not method.sees_test_labels(params):
        made = _with(made, truth=None)
    return method.fit(made, params)


def _with(made, **changes):
    return Problem(**{**vars(made), **changes})


@pytest.mark.parametrize(("name", "task"), CASES)
def test_predicts_every_test_point(name, task):
    made = problem(task)
    outcome = run(name, made)
    found = predicted(made, outcome)
    assert len(found) == made.test.sum()
    if task == "structured":
        assert all(isinstance(text, str) for text in found)
    else:
        assert np.shape(found) == (made.test.sum(), *made.y.shape[1:])
        assert np.isfinite(found).all()
    assert outcome.converged
    if task in ("binary", "multiclass"):
        assert set(np.unique(outcome.predictions)) <= set(range(made.n_classes))
    patterns = load_method(name).metrics
    for metric, value in outcome.metrics.items():
        assert np.isfinite(value), metric
        assert any(re.fullmatch(p, metric) for p in patterns), f"METRICS lacks {metric}"


@pytest.mark.parametrize(("name", "task"), CASES)
def test_same_draw_same_outcome(name, task):
    first, second = run(name, problem(task)), run(name, problem(task))
    assert_array_equal(predicted(problem(task), first), predicted(problem(task), second))
    assert first.metrics == second.metrics


@pytest.mark.parametrize(("name", "task"), [c for c in CASES if c[1] in ("binary", "multiclass")])
def test_separated_clouds_are_told_apart(name, task):
    made = problem(task)
    outcome = run(name, made)
    right = np.mean(outcome.predictions == made.truth[made.test])
    if name == "majority":
        counts = np.bincount(made.y[made.labelled])
        assert right == np.mean(made.truth[made.test] == counts.argmax())
    else:
        assert right >= 0.9


@pytest.mark.parametrize(("name", "task"), CASES)
def test_values_outside_the_labelled_mask_are_not_looked_at(name, task):
    made = problem(task)
    altered = hidden(made.y, made.labelled, by=1)
    outcome = run(name, made)
    again = run(name, _with(made, y=altered, generator=generator("s", "d", 0)))
    assert_array_equal(predicted(made, outcome), predicted(made, again))


@pytest.mark.parametrize(("name", "task"), [c for c in CASES if c[1] in OUTPUT_TASKS])
def test_outputs_of_separated_clouds_are_near(name, task):
    made = problem(task)
    outputs = predicted(made, run(name, made))
    truth = made.truth
    rows = made.test_rows
    truth = [truth[row] for row in rows] if task == "structured" else truth[rows]
    outputs = outputs if task == "structured" else np.array(outputs)
    loss = made.output_kernel.losses(truth, outputs).mean()
    middle = predicted(made, run("majority", made))
    middle = middle if task == "structured" else np.array(middle)
    most = made.output_kernel.losses(truth, middle).mean()
    assert loss <= (most if name == "majority" else 0.6 * most)


@pytest.mark.parametrize(("name", "task"), [c for c in CASES if c[1] == "binary"])
def test_decision_values_agree_with_predictions(name, task):
    outcome = run(name, problem(task))
    if outcome.decision is not None:
        assert_array_equal(outcome.decision > 0, outcome.predictions == 1)


@pytest.mark.parametrize("name", method_names())
def test_inputs_are_left_alone(name):
    made = problem(load_method(name).tasks[0])
    before = joblib.hash((made.kernels, made.y, made.features))
    run(name, made)
    assert joblib.hash((made.kernels, made.y, made.features)) == before


def test_a_kernel_that_is_not_there_is_skipped_with_the_names():
    with pytest.raises(Skip, match="no kernel 4; the study has 3: K1, K2, K3"):
        run("single-4", problem("binary"))
    with pytest.raises(Skip, match="no kernel 'K9'; the study has K1, K2, K3"):
        run("svm", problem("binary"), kernel="K9")


LEARNERS = [
    name for name in method_names()
    if "grams" in load_method(name).needs and hasattr(load_method(name).module, "learn")
]  # fmt: skip


@pytest.mark.parametrize("name", LEARNERS)
def test_a_kernel_that_nothing_is_learned_from_spoils_no_other(name):
    module, given = load_method(name).module, problem("binary")
    broken = np.full((N, N), np.nan)
    alone = module.learn({"K2": given.kernels["K2"]}, given.features, [{"kernel": "K2"}], {}, print)
    assert alone
    said = []
    settings = [{"kernel": kernel} for kernel in ("broken", "K1", "K2")]
    kernels = {"broken": broken, **given.kernels}
    found = module.learn(kernels, given.features, settings, {}, said.append)
    assert any(line.startswith("kernel broken") for line in said)
    assert not any(key.startswith("broken") for key in found)
    for key, array in alone.items():
        assert_array_equal(found[key], array)


@pytest.mark.parametrize("name", LEARNERS)
def test_a_damaged_matrix_is_not_taken_for_a_kernel_of_that_kind(name):
    class Damaged(dict):
        def __getitem__(self, kernel):
            raise FileDamaged(f"{kernel} is cut off")

    module, given = load_method(name).module, problem("binary")
    with pytest.raises(FileDamaged, match="K1 is cut off"):
        module.learn(Damaged(given.kernels), given.features, [{"kernel": "K1"}], {}, print)
