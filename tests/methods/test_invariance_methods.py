"""The methods of the invariance paper: limits, what draws share, and jobs that were killed."""

import re
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.svm import SVC

from gramworks.datasets.dataset import Dataset
from gramworks.datasets.seeds import generator
from gramworks.datasets.store import write_dataset
from gramworks.errors import ConfigError, FitError
from gramworks.finished_steps import FinishedSteps
from gramworks.fitting.invariance_machine import InvarianceMachine
from gramworks.kernels.gaussian_kernel import gaussian, median_width
from gramworks.learning import InvarianceKernel
from gramworks.learning.functionals import Tangent
from gramworks.learning.image_moves import moved_images
from gramworks.learning.joint_gram import JointGram
from gramworks.methods import invariance, laplacian_svm, virtual_sample_svm
from gramworks.methods.registry import load_method
from gramworks.problem import Problem, Skip
from gramworks.shared import read_shared

ROOT = Path(__file__).parents[2]
N = 60
Y = (np.arange(N) % 2).astype(np.int64)
X = np.random.default_rng(2).normal(size=(N, 3)) + 0.9 * Y[:, None]
K = gaussian(X, width=median_width(X))
K.setflags(write=False)


def problem(repeat=0, features=X, y=Y, kernel=K, n_labelled=24, shared=None, **setting):
    labelled = np.zeros(len(y), bool)
    labelled[generator("draw", repeat).permutation(len(y))[:n_labelled]] = True
    return Problem(
        study="s", dataset="d", task="binary", setting={"n_labelled": n_labelled, **setting},
        repeat=repeat, kernels={"K1": kernel}, y=np.where(labelled, y, 0), labelled=labelled,
        unlabelled=np.zeros(len(y), bool), test=~labelled, n_classes=2,
        generator=generator(repeat), features=features, shared=shared or {},
        log=lambda line: None,
    )  # fmt: skip


def fit(name, made, **values):
    method = load_method(name)
    return method.fit(made, method.parameters(values, "test"))


GRID = [0.1, 1, 10, 100]


@pytest.mark.parametrize("loss", ["hinge", "squared"])
@pytest.mark.parametrize("repeat", [0, 1, 2])
def test_without_penalty_they_are_the_plain_machine(loss, repeat):
    made = problem(repeat)
    plain = fit("svm", made, C_grid=GRID, loss=loss)
    for name, values in (("invariance", {"nu_grid": [0]}), ("laplacian-svm", {"gamma_grid": [0]})):
        found = fit(name, made, C_grid=GRID, loss=loss, **values)
        assert_allclose(found.decision, plain.decision, atol=1e-8, rtol=0)
        assert found.metrics["chosen-C"] == plain.metrics["chosen-C"]


def test_loss_does_not_change_the_folds():
    made = problem(loss="squared")
    one = fit("invariance", made, nu_grid=[0, 0.1], C_grid=GRID)
    two = fit("invariance", problem(), nu_grid=[0, 0.1], C_grid=GRID)
    assert one.metrics == two.metrics


@pytest.mark.parametrize("nu", [0.01, 1.0])
def test_one_nu_is_a_machine_on_the_deformed_kernel(nu):
    made = problem()
    found = fit("invariance", made, nu=nu, C=5.0)
    learned = InvarianceKernel(nu, width=median_width(X)).fit(X).kernel_
    known = np.flatnonzero(made.labelled)
    machine = SVC(C=5.0, kernel="precomputed").fit(learned[np.ix_(known, known)], Y[known])
    values = machine.decision_function(learned[np.ix_(made.test_rows, known)])
    assert_allclose(found.decision, values, atol=2e-2)
    assert found.metrics["kernel-residual"] < 1e-6
    assert "chosen-C" not in found.metrics


def test_learned_kernels_are_what_a_draw_makes_itself(monkeypatch):
    calls = []
    made = invariance.deformed_kernels
    monkeypatch.setattr(
        invariance, "deformed_kernels", lambda *a, **k: calls.append(a[1]) or made(*a, **k)
    )
    values = {"nu_grid": [0, 0.01, 0.1], "C_grid": GRID}
    shared = invariance.learn({}, X, [{}, {"loss": "squared"}], values, lambda line: None)
    assert calls == [[0.0, 0.01, 0.1]]  # once for both losses
    for loss in ("hinge", "squared"):
        ready = fit("invariance", problem(shared=shared), loss=loss, **values)
        assert len(calls) == 1
        invariance._PARTS._results.clear()
        own = fit("invariance", problem(), loss=loss, **values)
        assert_array_equal(ready.decision, own.decision)
        assert len(calls) == 2
        calls.pop()


