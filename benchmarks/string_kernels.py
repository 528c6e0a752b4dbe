"""Time and memory of the string kernels, beside a peer and the bare limit, in one run.

    python benchmarks/string_kernels.py [--peer-python PYTHON] [--strings 1000] [--write]

The peer is the package strkernels (in C, with OpenMP); PYTHON is an interpreter of an environment
that has it, such as one made by `python -m venv peer; peer/bin/pip install strkernels`. The bare
limit is the same recursion on one pair in one compiled loop, without strings, checks or
normalising, times the number of pairs. Runs take turns, medians of 5. `--write` writes
docs/benchmarks/string-kernels.md.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

LENGTH, DECAY, LETTERS = 3, 0.01, "abcd"
PAGE = Path(__file__).parents[1] / "docs" / "benchmarks" / "string-kernels.md"
PEER = """
import json, sys, time
from strkernels import SubsequenceStringKernel
S = json.loads(sys.stdin.readline())
kernel = SubsequenceStringKernel(maxlen=3, ssk_lambda=0.01)
shorter = SubsequenceStringKernel(maxlen=2, ssk_lambda=0.5, normalizer=None)
raw = SubsequenceStringKernel(maxlen=3, ssk_lambda=0.5, normalizer=None)
few = S[:20]
print(json.dumps((raw(few, few) - shorter(few, few)).tolist()), flush=True)
for line in sys.stdin:
    start = time.perf_counter()
    kernel(S, S)
    print(time.perf_counter() - start, flush=True)
"""


def _texts(n: int, size: int) -> list[str]:
    rng = np.random.default_rng(0)
    return ["".join(rng.choice(list(LETTERS), size)) for _ in range(n)]


def _timed(function) -> float:
    start = time.perf_counter()
    function()
    return time.perf_counter() - start


def _peer(python: str | None, S: list[str]):
    """Start the peer in its own environment; None and the reason if it cannot."""
    if python is None:
        return None, "no --peer-python"
    process = subprocess.Popen(
        [python, "-c", PEER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    try:
        process.stdin.write(json.dumps(S) + "\n")
        process.stdin.flush()
        few = json.loads(process.stdout.readline())
    except (OSError, ValueError):
        return None, f"{python} has no strkernels, or it failed"
    return process, np.array(few)


def _ask(process) -> float:
    process.stdin.write("\n")
    process.stdin.flush()
    return float(process.stdout.readline())


def _bare(S: list[str]) -> float:
    """Time one pair in a loop, times the number of pairs with i <= j."""
    from gramworks.solvers.subsequence_sums import _one_pair

    first, second = ([ord(c) for c in s] for s in S[:2])
    first, second = np.array(first), np.array(second)
    _one_pair(first, second, LENGTH, DECAY)
    times = [_timed(lambda: _one_pair(first, second, LENGTH, DECAY)) for _ in range(20000)]
    return float(np.median(times)) * len(S) * (len(S) + 1) / 2


def measure_pairs(n: int, python: str | None) -> list[str]:
    """Compare all pairs of n strings of 15 letters."""
    from gramworks.kernels.spectrum_kernel import spectrum
    from gramworks.kernels.subsequence_kernel import subsequence
    from gramworks.kernels.tiles import blas_threads

    S = _texts(n, 15)
    first = _timed(lambda: subsequence(S, length=LENGTH, decay=DECAY))
    process, few = _peer(python, S)
    ours, theirs, bare, grams = [], [], [], []
    for _ in range(5):
        ours.append(_timed(lambda: subsequence(S, length=LENGTH, decay=DECAY)))
        grams.append(_timed(lambda: spectrum(S, length=LENGTH)))
        bare.append(_bare(S))
        if process is not None:
            theirs.append(_ask(process))
    mine = statistics.median(ours)
    rows = [
        f"| `subsequence`, {n} strings, {blas_threads()} thread(s) | {mine:.3f} | 1 |",
        f"| the same, first call of a process, numba loaded | {first:.2f} | |",
        f"| one pair at a time in a compiled loop, one thread, times {n * (n + 1) // 2} pairs | "
        f"{statistics.median(bare):.3f} | {statistics.median(bare) / mine:.1f} |",
    ]
    if process is None:
        rows.append(f"| strkernels | skipped: {few} | |")
    else:
        process.stdin.close()
        process.wait()
        own = subsequence(S[:20], length=LENGTH, decay=0.5, normalise=False)
        difference = np.abs(few / own - 1).max()
        peer = statistics.median(theirs)
        rows.append(
            f"| strkernels, as many threads (20 strings, decay 0.5: relative difference up to "
            f"{difference:.0e}) | {peer:.3f} | {peer / mine:.1f} |"
        )
    rows.append(f"| `spectrum`, the same strings | {statistics.median(grams):.3f} | |")
    return rows


def measure_documents(size: int) -> list[str]:
    """Compare two documents."""
    from gramworks.kernels.subsequence_kernel import subsequence

    subsequence(["abc", "bcd"], length=LENGTH, decay=0.5)
    S = _texts(2, size)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    seconds = _timed(lambda: subsequence(S, length=LENGTH, decay=0.5))
    peak = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    return [
        f"| `subsequence`, two documents of {size} characters, normalised (three sums) | "
        f"{seconds:.1f} | |",
        f"| peak memory of it above what was there before: {peak:.0f} MB | | |",
    ]


def main() -> None:
    """Measure the two parts, each in a process of its own, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--peer-python", help="an interpreter that has strkernels")
    parser.add_argument("--strings", type=int, default=1000)
    parser.add_argument("--part", choices=["pairs", "documents"], help=argparse.SUPPRESS)
    parser.add_argument("--write", action="store_true", help="write the page")
    options = parser.parse_args()
    if options.part == "documents":
        print("\n".join(measure_documents(20_000)))
        return
    if options.part == "pairs":
        print("\n".join(measure_pairs(options.strings, options.peer_python)))
        return
    rows = []
    for part in ("pairs", "documents"):
        command = [sys.executable, __file__, "--part", part, "--strings", str(options.strings)]
        command += ["--peer-python", options.peer_python] if options.peer_python else []
        made = subprocess.run(command, check=True, capture_output=True, text=True)
        rows += made.stdout.splitlines()
    table = ["| what | seconds | times `subsequence` |", "|---|--:|--:|", *rows]
    print("\n".join(table))
    if options.write:
        threads = os.environ.get("OMP_NUM_THREADS", "not set")
        PAGE.write_text(TEXT.format(table="\n".join(table), threads=threads), encoding="utf-8")


TEXT = """# String kernels

`python benchmarks/string_kernels.py --peer-python peer/bin/python --write`: all pairs of strings of
15 letters of four, r = 3, decay 0.01, normalised. Ours and the peer's runs take turns, medians of 5
in one run; OMP_NUM_THREADS {threads}, other work on the machine. The peer sums over the lengths 1
to 3 in as many steps; its raw values for 3 less those for 2 are compared with ours.

{table}

Many shorter strings go side by side with each string, so that one instruction does several of them;
hence less time than the compiled loop over one pair at a time, which waits for its own results.
"""


if __name__ == "__main__":
    main()
