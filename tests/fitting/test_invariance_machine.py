"""InvarianceMachine and JointGram: finite differences, deformed kernels, unusable input."""

import pickle
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from gramworks.errors import FitError, KernelError
from gramworks.fitting import InvarianceMachine
from gramworks.fitting.svm import KernelSVM
from gramworks.learning import (
    Gradient,
    GraphDifference,
    InvarianceKernel,
    LocalAverage,
    Tangent,
)
from gramworks.learning.joint_gram import JointGram

RNG = np.random.default_rng(8)
X = RNG.normal(size=(14, 3))
Y = np.where(X[:, 0] + 0.3 * X[:, 1] > 0, "yes", "no")
WIDTH = 1.3


def kernel(A, B):
    return np.exp(-((A[:, None] - B[None]) ** 2).sum(-1) / (2 * WIDTH**2))


def test_representers_are_derivatives():
    """z_j(x) and <z_i, z_j> by central differences of the kernel."""
    joint = JointGram(X, width=WIDTH)
    new, h = RNG.normal(size=(4, 3)), 1e-4
    rows = joint.rows(new)
    assert_allclose(rows[:, :14], kernel(new, X), atol=1e-12)
    for i in (0, 5):
        for d in range(3):
            step = h * np.eye(3)[d]
            slope = (kernel(new, X[i : i + 1] + step) - kernel(new, X[i : i + 1] - step)) / (2 * h)
            assert_allclose(rows[:, 14 + 3 * i + d], slope[:, 0], atol=1e-7)
            moved = (joint.rows(X + step)[:, 14:] - joint.rows(X - step)[:, 14:]) / (2 * h)
            assert_allclose(joint.matrix[14 + 3 * i + d, 14:], moved[i], atol=1e-7)
    assert_array_equal(joint.matrix, joint.matrix.T)
    assert np.linalg.eigvalsh(joint.matrix)[0] > -1e-12


def test_positions_of_points_and_their_functionals():
    shape, moves = (1, 3), {"scale": 0.3, "translate-columns": 0.5}
    whole = JointGram(X, Tangent(shape, moves), width=WIDTH)
    chosen = np.array([1, 4, 9])
    part = JointGram(X[chosen], Tangent(shape, moves), width=WIDTH)
    places = whole.positions(chosen)
    assert_allclose(whole.matrix[np.ix_(places, places)], part.matrix, atol=1e-12)


def test_graph_differences_stand_one_by_one():
    """A penalty other than the square wants each difference, not a factor of their squares."""
    W = np.triu(RNG.random((14, 14)), 1)
    joint = JointGram(X, GraphDifference(W + W.T), width=WIDTH)
    assert joint.count == 14 * 13 // 2
    i, j = np.nonzero(W)
    K = kernel(X, X)
    assert_allclose(joint.matrix[:14, 14:], np.sqrt(W[i, j]) * (K[:, i] - K[:, j]), atol=1e-12)


@pytest.mark.parametrize("nu", [0.05, 2.0])
def test_squared_penalty_is_the_deformed_kernel(nu):
    joint = JointGram(X, width=WIDTH)
    machine = InvarianceMachine("hinge", "squared", C=3.0, nu=nu, tol=1e-10)
    machine.fit(joint.matrix, Y)
    deformed = InvarianceKernel(nu, width=WIDTH).fit(X)
    plain = KernelSVM(C=3.0, tol=1e-8).fit(deformed.kernel_, Y)
    new = RNG.normal(size=(9, 3))
    values = machine.decision_function(joint.rows(new))
    assert_allclose(values, plain.decision_function(deformed.extend(new)), atol=1e-4)
    assert_array_equal(machine.predict(joint.rows(new)), plain.predict(deformed.extend(new)))
    assert machine.gap_ <= 1e-10


def test_functionals_without_weight_have_no_part():
    joint = JointGram(X, width=WIDTH)
    machine = InvarianceMachine("hinge", "absolute", C=2.0, nu=0, tol=1e-9).fit(joint.matrix, Y)
    assert not machine.dual_coef_[14:].any()
    plain = KernelSVM(C=2.0, tol=1e-8).fit(kernel(X, X), Y)
    assert_allclose(machine.decision_function(joint.rows(X)), plain.decision_function(), atol=1e-4)


def test_the_penalty_flattens():
    joint = JointGram(X, width=WIDTH)
    slopes = []
    for nu in (0.0, 0.1, 10.0):
        machine = InvarianceMachine("logistic", "absolute", C=5.0, nu=nu).fit(joint.matrix, Y)
        slopes.append(np.abs((joint.matrix @ machine.dual_coef_)[14:]).sum())
    assert slopes[0] > slopes[1] > slopes[2]


def test_balanced_classes_are_repeated_points():
    """Each class's loss divided by its size: as though every class had one point of weight C."""
    signs = np.array([1.0] * 10 + [-1.0] * 2)
    rows = np.r_[np.flatnonzero(Y == "yes")[:1].repeat(10), np.flatnonzero(Y == "no")[:1].repeat(2)]
    K = kernel(X[rows], X[rows])
    machine = InvarianceMachine(C=4.0, class_balanced=True, tol=1e-9).fit(K, signs)
    two = K[np.ix_([0, 10], [0, 10])]
    alone = InvarianceMachine(C=4.0, tol=1e-9).fit(two, signs[[0, 10]])
    assert_allclose(machine.objective_, alone.objective_, rtol=1e-8)


