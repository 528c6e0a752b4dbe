import os
import subprocess
import sys
import textwrap
import time
import tracemalloc

import h5py
import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from threadpoolctl import threadpool_limits

from gramworks.errors import FileDamaged, KernelError, ResourceError
from gramworks.gram import compute_gram, gram_info, read_gram, write_gram
from gramworks.kernels import centre, gaussian, linear, normalise, polynomial
from gramworks.kernels.gaussian_kernel import median_width

IDS = [
    "linear",
    "poly-d3-o1-unit",
    "gaussian-w2-centred",
    "gaussian-median-centred-unit",
    "linear-unit-centred",
]


@pytest.fixture
def rng():
    return np.random.default_rng(12)


@pytest.fixture
def K(rng):
    return gaussian(rng.standard_normal((60, 3)), width=1)


def test_write_and_read(K, tmp_path):
    K.setflags(write=False)
    path = tmp_path / "folder" / "K.h5"
    check = write_gram(
        path,
        K,
        kernel="mine",
        parameters={"width": 1.0},
        row_ids=[f"{i:02d}" for i in range(60)],
        provenance={"long": "x" * 70_000},
    )
    assert np.array_equal(read_gram(path), K)
    info = gram_info(path)
    assert info["kernel"] == "mine"
    assert info["parameters"] == {"width": 1.0}
    assert info["n"] == 60
    assert info["trace"] == 60
    assert info["row_ids"][:2] == ["00", "01"]
    assert info["provenance"] == {"long": "x" * 70_000}
    assert info["check"] == check.record()
    assert info["smallest_eigenvalue"] == pytest.approx(np.linalg.eigvalsh(K)[0], abs=1e-13)
    with h5py.File(path) as file:
        assert file["K"].fletcher32
        assert file["K"].dtype == np.float64


def test_a_repair_is_announced_and_recorded(K, tmp_path):
    K[3, 5] += 1e-9
    with pytest.warns(UserWarning, match="averaged with its transpose"):
        write_gram(tmp_path / "K.h5", K)
    stored = read_gram(tmp_path / "K.h5")
    assert np.array_equal(stored, stored.T)
    check = gram_info(tmp_path / "K.h5")["check"]
    assert check["outcome"] == "repaired"
    assert check["asymmetry"] == pytest.approx(1e-9, rel=1e-6)


def test_the_smallest_eigenvalue_on_file_is_of_the_matrix_on_file(tmp_path):
    with pytest.warns(UserWarning, match="added to the diagonal"):
        write_gram(tmp_path / "K.h5", np.diag([1.0, 1.0, -1e-8]))
    assert gram_info(tmp_path / "K.h5")["smallest_eigenvalue"] == 0
    assert read_gram(tmp_path / "K.h5")[2, 2] == 0
    assert gram_info(tmp_path / "K.h5")["check"]["shift"] == 1e-8


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda K: K.__setitem__((2, 7), np.nan), "nan in row 2, column 7"),
        (lambda K: K.__setitem__((2, 7), 5), "not symmetric"),
        (lambda K: np.tanh(K * 3 - 2, out=K), "not positive semidefinite"),
    ],
)
def test_a_refused_matrix_is_not_written(change, message, K, tmp_path):
    change(K)
    with pytest.raises(KernelError, match=message):
        write_gram(tmp_path / "K.h5", K)
    assert list(tmp_path.iterdir()) == []


def test_row_ids_of_another_length(K, tmp_path):
    with pytest.raises(KernelError, match="3 names for 60 points"):
        write_gram(tmp_path / "K.h5", K, row_ids="abc")
    with pytest.raises(KernelError, match="2 names for 3 points"):
        compute_gram(tmp_path / "K.h5", np.eye(3), "linear", row_ids=["a", "b"])


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    """A matrix of several chunks; its points are on a line, so that it is quick to make."""
    path = tmp_path_factory.mktemp("gram") / "K.h5"
    compute_gram(path, np.random.default_rng(0).standard_normal((1030, 1)), "gaussian-w1")
    return path, read_gram(path)


