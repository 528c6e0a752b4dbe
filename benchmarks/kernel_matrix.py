"""Margin criteria over base kernels: this solver beside cvxpy and MKLpy.

    python benchmarks/kernel_matrix.py --write docs/benchmarks/kernel-matrix.md

Run after the default run, from the project's folder: ionosphere is read from results/ (and heart,
after a run of config/papers.yaml limited to it; without, its cases are left out). Every run
is a process of its own with one BLAS thread, the ways alternate, and ratios are taken within a
round. A small problem is solved before the clock starts, so that imports are not counted; what
cvxpy takes to compile is part of its time and shown apart. Generic solvers run at their default
tolerances. MKLpy is not a dependency: give the interpreter of an environment that has it and a
CPU build of torch as --mklpy.
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

C = 1.0
WAYS = {
    "svm": "one fit of scikit-learn's SVC on the precomputed uniform kernel",
    "free": "MarginKernel(weights='free')",
    "free-scs": "Theorem 16 in cvxpy, SCS",
    "free-clarabel": "Theorem 16 in cvxpy, Clarabel",
    "nonnegative-1e-4": "MarginKernel(tol=1e-4)",
    "nonnegative": "MarginKernel()",
    "nonnegative-scs": "Theorem 17 in cvxpy, SCS",
    "nonnegative-clarabel": "Theorem 17 in cvxpy, Clarabel",
    "centred-alignment": "AlignmentKernel(centred=True), then the machine",
    "uniform": "MarginKernel on the mean kernel",
    "EasyMKL": "MKLpy",
    "GRAM": "MKLpy",
    "AverageMKL": "MKLpy",
}
# (data, n) to the ways that are tried there and in how many rounds the slow ones take part
CASES = [("ionosphere", 60), ("ionosphere", 120), ("ionosphere", 270), ("ionosphere", 351),
         ("heart", 120), ("heart", 270), ("five-gaussians", 1000)]  # fmt: skip
RECIPES = {"ionosphere": "none", "heart": "standardise"}
LARGEST = {"free-scs": 351, "free-clarabel": 60, "nonnegative-scs": 1000,
           "nonnegative-clarabel": 1000}  # fmt: skip
SLOW = {("free-scs", 270): 1, ("free-scs", 351): 1, ("nonnegative-scs", 1000): 1,
        ("nonnegative-clarabel", 1000): 1, ("GRAM", 270): 1, ("GRAM", 351): 1,
        ("GRAM", 1000): 1}  # fmt: skip


def table(data):
    """Name the file that a run of the workflow leaves of a data set."""
    return f"results/datasets/{data}/{RECIPES[data]}.h5"


def make_problem(data, n, seed=0):
    """Return kernels over n points, labels, and the mask of the 80 % labelled."""
    import numpy as np

    from gramworks.kernels.gaussian_kernel import gaussian
    from gramworks.kernels.linear_kernel import linear
    from gramworks.kernels.polynomial_kernel import polynomial
    from gramworks.kernels.transforms import normalise

    rng = np.random.default_rng(seed)
    if data in RECIPES:
        from gramworks.datasets.store import read_dataset

        read = read_dataset(table(data))
        rows = rng.permutation(len(read.y))[:n]
        X, y = read.X[rows], np.where(read.y[rows] == 1, 1, -1)
        kernels = [normalise(polynomial(X, degree=2)), gaussian(X, width=0.5**0.5),
                   normalise(linear(X))]  # fmt: skip
    else:
        X = rng.standard_normal((n, 10))
        y = np.where(X[:, :2].sum(axis=1) + 0.5 * X[:, 2] * X[:, 3] > 0, 1, -1)
        kernels = [gaussian(X, width=width) for width in (0.5, 1.0, 2.0, 4.0, 8.0)]
    labelled = np.zeros(n, dtype=bool)
    labelled[rng.permutation(n)[: round(0.8 * n)]] = True
    return kernels, y, labelled


def solve(way, kernels, y, labelled):
    """Do one way once; return its seconds, and objective, gap and accuracy where it has them."""
    import numpy as np
    from sklearn.svm import SVC

    from gramworks.learning.alignment import AlignmentKernel
    from gramworks.learning.margin import MarginKernel
    from gramworks.solvers.reference import solve_qcqp, solve_sdp

    total = float(sum(np.trace(K) for K in kernels))
    result = {"compile": 0.0}
    start = time.perf_counter()
    if way == "svm":
        K = sum(kernels)[np.ix_(labelled, labelled)]
        start = time.perf_counter()
        SVC(kernel="precomputed", C=C).fit(K, y[labelled])
        return result | {"seconds": time.perf_counter() - start}
    if way in ("free-scs", "free-clarabel", "nonnegative-scs", "nonnegative-clarabel"):
        formulate = solve_sdp if way.startswith("free") else solve_qcqp
        found = formulate(kernels, y[labelled].astype(float), labelled, C=C,
                          solver=way.split("-")[1].upper())  # fmt: skip
        result |= {"seconds": time.perf_counter() - start, "compile": found.compile_seconds,
                   "objective": 0.5 * found.value}  # fmt: skip
        K = sum(mu * k for mu, k in zip(found.weights, kernels, strict=True))
        machine = SVC(kernel="precomputed", C=C).fit(K[np.ix_(labelled, labelled)], y[labelled])
        predicted = machine.predict(K[np.ix_(~labelled, labelled)])
        return result | {"accuracy": float(np.mean(predicted == y[~labelled]))}
    if way == "uniform":
        model = MarginKernel(C=C, trace=total).fit([sum(kernels)], y, labelled)
    elif way == "centred-alignment":
        aligned = AlignmentKernel(centred=True).fit(kernels, y, labelled)
        model = MarginKernel(C=C, trace=total).fit([aligned.kernel_], y, labelled)
    else:
        model = MarginKernel(
            C=C, weights=way.split("-")[0], tol=1e-4 if way.endswith("1e-4") else 1e-6
        ).fit(kernels, y, labelled)
    seconds = time.perf_counter() - start
    return result | {
        "seconds": seconds, "objective": model.objective_, "gap": model.gap_,
        "accuracy": float(np.mean(model.predict()[~labelled] == y[~labelled])),
    }  # fmt: skip


MKLPY = """
import json, sys, time
import numpy as np, torch
from MKLpy.algorithms import AverageMKL, EasyMKL, GRAM
way, path = sys.argv[1:]
given = np.load(path)
kernels, y, labelled = given["kernels"], given["y"], given["labelled"]
torch.set_num_threads(1)
def fit(rows, test):
    train = [torch.tensor(K[np.ix_(rows, rows)]) for K in kernels]
    start = time.perf_counter()
    model = {"AverageMKL": AverageMKL, "EasyMKL": EasyMKL, "GRAM": GRAM}[way]().fit(train, y[rows])
    seconds = time.perf_counter() - start
    new = [torch.tensor(K[np.ix_(test, rows)]) for K in kernels]
    return seconds, float(np.mean(np.asarray(model.predict(new)) == y[test]))
