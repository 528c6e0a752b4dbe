"""Resident memory of Gram jobs, as the system counts it for a process of its own."""

import subprocess
import sys
import textwrap
from pathlib import Path

import h5py
import numpy as np
import pytest

from gramworks.kernels.tiles import stripes, tile_side

POINTS = """
    import sys
    import numpy as np
    X = np.random.default_rng(0).standard_normal((30_000, 100))
"""


def peak_mb(code, *arguments):
    """Run code in a process of its own; give its largest resident memory in MiB."""
    # What getrusage says begins with the memory of the process that started this one.
    said = '\n    print(open("/proc/self/status").read().split("VmHWM:")[1].split()[0])'
    made = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(POINTS + code + said), *map(str, arguments)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert made.returncode == 0, made.stderr
    return float(made.stdout) / 1024


@pytest.mark.skipif(not Path("/proc/self/status").is_file(), reason="needs Linux's /proc")
def test_a_job_of_rows_of_30000_points_stays_below_a_gibibyte(tmp_path):
    rows = max(stripes(30_000, 2000), key=lambda rows: rows.stop - rows.start)
    size = rows.stop - rows.start
    assert 2000 - tile_side(30_000) < size <= 2000
    path = tmp_path / "rows.h5"
    code = """
    from gramworks.gram_blocks import compute_rows
    compute_rows(sys.argv[1], X, "gaussian-w14", slice(*map(int, sys.argv[2:])), key="k")
"""
    peak = peak_mb(code, path, rows.start, rows.stop)
    assert peak < 1024
    X = np.random.default_rng(0).standard_normal((30_000, 100))
    with h5py.File(path) as file:
        assert file["K"].shape == (size, 30_000)
        found = file["K"][[3, 700]][:, [5, 29_999]]
    distances = ((X[rows][[3, 700], None] - X[None, [5, 29_999]]) ** 2).sum(axis=2)
    np.testing.assert_allclose(found, np.exp(-distances / (2 * 14**2)), rtol=1e-10)
    # Without the bound the interpreter and its libraries alone would hide a matrix of that size.
    assert path.stat().st_size > 8 * size * 30_000
    bare = peak_mb("    import gramworks.gram_blocks")
    assert peak - bare < 200
