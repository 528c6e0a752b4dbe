"""Machine whose function is wanted to be flat: at all points, or along small moves of images."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Literal

import numpy as np
from pydantic import Field, model_validator

from gramworks.datasets.seeds import generator
from gramworks.errors import DataError
from gramworks.fields import Number
from gramworks.finished_steps import FinishedSteps
from gramworks.fitting.inputs import LARGEST
from gramworks.fitting.invariance_machine import InvarianceMachine
from gramworks.fitting.machine_choice import choose_machine, joint_values
from gramworks.learning.deformed_series import deformed_kernels
from gramworks.learning.functionals import Gradient, Tangent
from gramworks.learning.joint_gram import JointGram
from gramworks.methods._chosen_kernel import (
    ByFolds,
    GridFromZero,
    candidate_of,
    edges,
    fit_chosen,
    split_identity,
)
from gramworks.methods._images import (
    ImageParams,
    dense_features,
    image_shape,
    shape_misfit,
    width_of,
)
from gramworks.methods._kept import Kept
from gramworks.methods._left_to_draws import left_to_draws
from gramworks.problem import Outcome, Problem, Skip

NAME = "invariance"
SUMMARY = "Machine whose gradient, or change under moves of images, is penalised"
REFERENCE = "Zhang, Lee and Teh, NIPS 26 (2013) 2031-2039"
NEEDS = ("features",)
TASKS = ("binary", "multiclass")
GROWTH = {"fit": 1.0}
METRICS = (r"(chosen|on-edge)-(C|nu)", "inner-fits-not-converged", "kernel-residual", "gap")
PARTS_OF_POINTS = True  # draws may leave points out, whose kernels are made for them then


class Params(ByFolds, ImageParams):
    """Settings."""

    functionals: Literal["gradient", "tangent"] = "gradient"
    """What is penalised: derivatives along all features, or along the moves of images."""
    difference: Literal["central", "one-sided"] = "central"
    """What a tangent is: half the difference of the images moved to either side, or the two
    differences of these from the image, which lead to them exactly."""
    at: Literal["all", "labelled"] = "all"
    """Where: at all points, with the squared penalty and kernels that all draws share, or at the
    labelled points of a draw (in a fold those it trains on), with any loss and penalty, for two
    classes."""
    loss: Literal["hinge", "squared", "logistic"] = "hinge"
    """Loss of the labelled points."""
    penalty: Literal["squared", "absolute", "epsilon-insensitive"] = "squared"
    """Of the functionals."""
    epsilon: Number = Field(default=0.1, ge=0, le=LARGEST)
    """Of the epsilon-insensitive penalty."""
    class_balanced: bool = False
    """Divide the losses of each class by its number of points, and count the errors of held-out
    points as shares of each class."""
    nu_grid: GridFromZero = [0, 1e-4, 1e-3, 1e-2, 1e-1, 1.0]
    """Weights of the penalty to choose from; 0 is the plain machine."""
    nu: Number | None = Field(default=None, ge=0, le=LARGEST)
    """One weight of the penalty instead of a grid."""
    C: Number | None = Field(default=None, gt=0, le=LARGEST)
    """One C instead of a grid, the paper's lambda, for kernels as they are, not scaled."""
    solver: Literal["auto", "dense", "cg", "span"] = "auto"
    """How deformed kernels are made, see InvarianceKernel."""
    tol: Number | None = Field(default=None, gt=0, le=LARGEST)
    """Relative residual of the systems solved for them; null: 1e-6 up to 50000 functionals and
    1e-3 beyond, where products are of float32 and the kernel is right to second order in it."""

    @model_validator(mode="after")
    def _possible(self) -> Params:
        for one, grid in (("nu", "nu_grid"), ("C", "C_grid")):
            if {one, grid} <= self.model_fields_set and getattr(self, one) is not None:
                raise ValueError(f"{one} and {grid} are both stated; state one of them")
        other = {
            "loss=logistic": self.loss == "logistic",
            f"penalty={self.penalty}": self.penalty != "squared",
            "class_balanced": self.class_balanced,
        }
        found = [what for what, there in other.items() if there]
        if found and self.at == "all":
            raise ValueError(
                f"{' and '.join(found)}: no kernel does it, so that every machine would be one on "
                "all functionals; state at: labelled, or take hinge or squared loss with the "
                "squared penalty"
            )
        return self

    @model_validator(mode="after")
    def _effective(self) -> Params:
        without = {
            "functionals: gradient": ("shape", "moves", "difference")
            if self.functionals == "gradient"
            else (),
            "at: labelled": ("solver", "tol") if self.at == "labelled" else (),
            f"penalty: {self.penalty}": ("epsilon",)
            if self.penalty != "epsilon-insensitive"
            else (),
        }
        for where, names in without.items():
            for name in names:
                if name in self.model_fields_set and getattr(self, name) is not None:
                    raise ValueError(f"{name} has no effect with {where}; leave it out")
        return self

    @property
    def nus(self) -> list[float]:
        """The weights of the penalty, ascending."""
        return sorted(map(float, self.nu_grid if self.nu is None else [self.nu]))

    @property
    def Cs(self) -> list[float]:
        """The values of C, ascending."""
        return sorted(map(float, self.C_grid if self.C is None else [self.C]))

    def kernels(self) -> tuple:
        """Give what a deformed kernel depends on beside the points and nu."""
        moves = sorted(self.moves.items()) if isinstance(self.moves, dict) else self.moves
        shape = (self.shape, moves, self.difference) if self.functionals == "tangent" else ()
        return (self.functionals, *shape, self.width, self.solver, self.tol)


