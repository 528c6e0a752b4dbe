"""Look for the protocol behind figure 5 and tables 1 and 2 of the optimal target paper.

Run after its studies with all sources, from the project's folder:
python benchmarks/target_audit.py
Prints the tables of docs/reproduction/optimal-target-vector.md.
"""

import argparse
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

from gramworks.datasets.feature_selection import select_discriminant
from gramworks.datasets.normalisation import normalise
from gramworks.datasets.parsing import parse
from gramworks.datasets.registry import load_entry
from gramworks.datasets.splits import HeldOut, make_splits, read_splits
from gramworks.datasets.store import read_dataset
from gramworks.fitting.metrics import absolute_correlations
from gramworks.fitting.metrics import best_threshold as threshold_of
from gramworks.kernels.gaussian_kernel import gaussian, median_width
from gramworks.kernels.linear_kernel import linear
from gramworks.learning.optimal_target import OptimalTarget
from gramworks.learning.target_draws import draw_correlations
from gramworks.learning.transductive_discrimination import TransductiveDiscrimination
from gramworks.report.published import read_published
from gramworks.solvers.ridge import solve_ridge
from gramworks.solvers.target_error import error_spectrum, kernel_eigenpairs

SIZES = (5, 10, 15, 20, 25)
IDA = ("ida-diabetis", "ida-titanic", "ida-breast-cancer", "ida-heart", "ida-thyroid")
RIDGES = 10.0 ** np.arange(-4, 5)
PENALTIES = (0.01, 0.1, 1.0, 10.0, 100.0)


def published(study, method):
    rows = read_published().to_dict("records")
    return {
        (row["dataset"], row["setting"]): float(row["value"])
        for row in rows
        if (row["study"], row["method"]) == (study, method)
    }


def line(name, values, wanted=None):
    shown = " | ".join(f"{value:.2f}" for value in values)
    off = ""
    if wanted is not None:
        off = f" | {np.max(np.abs(np.divide(values, wanted) - 1)):.0%}"
    print(f"| {name} | {shown}{off} |")


# Table 1


MEASURES = {
    "mean square error": lambda r: np.mean([np.mean(e**2) for e in r]),
    "mean of root mean square errors": lambda r: np.mean([np.sqrt(np.mean(e**2)) for e in r]),
    "root of the mean square error": lambda r: np.sqrt(np.mean([np.mean(e**2) for e in r])),
    "median of root mean square errors": lambda r: np.median([np.sqrt(np.mean(e**2)) for e in r]),
    "mean absolute error": lambda r: np.mean([np.mean(np.abs(e)) for e in r]),
}
KERNELS = (
    ("standardised, width 1", "standardise", 1.0),
    ("standardised, width √2", "standardise", 2**0.5),
    ("standardised, width 2", "standardise", 2.0),
    ("to 0..1, width 1", "unit-range", 1.0),
)


def boston(partitions):
    """Metrics, length rules and kernels; the first 100 partitions are those of the study."""
    data = read_dataset("results/datasets/boston/standardise.h5")
    spec = HeldOut(sizes=list(SIZES), repeats=partitions)
    splits = make_splits(spec, data.y, study="target-boston", dataset="boston")
    columns = {
        "OT": published("target-boston", "optimal-target"),
        "KRR": published("target-boston", "kernel-ridge"),
    }
    wanted = {
        name: [column["boston", f"n_test={size}"] for size in SIZES]
        for name, column in columns.items()
    }
    print(f"\n{partitions} partitions\n")
    print("| features and kernel | column | metric | 5 | 10 | 15 | 20 | 25 | farthest |")
    print("|---|---|---|---|---|---|---|---|---|")
    for name, values in wanted.items():
        line(f"published | {name} | mean square error", values)
    for kernel, recipe, width in KERNELS:
        K = gaussian(normalise(data.X, recipe), width=width)
        residuals = _residuals(K, data.y, splits)
        for column, of_size in residuals.items():
            for measure, compute in MEASURES.items():
                found = [compute(of_size[size]) for size in SIZES]
                line(f"{kernel} | {column} | {measure}", found, wanted[column.split(",")[0]])
        for column in ("OT, length oracle", "KRR"):
            roots = [[np.sqrt(np.mean(e**2)) for e in residuals[column][size]] for size in SIZES]
            errors = [2 * np.std(r, ddof=1) / np.sqrt(len(r)) for r in roots]
            line(f"{kernel} | {column} | two standard errors of the second", errors)