rows, test = np.flatnonzero(labelled), np.flatnonzero(~labelled)
fit(np.r_[rows[y[rows] > 0][:10], rows[y[rows] < 0][:10]], test)
seconds, accuracy = fit(rows, test)
print(json.dumps({"seconds": seconds, "compile": 0.0, "accuracy": accuracy}))
"""


def run_one(way, data, n):
    """Solve a small problem, then the one asked for, in this process; print JSON."""
    solve(way, *make_problem("five-gaussians", 20))
    problem = make_problem(data, n)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    result = solve(way, *problem)
    result["memory"] = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    print(json.dumps(result))


def spawn(way, data, n, mklpy, timeout):
    """Run one way in a process of its own; say why where it fails or takes too long."""
    environment = os.environ | {
        "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1",
    }  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, __file__, "--one", way, "--data", data, "--n", str(n)]
        if WAYS[way] == "MKLpy":
            import numpy as np

            kernels, y, labelled = make_problem(data, n)
            path = Path(folder) / "problem.npz"
            np.savez(path, kernels=kernels, y=y, labelled=labelled)
            command = [mklpy, "-c", MKLPY, way, str(path)]
        try:
            done = subprocess.run(
                command, env=environment, capture_output=True, text=True, timeout=timeout,
                check=True,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            return {"failed": f"no end within {timeout:g} s"}
        except subprocess.CalledProcessError as error:
            lines = error.stderr.strip().splitlines()
            return {"failed": lines[-1] if lines else f"killed ({error.returncode})"}
    return json.loads(done.stdout.splitlines()[-1])


def measure(args):
    """Alternate the ways of every case; return all runs."""
    rows = []
    for data, n in CASES:
        if (args.sizes and n not in args.sizes) or (args.on and data not in args.on):
            continue
        if data in RECIPES and not Path(table(data)).exists():
            print(f"{data} is left out: no {table(data)}", flush=True)
            continue
        ways = [
            way for way in WAYS
            if n <= LARGEST.get(way, n) and (WAYS[way] != "MKLpy" or args.mklpy)
        ]  # fmt: skip
        for turn in range(args.rounds):
            for way in ways:
                if turn >= SLOW.get((way, n), args.rounds):
                    continue
                found = spawn(way, data, n, args.mklpy, args.timeout)
                rows.append({"data": data, "n": n, "way": way, "round": turn} | found)
                print(data, n, way, turn, found, flush=True)
    return rows


def page(rows, args, load):
    """Write the runs as Markdown."""
    lines = [
        "# Learning the kernel matrix",
        "",
        "1-norm soft margin, C = 1, three kernels of tables 1-3 on ionosphere and heart (five",
        "Gaussians on generated data at n = 1000), 80 % of the n points labelled. Medians of",
        f"{args.rounds} rounds; every run is a process of its own with one BLAS thread, the ways",
        "alternate, and ratios to one SVM fit and to this solver are taken within a round. Ways",
        "with fewer runs say so. cvxpy's time includes compiling, which is shown apart. Generic",
        "solvers are at their default tolerances: their objectives may be off in the fourth digit,",
        "and they report no gap between feasible points. Memory is the peak above the kernels.",
        "",
        f"`python benchmarks/kernel_matrix.py --rounds {args.rounds} --write "
        "docs/benchmarks/kernel-matrix.md`",
        "",
        f"Python {platform.python_version()}, {platform.machine()}, {os.cpu_count()} cores. Load "
        f"average meanwhile {load:.1f}; cases were run at different times, so look at the ratios.",
    ]
    for data, n in CASES:
        chosen = [row for row in rows if (row["data"], row["n"]) == (data, n)]
        if not chosen:
            continue
        lines += [
            "", f"## {data}, n = {n}", "",
            "| way | what | runs | seconds | of it compiling | times one SVM fit | "
            "times this solver | objective | certified gap | accuracy % | memory, MB |",
            "|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|",
        ]  # fmt: skip
        for way, what in WAYS.items():
            own = [row for row in chosen if row["way"] == way]
            done = [row for row in own if "seconds" in row]
            if done:
                lines.append(_line(way, what, done, chosen))
            elif own:
                lines.append(f"| {way} | {what} | 0 | {own[0]['failed']} |" + " |" * 7)
    lines += [
        "",
        "MKLpy's methods are run by hand, `--mklpy PYTHON` naming the interpreter of an",
        "environment that has MKLpy and a CPU build of torch."
        + ("" if args.mklpy else " They were not run for this page."),
        "Clarabel on Theorem 16 is left out above n = 60, where it takes many minutes.",
        "",
        "How the bounds of this solver close on ionosphere, n = 351 (`python",
        "benchmarks/convergence.py`):",
        "",
        "![Upper and lower bound of the objective, and their gap, against time]"
        "(kernel-matrix-convergence.svg)",
        "",
    ]
    return "\n".join(lines)


def _line(way, what, own, chosen):
    def ratio(other):
        base = {
            row["round"]: row["seconds"]
            for row in chosen
            if row["way"] == other and "seconds" in row
        }
        ratios = [r["seconds"] / base[r["round"]] for r in own if r["round"] in base]
        return f"{statistics.median(ratios):.3g}" if ratios else ""

    def median(key, form):
        values = [row[key] for row in own if row.get(key) is not None]
        return form.format(statistics.median(values)) if values else ""

    solver = "free" if way.startswith("free") else "nonnegative"
    compiling = median("compile", "{:.3f}") if what.endswith(("SCS", "Clarabel")) else ""
    accuracy = [100 * row["accuracy"] for row in own if "accuracy" in row]
    cells = [
        way, what, str(len(own)), median("seconds", "{:.4f}"), compiling, ratio("svm"),
        ratio(solver), median("objective", "{:.6f}"), median("gap", "{:.1e}"),
        f"{statistics.median(accuracy):.1f}" if accuracy else "", median("memory", "{:.0f}"),
    ]  # fmt: skip
    return "| " + " | ".join(cells) + " |"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--sizes", type=int, nargs="*", help="of CASES; default: all")
    parser.add_argument("--on", nargs="*", help="data of CASES; default: all")
    parser.add_argument("--keep", action="store_true", help="other cases: from the JSON as it is")
    parser.add_argument("--timeout", type=float, default=900.0, help="seconds for one run")
    parser.add_argument("--mklpy", help="interpreter of an environment with MKLpy")
    parser.add_argument("--write", type=Path, help="Markdown page; JSON goes beside it")
    parser.add_argument("--one", choices=list(WAYS), help=argparse.SUPPRESS)
    parser.add_argument("--data", help=argparse.SUPPRESS)
    parser.add_argument("--n", type=int, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.one:
        run_one(args.one, args.data, args.n)
        return
    rows = measure(args)
    kept = args.write.with_suffix(".json") if args.write and args.keep else None
    if kept is not None and kept.exists():
        new = {(row["data"], row["n"]) for row in rows}
        rows += [r for r in json.loads(kept.read_text()) if (r["data"], r["n"]) not in new]
    text = page(rows, args, os.getloadavg()[1])
    print(text)
    if args.write:
        args.write.write_text(text)
        args.write.with_suffix(".json").write_text(json.dumps(rows, indent=1) + "\n")


if __name__ == "__main__":
    main()