n = 1030
selections = st.one_of(
    st.none(),
    st.lists(st.integers(-n, n - 1), max_size=30),
    st.builds(slice, st.integers(-n, n), st.integers(-n, n), st.integers(1, 400)),
    st.builds(slice, st.none(), st.none(), st.integers(-400, -1)),
    st.builds(lambda s: np.random.default_rng(s).random(n) < 0.1, st.integers(0, 9)),
)


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(selections, selections)
def test_any_selection_is_what_numpy_selects(stored, rows, columns):
    path, K = stored

    def indices(selection):
        chosen = slice(None) if selection is None else selection
        return np.arange(n)[chosen if not isinstance(chosen, list) else np.array(chosen, int)]

    found = read_gram(path, rows, columns)
    assert found.dtype == np.float64
    assert np.array_equal(found, K[np.ix_(indices(rows), indices(columns))])


@pytest.mark.parametrize(
    ("selection", "message"),
    [
        ([0, n], f"index {n} is out of range"),
        ([-n - 1], f"index -{n + 1} is out of range"),
        (np.ones(n - 1, bool), f"mask has {n - 1} entries for {n}"),
        ([0.5], "float64"),
        ([[1, 2]], r"shape \(1, 2\)"),
        (3, r"shape \(\)"),
        (["a"], "None, a slice"),
    ],
)
def test_selections_that_do_not_fit(selection, message, stored):
    for arguments in ({"rows": selection}, {"columns": selection}):
        with pytest.raises(KernelError, match=message) as caught:
            read_gram(stored[0], **arguments)
        assert next(iter(arguments)) in str(caught.value)


def wanted(kernel_id, X):
    """Compute the same kernel with the public functions, one step after the other."""
    X = X.toarray() if sp.issparse(X) else X
    base = {
        "linear": linear,
        "poly": lambda X: polynomial(X, degree=3, offset=1),
        "gaussian": lambda X: gaussian(X, width=median_width(X) if "median" in kernel_id else 2),
    }
    family, *words = kernel_id.split("-")
    K = base[family](X)
    for word in words:
        K = {"centred": centre, "unit": normalise}.get(word, lambda K: K)(K)
    return K


@pytest.mark.parametrize("kernel_id", IDS)
@pytest.mark.parametrize("sparse", [False, True])
def test_compute_in_memory_and_tile_by_tile(kernel_id, sparse, rng, tmp_path):
    X = rng.standard_normal((1100, 5)) + 1
    if sparse:
        X = sp.csr_array(X * (rng.random(X.shape) < 0.7) + np.eye(1100, 5) + 0.01)
    lines = []
    one = compute_gram(tmp_path / "a.h5", X, kernel_id, log=lines.append)
    two = compute_gram(tmp_path / "b.h5", X, kernel_id, memory_mb=18, log=lines.append)
    assert "in memory" in lines[0]
    assert any("tile by tile" in line for line in lines)
    a, b = read_gram(tmp_path / "a.h5"), read_gram(tmp_path / "b.h5")
    assert np.array_equal(a, b)
    assert np.array_equal(a, a.T)
    np.testing.assert_allclose(a, wanted(kernel_id, X), rtol=1e-12, atol=1e-10)
    if kernel_id.endswith("-unit"):
        assert np.array_equal(np.diagonal(a), np.ones(1100))
    values = np.linalg.eigvalsh(a)
    for check in (one, two):
        assert check.outcome == "fine"
        assert check.trace == pytest.approx(np.trace(a), rel=1e-12)
        assert np.abs(values - check.smallest_eigenvalue).min() <= max(
            check.eigenvalue_error, 1e-12 * values[-1]
        )
        assert check.eigenvalue_error <= 1e-3 * values[-1]
    info = gram_info(tmp_path / "a.h5")
    assert info["kernel"] == kernel_id
    assert info == gram_info(tmp_path / "b.h5") | {
        key: info[key] for key in ("trace", "smallest_eigenvalue", "check")
    }