def _residuals(K, y, splits):
    pairs = kernel_eigenpairs(K)
    residuals = {"OT, length expected": {}, "OT, length oracle": {}, "KRR": {}}
    for size in SIZES:
        draws = splits[f"n_test={size}"]
        for repeat in range(draws.repeats):
            labelled, _, test = draws.draw(repeat)
            mask = np.isin(np.arange(len(y)), labelled)
            for length in ("expected", "oracle"):
                model = OptimalTarget(task="regression", length=length).fit(pairs, y, mask)
                rest = model.predict()[test] - y[test]
                residuals[f"OT, length {length}"].setdefault(size, []).append(rest)
            ridged = solve_ridge(K[np.ix_(labelled, labelled)], y[labelled][:, None], 1.0)
            fitted = K[np.ix_(test, labelled)] @ ridged.coefficients[:, 0] + ridged.intercept[0]
            residuals["KRR"].setdefault(size, []).append(fitted - y[test])
    return residuals


# Table 2


class Draw:
    """One partition: what the interpretations are computed from."""

    def __init__(self, data, kernels, splits, repeat):
        self.train, _, self.test = splits.draw(repeat)
        self.signs = np.where(data.y == 1, 1.0, -1.0)
        self.codes, self.n = data.y, len(data.y)
        self.K, self.pairs = kernels["linear"]
        self.kernels = kernels

    def target(self, known=None, ridge=1.0, kernel="linear", **parameters):
        """Fit the optimal target, on the training points unless told otherwise."""
        known = self.train if known is None else known
        mask = np.isin(np.arange(self.n), known)
        pairs = self.kernels[kernel][1]
        return OptimalTarget(ridge, **parameters).fit(pairs, self.codes, mask)

    def wrong(self, values, rows=None, threshold=0.0):
        """Give the percentage of wrong signs, of the test points unless told otherwise."""
        rows = self.test if rows is None else rows
        return 100 * np.mean(np.where(values[rows] > threshold, 1, -1) != self.signs[rows])


def as_stated(d):
    return d.wrong(d.target().target_)


def centred(d):
    return d.wrong(d.target(centre_targets=True).decision_function())


def centred_by_sign(d):
    return d.wrong(d.target(centre_targets=True).target_)


def divided_by_all(d):
    return as_stated(d) * len(d.test) / d.n


def centred_divided_by_all(d):
    return centred(d) * len(d.test) / d.n


def roles_exchanged(d):
    model = d.target(d.test)
    return d.wrong(model.target_, np.setdiff1d(d.train, d.test))


def ridge_in_two_steps(d):
    K, train = d.K, d.train
    ridged = solve_ridge(K[np.ix_(train, train)], d.signs[train][:, None], 1.0)
    return d.wrong(K[:, train] @ ridged.coefficients[:, 0] + ridged.intercept[0])


def ridge_on_the_target(d):
    """Kernel ridge regression on the whole of y*, signs of its fit."""
    return d.wrong(_fit(d, d.target()))


def training_error(d):
    return d.wrong(_fit(d, d.target()), d.train)


def leave_one_out(d):
    model = d.target()
    return d.wrong(model.left_out_ + model.target_, d.train)


def best_ridge(d):
    return min(d.wrong(d.target(ridge=ridge).target_) for ridge in RIDGES)


def best_threshold(d):
    target = d.target().target_
    return d.wrong(target, threshold=threshold_of(target[d.test], d.signs[d.test] > 0))


def share_of_classes(d):
    target = d.target().target_
    share = np.mean(d.signs[d.train] < 0)
    return d.wrong(target, threshold=np.quantile(target[d.test], share))