def test_laplacian_kernels_are_what_a_draw_makes_itself():
    values = {"gamma_grid": [0, 0.1, 1], "neighbours_grid": [3, 6], "C_grid": GRID}
    shared = laplacian_svm.learn({"K1": K}, X, [{}], values, lambda line: None)
    assert sorted(shared) == [
        f"K1-near{k}-{what}" for k in (3, 6) for what in ("factors", "values")
    ]
    ready = fit("laplacian-svm", problem(shared=shared), **values)
    assert_array_equal(ready.decision, fit("laplacian-svm", problem(), **values).decision)
    assert {"chosen-C", "chosen-gamma", "on-edge-gamma"} <= set(ready.metrics)


_KILLED = """
import os, signal, sys
from types import SimpleNamespace
import importlib.util
from gramworks.methods import invariance
spec = importlib.util.spec_from_file_location("learn_script", sys.argv[1])
script = importlib.util.module_from_spec(spec)
spec.loader.exec_module(script)
made = invariance.deformed_kernels
def killed(X, nus, **options):
    for number, found in enumerate(made(X, nus, **options)):
        if number == 2:
            os.kill(os.getpid(), signal.SIGKILL)
        yield found
invariance.deformed_kernels = killed
slice_ = {"settings": [{}], "parameters": {"nu_grid": [0, 0.01, 0.1, 1]}, "kernels": []}
inputs = SimpleNamespace(table=sys.argv[2], grams=[])
script.main("s", "d", "invariance", inputs, sys.argv[3], slice_, "code", print)
"""


def load_script():
    import importlib.util

    path = ROOT / "workflow" / "scripts" / "learn.py"
    spec = importlib.util.spec_from_file_location("learn_script", path)
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    return script


def test_a_killed_job_goes_on_where_it_was(tmp_path, monkeypatch):
    table, shared = tmp_path / "table.h5", tmp_path / "invariance.h5"
    data = Dataset(id="clouds", X=X, y=Y, classes=["a", "b"], feature_names=list("uvw"))
    write_dataset(table, data, recipe="none", provenance={})
    command = [sys.executable, "-c", _KILLED, str(ROOT / "workflow/scripts/learn.py")]
    killed = subprocess.run([*command, str(table), str(shared)], capture_output=True, text=True)
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    steps = tmp_path / "invariance.steps"
    assert not shared.exists()
    assert len(list(steps.glob("*.h5"))) == 2

    asked = []
    made = invariance.deformed_kernels
    monkeypatch.setattr(
        invariance, "deformed_kernels", lambda *a, **k: asked.append(a[1]) or made(*a, **k)
    )
    slice_ = {"settings": [{}], "parameters": {"nu_grid": [0, 0.01, 0.1, 1]}, "kernels": []}
    inputs = SimpleNamespace(table=str(table), grams=[])
    told = []
    load_script().main("s", "d", "invariance", inputs, str(shared), slice_, "code", told.append)
    assert asked == [[0.1, 1.0]]
    assert sum("earlier" in line for line in told) == 2
    assert not steps.exists()
    whole = invariance.learn({}, X, [{}], slice_["parameters"], lambda line: None)
    found = read_shared(shared)
    assert sorted(found) == sorted(whole)
    for name in whole:
        assert_allclose(found[name], whole[name], atol=1e-12)


def test_steps_of_other_data_parameters_or_code_are_not_found(tmp_path):
    values = {"nu_grid": [0.1]}
    first = FinishedSteps(tmp_path / "steps", (X, "code"))
    invariance.learn({}, X, [{}], values, lambda line: None, first)
    name = invariance._name(invariance.Params(**values), 0.1)
    assert name in FinishedSteps(tmp_path / "steps", (X, "code")).get(name)
    assert FinishedSteps(tmp_path / "steps", (X, "other code")).get(name) is None
    assert FinishedSteps(tmp_path / "steps", (X + 1e-12, "code")).get(name) is None
    other = invariance._name(invariance.Params(width=2.0, **values), 0.1)
    assert first.get(other) is None
    (path,) = (tmp_path / "steps").glob("*.h5")
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    assert first.get(name) is None  # damaged, so not finished
    assert not path.exists()


