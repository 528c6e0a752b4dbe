"""What a method is given for one draw, and what it gives back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from gramworks.output_kernel import OutputKernel


@dataclass(frozen=True, eq=False)
class Problem:
    """One draw of one study: Gram matrices or data, the labels that are known, and masks.

    Test labels are not here: a method returns predictions and the workflow scores them.
    """

    study: str
    dataset: str
    task: str
    """binary, multiclass, regression, structured (strings) or vectors"""
    setting: dict[str, Any]
    """What distinguishes this row of the tables, such as ``{"n_labelled": 16}``."""
    repeat: int
    kernels: dict[str, np.ndarray]
    """Name in the study (K1, K2, ...) to a read-only Gram matrix (n, n) over all points."""
    y: np.ndarray | list[str]
    """(n,) class codes 0..k-1, or real targets, (n, k) vectors, or n strings; zero or empty where
    not labelled, which is no label."""
    labelled: np.ndarray
    """(n,) mask of the points whose ``y`` is known."""
    unlabelled: np.ndarray
    """(n,) mask of points that are neither labelled nor test."""
    test: np.ndarray
    """(n,) mask of the points to predict."""
    n_classes: int
    """Number of classes of the data set; 0 in regression. Of strings and vectors that of the
    classes behind them, which are not here."""
    generator: np.random.Generator
    """Seeded from the identity of the draw, not from its place in a run."""
    features: Any = None
    """X for methods that need it: (n, d) array, CSR array, or list of strings."""
    output_kernel: OutputKernel | None = None
    """The kernel between outputs; None stands for zero-one on classes, linear on real values."""
    shared: dict[str, np.ndarray] = field(default_factory=dict)
    """What the method's `learn` made once for all draws."""
    truth: np.ndarray | None = None
    """All labels, only for rows whose method states SEES_TEST_LABELS."""
    log: Callable[[str], None] = print

    @property
    def grams(self) -> np.ndarray:
        """All Gram matrices as one (m, n, n) array, in the study's order."""
        return np.stack(list(self.kernels.values()))

    @property
    def test_rows(self) -> np.ndarray:
        """Row numbers of the test points, ascending; predictions come in this order."""
        return np.flatnonzero(self.test)

    @property
    def known_outputs(self) -> np.ndarray | list[str]:
        """Outputs of the labelled points, ascending."""
        if isinstance(self.y, list):
            return [self.y[row] for row in np.flatnonzero(self.labelled)]
        return self.y[self.labelled]


@dataclass(frozen=True, eq=False)
class Outcome:
    """What a method returns for one draw."""

    predictions: np.ndarray | None = None
    """(n_test,) class codes or real values, in the order of `Problem.test_rows`; n_test strings or
    an (n_test, k) array where outputs are such."""
    preimages: np.ndarray | None = None
    """(n_test,) rows of labelled points whose outputs are the predictions, instead of
    ``predictions`` where outputs are strings or vectors: their classes are then scored too."""
    decision: np.ndarray | None = None
    """(n_test,) decision values of class 1 against 0, for the area under the curve."""
    components: np.ndarray | None = None
    """(n, k) one-dimensional views of all points, which the workflow correlates with all labels:
    ``correlation``, ``correlation-2``, ..., in absolute value."""
    metrics: dict[str, float] = field(default_factory=dict)
    """Further numbers for the tables, such as weight-1 or omega-half."""
    undefined: dict[str, str] = field(default_factory=dict)
    """Metrics that were asked for and that this draw does not define, with the reason; each is a
    failed row."""
    converged: bool = True
    """False marks the rows ``not-converged``; their values are kept."""
    reason: str = ""
    """Said beside rows that are not ``ok``."""


class Skip(Exception):
    """Raised by a method for a problem it is not made for; the row is ``skipped``, with this."""