def gaussian_kernel(d):
    return d.wrong(d.target(kernel="gaussian").target_)


def gaussian_centred(d):
    return d.wrong(d.target(kernel="gaussian", centre_targets=True).decision_function())


def label_among_the_features(d):
    """Take the label of every point, test points too, for one more feature, by oversight."""
    return d.wrong(d.target(kernel="with label").target_)


def best_component(d):
    """Test labels choose among the first four generalised components and their signs."""
    components = d.target().components_.T[:4]
    wrong = [d.wrong(c) for c in components]
    return min(min(w, 100 - w) for w in wrong)


def squared(d):
    """Mean squared difference of y* and the true +-1/sqrt(N), in percent of (2/sqrt(N))^2."""
    target = d.target().target_ * np.sqrt(d.n)
    return 100 * np.mean((target[d.test] - d.signs[d.test]) ** 2) / 4


def _fit(d, model):
    spectrum = error_spectrum(d.pairs, model.ridge)
    return spectrum.vectors @ (spectrum.fits * (spectrum.vectors.T @ model.target_))


INTERPRETATIONS = (
    ("signs of y* on the test points, u = ±1/√N (as stated)", as_stated, True),
    ("the same, u centred on the mean of the known labels and put back", centred, True),
    ("the same, u centred and not put back", centred_by_sign, True),
    ("wrong test points divided by all N points", divided_by_all, False),
    ("the same with u centred", centred_divided_by_all, False),
    ("roles of training and test points exchanged", roles_exchanged, True),
    ("kernel ridge regression on the training points", ridge_in_two_steps, True),
    ("signs of the ridge fit G y* on the test points", ridge_on_the_target, True),
    ("signs of the ridge fit G y* on the training points", training_error, False),
    ("leave-one-out signs on the training points", leave_one_out, False),
    ("threshold at the training points' share of classes", share_of_classes, True),
    ("mean squared difference from ±1, in percent of 4", squared, False),
    ("component of four and sign chosen by the test labels", best_component, False),
    ("the label of all points among the features", label_among_the_features, False),
    ("threshold chosen by the test labels", best_threshold, False),
    ("λ of 10⁻⁴ to 10⁴ chosen by the test labels, each partition", best_ridge, False),
    ("Gaussian kernel of the median distance", gaussian_kernel, True),
    ("the same, u centred and put back", gaussian_centred, True),
)
"""Name, function of a draw, and whether it is an honest test error."""


def partitioned(name):
    """Give one set of the benchmark, its given partitions, and two kernels decomposed."""
    data = read_dataset(f"results/datasets/{name}/none.h5")
    splits = read_splits(f"results/splits/target-ida/{name}.h5")[""]
    made = {"linear": linear(data.X), "gaussian": gaussian(data.X, width=median_width(data.X))}
    return data, splits, {kind: (K, kernel_eigenpairs(K)) for kind, K in made.items()}


def ida(partitions):
    wanted = {
        method: [published("target-ida", method)[name, ""] for name in IDA]
        for method in ("optimal-target", "transductive-linear-discrimination")
    }
    found = np.zeros((len(INTERPRETATIONS), len(IDA), partitions))
    least = np.zeros(len(IDA))
    for column, name in enumerate(IDA):
        data, splits, kernels = partitioned(name)
        signs = np.where(data.y == 1, 1.0, -1.0)
        K = linear(np.column_stack([data.X, signs]))
        kernels["with label"] = K, kernel_eigenpairs(K)
        for repeat in range(partitions):
            draw = Draw(data, kernels, splits, repeat)
            for row, (_, compute, _) in enumerate(INTERPRETATIONS):
                found[row, column, repeat] = compute(draw)
        least[column] = found[0, column].min()
    heads = " | ".join(name.removeprefix("ida-") for name in IDA)
    print(f"\n{partitions} partitions\n\n| interpretation | honest | {heads} |")
    print("|---|---|---|---|---|---|---|")
    line("published, optimal target | ?", wanted["optimal-target"])
    line("published, TLD | ?", wanted["transductive-linear-discrimination"])
    for (name, _, honest), rows in zip(INTERPRETATIONS, found, strict=True):
        line(f"{name} | {'yes' if honest else 'no'}", rows.mean(axis=1))
    line("as stated, the best partition of all | no", least)


