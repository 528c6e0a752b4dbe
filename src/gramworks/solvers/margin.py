"""The kernel of least margin criterion among combinations of base kernels.

Lanckriet et al., JMLR 5 (2004), section 4: minimise over the weights mu, sum_i mu_i r_i = c, the
convex function omega(sum_i mu_i K_i), omega(K) = max_a 2a'e - a'(G(K) + tau I)a over
0 <= a <= C, a'y = 0; the mu nonnegative (Theorem 17), or of any sign with sum_i mu_i K_i positive
semidefinite over all points (Theorem 16). At fixed a the bracket is affine in mu, so that each
machine fitted gives a cut that is valid everywhere.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gramworks.errors import FitError, KernelError, suggest
from gramworks.solvers.bundle import minimise_over, relative_gap
from gramworks.solvers.domains import Simplex
from gramworks.solvers.kernel_sums import combine
from gramworks.solvers.margin_criterion import MarginCriterion
from gramworks.solvers.psd_slice import PsdSlice
from gramworks.solvers.svm_certificate import SvmSolution

CRITERIA = ("hard", "l1", "l2", "l2-auto")
WEIGHTS = ("nonnegative", "free")


@dataclass(frozen=True)
class MarginSolution:
    """Weights of the base kernels, and the machines of the combined kernel.

    Attributes
    ----------
    weights : ndarray of shape (m,)
        mu; exactly 0 for kernels of zero trace.
    ridge : float
        tau, the multiple of the identity in the criterion.
    omega : float
        The criterion at the weights, an upper bound of its minimum; summed over label rows.
    objective : float
        omega / 2, as the paper's tables print it.
    gap : float
        (upper - lower) / upper of omega, certified.
    converged : bool
        Whether `gap` is as small as was asked.
    n_iter, n_svm, n_decompositions : int
        Cutting planes, machines fitted for them, and eigendecompositions over all points.
    bounds : list of (float, float, float)
        Seconds since the start, lower and upper bound of omega after every cut.
    machines : list of SvmSolution
        One for each row of labels.
    values : ndarray of shape (q,)
        omega of each machine.
    indefinite : float
        Of free weights: the most negative eigenvalue of the combined kernel, of the largest, where
        it is more than rounding; the gap is then 1, since nothing is proved.
    left_out : float
        Of free weights: size of the combinations of kernels that were taken for zero.
    """

    weights: np.ndarray
    ridge: float
    omega: float
    gap: float
    converged: bool
    n_iter: int
    n_svm: int
    n_decompositions: int
    bounds: list[tuple[float, float, float]]
    machines: list[SvmSolution]
    values: np.ndarray
    indefinite: float = 0.0
    left_out: float = 0.0

    @property
    def objective(self) -> float:
        """Half of omega, |w|^2/2 + C sum xi."""
        return 0.5 * self.omega


def minimise_margin(
    kernels, signs, labelled=None, *, criterion="l1", weights="nonnegative", C=1.0, total=None,
    traces=None, n_points=None, gap=1e-6, max_iter=300, max_steps=1_000_000,
):  # fmt: skip
    """Minimise omega(sum_i mu_i K_i) over the weights of trace `total`.

    Parameters
    ----------
    kernels : sequence of m ndarrays of shape (n, n)
        Positive semidefinite base kernels over all points; read only.
    signs : ndarray of shape (l,) or (q, l)
        Labels -1 and +1 of the labelled points; with q rows the sum of the q criteria is
        minimised.
    labelled : ndarray of shape (n,), bool, optional
        Which points have labels; default: all.
    criterion : {"hard", "l1", "l2", "l2-auto"}
        Hard margin (2); 1-norm soft margin (4); 2-norm soft margin (6), tau = 1/C; the same with
        tau learned as the weight of the identity, (45).
    weights : {"nonnegative", "free"}
        "free": positive semidefinite over all points. Combinations of the kernels, each at norm 1,
        that are smaller than `psd_slice.DEPENDENT` count as zero; the gap is over the others.
    C : float
        Parameter of "l1" and "l2", positive and finite.
    total : float, optional
        Trace of the combined kernel, with "l2-auto" of K + tau I; default: the sum of the
        traces of the kernels, with "l2-auto" plus n.
    traces : ndarray of shape (m,), optional
        Traces over all points where `kernels` hold the labelled ones only, which is enough for
        nonnegative weights.
    n_points : int, optional
        Number of all points, in the same case.
    gap : float
        Wanted relative gap between the certified bounds.
    max_iter : int
        Cap on cutting planes.
    max_steps : int
        Cap on LIBSVM's steps in one machine.

    Returns
    -------
    MarginSolution

    Raises
    ------
    FitError
        C, total or the labels are not usable, or "hard" where no combination separates the
        classes.
    KernelError
        A trace is negative or not finite, or all are zero.
    """
    signs = np.atleast_2d(np.asarray(signs, dtype=np.float64))
    kernels = [np.asarray(K, dtype=np.float64) for K in kernels]
    n = kernels[0].shape[0] if n_points is None else n_points
    if traces is None:
        traces = np.array([np.trace(K) for K in kernels])
    traces = np.asarray(traces, dtype=np.float64)
    used, wanted = _usable(traces), gap
    check_numbers(criterion, weights, C, gap)
    learned = criterion == "l2-auto"
    if total is None:
        total = traces.sum() + (n if learned else 0)
    total = float(total)
    if not (np.isfinite(total) and total > 0):
        raise FitError(f"the trace of the combined kernel is {total!r}; allowed: a positive number")
    for row in signs:
        if not (np.any(row > 0) and np.any(row < 0)):
            raise FitError("the labels are all of one sign; a machine needs -1 and +1 among them")

    chosen = [kernels[i] for i in used]
    if weights == "free":
        if n != kernels[0].shape[0]:
            raise FitError(
                f"free weights want the kernels over all {n} points, found {kernels[0].shape}"
            )
        domain = PsdSlice(chosen, total, ridge=learned)
        transform = domain.transform
    else:
        # every kernel at the full trace: the weights become shares in the simplex, whatever
        # the scale of a kernel
        transform = np.diag(total / traces[used])
        if learned:
            transform = np.hstack([transform, np.zeros((used.size, 1))])
        domain = Simplex(transform.shape[1])
    if labelled is not None and not np.all(labelled):
        rows = np.flatnonzero(labelled)
        chosen = [K[rows][:, rows].T for K in chosen]  # symmetric, and contiguous this way
    ridge = np.zeros(domain.size)
    if learned:
        ridge[-1] = total / n
    criterion = MarginCriterion(
        chosen, signs, transform, ridge,
        fixed_ridge=1.0 / C if criterion == "l2" else 0.0,
        C=float(C) if criterion == "l1" else None,
        spans=domain.largest(transform), max_steps=max_steps,
    )  # fmt: skip
    if criterion.C is None:
        criterion.find_cap(domain.start())
    found = minimise_over(domain, criterion.evaluate, gap=gap, max_iter=max_iter)
    mu = np.zeros(traces.shape[0])
    mu[used] = transform @ found.point
    gap, indefinite = relative_gap(found.best.value, found.lower), 0.0
    if weights == "free":
        indefinite = domain.indefiniteness(combine([kernels[i] for i in used], mu[used]))
        gap = 1.0 if indefinite else gap  # no bound from above by a kernel that is none
    return MarginSolution(
        weights=mu,
        ridge=criterion.ridge_at(found.point),
        omega=found.best.value,
        gap=gap,
        converged=gap <= wanted,
        n_iter=found.n_iter,
        n_svm=criterion.n_svm,
        n_decompositions=domain.n_decompositions,
        bounds=found.bounds,
        machines=found.best.payload,
        values=criterion.values(found.best.payload),
        indefinite=indefinite,
        left_out=domain.left_out,
    )


def check_numbers(criterion, weights, C, gap):
    """Refuse names and numbers that are not usable (FitError)."""
    if criterion not in CRITERIA:
        raise FitError(f"criterion={criterion!r}; {suggest(criterion, CRITERIA)}")
    if weights not in WEIGHTS:
        raise FitError(f"weights={weights!r}; {suggest(weights, WEIGHTS)}")
    if criterion in ("l1", "l2") and not (np.isfinite(C) and C > 0):
        raise FitError(f"C is {C!r}; allowed: a positive finite number")
    if not gap > 0:
        raise FitError(f"the wanted relative gap is {gap!r}; allowed: a positive number")


def _usable(traces):
    for i, trace in enumerate(traces):
        if not np.isfinite(trace) or trace < 0:
            raise KernelError(
                f"kernel {i} has trace {trace:g}; a positive semidefinite kernel has a finite "
                "trace that is not negative"
            )
    used = np.flatnonzero(traces > np.finfo(float).tiny)
    if used.size == 0:
        raise KernelError(
            f"all {len(traces)} kernels have trace 0, so that no weights reach a positive trace; "
            "give at least one kernel that is not zero"
        )
    return used