SIDE = 6
IMAGES = np.random.default_rng(7).random((30, SIDE * SIDE)) + 0.4 * np.eye(SIDE)[
    np.arange(30) % 2 * 3
].repeat(SIDE, axis=1)
DIGITS = (np.arange(30) % 2).astype(np.int64)


def image_problem():
    return problem(features=IMAGES, y=DIGITS, n_labelled=14)


@pytest.mark.parametrize(("balanced", "C"), [(False, 3.0), (True, 3.0), (True, 3000.0)])
def test_virtual_samples_are_labelled_points(balanced, C):
    made, moves = image_problem(), {"rotate": 15, "translate-rows": 1}
    values = {"C_grid": [C], "moves": moves, "width": 2.0, "class_balanced": balanced}
    found = fit("virtual-sample-svm", made, **values)
    known = np.flatnonzero(made.labelled)
    samples = np.concatenate([IMAGES[known], *moved_images(IMAGES[known], (SIDE, SIDE), moves)])
    y = np.tile(DIGITS[known], 5)
    weight = {c: 1 / np.sum(y == c) for c in (0, 1)} if balanced else None
    machine = SVC(C=C, gamma=1 / 8, class_weight=weight, tol=1e-6).fit(samples, y)
    wanted = machine.decision_function(IMAGES[made.test])
    if C / len(y) < 1:  # all coefficients sit at bounds, and the bias has an interval of minimisers
        wanted += np.mean(found.decision - wanted)
    assert_allclose(found.decision, wanted, atol=5e-3)


def test_copies_of_a_held_out_image_are_held_out():
    """With one class a copy of the other's images, nothing but copies could tell them apart."""
    rng = np.random.default_rng(0)
    noise = rng.random((40, SIDE * SIDE))
    y = (rng.permutation(40) < 20).astype(np.int64)
    made = problem(features=noise, y=y, n_labelled=38)
    values = {"C_grid": [1000.0, 10000.0], "width": 0.3, "moves": {"rotate": 1}}
    seen = []
    chosen = virtual_sample_svm.choose_machine
    virtual_sample_svm.choose_machine = lambda *a, **k: seen.append(chosen(*a, **k)) or seen[-1]
    try:
        fit("virtual-sample-svm", made, **values)
    finally:
        virtual_sample_svm.choose_machine = chosen
    assert seen[0].errors.min() > 0.25  # chance; a leak would give 0


@pytest.mark.parametrize("difference", ["central", "one-sided"])
def test_tangents_at_labelled_points(difference):
    made, moves = image_problem(), {"rotate": 15, "scale": 0.2}
    values = {
        "functionals": "tangent", "at": "labelled", "moves": moves, "loss": "logistic",
        "penalty": "epsilon-insensitive", "class_balanced": True, "difference": difference,
    }  # fmt: skip
    found = fit("invariance", made, nu=0.5, C=10.0, **values)
    known = np.flatnonzero(made.labelled)
    tangent = Tangent((SIDE, SIDE), moves, difference=difference)
    joint = JointGram(IMAGES[known], tangent, width=median_width(IMAGES))
    assert joint.count == len(known) * (2 if difference == "central" else 4)
    machine = InvarianceMachine(
        "logistic", "epsilon-insensitive", 10.0, 0.5, 0.1, class_balanced=True
    ).fit(joint.matrix, DIGITS[known])
    assert_allclose(found.decision, machine.decision_function(joint.rows(IMAGES[made.test])))
    assert found.metrics["gap"] <= 1e-6
    several = fit("invariance", made, nu_grid=[0, 0.1], C_grid=[1, 10], **values)
    assert several.metrics["chosen-nu"] in (0, 0.1)
    assert several.metrics["inner-fits-not-converged"] == 0