# What was chosen after a look at the scores


def ridges(draws):
    """Share of draws in which y* beats the first component at m/N = 0.16, by the ridge."""
    factors = (1e-4, 1e-3, 1e-2, 0.1, 1.0, 10.0)
    print(f"\n{draws} draws\n\n| λ / largest eigenvalue | {' | '.join(map(str, factors))} |")
    print("|---|" + "---|" * len(factors))
    sets = (("iris-two", "none"), ("colon", "discriminant-100"), ("leukemia", "discriminant-500"))
    for name, recipe in sets:
        data = read_dataset(f"results/datasets/{name}/{recipe}.h5")
        pairs = kernel_eigenpairs(linear(data.X))
        shares = [_share(pairs, data.y, factor * pairs.values[0], draws) for factor in factors]
        line(f"{name} (largest eigenvalue {pairs.values[0]:.0f})", shares)
    print("\n| not standardised, λ = 1 | f |\n|---|---|")
    for name, recipe in sets[1:]:
        raw = parse(load_entry(name), Path("data/raw") / name)
        chosen = select_discriminant(raw, int(recipe.removeprefix("discriminant-")))
        for what, X in (("chosen genes", chosen.X), ("all genes", raw.X)):
            pairs = kernel_eigenpairs(linear(np.asarray(X, dtype=float)))
            line(f"{name}, {what}", [_share(pairs, raw.y, 1.0, draws)])


def _share(pairs, codes, ridge, draws):
    signs = np.where(codes == 1, 1.0, -1.0)
    plain = absolute_correlations(signs, pairs.vectors[:, :1])[0]
    known = int(np.floor(0.16 * len(signs) + 0.5))
    spectrum = error_spectrum(pairs, ridge)
    found = draw_correlations(spectrum, signs, known, draws, np.random.default_rng(0))
    return np.mean(found[:, 0] > plain)


def closeness(partitions):
    """Errors of transductive linear discrimination by kernel and penalty, at λ = 1."""
    heads = " | ".join(name.removeprefix("ida-") for name in IDA)
    print(f"\n{partitions} partitions\n\n| kernel | penalty | {heads} |")
    print("|---|---|---|---|---|---|---|")
    wrong = np.zeros((2, len(PENALTIES), len(IDA)))
    for column, name in enumerate(IDA):
        data, splits, kernels = partitioned(name)
        for repeat in range(partitions):
            labelled, _, test = splits.draw(repeat)
            mask = np.isin(np.arange(len(data.y)), labelled)
            for row, kind in enumerate(("linear", "gaussian")):
                for at, penalty in enumerate(PENALTIES):
                    model = TransductiveDiscrimination(1.0, penalty)
                    model.fit(kernels[kind][1], data.y, labelled=mask)
                    missed = np.mean(model.predict()[test] != data.y[test])
                    wrong[row, at, column] += 100 * missed / partitions
    for row, kind in enumerate(("linear", "Gaussian, median distance")):
        for at, penalty in enumerate(PENALTIES):
            line(f"{kind} | {penalty:g}", wrong[row, at])


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--boston-partitions", type=int, default=300)
    parser.add_argument("--partitions", type=int, default=100, help="of table 2")
    parser.add_argument("--draws", type=int, default=1000, help="of figure 5")
    parts = ["1", "2", "ridges", "closeness"]
    parser.add_argument("--parts", nargs="*", default=parts, choices=parts)
    options = parser.parse_args()
    with threadpool_limits(1):
        if "1" in options.parts:
            boston(options.boston_partitions)
        if "2" in options.parts:
            ida(options.partitions)
        if "ridges" in options.parts:
            ridges(options.draws)
        if "closeness" in options.parts:
            closeness(min(options.partitions, 20))
