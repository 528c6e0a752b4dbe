"""Support vector machines with squared slack, one class against the rest.

Squared slack is a ridge on the kernel. Ridge and width are chosen by inner cross-validation.
"""

import numpy as np

from gramworks.fitting.model_selection import select_gaussian_svm
from gramworks.fitting.svm import KernelSVM
from gramworks.kernels.gaussian_map import gaussian_of_kernel
from gramworks.methods._inner_choice import WidthAndRidge, inner_folds, predicts, width_grid
from gramworks.methods._one_kernel import chosen_kernel
from gramworks.problem import Outcome, Problem

NAME = "svm-one-vs-rest"
SUMMARY = "SVMs with squared slack on a Gaussian of a base kernel, one class against the rest"
REFERENCE = "Weston et al., NIPS 15 (2002) 897-904, section 4.2"
NEEDS = ("grams",)
TASKS = ("binary", "multiclass")
GROWTH = {"fit": 2.5}
METRICS = ("chosen-width", "chosen-ridge", "inner-fits-not-converged", r"on-edge-(width|ridge)")
PREDICTS = predicts


class Params(WidthAndRidge):
    """Settings; a ridge of 1/C is added to the diagonal of the kernel."""


def fit(problem: Problem, params: Params) -> Outcome:
    """Choose width and ridge on the labelled points, then fit on all of them."""
    K = chosen_kernel(problem, params)
    # A Gaussian that neither vanishes nor is flat; other widths are its powers.
    squares = K.diagonal()[:, None] + K.diagonal()[None, :] - 2.0 * K
    middle = float(np.sqrt(max(squares.max(), np.finfo(float).tiny))) / 2.0
    base = gaussian_of_kernel(K, middle)
    places = np.arange(int(problem.labelled.sum()))
    choice = select_gaussian_svm(
        base,
        problem.y,
        problem.labelled,
        C_grid=[1.0 / ridge for ridge in params.ridges],
        width_factors=[width / middle for width in width_grid(params)],
        drawn=[(np.setdiff1d(places, fold), fold) for fold in inner_folds(problem, params.folds)],
        ridge=True,
    )
    gram = base ** (1.0 / choice.factor**2)
    gram[np.diag_indices_from(gram)] += problem.labelled / choice.C
    # with squared slack coefficients have no bound; they never exceed l C
    model = KernelSVM(C=choice.C * places.size)
    model.fit(gram, problem.y, labelled=problem.labelled)
    decision = model.decision_function()[problem.test_rows]
    return Outcome(
        predictions=model.predict()[problem.test_rows],
        decision=decision if decision.ndim == 1 else None,
        metrics={
            "chosen-width": choice.factor * middle,
            "chosen-ridge": 1.0 / choice.C,
            "inner-fits-not-converged": choice.not_converged,
            "on-edge-width": float(choice.on_edge["width"]),
            "on-edge-ridge": float(choice.on_edge["C"]),
        },
        converged=model.converged_,
        reason="iteration cap of LIBSVM reached in the final fit",
    )
