"""Time and memory of compute_gram against the bare limits and scikit-learn.

    python benchmarks/gram.py --n 20000 --rounds 3 --write docs/benchmarks/gram.md

Every run is a process of its own, the ways alternate, and ratios are taken within a round. The
limit is what no program can go below: one product X X' and one h5py write of as many bytes,
without checksums and checks; once left to the system's cache, and once on the disk, where
compute_gram puts its file before it gives it its name. Files lie in --folder and are removed.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import shlex
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

WIDTH = 20.0
WAYS = {
    "limit": "one product X X' and one bare h5py write",
    "limit on disk": "the same, and the file synchronised",
    "scikit-learn": "rbf_kernel and one bare h5py write",
    "in memory": "compute_gram with memory for the matrix",
    "tile by tile": "compute_gram, memory_mb=MEMORY",
    "float32": "the same with precision float32",
    "by rows": "compute_rows of N / 4 rows at a time, one after the other, and join_rows",
}
GOALS = {"time": 1.5, "memory": 0.25}
"""Tile by tile: times the limit, and part of scikit-learn's peak memory."""


CLOSING = (
    "Beyond the limit, `compute_gram` takes exponentials, adds a Fletcher-32 checksum to every",
    "chunk, multiplies the matrix with 16 vectors twice or more for the ends of its spectrum (once",
    "while it is made), checks the outcome and synchronises the disk. scikit-learn's matrix has",
    "none of these, and its distances lose digits where data lie far from the origin. Jobs that",
    "compute rows make each tile outside their own rows and columns twice, and wait for no other.",
)


