"""Look for the protocol behind the digit errors of the cluster kernel paper (section 4.4).

    python benchmarks/cluster_digits_audit.py

Prints the table of docs/reproduction/cluster-kernels.md: ways of cutting 2000 training images of
USPS into 50 subsets of 40, and widths. The data set is fetched, or read from GRAMWORKS_MIRROR.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

from gramworks.datasets.parsing import parse
from gramworks.datasets.registry import load_entry
from gramworks.datasets.seeds import generator
from gramworks.datasets.sources import fetch
from gramworks.fitting.svm import KernelSVM
from gramworks.kernels.gaussian_kernel import gaussian
from gramworks.solvers.affinity import normalised_affinity
from gramworks.solvers.cluster_spectrum import cluster_spectrum
from gramworks.solvers.transfer import Transfer

RANKS = (10, 20)
SIZE, COUNT = 40, 50


def dealt(order, groups):
    """Deal points out to the subsets group by group, so that each has its share."""
    order = order[np.argsort(groups[order], kind="stable")]
    return np.concatenate([order[k::COUNT] for k in range(COUNT)])


def errors(X, y, order, width):
    """Give the errors on the rest of the pool, in %, a row a subset: plain SVM, then RANKS."""
    K = gaussian(X, width=width)
    spectrum = cluster_spectrum(normalised_affinity(K), [Transfer("poly-step", max(RANKS))])
    found = []
    for start in range(0, SIZE * COUNT, SIZE):
        known = order[start : start + SIZE]
        test = np.setdiff1d(np.arange(len(X)), known)
        blocks = [K[known], *(spectrum.block(Transfer("poly-step", r), known) for r in RANKS)]
        machines = [KernelSVM(C=1000.0).fit(rows[:, known], y[known]) for rows in blocks]
        found.append([
            100 * np.mean(machine.predict(rows[:, test].T) != y[test])
            for machine, rows in zip(machines, blocks, strict=True)
        ])  # fmt: skip
    return np.array(found)


def main():
    """Print the table."""
    entry = load_entry("usps")
    with tempfile.TemporaryDirectory() as folder:
        fetch(entry, Path(folder), mirror=None, log=lambda line: None)
        data = parse(entry, Path(folder))
    random = generator("cluster digits audit")
    X, digits = np.asarray(data.X, dtype=float), data.y
    y = (digits >= 5).astype(int)
    n = SIZE * COUNT
    order, anywhere = random.permutation(n), random.permutation(len(data.partitions[0][0]))[:n]
    first = np.arange(n)
    ways = [
        ("random, of the first 2000", first, order, 5),
        ("random, of 2000 drawn out of all 7291", anywhere, first, 5),
        ("consecutive rows of the first 2000", first, first, 5),
        ("each group in its share", first, dealt(order, y[first]), 5),
        ("each digit in its share", first, dealt(order, digits[first]), 5),
        *(("random", first, order, width) for width in (4, 6, 7.1, 10)),
    ]
    print("| subsets | width (on -1 to 1) | plain SVM | cluster kernel, r = 10 | r = 20 |")
    print("|---|--:|--:|--:|--:|")
    for name, rows, subsets, width in ways:
        found = errors(X[rows], y[rows], subsets, width / 2)  # grey values are 0 to 1 here
        cells = [
            f"{m:.1f} ({s:.1f})" for m, s in zip(found.mean(0), found.std(0, ddof=1), strict=True)
        ]
        print(f"| {name} | {width:g} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    with threadpool_limits(1):
        main()