@pytest.mark.parametrize(
    ("name", "values", "told"),
    [
        ("svm", {"loss": "squared"}, "C_grid"),
        ("svm", {"C": 2, "C_grid": [1]}, "both stated"),
        ("invariance", {"loss": "logistic"}, "at: labelled"),
        ("invariance", {"class_balanced": True}, "at: labelled"),
        ("invariance", {"nu": 1, "nu_grid": [1]}, "both stated"),
        ("invariance", {"moves": ["turn"]}, "turn"),
        ("invariance", {"functionals": "tangent", "moves": {"scale": 1.0}}, "shrinks"),
        ("invariance", {"moves": ["rotate"]}, "moves has no effect"),
        ("invariance", {"shape": [2, 2]}, "shape has no effect"),
        ("invariance", {"difference": "one-sided"}, "difference has no effect"),
        ("invariance", {"at": "labelled", "solver": "cg"}, "solver has no effect"),
        ("invariance", {"at": "labelled", "tol": 1e-3}, "tol has no effect"),
        ("invariance", {"at": "labelled", "epsilon": 0.5}, "epsilon has no effect"),
        ("invariance", {"nu": 1e200}, "nu"),
        ("invariance", {"nu_grid": [0, 1e200]}, "nu_grid"),
        ("invariance", {"C": 1e200}, "C"),
        ("svm", {"C_grid": [1e200]}, "C_grid"),
        ("laplacian-svm", {"gamma_grid": [-1]}, "gamma_grid"),
        ("virtual-sample-svm", {"shape": [3]}, "shape"),
    ],
)
def test_unusable_parameters(name, values, told):
    with pytest.raises(ConfigError, match=told):
        load_method(name).parameters(values, "test")


def test_functionals_at_labelled_points_are_for_two_classes():
    method = load_method("invariance")
    at_labelled, at_all = (method.parameters({"at": at}, "test") for at in ("labelled", "all"))
    assert "at: labelled is for two classes" in method.misfit(at_labelled, "multiclass", N)
    assert not method.misfit(at_labelled, "binary", N)
    assert not method.misfit(at_all, "multiclass", N)


@pytest.mark.parametrize(
    ("values", "columns", "told"),
    [
        ({}, 784, ""),
        ({}, 50, "50 features are no square image"),
        ({"shape": [5, 10]}, 50, ""),
        ({"shape": [28, 28]}, 2, "[28, 28] has 784 pixels, the points have 2 features"),
        ({"shape": [28, 28]}, None, ""),
    ],
)
def test_images_of_another_size_are_refused_when_a_study_is_checked(values, columns, told):
    for name, more in (("invariance", {"functionals": "tangent"}), ("virtual-sample-svm", {})):
        method = load_method(name)
        params = method.parameters({**values, **more}, "test")
        reason = method.misfit(params, "binary", 100, columns)
        assert (told in reason) if told else not reason
    assert not load_method("invariance").misfit(
        load_method("invariance").parameters({}, "test"), "binary", 100, 50
    )


def test_kernels_that_miss_their_residual_mark_the_row(monkeypatch):
    made = invariance.deformed_kernels

    def missing(*a, **k):
        return (
            (nu, replace(found, residual={0.1: 1e-2, 1.0: np.nan}[nu], met=False))
            if nu
            else (nu, found)
            for nu, found in made(*a, **k)
        )

    monkeypatch.setattr(invariance, "deformed_kernels", missing)
    for nu, told in (
        (0.1, r"nu = 0.1 \(relative residual 1.0e-02, "),
        (1.0, r"nu = 1 \(relat.* nan"),
    ):
        invariance._PARTS._results.clear()
        found = fit("invariance", problem(), nu_grid=[0, nu], C_grid=GRID, tol=1e-3)
        assert not found.converged
        assert re.search(told, found.reason)
        assert found.metrics["kernel-residual"] == (np.inf if nu == 1 else 1e-2)
        assert np.isfinite(found.decision).all()
    invariance._PARTS._results.clear()


@pytest.mark.filterwarnings("ignore:nu = 1e.12")
def test_entries_that_may_be_far_off_mark_the_row():
    """On a line at nu = 1e12 a relative residual of 1e-6 says nothing of the kernel."""
    line = np.random.default_rng(1).uniform(size=(N, 1))
    values = {"width": 0.5, "nu": 1e12, "C": 1.0, "folds": 2, "tol": 1e-3}
    for solver in ("cg", "dense"):
        found = fit("invariance", problem(features=line), solver=solver, **values)
        assert not found.converged
        assert re.search(r"not within tol=0.001: nu = 1e\+12 .* off by up to", found.reason)
        invariance._PARTS._results.clear()


def test_an_approximation_has_no_residual():
    found = fit("invariance", problem(), C_grid=GRID, solver="span")
    assert found.converged
    assert "kernel-residual" not in found.metrics