def misfit(params: Params, task: str, rows: int | None, columns: int | None = None) -> str:
    """Say why data of this task and number of features cannot be had with these functionals."""
    if params.at == "labelled" and task == "multiclass":
        return (
            "at: labelled is for two classes, the data have more; state `positive:` or `labels:` "
            "of the data set, or take at: all"
        )
    return shape_misfit(params, columns) if params.functionals == "tangent" else ""


_EXACT, _ROUGH, _MANY = 1e-6, 1e-3, 50_000


def _tol(params: Params, X) -> float:
    if params.tol is not None:
        return params.tol
    many = params.functionals == "gradient" and X.size > _MANY
    return _ROUGH if many else _EXACT


def _functionals(params: Params, X):
    if params.functionals == "gradient":
        return Gradient()
    return Tangent(image_shape(params, X), params.moves, difference=params.difference)


def learn(kernels, X, settings, parameters, log, steps=None) -> dict[str, np.ndarray]:
    """Make the deformed kernel of each nu once; settings that differ in the loss share them.

    A setting whose kernels cannot be made is left out, and so are the nu of a setting from the
    first that cannot be had on: their own draws say so.
    """
    rows = [Params(**{**parameters, **setting}) for setting in settings]
    arrays: dict[str, np.ndarray] = {}
    for params in rows:
        if params.at == "all":
            with left_to_draws(f"functionals={params.functionals}, solver={params.solver}", log):
                for made in _deform(params, X, log, steps or FinishedSteps(), arrays):
                    arrays |= made
    return arrays


def _name(params: Params, nu: float) -> str:
    return "-".join(str(part) for part in (*params.kernels(), "nu", nu)).replace("/", "|")


def _deform(
    params: Params, X, log, steps: FinishedSteps, made=()
) -> Iterator[dict[str, np.ndarray]]:
    """Make the kernels that are not made, each kept as soon as it is done."""
    if not isinstance(X, np.ndarray):
        raise DataError("derivatives want dense features; the points are strings or sparse")
    left = []
    for nu in params.nus:
        name = _name(params, nu)
        found = None if name in made else steps.get(name)
        if found is not None and {name, f"{name}-accuracy"} <= set(found):
            log(f"nu = {nu:g}: found as an earlier, unfinished run has left it")
            yield found
        elif name not in made:
            left.append(nu)
    if left:
        found = deformed_kernels(
            X, left, functionals=_functionals(params, X), kernel="gaussian",
            width=width_of(params, X), solver=params.solver, tol=_tol(params, X), log=log,
        )  # fmt: skip
        for nu, deformed in found:
            name = _name(params, nu)
            accuracy = np.array([deformed.residual, deformed.error, deformed.met])
            done = {name: deformed.kernel, f"{name}-accuracy": accuracy}
            steps.keep(done, name)
            yield done


