"""Cost of every method against points, kernels and draws, and what follows for large data.

    OMP_NUM_THREADS=1 python benchmarks/scaling.py --write
    OMP_NUM_THREADS=1 python benchmarks/scaling.py --methods svm knn --write
    python benchmarks/scaling.py --page

CPU seconds of one thread: the least of a few runs, each of other draws, so that nothing is found
that an earlier run has kept. A sweep ends where the next size is expected to take more than
--seconds. --write puts the numbers into docs/benchmarks/scaling.json, with --methods those of these
alone, and then does what --page does: tables in docs/scaling.md and figures beside the numbers.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import platform
import sys
import tempfile
import time
import tracemalloc
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scaling_page import NUMBERS, write_page
from threadpoolctl import threadpool_limits

from gramworks.datasets.dataset import Dataset
from gramworks.datasets.normalisation import normalise_dataset
from gramworks.datasets.splits import Drawn, Splits, make_splits
from gramworks.draws import run_draws
from gramworks.gram import compute_gram, read_gram
from gramworks.kernels.gaussian_kernel import gaussian, median_width
from gramworks.methods._combination import MarginParams
from gramworks.methods.registry import Method, load_method, method_names

SIZES = (125, 250, 500, 1000, 2000, 4000)
LARGER = (8000, 16_000, 32_000, 64_000, 128_000)
"""For what holds no n^2 numbers."""
LINEAR = ("majority", "oracle", "nystroem-ridge")
KERNELS = (1, 2, 4, 8, 16)
DRAWS = (1, 2, 4, 8, 16)
LABELLED, TEST = 0.2, 0.4
"""Shares of the points; the rest is unlabelled."""
COMBINED = 3
"""Kernels in the sweep over points, of methods that combine some."""
AT_KERNELS, AT_DRAWS, AT_MEMORY = 500, 250, (500, 1000)
"""Points in the other sweeps, and where memory is looked at."""
COLUMNS, SIDE = 10, 8
"""Features of the points, and pixels along each side of images."""
ENOUGH = 2.0
"""Seconds of runs after which no further one is made."""
_STUDIES = itertools.count()


@dataclass(frozen=True)
class Inputs:
    """What a method is run on."""

    dataset: Dataset
    kernels: dict[str, np.ndarray]
    output_kernel: str | None = None


def clouds(n: int) -> Dataset:
    """Draw two Gaussian clouds that overlap, so that a tenth of the points is beyond the middle."""
    random = np.random.default_rng(n)
    y = random.permutation(np.arange(n) % 2)
    X = random.standard_normal((n, COLUMNS)) + np.where(y == 1, 0.4, -0.4)[:, None]
    return Dataset("clouds", X, y, ["left", "right"], [f"x{i}" for i in range(COLUMNS)])


def images(n: int) -> Dataset:
    """Draw images of two smooth patterns, of -1 to 1, with noise."""
    random = np.random.default_rng(n)
    y = random.permutation(np.arange(n) % 2)
    places = np.linspace(0, np.pi, SIDE)
    patterns = np.stack([np.outer(np.sin(k * places), np.cos(places)).ravel() for k in (1, 2)])
    X = np.clip(patterns[y] + 0.3 * random.standard_normal((n, SIDE**2)), -1, 1)
    return Dataset("images", X, y, ["one", "two"], [f"p{i}" for i in range(SIDE**2)])


def halves(n: int) -> Dataset:
    """Cut images: the upper half is given, the lower half is the output."""
    whole, cut = images(n), SIDE**2 // 2
    X, y = whole.X[:, :cut].copy(), whole.X[:, cut:].copy()
    return Dataset("halves", X, y, [], whole.feature_names[:cut])


def grams(X: np.ndarray, count: int) -> dict[str, np.ndarray]:
    """Make Gaussian kernels, whose widths are spread around the median distance."""
    width = median_width(X)
    factors = 2.0 ** np.linspace(-2, 2, count) if count > 1 else [1.0]
    found = {f"K{i}": gaussian(X, width=f * width) for i, f in enumerate(factors, 1)}
    for K in found.values():
        K.setflags(write=False)
    return found


def combines(method: Method) -> bool:
    """Tell whether a method combines the kernels that it gets."""
    return issubclass(method.module.Params, MarginParams) and method.index is None


def inputs_of(method: Method, n: int, count: int | None = None) -> Inputs:
    """Make the data that a method is measured on."""
    if method.tasks == ("vectors",):
        return Inputs(halves(n), {}, "gaussian-median")
    if method.name == "virtual-sample-svm":
        return Inputs(images(n), {})
    data = clouds(n)
    if "grams" not in method.needs:
        return Inputs(data, {})
    count = count or (COMBINED if issubclass(method.module.Params, MarginParams) else 1)
    return Inputs(data, grams(data.X, count))


def splits_of(dataset: Dataset, repeats: int, study: str) -> dict[str, Splits]:
    """Draw labelled and test points."""
    spec = Drawn(
        labelled=int(LABELLED * dataset.rows), test=int(TEST * dataset.rows), repeats=repeats
    )
    return make_splits(
        spec, dataset.strata, study=study, dataset=dataset.id, behind=dataset.task == "vectors"
    )


class Draws:
    """A method on its data: learned once, and draws that were not made before."""

    def __init__(self, method: Method, inputs: Inputs, repeats: int) -> None:
        self.method, self.inputs = method, inputs
        # a study of its own: methods keep what they have found for a draw
        self._study = f"study-{next(_STUDIES)}"
        self._splits = splits_of(inputs.dataset, repeats, self._study)
        self._next, self._repeats = 0, repeats
        self._shared: dict[str, np.ndarray] | None = None

    def learn(self) -> dict[str, np.ndarray]:
        """Make what the draws share."""
        data = self.inputs.dataset
        self._shared = self.method.module.learn(
            self.inputs.kernels, data.X, [{}], {}, lambda line: None
        )
        return self._shared

    def run(self, count: int = 1) -> None:
        """Make some further draws."""
        repeats = range(self._next, self._next + count)
        self._next += count
        if self._next > self._repeats:
            raise RuntimeError(f"{self.method.name}: more than {self._repeats} draws")
        rows, _ = run_draws(
            self.method, [{}], {}, self.inputs.dataset, self._splits, self.inputs.kernels,
            study=self._study, repeats=repeats, shared=self._shared,
            output_kernel=self.inputs.output_kernel, log=lambda line: None,
        )  # fmt: skip
        bad = [row for row in rows if row["status"] in ("failed", "skipped")]
        if bad:
            raise RuntimeError(f"{self.method.name}: {bad[0]['status']}: {bad[0]['reason']}")


def cpu(call: Callable[[], object], runs: int) -> float:
    """Give the least CPU seconds of some runs, fewer where they take long.

    The first run at a size pays for memory that is fresh from the system, others often do not.
    """
    found: list[float] = []
    while len(found) < runs and sum(found) < ENOUGH:
        start = time.process_time()
        call()
        found.append(time.process_time() - start)
    return min(found)


def goes_on(points: list[list[float]], seconds: float) -> bool:
    """Tell whether the next, doubled size is expected to be within the limit."""
    if not points:
        return True
    last = points[-1][1]
    growth = max(last / points[-2][1], 2.0) if len(points) > 1 else 4.0
    return last * growth <= seconds


def against_points(method: Method, sizes: Iterator[int], seconds: float, runs: int) -> dict:
    """Measure `learn` and one draw at growing numbers of points."""
    found: dict[str, list] = {"learn": [], "fit": []} if method.learns else {"fit": []}
    for n in sizes:
        if not all(goes_on(points, seconds) for points in found.values()):
            break
        draws = Draws(method, inputs_of(method, n), runs)
        if method.learns:
            found["learn"].append([n, cpu(draws.learn, min(runs, 3))])
        found["fit"].append([n, cpu(draws.run, runs)])
    return found


def against_kernels(method: Method, n: int, counts, seconds: float, runs: int) -> list:
    """Measure one draw with growing numbers of kernels."""
    found: list[list[float]] = []
    for count in counts:
        if goes_on(found, seconds):
            draws = Draws(method, inputs_of(method, n, count), runs)
            found.append([count, cpu(draws.run, runs)])
    return found


def against_draws(method: Method, n: int, counts, seconds: float, runs: int) -> list:
    """Measure growing numbers of draws."""
    draws = Draws(method, inputs_of(method, n), 1 + runs * sum(counts))
    if method.learns:
        draws.learn()
    draws.run()  # what the first one of a process costs is no cost of a draw
    found: list[list[float]] = []
    for count in counts:
        if goes_on(found, seconds):
            found.append([count, cpu(lambda: draws.run(count), runs)])  # noqa: B023
    return found


def memory(method: Method, n: int) -> dict[str, int]:
    """Look at the highest memory of `learn` and of a draw beside what they are given, in bytes."""
    draws, found = Draws(method, inputs_of(method, n), 2), {"n": n, "learned": 0}
    tracemalloc.start()
    try:
        for stage in ("learn", "run") if method.learns else ("run",):
            tracemalloc.reset_peak()
            before = tracemalloc.get_traced_memory()[0]
            made = getattr(draws, stage)()
            found[stage] = tracemalloc.get_traced_memory()[1] - before
            found["learned"] += sum(array.nbytes for array in (made or {}).values())
    finally:
        tracemalloc.stop()
    return found


def measure(name: str, options: argparse.Namespace) -> dict:
    """Measure one method."""
    method, seconds, runs = load_method(name), options.seconds, options.runs
    sizes = (*options.sizes, *(options.larger if name in LINEAR else ()))
    Draws(method, inputs_of(method, min(sizes)), 1).run()  # imports
    found = against_points(method, iter(sizes), seconds, runs)
    if combines(method):
        found["kernels"] = against_kernels(method, options.at[0], options.counts, seconds, runs)
    found["draws"] = against_draws(method, options.at[1], options.counts, seconds / 3, runs)
    reached = {n: s for n, s in found["fit"] if s < seconds / 4}
    at = sorted(reached)[-2:] if name in LINEAR else options.at[2:]
    looked = [n for n in at if n in reached] or [min(sizes)]
    found["memory"] = [memory(method, n) for n in looked]
    use = method.gram_use(method.module.Params()) if "grams" in method.needs else "none"
    held = COMBINED if issubclass(method.module.Params, MarginParams) else 1
    return found | {"grams": use, "matrices": held if use != "none" else 0}


def stages(options: argparse.Namespace) -> dict[str, list]:
    """Measure the stages before the methods."""
    found: dict[str, list] = {}
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        path = Path(folder) / "K.h5"
        calls = {
            "normalise": lambda data: normalise_dataset(data, "standardise"),
            "split (100 draws)": lambda data: splits_of(data, 100, "splits"),
            "gram": lambda data: compute_gram(path, data.X, "gaussian-median", memory_mb=256),
            "read a Gram file": lambda data: read_gram(path),
        }
        for name, call in calls.items():
            points = found[name] = []
            sizes = (*options.sizes, *options.larger)
            if name.startswith(("gram", "read")):  # an n^2 file on the disk
                sizes = sizes[: len(options.sizes) + 1]
            for n in sizes:
                if not goes_on(points, options.seconds):
                    break
                data = clouds(n)
                if name.startswith("read"):
                    compute_gram(path, data.X, "gaussian-median", memory_mb=256)
                points.append([n, cpu(lambda: call(data), 3)])  # noqa: B023
                path.unlink(missing_ok=True) if name == "gram" else None
            print(f"{name}: n = {points[-1][0]}", file=sys.stderr, flush=True)
    return found


def machine(before: float) -> dict:
    """Say what was measured on, with the load average before and now."""
    return {
        "python": platform.python_version(),
        "processor": platform.machine(),
        "cores": os.cpu_count(),
        "load": [round(before, 1), round(os.getloadavg()[1], 1)],
        "cpu_seconds": round(time.process_time()),
    }


def run(options: argparse.Namespace) -> dict:
    """Measure what the options ask for."""
    before, found = os.getloadavg()[1], {"methods": {}}
    with threadpool_limits(1):
        if not options.methods:
            found["stages"] = stages(options)
        for name in options.methods or method_names():
            start = time.process_time()
            found["methods"][name] = measure(name, options)
            used = time.process_time() - start
            print(f"{name}: {used:.1f} s in all", file=sys.stderr, flush=True)
    if not options.methods:
        found["machine"] = machine(before)
    return found


def parse(arguments: list[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--methods", nargs="*", metavar="METHOD", help="default: all, and stages")
    parser.add_argument("--seconds", type=float, default=3.0, help="limit of one measured call")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    parser.add_argument("--larger", type=int, nargs="*", default=LARGER)
    parser.add_argument("--counts", type=int, nargs="+", default=KERNELS, help="kernels and draws")
    parser.add_argument(
        "--at", type=int, nargs=4, default=(AT_KERNELS, AT_DRAWS, *AT_MEMORY),
        help="points in the sweeps over kernels and draws, and where memory is looked at",
    )  # fmt: skip
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()))
    parser.add_argument("--docs", type=Path, default=Path("docs"))
    parser.add_argument("--write", action="store_true", help="numbers, tables and figures")
    parser.add_argument("--page", action="store_true", help="tables and figures of kept numbers")
    return parser.parse_args(arguments)


def main(arguments: list[str] | None = None) -> None:
    options = parse(arguments)
    path = options.docs / NUMBERS
    kept = json.loads(path.read_text("utf-8")) if path.exists() else {"methods": {}}
    if not options.page:
        found = run(options)
        kept = kept | found | {"methods": kept["methods"] | found["methods"]}
        kept["methods"] = dict(sorted(kept["methods"].items()))
        if options.write:
            path.write_text(json.dumps(kept, indent=1, sort_keys=True) + "\n", encoding="utf-8")
        else:
            print(json.dumps(kept))
    if options.page or options.write:
        write_page(options.docs, kept)


if __name__ == "__main__":
    main()