def test_features_of_extreme_units_are_solved_or_said():
    for scale, nu in ((1e-3, 1.0), (1e-6, 1e-8), (1e6, 1.0)):
        values = {"nu_grid": [0, nu], "C_grid": GRID, "solver": "cg", "tol": 1e-3}
        found = fit("invariance", problem(features=X * scale), **values)
        assert found.metrics["kernel-residual"] <= 1.0
        assert found.converged == (found.metrics["kernel-residual"] <= 1e-3)


@pytest.mark.parametrize("error", [OverflowError, np.linalg.LinAlgError, MemoryError, FitError])
def test_kernels_up_to_the_nu_that_fails_are_kept(monkeypatch, error):
    made = invariance.deformed_kernels

    def failing(X, nus, **keywords):
        for nu, found in made(X, nus, **keywords):
            if keywords["width"] == 2.0 and nu == 1.0:
                raise error("it cannot be had")
            yield nu, found

    monkeypatch.setattr(invariance, "deformed_kernels", failing)
    told, settings = [], [{"width": 2.0}, {"width": 3.0}]
    shared = invariance.learn({}, X, settings, {"nu_grid": [0, 0.1, 1.0]}, told.append)
    assert any("it cannot be had" in line for line in told)
    kernels = {name for name in shared if not name.endswith("-accuracy")}
    assert len(kernels) == 2 + 3
    assert sum("2.0" in name for name in kernels) == 2


def test_a_setting_whose_kernels_cannot_be_made_leaves_the_others():
    told, values = [], {"nu_grid": [0, 0.1]}
    settings = [{"functionals": "tangent", "shape": [2, 2]}, {}]  # X has 3 columns
    shared = invariance.learn({}, X, settings, values, told.append)
    assert any("shape: [2, 2] has 4 pixels, the points have 3 features" in x for x in told)
    assert sorted(shared) == sorted(invariance.learn({}, X, [{}], values, told.append))
    with pytest.raises(Skip, match="rows and columns of an image"):
        fit("invariance", problem(shared=shared), functionals="tangent", shape=[2, 2], **values)
    values = {"gamma_grid": [0, 0.1], "neighbours_grid": [3]}
    shared = laplacian_svm.learn({"K1": K}, X, [{}, {"neighbours_grid": [5000]}], values, print)
    assert sorted(shared) == ["K1-near3-factors", "K1-near3-values"]
    params = laplacian_svm.Params(neighbours_grid=[10, 5000])
    assert "up to 59" in laplacian_svm.misfit(params, "binary", N)
    assert not laplacian_svm.misfit(params, "binary", 5001)
    with pytest.raises(FitError, match="5000"):
        fit("laplacian-svm", problem(shared=shared), gamma_grid=[0.1], neighbours_grid=[5000])


def test_virtual_samples_of_one_class_are_refused():
    made = problem(features=IMAGES, y=np.zeros_like(DIGITS), n_labelled=14)
    with pytest.raises(FitError, match="1 class"):
        fit("virtual-sample-svm", made, C_grid=[1.0])


def test_steps_without_kernels_are_made_anew_and_go_with_a_failed_job(tmp_path, monkeypatch):
    values = {"nu_grid": [0.1]}
    name = invariance._name(invariance.Params(**values), 0.1)
    steps = FinishedSteps(tmp_path / "steps", ("one",))
    steps.keep({}, name)
    assert name in invariance.learn({}, X, [{}], values, lambda line: None, steps)

    def failing(kernels, X, settings, parameters, log, steps):
        steps.keep({"a": np.ones(1)}, "a")
        raise MemoryError("no room")

    table, shared = tmp_path / "table.h5", tmp_path / "invariance.h5"
    data = Dataset(id="clouds", X=X, y=Y, classes=["a", "b"], feature_names=list("uvw"))
    write_dataset(table, data, recipe="none", provenance={})
    monkeypatch.setattr(invariance, "learn", failing)
    inputs = SimpleNamespace(table=str(table), grams=[])
    slice_ = {"settings": [{}], "parameters": values, "kernels": []}
    load_script().main("s", "d", "invariance", inputs, str(shared), slice_, "code", lambda line: 0)
    assert shared.exists()
    assert not (tmp_path / "invariance.steps").exists()
