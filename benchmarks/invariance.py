"""Deformed kernels: structured products, solvers, and the data sets of table 1.

    python benchmarks/invariance.py [product] [memory] [small] [steps] [check] [widths] [large]
        [kept] [--sets g241c ...] [--nus 0.1 1] [--columns 96] [--rows 300] [--threads 1]

`product` times the structured product against the dense matrix of 12000 functionals, `memory` its
peak at the size of BCI, `small` the exact kernels of the six smaller sets, `steps` what each idea
gave (a sample of columns), `check` the error of the kernel between random columns against those
columns solved to 1e-6, `widths` what a basis of Gaussians of more widths
gave, `large` the full kernels of g241c, g241n and usps-ssl (an hour and more), `kept` compares the
kernels that a run of the study `invariance-table` has left in results/kernels with random columns
solved to 1e-6. Data sets are fetched, or read from GRAMWORKS_MIRROR. CPU seconds are of this
process, so that other work on the machine does not count, but slows the caches.
"""

from __future__ import annotations

import argparse
import tempfile
import time
import tracemalloc
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

from gramworks.datasets.normalisation import normalise
from gramworks.datasets.parsing import parse
from gramworks.datasets.registry import load_entry
from gramworks.datasets.sources import fetch
from gramworks.learning.deformation import Deformation
from gramworks.learning.deformed_series import deformed_kernels
from gramworks.shared import read_shared
from gramworks.solvers.block_conjugate_gradients import block_conjugate_gradients
from gramworks.solvers.functional_preconditioner import Preconditioner

NUS = (1e-4, 1e-3, 1e-2, 1e-1, 1.0)
SMALL = ("heart", "bupa", "australian", "ionosphere", "sonar", "bci")
LARGE = ("g241c", "g241n", "usps-ssl")


def points(name):
    """Give the points of a data set as table 1 takes them."""
    entry = load_entry(name)
    with tempfile.TemporaryDirectory() as folder:
        fetch(entry, Path(folder), mirror=None, log=lambda line: None)
        X = parse(entry, Path(folder)).X
    return normalise(X.toarray() if hasattr(X, "toarray") else X, "zero-mean-unit-length")


class Clock:
    """CPU and wall seconds since it was made."""

    def __init__(self):
        self.cpu, self.wall = time.process_time(), time.perf_counter()

    def read(self):
        """Give both, in this order."""
        return time.process_time() - self.cpu, time.perf_counter() - self.wall


def product(options):
    X = np.random.default_rng(0).normal(size=(120, 100)) / 10
    system = Deformation(X, solver="cg").system
    N = system.dense()
    B = np.random.default_rng(1).normal(size=(1, system.count))
    error = abs(system.product(B)[0] - B @ N).max() / abs(B @ N).max()
    times = {}
    for name, act, count in (
        ("dense", lambda: B @ N, 5), ("structured", lambda: system.product(B), 50)
    ):  # fmt: skip
        runs = []
        for _ in range(count):
            clock = Clock()
            act()
            runs.append(clock.read()[0])
        times[name] = np.median(runs)
    print(
        f"{system.count} functionals (120 x 100), one right-hand side: dense "
        f"{1e3 * times['dense']:.1f} ms, structured {1e3 * times['structured']:.3f} ms, "
        f"{times['dense'] / times['structured']:.0f} times faster; they agree to {error:.0e}"
    )


def memory(options):
    X = np.random.default_rng(0).normal(size=(400, 117))
    system = Deformation(X, solver="cg").system
    B = np.random.default_rng(1).normal(size=(8, system.count))
    tracemalloc.start()
    system.product(B)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    print(
        f"{system.count} functionals (400 x 117), 8 right-hand sides of {B.nbytes / 1e6:.0f} MB: "
        f"peak of the product {peak / 1e6:.0f} MB; N would be {8e-9 * system.count**2:.1f} GB"
    )


def small(options):
    print("| data set | functionals | path | CPU s | wall s | relative residual | off by at most |")
    print("|---|--:|---|--:|--:|--:|--:|")
    for name in options.sets or SMALL:
        X = points(name)
        clock = Clock()
        pairs = [(found.residual, found.error) for _, found in deformed_kernels(X, NUS)]
        cpu, wall = clock.read()
        residual, error = np.max(pairs, axis=0)
        print(
            f"| {name} | {X.size} | {Deformation(X).solver} | {cpu:.1f} | {wall:.1f} | "
            f"{residual:.1e} | {error:.1e} |", flush=True,
        )  # fmt: skip


