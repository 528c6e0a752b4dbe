"""How the bounds of the margin solver close, as a figure.

    python benchmarks/convergence.py

Run after the default run, from the project's folder, with OMP_NUM_THREADS=1. Writes
docs/benchmarks/kernel-matrix-convergence.svg and .png: ionosphere, the three kernels of tables 1-3,
80 % of the points labelled, 1-norm soft margin with C = 1.
"""

from pathlib import Path

from kernel_matrix import make_problem

from gramworks import __version__
from gramworks.learning.margin import MarginKernel
from gramworks.report.convergence import convergence_plot
from gramworks.report.figures import save_figure


def main() -> None:
    runs = {}
    for weights in ("nonnegative", "free"):
        kernels, y, labelled = make_problem("ionosphere", 351)
        MarginKernel(weights=weights).fit(*make_problem("ionosphere", 60))  # imports
        model = MarginKernel(weights=weights).fit(kernels, y, labelled)
        runs[f"{weights} weights"] = model.bounds_
        for seconds, lower, upper in model.bounds_:
            print(f"{weights:12} {1e3 * seconds:8.1f} ms {lower:12.6f} {upper:12.6f}")
    stem = Path("docs/benchmarks/kernel-matrix-convergence")
    save_figure(convergence_plot(runs), stem, version=__version__)


if __name__ == "__main__":
    main()
