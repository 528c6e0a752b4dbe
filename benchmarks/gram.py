"""Time and memory of compute_gram against the bare limits and scikit-learn.

    python benchmarks/gram.py --write docs/benchmarks/gram.md

Every run is a process of its own, the ways alternate, and ratios are taken within a round. The
limit is what no program can go below: one product X X' and one h5py write of as many bytes,
without checksums, checks or synchronising the disk.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

WIDTH = 20.0
WAYS = {
    "limit": "one product X X' and one bare h5py write",
    "scikit-learn": "rbf_kernel and one bare h5py write",
    "in memory": "compute_gram",
    "tile by tile": "compute_gram, memory_mb=64",
}


def peak_mb():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def run(way, n, d):
    """Do one way once, in this process."""
    import h5py
    import numpy as np
    from sklearn.metrics.pairwise import rbf_kernel

    from gramworks.gram import compute_gram, read_gram

    X = np.random.default_rng(0).standard_normal((n, d))
    small = X[:300] @ X[:300].T  # starts the threads of BLAS
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "K.h5"
        compute_gram(path, X[:50], "linear")  # imports what is imported late
        rbf_kernel(X[:50])
        before = peak_mb()
        start = time.perf_counter()
        if way in ("limit", "scikit-learn"):
            K = X @ X.T if way == "limit" else rbf_kernel(X, gamma=0.5 / WIDTH**2)
            with h5py.File(path, "w") as file:
                file.create_dataset("K", data=K)
        else:
            memory = {"memory_mb": 64} if way == "tile by tile" else {}
            compute_gram(path, X, f"gaussian-w{WIDTH:g}", **memory)
        seconds = time.perf_counter() - start
        result = {"seconds": seconds, "peak": peak_mb(), "before": before, "small": small.shape}
        if way == "in memory":
            chosen = np.random.default_rng(1).permutation(n)[: int(0.8 * n)]
            for name, rows in (("read", None), ("read part", chosen)):
                start = time.perf_counter()
                read_gram(path, rows, rows)
                result[name] = time.perf_counter() - start
            start = time.perf_counter()
            with h5py.File(Path(folder) / "K.h5") as file:
                K = file["K"][()]
            result["bare read"] = time.perf_counter() - start
            start = time.perf_counter()
            K[np.ix_(chosen, chosen)]
            result["bare part"] = time.perf_counter() - start
    print(json.dumps(result))


def measure(n, d, rounds):
    """Run all ways in turn, `rounds` times."""
    found = {way: [] for way in WAYS}
    for _ in range(rounds):
        for way, runs in found.items():
            command = [sys.executable, __file__, "--run", way, "--n", str(n), "--d", str(d)]
            done = subprocess.run(command, capture_output=True, text=True, check=True)
            runs.append(json.loads(done.stdout))
    return found


def table(found, n, d, rounds, command):
    """Write the page."""
    threads = os.environ.get("OMP_NUM_THREADS", f"{os.cpu_count()} (all)")
    lines = [
        "# The Gram store",
        "",
        f"A Gaussian Gram matrix of n = {n} points with d = {d} features, computed and written "
        f"({8 * n * n / 2**20:.0f} MB).",
        f"Medians of {rounds} rounds; every run is a process of its own, the ways alternate, and a "
        "ratio is taken",
        "within its round. Memory is the peak of the process above its peak before the call.",
        "",
        f"`{command}`",
        "",
        f"Python {platform.python_version()}, {platform.machine()}, {os.cpu_count()} cores, "
        f"BLAS threads {threads}. Load average meanwhile {os.getloadavg()[1]:.1f}: above 2 other "
        "work ran beside it, and",
        "the ranges are wide.",
        "",
        "| way | what | seconds | times the limit (range) | times scikit-learn | memory, MB |",
        "|---|---|--:|--:|--:|--:|",
    ]
    for way, runs in found.items():
        ratios = {
            other: [a["seconds"] / b["seconds"] for a, b in zip(runs, found[other], strict=True)]
            for other in ("limit", "scikit-learn")
        }
        seconds = statistics.median(r["seconds"] for r in runs)
        memory = statistics.median(r["peak"] - r["before"] for r in runs)
        low, high = min(ratios["limit"]), max(ratios["limit"])
        lines.append(
            f"| {way} | {WAYS[way]} | {seconds:.2f} "
            f"| {statistics.median(ratios['limit']):.2f} ({low:.2f} to {high:.2f}) "
            f"| {statistics.median(ratios['scikit-learn']):.2f} | {memory:.0f} |"
        )
    runs = found["in memory"]
    read = {
        name: statistics.median(r[name] for r in runs)
        for name in ("read", "read part", "bare read", "bare part")
    }
    lines += [
        "",
        "Beyond the limit, `compute_gram` takes exponentials, adds a Fletcher-32 checksum to every",
        "chunk, estimates the smallest eigenvalue (some ten products with a vector), checks the",
        "outcome and synchronises the disk. scikit-learn's matrix has none of these, and its",
        "distances lose digits where data lie far from the origin.",
        "",
        "| reading | seconds |",
        "|---|--:|",
        f"| `read_gram(path)` | {read['read']:.3f} |",
        f"| the whole matrix with bare h5py, checksums included | {read['bare read']:.3f} |",
        f"| `read_gram(path, rows, rows)`, 80 % of the points in random order "
        f"| {read['read part']:.3f} |",
        f"| the whole with bare h5py, then `K[numpy.ix_(rows, rows)]` "
        f"| {read['bare read'] + read['bare part']:.3f} |",
    ]
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--n", type=int, default=4000)
    parser.add_argument("--d", type=int, default=256)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--write", type=Path)
    parser.add_argument("--run", choices=WAYS)
    arguments = parser.parse_args()
    if arguments.run:
        run(arguments.run, arguments.n, arguments.d)
        return
    command = " ".join(["python", "benchmarks/gram.py", *sys.argv[1:]])
    found = measure(arguments.n, arguments.d, arguments.rounds)
    text = table(found, arguments.n, arguments.d, arguments.rounds, command)
    if arguments.write:
        arguments.write.write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