def steps(options):
    print("| data set | nu | what | iterations | Gflop a column | true relative residual |")
    print("|---|--:|---|--:|--:|--:|")
    ways = [
        ("no preconditioner, alone, float64", None, 1, np.float64),
        ("Kronecker, alone, float64", False, 1, np.float64),
        ("Kronecker, alone, float32", False, 1, np.float32),
        ("and the swap, alone, float32", True, 1, np.float32),
        *((f"blocks of {s}, float32", True, s, np.float32) for s in options.columns or [96]),
    ]
    for name in options.sets or ("g241c", "usps-ssl"):
        X = _some(points(name), options)
        system = Deformation(X, solver="cg").system
        full = Preconditioner(system)
        swap = type(system.expansion).swap_factor
        type(system.expansion).swap_factor = lambda self: np.zeros(self.points.shape)
        plain = Preconditioner(system)
        type(system.expansion).swap_factor = swap
        for nu in options.nus:
            for label, choice, width, kind in ways:
                if options.ways and not any(word in label for word in options.ways):
                    continue
                inverse = {None: lambda R: R.copy(), False: None, True: None}[choice]
                if inverse is None:
                    inverse = (full if choice else plain).at(nu, kind)
                working = system if kind == np.float64 else system.single()
                found = _sample(system, working, inverse, nu, width, kind)
                print(f"| {name} | {nu:g} | {label} | " + " | ".join(found) + " |", flush=True)


