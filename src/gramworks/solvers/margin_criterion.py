"""The margin criterion and its cuts as a function of the weights of the base kernels."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from scipy.linalg.blas import daxpy

from gramworks.errors import FitError
from gramworks.solvers.bundle import Cut
from gramworks.solvers.overlap import overlap
from gramworks.solvers.proved_products import EPS, multiply_in_pieces
from gramworks.solvers.svm_certificate import lengthen
from gramworks.solvers.svm_dual import solve_svm

LARGEST_C = 1e13  # times the mean diagonal: a machine that errs there separates nothing


class NotSeparable(FitError):
    """There is no hard margin: no combination of the kernels separates the classes."""


class MarginCriterion:
    """omega and its cuts as a function of the coordinates z, mu = transform z.

    Without C the coefficients are capped at a value of omega. At an optimum without bound
    a'e = omega, half of it in either class, so that no coefficient reaches the cap where omega
    is lower; where the cap acts, omega of the capped problem is above the cap, and the cut
    excludes the point.

    Parameters
    ----------
    blocks : sequence of m ndarrays of shape (l, l)
        Base kernels on the labelled points.
    signs : ndarray of shape (q, l)
        Labels -1 and +1, one machine a row; the criteria are summed.
    transform : ndarray of shape (m, d)
    ridge : ndarray of shape (d,)
        The multiple of the identity that is added is `fixed_ridge` + ridge z.
    fixed_ridge : float
    C : float or None
        Bound of the coefficients; None: there is none.
    spans : ndarray of shape (m,)
        Largest |mu_i| over the set of weights, for the bounds of rounding errors.
    max_steps : int
        Cap on LIBSVM's steps in one machine.
    """

    def __init__(self, blocks, signs, transform, ridge, *, fixed_ridge, C, spans, max_steps):
        self.blocks = [np.ascontiguousarray(block) for block in blocks]
        self.signs, self.transform, self.ridge = signs, transform, ridge
        self.fixed_ridge, self.C, self.max_steps = fixed_ridge, C, max_steps
        self.cap, self.spans = C, spans
        self.n_svm = 0
        self._diagonals = np.array([block.diagonal() for block in self.blocks])
        self._last = [None] * len(signs)  # coefficients, and how they move with the point
        self._motions = [None] * len(signs)

    def ridge_at(self, point):
        """Give the multiple of the identity that is added."""
        return self.fixed_ridge + float(self.ridge @ point)

    def combine(self, point):
        """Give the combined kernel on the labelled points, with the ridge."""
        weights = self.transform @ point
        combined = weights[0] * self.blocks[0]
        for block, mu in zip(self.blocks[1:], weights[1:], strict=True):
            if mu:
                daxpy(block.ravel(), combined.ravel(), a=mu)  # in place, in one pass
        ridge = self.ridge_at(point)
        if ridge:
            combined[np.diag_indices_from(combined)] += ridge
        return combined

    def _blur(self, point):
        """Bound what `combine` rounds: the error of entry ij is below blur_i blur_j.

        None where it rounds nothing.
        """
        weights = self.transform @ point
        used, ridge = np.count_nonzero(weights), self.ridge_at(point)
        if used == 1 and weights.sum() == 1.0 and not ridge:
            return None
        # a product and the sums, half a unit each; the ridge's sum too
        return np.sqrt(0.51 * (used + 1) * EPS * (np.abs(weights) @ self._diagonals + ridge))

    def find_cap(self, start):
        """Bound the coefficients by the criterion at a first point; FitError where it is inf."""
        ridge = self.ridge_at(start)
        if ridge:  # w = 0 is feasible: omega <= l / tau
            self.cap = self.signs.size / ridge
            return
        combined = self.combine(start)
        size, blur = combined.diagonal().mean(), self._blur(start)
        self.cap = 0.0
        for row, y in enumerate(self.signs):
            C = 1e3 / size
            while True:
                machine = self._solve(combined, y, C, 2e-2, row, blur)
                if machine.separated <= 1.1 * machine.dual:  # any upper bound will do
                    break
                first, C = C * size <= 1e3, C * 1e3
                if C * size > LARGEST_C or (first and overlap(combined, y)):
                    margin = np.sqrt(max(1.0 / (2.0 * machine.dual), 0.0))
                    raise NotSeparable(
                        "no combination of the kernels separates the classes: the hard margin "
                        f"is below {margin:.2g}, with features of root mean square length "
                        f"{np.sqrt(size):.2g}; allow errors (criterion l1, l2 or l2-auto), or "
                        "add a kernel that tells all points apart, such as a narrow Gaussian"
                    )
            self.cap += 2.0 * machine.separated

    def evaluate(self, point, accuracy):
        """Fit the machines at a point."""
        combined, blur = self.combine(point), self._blur(point)
        self._follow(point)
        machines = [
            self._solve(combined, y, self.cap, accuracy, row, blur)
            for row, y in enumerate(self.signs)
        ]
        weights = self.transform.shape[1]
        constant, slope, curvature = 0.0, np.zeros(weights), np.zeros((weights, weights))
        for row, (y, machine) in enumerate(zip(self.signs, machines, strict=True)):
            scores = self._scores(y * machine.alpha)
            squares, errors = self._squares(scores, y * machine.alpha, machine, accuracy)
            squared_length = float(machine.alpha @ machine.alpha) * (1 + y.size * EPS)
            # less what rounding may have added, and what the coefficients lack of a'y = 0: the
            # cut holds as computed
            total = (math.fsum(machine.alpha) - machine.residual) * (1 - 4 * EPS)
            constant += 2.0 * total - self.fixed_ridge * squared_length - self.spans @ errors
            slope -= self.transform.T @ squares + self.ridge * squared_length
            second, moved = self._curvature(scores, machine)
            self._motions[row] = None if second is None else (point, machine.system.free, moved)
            curvature = None if curvature is None or second is None else curvature + second
        bare = [replace(machine, system=None) for machine in machines]
        return Cut(self.values(machines).sum(), constant, slope, curvature, bare)

    def values(self, machines):
        """Give omega of each machine; without C or ridge errors are not allowed.

        With a ridge no coefficient reaches the cap, so that errors at the price of the cap bound
        omega as well.
        """
        errors = self.C is not None or self.fixed_ridge > 0
        return 2.0 * np.array([m.primal if errors else m.separated for m in machines])

    def _follow(self, point):
        """Move the coefficients along with the point, to start from the right free ones."""
        for row, motion in enumerate(self._motions):
            if motion is not None:
                before, free, moved = motion
                alpha = self._last[row].copy()
                alpha[free] -= moved @ (point - before)
                self._last[row] = np.clip(alpha, 0.0, self.cap)
                self._motions[row] = None

    def _solve(self, combined, y, C, accuracy, row, blur):
        machine = solve_svm(
            combined, y, C, gap=accuracy, max_iter=self.max_steps, start=self._last[row], blur=blur
        )
        self.n_svm += 1
        self._last[row] = machine.alpha
        return machine

    def _scores(self, signed):
        """Give the K_i v of all base kernels, (m, l)."""
        used = np.flatnonzero(signed)
        if used.size < 0.7 * signed.size:
            return np.array([signed[used] @ block[used] for block in self.blocks])
        return np.array([block @ signed for block in self.blocks])

    def _squares(self, scores, signed, machine, accuracy):
        """Give the v'K_i v and bounds of their errors, what a'y = 0 lacks included."""
        reach = np.sqrt(self._diagonals) @ np.abs(signed)
        squares, errors = scores @ signed, 2 * (signed.size + 8) * EPS * reach**2
        allowed = 1e-2 * accuracy * machine.primal / len(self.blocks)
        for i in np.flatnonzero(self.spans * errors > allowed):
            *_, squares[i], errors[i] = multiply_in_pieces(self.blocks[i], signed)
        squares = np.maximum(squares, 0.0)  # below by what the kernel itself was rounded to
        for i, block in enumerate(self.blocks) if machine.residual else ():
            square = max(squares[i] + errors[i], 0.0)
            errors[i] += lengthen(square, machine.residual, block) - square
        return squares, errors * (1 + 8 * EPS)

    def _curvature(self, scores, machine):
        """Give the second derivative in z of one criterion, and -da/dz of the free coefficients."""
        system = machine.system
        if system is None:
            return None, None
        right = system.signs[:, None] * (scores[:, system.free].T @ self.transform)
        right += np.outer(machine.alpha[system.free], self.ridge)
        moved, _ = system.solve(right)
        curvature = 2.0 * right.T @ moved
        return 0.5 * (curvature + curvature.T), moved
