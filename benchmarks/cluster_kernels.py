"""Time and memory of cluster kernels: figure 2's study, and the largest eigenpairs of 10000 points.

    python benchmarks/cluster_kernels.py [large] [figure] [--points 10000]

`figure` wants the data set mac-windows (an https address, or GRAMWORKS_MIRROR). Memory is the peak
of a process of its own, less that before the kernel matrix; numbers are those of one run.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np

from gramworks.datasets.parsing import parse
from gramworks.datasets.registry import load_entry
from gramworks.datasets.sources import fetch
from gramworks.datasets.splits import Labelled, make_splits
from gramworks.draws import run_draws
from gramworks.kernels.gaussian_kernel import gaussian
from gramworks.learning.cluster import ClusterKernel
from gramworks.methods.registry import load_method

SIZES = [2, 4, 8, 16, 32, 64, 128]
TRANSFERS = ("linear", "polynomial", "step", "poly-step")


def _peak() -> float:
    """Peak memory of this process in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024.0


def measure_large(n: int) -> None:
    """Fit the step kernel of 50 eigenvectors on n points; print seconds and memory."""
    rng = np.random.default_rng(0)
    centres = rng.normal(size=(30, 20))
    X = centres[rng.integers(30, size=n)] + 0.35 * rng.normal(size=(n, 20))
    before = _peak()
    K = np.empty((n, n))
    for start in range(0, n, 500):
        K[start : start + 500] = gaussian(X[start : start + 500], X, width=1.5)
    K = np.maximum(K, K.T)  # rounding differs between blocks
    start = time.perf_counter()
    model = ClusterKernel("step", rank=50).fit(K)
    seconds = time.perf_counter() - start
    shares = (_peak() - before) / (8.0 * n * n)
    sampled = rng.integers(n, size=200)
    smallest = np.linalg.eigvalsh(model.kernel_[np.ix_(sampled, sampled)])[0]
    print(
        f"step, r = 50, n = {n}: {seconds:.1f} s; peak memory {shares:.2f} n^2 numbers, the kernel "
        f"matrix (1) and the learned one (1) among them; {model.rank_} eigenvalues, the 50th "
        f"{model.eigenvalues_[49]:.4f}; smallest eigenvalue of 200 rows {smallest:.1e}"
    )


_JOB = {}


def _draws(transfer: str, repeats: range) -> list[dict]:
    return run_draws(
        load_method("cluster-kernel"), [{"transfer": transfer}], {"rank": "labelled+10"},
        _JOB["data"], _JOB["splits"], {"K1": _JOB["K"]}, study="cluster-text", repeats=repeats,
        shared=_JOB["shared"], log=lambda line: None,
    )[0]  # fmt: skip


def measure_figure(repeats: int = 100) -> None:
    """Run figure 2: four transfer functions, seven sizes, 100 draws, on two processes."""
    entry = load_entry("mac-windows")
    with tempfile.TemporaryDirectory() as folder:
        fetch(entry, Path(folder), mirror=None, log=lambda line: None)
        data = parse(entry, Path(folder))
    start = time.perf_counter()
    K = gaussian(data.X, width=0.55)
    print(f"Gram matrix of {len(K)} documents: {time.perf_counter() - start:.1f} s")
    start = time.perf_counter()
    settings = [{"transfer": transfer} for transfer in TRANSFERS]
    module = load_method("cluster-kernel").module
    shared = module.learn({"K1": K}, data.X, settings, {"rank": "labelled+10"}, print)
    learned = time.perf_counter() - start
    spec = Labelled(sizes=SIZES, scheme="free", repeats=repeats, test=987)
    splits = make_splits(spec, data.y, study="cluster-text", dataset="mac-windows")
    _JOB.update(data=data, K=K, shared=shared, splits=splits)
    halves = (range(repeats // 2), range(repeats // 2, repeats))
    with ProcessPoolExecutor(2) as pool:  # forked, so that all share what was learned
        parts = list(
            pool.map(_draws, [t for t in TRANSFERS for _ in halves], list(halves) * len(TRANSFERS))
        )
    seconds = time.perf_counter() - start
    rows = [row for part in parts for row in part if row["metric"] == "test-error-percent"]
    print(
        f"figure 2, {len(rows)} fits: {seconds:.1f} s on two processes, {learned:.1f} s of it the "
        "one decomposition and the powers"
    )
    for transfer in TRANSFERS:
        means = [
            np.mean([
                float(row["value"])
                for row in rows
                if row["setting"] == f"n_labelled={size};transfer={transfer}"
            ])
            for size in SIZES
        ]  # fmt: skip
        print(f"  {transfer:11s}" + " ".join(f"{mean:6.1f}" for mean in means))


def main() -> None:
    """Run what the command line asks for, each in a process of its own."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "parts", nargs="*", choices=["large", "figure"], default=["large", "figure"]
    )
    parser.add_argument("--points", type=int, default=10_000)
    options = parser.parse_args()
    if len(options.parts) > 1:
        for part in options.parts:
            command = [sys.executable, __file__, part, "--points", str(options.points)]
            subprocess.run(command, check=True)
    elif options.parts == ["large"]:
        measure_large(options.points)
    else:
        measure_figure()


if __name__ == "__main__":
    main()