def _some(X, options):
    """Take some rows, evenly spread, if the command line asks for fewer."""
    return X if options.rows is None else X[np.arange(options.rows) * len(X) // options.rows]


def check(options):
    print("| data set | nu | columns to 1e-3: first order | second order | bound | K~ / K |")
    print("|---|--:|--:|--:|--:|--:|")
    for name in options.sets or ("bci", *LARGE):
        X = _some(points(name), options)
        system = Deformation(X, solver="cg").system
        preconditioner, single = Preconditioner(system), system.single()
        count = options.columns[0] if options.columns else 16
        rows = np.sort(np.random.default_rng(0).permutation(len(X))[:count])
        Z = np.vstack([system.columns(slice(row, row + 1)) for row in rows])
        K = system.expansion.gram[np.ix_(rows, rows)]
        for nu in options.nus:
            found = {}
            for tol, working in ((1e-3, single), (1e-6, system)):
                b, values, missed = _solved(system, working, preconditioner, nu, Z, tol)
                found[tol] = K - values[:, rows], missed @ b.T, missed
            exact = found[1e-6][0] - found[1e-6][1]
            first, more, missed = found[1e-3]
            size = np.linalg.norm(exact)
            bound = 2 * nu * (missed**2).sum(1).max() / abs(exact).max()
            print(
                f"| {name} | {nu:g} | {np.linalg.norm(first - exact) / size:.1e} | "
                f"{np.linalg.norm(first - more - exact) / size:.1e} | {bound:.1e} | "
                f"{size / np.linalg.norm(K):.3f} |", flush=True,
            )  # fmt: skip


def _solved(system, working, preconditioner, nu, Z, tol):
    """Solve for some columns, by the products of `working`; give them, Z'B and the residuals."""
    kind = working.expansion.points.dtype.type
    b = block_conjugate_gradients(
        lambda P: working.product(P)[0] + P * kind(0.5 / nu),
        preconditioner.at(nu, kind), Z.astype(kind), tol=tol, max_iterations=1000,
    )[0].astype(float)  # fmt: skip
    NB, values = system.product(b)
    return b, values, Z - NB - b / (2 * nu)


def kept(options):
    print("| data set | nu | largest relative residual | error on random columns | K~ / K |")
    print("|---|--:|--:|--:|--:|")
    for name in options.sets or LARGE:
        path = Path(f"results/kernels/invariance-table/{name}/invariance.h5")
        if not path.exists():
            raise SystemExit(
                f"{path} is not there; make it with: snakemake --cores 2 --configfile "
                f"config/papers.yaml --config 'studies=[invariance-table]' 'datasets=[{name}]'"
            )
        arrays = read_shared(path)
        X = points(name)
        system = Deformation(X, solver="cg").system
        preconditioner = Preconditioner(system)
        rows = np.sort(np.random.default_rng(1).permutation(len(X))[:8])
        Z = np.vstack([system.columns(slice(row, row + 1)) for row in rows])
        K = system.expansion.gram[np.ix_(rows, rows)]
        for nu in options.nus:
            [key] = [key for key in arrays if key.endswith(f"-nu-{nu}")]
            b, values, missed = _solved(system, system, preconditioner, nu, Z, 1e-6)
            exact = K - values[:, rows] - missed @ b.T
            error = np.linalg.norm(arrays[key][np.ix_(rows, rows)] - exact)
            size = np.linalg.norm(exact)
            print(
                f"| {name} | {nu:g} | {arrays[f'{key}-accuracy'][0]:.1e} | {error / size:.1e} | "
                f"{size / np.linalg.norm(K):.3f} |", flush=True,
            )  # fmt: skip


def _sample(system, working, inverse, nu, width, kind):
    rows = np.linspace(0, system.points - 1, max(width, 2)).astype(int)
    Z = np.vstack([system.columns(slice(row, row + 1)) for row in rows]).astype(kind)
    shift = kind(0.5 / nu)

    def multiply(P):
        found = np.empty_like(P)
        for k in range(len(P)):
            found[k] = working.product(P[k : k + 1])[0][0] + shift * P[k]
        return found

    most, residual = 0, 0.0
    for start in range(0, len(rows), width):
        b, _, iterations = block_conjugate_gradients(
            multiply, inverse, Z[start : start + width].copy(), tol=9e-4, max_iterations=2000
        )
        most = max(most, iterations)
    t, n = system.expansion.points.shape
    work = most * (8 * t * t * n + 8 * t * n * n + 12 * t * n * width) / 1e9
    for row, solution in list(zip(rows[-width:], b, strict=True))[:8]:
        right = system.columns(slice(row, row + 1))
        solution = solution[None].astype(float)
        missed = right - system.product(solution)[0] - solution / (2 * nu)
        residual = max(residual, np.linalg.norm(missed) / np.linalg.norm(right))
    return f"{most}", f"{work:.1f}", f"{residual:.1e}"


def widths(options):
    """Restrict functions to Gaussians of several widths at the points, in closed form."""
    X = points("bci")
    exact = {nu: found.kernel for nu, found in deformed_kernels(X, NUS[1:], tol=1e-5)}
    expansion = Deformation(X, solver="cg").system.expansion
    print("| squared widths over sigma^2 | " + " | ".join(f"nu = {nu:g}" for nu in exact) + " |")
    print("|---|" + "--:|" * len(exact))
    for ratios in ((1.0,), (1.0, 1.5), (0.7, 1.0), (0.6, 0.7, 0.85, 1.0, 1.5, 2.0, 4.0)):
        found = _galerkin(expansion, ratios, exact)
        errors = [np.linalg.norm(found[nu] - K) / np.linalg.norm(K) for nu, K in exact.items()]
        print(f"| {ratios} | " + " | ".join(f"{e:.1e}" for e in errors) + " |", flush=True)


def _galerkin(expansion, ratios, nus):
    X, variance, n = expansion.points, expansion.width**2, expansion.X.shape[1]
    squares = -2 * variance * np.log(expansion.gram)
    inner = X @ X.T
    values = [np.exp(-squares / (2 * r * variance)) for r in ratios]
    G, P = [], []
    for A, r in zip(values, ratios, strict=True):
        G.append([
            np.exp(n / 2 * np.log(r * q / (r + q - 1)) - squares / (2 * (r + q - 1) * variance))
            for q in ratios
        ])  # fmt: skip
        P.append([
            (inner * (A @ B) - (A * inner) @ B - A @ (B * inner) + (A * inner.diagonal()) @ B)
            / (r * q * variance**2)
            for B, q in zip(values, ratios, strict=True)
        ])  # fmt: skip
    G, P, E = np.block(G), np.block(P), np.vstack(values)
    scale = 1 / np.sqrt(G.diagonal())
    roots, U = np.linalg.eigh(G * scale[:, None] * scale)
    kept = roots > 1e-11 * roots[-1]
    W = scale[:, None] * U[:, kept] / np.sqrt(roots[kept])
    weights, Q = np.linalg.eigh(W.T @ P @ W)
    E = Q.T @ (W.T @ E)
    return {nu: (E.T / (1 + 2 * nu * weights.clip(0))) @ E for nu in nus}


def large(options):
    print("| data set | nu | CPU s | wall s | largest relative residual | off by at most |")
    print("|---|--:|--:|--:|--:|--:|")
    for name in options.sets or LARGE:
        clock = Clock()
        for nu, found in deformed_kernels(points(name), options.nus, tol=1e-3, log=print):
            cpu, wall = clock.read()
            print(
                f"| {name} | {nu:g} | {cpu:.0f} | {wall:.0f} | {found.residual:.1e} | "
                f"{found.error:.1e} |", flush=True,
            )  # fmt: skip
            clock = Clock()


PARTS = {f.__name__: f for f in (product, memory, small, steps, check, widths, large, kept)}


def main():
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("parts", nargs="*", choices=list(PARTS), default=["product", "memory"])
    parser.add_argument("--sets", nargs="*")
    parser.add_argument("--nus", nargs="*", type=float, default=list(NUS))
    parser.add_argument("--ways", nargs="*", help="only the steps whose name holds a word")
    parser.add_argument("--columns", nargs="*", type=int)
    parser.add_argument("--rows", type=int)
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args()
    with threadpool_limits(options.threads):
        for part in options.parts:
            PARTS[part](options)


if __name__ == "__main__":
    main()