_PARTS = Kept(2)


def _candidates(problem: Problem, params: Params):
    X = dense_features(problem)
    names = [_name(params, nu) for nu in params.nus]
    arrays = problem.shared
    if any(name not in arrays or len(arrays[name]) != len(X) for name in names):
        inputs = (X, params.kernels(), params.nus)
        arrays = _PARTS.get(inputs, lambda: _all(params, X, problem.log))
    return [
        candidate_of(arrays[name], {"nu": nu}, scaled=params.C is None)
        for name, nu in zip(names, params.nus, strict=True)
    ], np.array([arrays[f"{name}-accuracy"] for name in names])


def _all(params: Params, X, log) -> dict[str, np.ndarray]:
    done = _deform(params, X, log, FinishedSteps())
    return {name: array for arrays in done for name, array in arrays.items()}


def fit(problem: Problem, params: Params) -> Outcome:
    """Choose nu and C on the labelled points, then fit on all of them."""
    if params.at == "labelled":
        return _fit_joint(problem, params)
    candidates, accuracies = _candidates(problem, params)
    outcome = fit_chosen(problem, params, candidates, params.Cs)
    if params.solver == "span":  # an approximation, which solves nothing
        return outcome
    residuals, errors, met = accuracies.T
    outcome.metrics["kernel-residual"] = float(np.nan_to_num(residuals, nan=np.inf).max())
    missed = [
        f"{params.nus[i]:g} (relative residual {residuals[i]:.1e}, entries off by up to "
        f"{errors[i]:.1e})"
        for i in np.flatnonzero(met != 1)
    ]
    if not missed:
        return outcome
    tol = _tol(params, problem.features)
    reason = f"kernels that are not within tol={tol:g}: nu = {', '.join(missed)}"
    reason = reason if outcome.converged else f"{outcome.reason}; {reason}"
    return replace(outcome, converged=False, reason=reason)


def _fit_joint(problem: Problem, params: Params) -> Outcome:
    """Fit machines on the labelled points and the functionals at them."""
    if problem.n_classes != 2:
        raise Skip(f"at=labelled is for two classes, there are {problem.n_classes}")
    X, known = dense_features(problem), np.flatnonzero(problem.labelled)
    joint = JointGram(X[known], _functionals(params, X), width=width_of(params, X))
    signs = np.where(problem.y[known] == 1, 1.0, -1.0)
    C_grid, nu_grid = params.Cs, params.nus
    shared = {
        "loss": params.loss, "penalty": params.penalty, "epsilon": params.epsilon,
        "class_balanced": params.class_balanced,
    }  # fmt: skip
    choice = choose_machine(
        signs,
        params.folds,
        generator(*split_identity(problem, params), "folds"),
        lambda train, test: joint_values(
            joint.matrix, joint.positions(train), test, signs[train], C_grid=C_grid,
            nu_grid=nu_grid, **shared,
        ),
        (len(nu_grid), len(C_grid)),
        class_balanced=params.class_balanced,
    )  # fmt: skip
    grid = [{"nu": nu, "C": C} for nu in nu_grid for C in C_grid]
    best = {"nu": nu_grid[choice.row], "C": C_grid[choice.column]}
    model = InvarianceMachine(**shared, **best).fit(joint.matrix, problem.y[known])
    rows = joint.rows(X[problem.test_rows])
    decision = model.decision_function(rows)
    return Outcome(
        predictions=model.predict(rows),
        decision=decision,
        metrics={
            "inner-fits-not-converged": choice.not_converged, "gap": model.gap_,
            **edges(best, grid),
        },
        converged=model.converged_,
        reason=f"the duality gap is {model.gap_:.2g}",
    )  # fmt: skip