def test_the_bits_do_not_depend_on_the_threads(tmp_path):
    """BLAS splits a product of 9 columns differently on one thread and on two."""
    code = """
        import sys
        import numpy as np
        from gramworks.gram import compute_gram
        X = np.random.default_rng(0).standard_normal((700, 9))
        for kernel in sys.argv[3:]:
            path = f"{sys.argv[1]}-{kernel}.h5"
            compute_gram(path, X, kernel, memory_mb=float(sys.argv[2]), log=print)
    """
    kernels = ["poly-d3-o1-unit", "gaussian-median-centred", "linear"]
    for threads, memory_mb in (("1", "1024"), ("2", "1024"), ("4", "10")):
        said = subprocess.run(
            [sys.executable, "-c", textwrap.dedent(code), tmp_path / threads, memory_mb, *kernels],
            env=os.environ | dict.fromkeys(["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"], threads),
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        assert ("in memory" if memory_mb == "1024" else "tile by tile") in said
    for kernel in kernels:
        one, two, small = (tmp_path / f"{threads}-{kernel}.h5" for threads in "124")
        assert np.array_equal(read_gram(one), read_gram(small))
        assert one.read_bytes() == two.read_bytes()


def test_an_error_in_a_thread_is_raised_and_leaves_no_file(tmp_path):
    X = np.ones((1500, 2))
    X[700:] = 1e90
    with threadpool_limits(2, user_api="blas"), pytest.raises(KernelError, match="overflows"):
        compute_gram(tmp_path / "a.h5", X, "poly-d7-o1")
    assert list(tmp_path.iterdir()) == []


def test_memory_stays_bounded(tmp_path, rng):
    X = rng.standard_normal((3000, 2))
    tracemalloc.start()
    compute_gram(tmp_path / "a.h5", X, "gaussian-w1", memory_mb=24)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 24 * 2**20 < 8 * 3000**2


@pytest.mark.parametrize("sparse", [False, True])
def test_the_bound_counts_the_data_twice(sparse, tmp_path):
    X = np.ones((20, 200_000 // 20))
    X = sp.csr_array(X) if sparse else X
    with pytest.raises(ResourceError, match="at least [345] MB"):
        compute_gram(tmp_path / "a.h5", X, "linear", memory_mb=1)


def test_a_memory_bound_that_holds_nothing(tmp_path):
    with pytest.raises(ResourceError, match="memory_mb = 0.1: 500 points need at least"):
        compute_gram(tmp_path / "a.h5", np.ones((500, 2)), "linear", memory_mb=0.1)
    with pytest.raises(ResourceError, match="memory_mb = nan"):
        compute_gram(tmp_path / "a.h5", np.ones((500, 2)), "linear", memory_mb=float("nan"))


def test_the_median_width_is_kept(tmp_path, rng):
    X = rng.standard_normal((50, 3))
    compute_gram(tmp_path / "a.h5", X, "gaussian-median")
    info = gram_info(tmp_path / "a.h5")
    assert info["kernel"] == "gaussian-median"
    assert info["parameters"] == {"width": median_width(X)}
    assert np.array_equal(read_gram(tmp_path / "a.h5"), gaussian(X, width=median_width(X)))


def test_the_identifier_on_file_is_canonical(tmp_path):
    compute_gram(tmp_path / "a.h5", np.eye(3), "gaussian-w0.50")
    assert gram_info(tmp_path / "a.h5")["kernel"] == "gaussian-w0.5"


def test_one_point(tmp_path):
    compute_gram(tmp_path / "a.h5", [[2.0, 1.0]], "linear")
    assert np.array_equal(read_gram(tmp_path / "a.h5"), [[5.0]])


@pytest.mark.parametrize("memory_mb", [1024, 19])
@pytest.mark.parametrize(
    ("kernel_id", "outcome"),
    [
        ("linear", "fine"),
        ("linear-centred", "fine"),
        ("gaussian-w1", "fine"),
        ("gaussian-w1-centred", "fine"),
        ("poly-d2-o1-unit", "fine"),
        ("gaussian-median", "median distance is 0"),
        ("linear-centred-unit", "not above zero in 1300 of 1300 rows"),
    ],
)
def test_all_points_equal(kernel_id, outcome, memory_mb, tmp_path):
    X = np.full((1300, 3), 0.1)
    if outcome == "fine":
        check = compute_gram(tmp_path / "a.h5", X, kernel_id, memory_mb=memory_mb)
        assert check.outcome == "fine"
    else:
        with pytest.raises(KernelError, match=outcome):
            compute_gram(tmp_path / "a.h5", X, kernel_id, memory_mb=memory_mb)
        assert list(tmp_path.iterdir()) == []


def test_every_row_twice_and_a_constant_column(tmp_path, rng):
    X = np.repeat(rng.standard_normal((30, 3)), 2, axis=0)
    X[:, 1] = 7
    for kernel_id in IDS:
        check = compute_gram(tmp_path / "a.h5", X, kernel_id)
        assert check.outcome == "fine"
        K = read_gram(tmp_path / "a.h5")
        np.testing.assert_allclose(K[::2], K[1::2], rtol=1e-12, atol=1e-12)


def test_a_zero_row_under_a_linear_kernel_with_unit_diagonal(tmp_path, rng):
    X = rng.standard_normal((30, 3))
    X[11] = 0
    with pytest.raises(KernelError, match=r"1 of 30 rows \(11;"):
        compute_gram(tmp_path / "a.h5", X, "linear-unit")
    compute_gram(tmp_path / "a.h5", X, "poly-d1-o1-unit")


def test_unusable_data_leave_no_file(tmp_path):
    X = np.ones((4, 3))
    X[2, 1] = np.nan
    with pytest.raises(KernelError, match="row 2, column 1"):
        compute_gram(tmp_path / "a.h5", X, "linear")
    with pytest.raises(KernelError, match="no family"):
        compute_gram(tmp_path / "a.h5", np.ones((4, 3)), "cosine")
    assert list(tmp_path.iterdir()) == []


def test_kill_in_the_middle_of_a_gram(tmp_path):
    path = tmp_path / "K.h5"
    compute_gram(path, np.eye(5), "linear")
    code = f"""
        import numpy as np
        from gramworks.gram import compute_gram
        X = np.random.default_rng(0).standard_normal((6000, 40))
        compute_gram({str(path)!r}, X, "gaussian-w3", memory_mb=30,
                     log=lambda line: print(line, flush=True))
    """
    process = subprocess.Popen([sys.executable, "-c", textwrap.dedent(code)], stdout=-1)
    for line in process.stdout:
        if b" 20 %" in line:
            break
    else:
        pytest.fail("the writer ended before it was killed")
    process.kill()
    process.wait()
    process.stdout.close()
    assert np.array_equal(read_gram(path), np.eye(5))
    start = time.monotonic()
    compute_gram(path, 2 * np.eye(5), "linear")
    assert time.monotonic() - start < 5
    assert [p.name for p in tmp_path.iterdir()] == ["K.h5"]
    assert np.array_equal(read_gram(path), 4 * np.eye(5))


def test_damage_is_found(stored, tmp_path):
    whole = np.frombuffer(stored[0].read_bytes(), dtype=np.uint8)
    path = tmp_path / "K.h5"
    flipped = whole.copy()
    flipped[np.random.default_rng(0).choice(whole.size, 100, replace=False)] ^= 0x10
    for content in (flipped, whole[: whole.size // 2], whole[:0]):
        path.write_bytes(content.tobytes())
        with pytest.raises(FileDamaged, match=r"K\.h5.*snakemake --force"):
            read_gram(path)


def test_flipped_bytes_in_a_chunk_do_not_hide_the_others(stored, tmp_path):
    path, K = stored
    with h5py.File(path) as file:
        chunk = file["K"].id.get_chunk_info_by_coord((0, 0))
    content = bytearray(path.read_bytes())
    content[chunk.byte_offset + 1000] ^= 4
    (tmp_path / "K.h5").write_bytes(content)
    with pytest.raises(FileDamaged):
        read_gram(tmp_path / "K.h5", rows=[0], columns=[0])
    assert np.array_equal(read_gram(tmp_path / "K.h5", rows=[1000]), K[[1000]])


def test_a_file_of_another_shape(tmp_path):
    from gramworks.hdf5 import atomic, write_array

    with atomic(tmp_path / "a.h5", "gram") as file:
        write_array(file, "K", np.ones((3, 4)))
    for reader in (read_gram, gram_info):
        with pytest.raises(FileDamaged, match="expected a square float64 or float32 matrix"):
            reader(tmp_path / "a.h5")