def peak_mb():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def run(way, n, d, memory_mb, folder):
    """Do one way once, in this process."""
    import h5py
    import numpy as np
    from sklearn.metrics.pairwise import rbf_kernel

    from gramworks.gram import compute_gram

    X = np.random.default_rng(0).standard_normal((n, d))
    small = X[:300] @ X[:300].T  # starts the threads of BLAS
    with tempfile.TemporaryDirectory(dir=folder) as folder:
        path = Path(folder) / "K.h5"
        compute_gram(path, X[:50], "linear")  # imports what is imported late
        rbf_kernel(X[:50])
        result = {"small": small.shape, "before": peak_mb()}
        start = time.perf_counter()
        if way in ("limit", "limit on disk", "scikit-learn"):
            K = rbf_kernel(X, gamma=0.5 / WIDTH**2) if way == "scikit-learn" else X @ X.T
            result["product"] = time.perf_counter() - start
            with h5py.File(path, "w") as file:
                file.create_dataset("K", data=K)
            if way == "limit on disk":
                with open(path, "rb") as file:
                    os.fsync(file.fileno())
        elif way == "by rows":
            compute_by_rows(path, X, n // 4, memory_mb)
        else:
            memory = 3 * 8 * n * n / 2**20 + 1024 if way == "in memory" else memory_mb
            precision = "float32" if way == "float32" else "float64"
            compute_gram(path, X, f"gaussian-w{WIDTH:g}", memory_mb=memory, precision=precision)
        result["seconds"] = time.perf_counter() - start
        result["peak"] = peak_mb()
        if way == "in memory":
            result |= read_times(path, n)
    print(json.dumps(result))


def compute_by_rows(path, X, most, memory_mb):
    from gramworks.gram_blocks import compute_rows, join_rows, matrix_key
    from gramworks.gram_files import block_path
    from gramworks.kernels.tiles import stripes

    kernel, cut = f"gaussian-w{WIDTH:g}", stripes(len(X), most)
    key = matrix_key(X, kernel, "float64", "")
    for rows in cut:
        compute_rows(block_path(path, rows), X, kernel, rows, key=key, memory_mb=memory_mb)
    join_rows(path, cut, kernel, key=key)


def read_times(path, n):
    import h5py
    import numpy as np

    from gramworks.gram import read_gram

    result = {}
    chosen = np.random.default_rng(1).permutation(n)[: int(0.8 * n)]
    for name, rows in (("read", None), ("read part", chosen)):
        start = time.perf_counter()
        read_gram(path, rows, rows)
        result[name] = time.perf_counter() - start
    start = time.perf_counter()
    with h5py.File(path) as file:
        K = file["K"][()]
    result["bare read"] = time.perf_counter() - start
    start = time.perf_counter()
    K[np.ix_(chosen, chosen)]
    return result | {"bare part": time.perf_counter() - start}


def measure(n, d, rounds, ways, memory_mb, folder):
    """Run the ways in turn, `rounds` times."""
    found = {way: [] for way in ways}
    for _ in range(rounds):
        for way, runs in found.items():
            command = [sys.executable, __file__, "--run", way, "--n", str(n), "--d", str(d)]
            command += ["--memory-mb", str(memory_mb), "--folder", str(folder)]
            done = subprocess.run(command, capture_output=True, text=True, check=True)
            runs.append(json.loads(done.stdout))
            print(f"{way}: {runs[-1]}", file=sys.stderr, flush=True)
    return found


def goals(found):
    """Compare tile by tile with the limits and scikit-learn: medians of ratios within a round."""
    if not {"tile by tile", "scikit-learn", "limit", "limit on disk"} <= found.keys():
        return {}
    ours, theirs = found["tile by tile"], found["scikit-learn"]

    def ratio(key, others):
        return statistics.median(a[key] / b[key] for a, b in zip(ours, others, strict=True))

    return {
        "times the limit": ratio("seconds", found["limit"]),
        "times the limit on disk": ratio("seconds", found["limit on disk"]),
        "times scikit-learn": ratio("seconds", theirs),
        "part of scikit-learn's peak memory": ratio("peak", theirs),
    }


def table(found, n, d, rounds, memory_mb, command):
    """Write the page."""
    threads = os.environ.get("OMP_NUM_THREADS", f"{os.cpu_count()} (all)")
    lines = [
        "# The Gram store",
        "",
        f"A Gaussian Gram matrix of n = {n} points with d = {d} features, computed and written "
        f"({8 * n * n / 2**20:.0f} MB).",
        f"Medians of {rounds} rounds; every run is a process of its own, the ways alternate, and a "
        "ratio is taken",
        "within its round. Memory is the peak of the process, the interpreter and its libraries",
        f"included ({statistics.median(r['before'] for r in next(iter(found.values()))):.0f} MB).",
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
            other: [
                a["seconds"] / b["seconds"]
                for a, b in zip(runs, found.get(other, runs), strict=True)
            ]
            for other in ("limit", "scikit-learn")
        }
        seconds = statistics.median(r["seconds"] for r in runs)
        memory = statistics.median(r["peak"] for r in runs)
        low, high = min(ratios["limit"]), max(ratios["limit"])
        lines.append(
            f"| {way} | {WAYS[way].replace('MEMORY', f'{memory_mb:g}')} | {seconds:.2f} "
            f"| {statistics.median(ratios['limit']):.2f} ({low:.2f} to {high:.2f}) "
            f"| {statistics.median(ratios['scikit-learn']):.2f} | {memory:.0f} |"
        )
    lines += ["", *(f"- Tile by tile, {name}: {value:.2f}" for name, value in goals(found).items())]
    lines += [
        f"- Goals: {GOALS['time']} times the limit, less than scikit-learn's time, "
        f"{GOALS['memory']} of its peak memory.",
        "",
        *CLOSING,
    ]
    if "in memory" not in found:
        return "\n".join(lines) + "\n"
    runs = found["in memory"]
    read = {
        name: statistics.median(r[name] for r in runs)
        for name in ("read", "read part", "bare read", "bare part")
    }
    lines += [
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
    parser.add_argument("--memory-mb", type=float, default=256)
    parser.add_argument("--without", nargs="*", default=[], choices=WAYS, metavar="WAY")
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()))
    parser.add_argument("--write", type=Path, help="the page; the numbers beside it as JSON")
    parser.add_argument("--run", choices=WAYS)
    options = parser.parse_args()
    if options.run:
        run(options.run, options.n, options.d, options.memory_mb, options.folder)
        return
    command = shlex.join(["python", "benchmarks/gram.py", *sys.argv[1:]])
    ways = [way for way in WAYS if way not in options.without]
    n, d, rounds, memory_mb = options.n, options.d, options.rounds, options.memory_mb
    found = measure(n, d, rounds, ways, memory_mb, options.folder)
    text = table(found, n, d, rounds, memory_mb, command)
    if options.write:
        options.write.write_text(text, encoding="utf-8")
        kept = {"n": n, "d": d, "goals": goals(found), "runs": found}
        numbers = json.dumps(kept, indent=1, sort_keys=True)
        options.write.with_suffix(".json").write_text(numbers + "\n", encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