def test_cloned_pickled_and_scored():
    machine = InvarianceMachine(loss="squared", nu=0.3)
    assert clone(machine).get_params() == machine.get_params()
    joint = JointGram(X, width=WIDTH)
    fitted = pickle.loads(pickle.dumps(machine.fit(joint.matrix, Y)))
    assert_array_equal(fitted.predict(joint.rows(X)), machine.predict(joint.rows(X)))
    assert machine.score(joint.rows(X), Y) > 0.7


def test_a_missed_gap_is_said():
    joint = JointGram(X, width=WIDTH)
    with pytest.warns(ConvergenceWarning, match="duality gap"):
        machine = InvarianceMachine("hinge", "absolute", max_iter=1).fit(joint.matrix, Y)
    assert not machine.converged_
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        InvarianceMachine("hinge", "absolute").fit(joint.matrix, Y)


@pytest.mark.parametrize(
    ("values", "told"),
    [({"loss": "huber"}, "loss"), ({"penalty": "l1"}, "penalty"), ({"C": 0}, "C="),
     ({"nu": -1}, "nu="), ({"nu": False}, "nu=False"),
     ({"epsilon": -1, "penalty": "epsilon-insensitive"}, "epsilon"),
     ({"bias": 1}, "bias"), ({"class_balanced": "yes"}, "class_balanced")],
)  # fmt: skip
def test_unusable_parameters(values, told):
    with pytest.raises(FitError, match=told):
        InvarianceMachine(**values).fit(JointGram(X, width=WIDTH).matrix, Y)


@pytest.mark.parametrize("y", [Y[:1].repeat(14), np.r_[Y, Y, Y, Y, Y], np.array(list("abc"))])
def test_unusable_labels(y):
    with pytest.raises(FitError, match="y has"):
        InvarianceMachine().fit(JointGram(X, width=WIDTH).matrix, y)


@pytest.mark.parametrize("loss", ["hinge", "squared", "logistic"])
@pytest.mark.parametrize("M", [[[1.0, 2.0], [2.0, 1.0]], [[-1.0, 0.0], [0.0, -1.0]]])
def test_matrices_that_are_not_semidefinite_are_refused(loss, M):
    """The objective is unbounded below, so that no gap means anything."""
    with pytest.raises(KernelError, match=r"smallest eigenvalue -1\b"):
        InvarianceMachine(loss).fit(M, [1, -1])


def test_a_matrix_semidefinite_but_for_rounding_is_shifted_and_said():
    rows = RNG.normal(size=(20, 8))
    whole = rows @ rows.T
    M = whole - 1e-8 * np.linalg.eigvalsh(whole)[-1] * np.eye(20)
    kept = M.copy()
    with pytest.warns(UserWarning, match="added to the diagonal"):
        machine = InvarianceMachine("squared").fit(M, Y)
    assert_array_equal(M, kept)
    plain = InvarianceMachine("squared").fit(whole, Y)
    assert_allclose(machine.objective_, plain.objective_, rtol=1e-5)


def test_labels_that_are_none_are_refused():
    with pytest.raises(FitError, match="y "):
        InvarianceMachine().fit(JointGram(X, width=WIDTH).matrix, None)


def test_what_is_not_finite_is_not_converged():
    """Values of 1e30 leave nothing of losses of about 1 but NaN."""
    points = np.random.default_rng(0).normal(size=(10, 3)) * 100
    joint = JointGram(points, kernel="polynomial", degree=7)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        machine = InvarianceMachine("squared").fit(joint.matrix, np.where(points[:, 0] > 0, 1, -1))
    assert machine.converged_ == bool(np.isfinite(machine.objective_) and machine.gap_ <= 1e-6)
    assert np.isfinite(machine.objective_) or np.isinf(machine.gap_)


def test_positions_of_several_kinds_of_functionals():
    kinds = [Gradient(), LocalAverage(0.3)]
    whole, chosen = JointGram(X, kinds, width=WIDTH), [2, 7]
    part = JointGram(X[chosen], kinds, width=WIDTH)
    places = whole.positions(chosen)
    assert_allclose(whole.matrix[np.ix_(places, places)], part.matrix, atol=1e-12)
    mask = np.isin(np.arange(14), chosen)
    assert_array_equal(whole.positions(mask), places)
    for wrong in ([-1], [14], [0.5], mask[:5]):
        with pytest.raises(FitError, match="allowed"):
            whole.positions(wrong)
    with pytest.raises(FitError, match="pairs"):
        JointGram(X, GraphDifference(np.ones((14, 14))), width=WIDTH).positions(chosen)


def test_rows_of_sparse_and_of_other_points():
    joint = JointGram(X, width=WIDTH)
    assert_allclose(joint.rows(sp.csr_array(X[:3])), joint.rows(X[:3]), atol=1e-12)
    with pytest.raises(KernelError, match="X_new has 1 features; the points of the fit have 3"):
        joint.rows(X[:, :1])
