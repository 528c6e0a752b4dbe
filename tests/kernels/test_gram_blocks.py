import contextlib
import os
import shutil

import h5py
import numpy as np
import pytest
import scipy.sparse as sp

from gramworks.errors import FileDamaged, KernelError
from gramworks.gram import compute_gram, gram_info, read_gram
from gramworks.gram_blocks import (
    compute_rows,
    compute_sums,
    join_rows,
    matrix_key,
)
from gramworks.gram_files import block_name, block_path
from gramworks.hdf5 import rebuild_command
from gramworks.kernels import gaussian
from gramworks.kernels.identifiers import families, made_by_rows, needs_sums
from gramworks.kernels.tiles import ranges, stripes, tile_side

POINTS = np.random.default_rng(5).standard_normal((1300, 4)) + 1
CUT = stripes(1300, 500)  # three of one row of tiles each


def made(path, X=POINTS, kernel="gaussian-w2", cut=CUT, precision="float64", **more):
    """Compute a matrix by blocks, each step as a job does it."""
    key = matrix_key(X, kernel, precision, "code")
    sums = []
    for rows in cut if needs_sums(kernel) else ():
        sums.append(block_path(path, rows).with_suffix(".sums.h5"))
        compute_sums(sums[-1], X, kernel, rows, key=key)
    for rows in reversed(cut):
        to = block_path(path, rows)
        compute_rows(to, X, kernel, rows, key=key, sums=sums, precision=precision)
    return join_rows(path, cut, kernel, key=key, precision=precision, **more)


@pytest.fixture(scope="module")
def joined(tmp_path_factory):
    path = tmp_path_factory.mktemp("joined") / "results" / "gaussian-w2.h5"
    made(path, row_ids=[f"p{i}" for i in range(1300)], provenance={"a": 1})
    return path


@pytest.fixture
def copy(joined, tmp_path):
    return shutil.copytree(joined.parent, tmp_path / "results") / joined.name


@pytest.mark.parametrize("most", [1, 500, 700, 1299, 1300])
@pytest.mark.parametrize("n", [1, 3, 1300, 1537])
def test_stripes_are_whole_rows_of_tiles(n, most):
    found = stripes(n, most)
    assert [row for rows in found for row in range(n)[rows]] == list(range(n))
    starts = {part.start for part in ranges(n)}
    assert {rows.start for rows in found} <= starts
    longest = max(rows.stop - rows.start for rows in found)
    assert longest <= max(most, tile_side(n))
    if n <= most:
        assert found == [slice(0, n)]


@pytest.mark.parametrize(
    "kernel",
    [
        "linear",
        "poly-d3-o1-unit",
        "gaussian-median-centred",
        "linear-unit-centred",
        "poly-d2-o1-centred-unit",
    ],
)
def test_rows_have_the_bits_of_one_job(kernel, tmp_path):
    check = made(tmp_path / "blocks.h5", kernel=kernel)
    one = compute_gram(tmp_path / "one.h5", POINTS, kernel, memory_mb=25)  # tile by tile
    assert np.array_equal(read_gram(tmp_path / "blocks.h5"), read_gram(tmp_path / "one.h5"))
    assert check == one
    ours, theirs = gram_info(tmp_path / "blocks.h5"), gram_info(tmp_path / "one.h5")
    assert ours.pop("blocks") == [[rows.start, rows.stop - 1] for rows in CUT]
    assert ours.pop("tile") == tile_side(1300)
    assert ours.pop("key")
    assert ours == theirs


def test_blocks_of_unequal_length(tmp_path):
    parts = ranges(1300)
    cut = [slice(0, parts[1].start), slice(parts[1].start, 1300)]
    made(tmp_path / "a.h5", cut=cut)
    compute_gram(tmp_path / "one.h5", POINTS, "gaussian-w2")
    assert np.array_equal(read_gram(tmp_path / "a.h5"), read_gram(tmp_path / "one.h5"))


def sample_points(family):
    rng = np.random.default_rng(2)
    if getattr(families()[family], "TAKES", "vectors") == "strings":
        return ["".join(rng.choice(list("abc"), size=rng.integers(2, 9))) for _ in range(1100)]
    return sp.csr_array(rng.random((1100, 6)) * (rng.random((1100, 6)) < 0.5) + np.eye(1100, 6))


@pytest.mark.parametrize(
    "kernel", ["spectrum-l2", "subsequence-l2-d0.5", "gaussian-clusters-k3", "gaussian-w1"]
)
def test_every_family_that_says_so_is_made_by_rows(kernel, tmp_path):
    X = sample_points(kernel.rsplit("-l")[0] if "-l" in kernel else "gaussian")
    made(tmp_path / "a.h5", X, kernel, stripes(1100, 400))
    compute_gram(tmp_path / "one.h5", X, kernel)
    assert np.array_equal(read_gram(tmp_path / "a.h5"), read_gram(tmp_path / "one.h5"))


def test_families_made_by_rows_are_those_tested():
    said = {family for family, module in families().items() if getattr(module, "BY_ROWS", False)}
    assert said == {
        "linear", "poly", "gaussian", "gaussian-clusters", "spectrum", "subsequence",
    }  # fmt: skip


def test_kernels_that_need_all_points_together_are_one_job(tmp_path):
    for kernel in ("diffusion-b1", "concepts-r5", "linear-mapped", "smith-waterman-mapped"):
        assert not made_by_rows(kernel)
    with pytest.raises(KernelError, match="linear-mapped' cannot be computed by rows"):
        compute_rows(tmp_path / "a.h5", POINTS, "linear-mapped", CUT[0], key="k")
    assert made_by_rows("gaussian-w2-centred-unit@view")


def test_rows_that_are_not_whole_tiles(tmp_path):
    for rows in (slice(0, 100), slice(7, 1300), slice(0, 1744)):
        with pytest.raises(KernelError, match="not whole tiles of 434 rows"):
            compute_rows(tmp_path / "a.h5", POINTS, "linear", rows, key="k")
    assert list(tmp_path.iterdir()) == []


def test_parts_are_what_numpy_selects(joined):
    K = gaussian(POINTS, width=2)
    rng = np.random.default_rng(0)
    for rows, columns in (
        (None, None),
        (slice(400, 900), None),
        (rng.permutation(1300)[:70], slice(None, None, -3)),
        ([-1, 0, 0], [433, 434, 868]),
        ([], None),
    ):
        found = read_gram(joined, rows, columns)
        chosen = [
            np.arange(1300)[slice(None) if c is None else c if isinstance(c, slice) else
                            np.array(c, int)] for c in (rows, columns)
        ]  # fmt: skip
        np.testing.assert_array_equal(found, K[np.ix_(*chosen)])
    info = gram_info(joined)
    assert info["row_ids"][:2] == ["p0", "p1"]
    assert info["provenance"] == {"a": 1}


def test_other_programs_read_it_wherever_it_lies(copy):
    moved = copy.parent.rename(copy.parent.parent / "elsewhere") / copy.name
    with h5py.File(moved) as file:
        assert file["K"].is_virtual
        assert {source.file_name for source in file["K"].virtual_sources()} == {
            f"gaussian-w2/{block_name(rows)}" for rows in CUT
        }
        assert np.array_equal(file["K"][()], gaussian(POINTS, width=2))
    assert np.array_equal(read_gram(moved), gaussian(POINTS, width=2))


def complaint(path, block, rows=None):
    with pytest.raises(FileDamaged) as caught:
        read_gram(path, rows)
    assert str(block) in str(caught.value)
    assert rebuild_command(block) in str(caught.value)
    return str(caught.value)


def test_a_file_is_read_by_its_own_tiles(joined, monkeypatch):
    import gramworks.kernels.tiles as tiles

    monkeypatch.setattr(tiles, "LARGEST_TILE", 100)  # as of another version
    assert np.array_equal(read_gram(joined), gaussian(POINTS, width=2))


def test_a_missing_block_is_told_whatever_is_read(copy):
    block = block_path(copy, CUT[1])
    block.unlink()
    for rows in (None, [0], [600]):
        assert "is missing" in complaint(copy, block, rows)
    with pytest.raises(FileDamaged, match="434-867"):
        gram_info(copy)
    with h5py.File(copy) as file:
        assert not file["K"][600].any()  # what HDF5 makes of it


@pytest.mark.parametrize("damage", ["empty", "half", "flipped", "text", "other"])
def test_a_damaged_block_is_told(damage, copy):
    block = block_path(copy, CUT[1])
    whole = block.read_bytes()
    middle = np.frombuffer(whole, dtype=np.uint8).copy()
    middle[len(whole) // 2] ^= 1
    block.write_bytes(
        {
            "empty": b"",
            "half": whole[: len(whole) // 2],
            "flipped": middle.tobytes(),
            "text": b"K" * 4096,
            "other": block_path(copy, CUT[0]).read_bytes(),
        }[damage]
    )
    complaint(copy, block)
    # All that is in the others can be read still.
    assert np.array_equal(read_gram(copy, [1000]), gaussian(POINTS, width=2)[[1000]])


def test_a_joined_file_with_flipped_bits_is_found_or_harmless(copy):
    whole = copy.read_bytes()
    wanted, unfound = gaussian(POINTS, width=2)[[700]][:, [3, 1200]], 0
    rng = np.random.default_rng(1)
    for place in rng.choice(len(whole), 150, replace=False):
        flipped = bytearray(whole)
        flipped[place] ^= 1 << int(rng.integers(8))
        copy.write_bytes(flipped)
        with contextlib.suppress(FileDamaged):
            assert np.array_equal(read_gram(copy, [700], [3, 1200]), wanted)
            unfound += 1
    assert unfound < 140


def test_a_block_of_another_run_is_neither_joined_nor_read(copy):
    X, rows = POINTS + 0.5, CUT[1]
    block = block_path(copy, rows)
    for points, kernel, precision, code in (
        (X, "gaussian-w2", "float64", "code"),
        (POINTS, "gaussian-w2", "float64", "edited"),
        (POINTS, "gaussian-w2", "float32", "code"),
        (POINTS, "gaussian-w3", "float64", "code"),
    ):
        key = matrix_key(points, kernel, precision, code)
        compute_rows(block, points, kernel, rows, key=key, precision=precision)
        assert "another run" in complaint(copy, block)
        key = matrix_key(POINTS, "gaussian-w2", "float64", "code")
        with pytest.raises(FileDamaged, match=rf"{block}.* another run"):
            join_rows(copy, CUT, "gaussian-w2", key=key)


def test_sums_of_another_run_are_not_used(tmp_path):
    key = matrix_key(POINTS, "linear-centred", "float64", "code")
    sums = [tmp_path / f"{rows.start}.sums.h5" for rows in CUT]
    for path, rows in zip(sums, CUT, strict=True):
        compute_sums(path, POINTS, "linear-centred", rows, key=key)
    with pytest.raises(KernelError, match="868 row sums for 1300 points"):
        compute_rows(tmp_path / "a", POINTS, "linear-centred", CUT[0], key=key, sums=sums[:2])
    with pytest.raises(FileDamaged, match="sums of another run"):
        compute_rows(tmp_path / "a", POINTS, "linear-centred", CUT[0], key="other", sums=sums)


def test_a_block_that_is_wrong_is_refused_on_joining(copy):
    """The right key, and values of other points."""
    key = gram_info(copy)["key"]
    compute_rows(block_path(copy, CUT[2]), POINTS + 0.5 * (POINTS > 0), "gaussian-w2", CUT[2],
                 key=key)  # fmt: skip
    with pytest.raises(FileDamaged, match="868-1299.h5: differs from the transpose in .*rebuild"):
        join_rows(copy, CUT, "gaussian-w2", key=key)


def test_halves_that_differ_by_rounding_are_read_from_the_upper_one(copy):
    key, K = gram_info(copy)["key"], gaussian(POINTS, width=2)
    path = block_path(copy, CUT[2])
    with h5py.File(path, "r+", libver=("v110", "v110")) as file:
        file["K"][5, 7] *= 1 + 1e-15  # row 873, column 7: below the diagonal
        assert file["K"][5, 7] != K[873, 7]
    check = join_rows(copy, CUT, "gaussian-w2", key=key)
    assert check.outcome == "repaired"
    assert 0 < check.asymmetry < 1e-14
    assert "the upper half is read" in check.reason
    assert np.array_equal(read_gram(copy), K)
    assert read_gram(copy, [873], [7])[0, 0] == K[7, 873]


def test_a_shift_of_the_diagonal_is_added_on_reading(copy, monkeypatch):
    import gramworks.gram_blocks as blocks
    from gramworks.kernels.eigenvalue_ends import Ends

    monkeypatch.setattr(blocks, "block_ends", lambda *_: Ends(-1e-7, 1.0, 0.0))
    check = join_rows(copy, CUT, "gaussian-w2", key=gram_info(copy)["key"])
    assert check.shift == 1e-7
    wanted = gaussian(POINTS, width=2) + 1e-7 * np.eye(1300)
    assert np.array_equal(read_gram(copy), wanted)
    assert np.array_equal(read_gram(copy, [900, 3], [3, 900]), wanted[[900, 3]][:, [3, 900]])


@pytest.mark.parametrize("memory_mb", [1024, 25])
def test_float32_is_rounded_once(memory_mb, tmp_path):
    K = gaussian(POINTS, width=2)
    check = compute_gram(
        tmp_path / "a.h5", POINTS, "gaussian-w2", precision="float32", memory_mb=memory_mb
    )
    assert check.precision == "float32"
    assert gram_info(tmp_path / "a.h5")["check"]["precision"] == "float32"
    found = read_gram(tmp_path / "a.h5")
    assert found.dtype == np.float64
    assert np.array_equal(found, K.astype(np.float32))
    single = read_gram(tmp_path / "a.h5", [5, 1290], dtype=np.float32)
    assert single.dtype == np.float32
    assert np.array_equal(single, K[[5, 1290]].astype(np.float32))
    assert os.path.getsize(tmp_path / "a.h5") < 0.55 * 8 * 1300**2 + 2**20
    # What is checked is what is on file: an eigenvalue below zero that rounding made is no fault.
    assert check.outcome == "fine"
    values = np.linalg.eigvalsh(found)
    assert np.abs(values - check.smallest_eigenvalue).min() <= max(
        check.eigenvalue_error, 1e-12 * values[-1]
    )
    assert check.trace == np.trace(found)


def test_float32_by_rows(tmp_path):
    made(tmp_path / "a.h5", kernel="poly-d2-o1-centred", precision="float32")
    compute_gram(tmp_path / "b.h5", POINTS, "poly-d2-o1-centred", precision="float32")
    for dtype in (np.float64, np.float32):
        a = read_gram(tmp_path / "a.h5", dtype=dtype)
        assert a.dtype == dtype
        assert np.array_equal(a, read_gram(tmp_path / "b.h5", dtype=dtype))


def test_the_tolerance_for_float32_is_that_of_its_rounding():
    from gramworks.kernels.checks import judge
    from gramworks.kernels.eigenvalue_ends import Ends

    rng = np.random.default_rng(0)
    Z = rng.standard_normal((300, 20))
    for K in (gaussian(Z, width=60), Z @ Z.T, (Z @ Z.T + 1) ** 2):
        values = np.linalg.eigvalsh(K.astype(np.float32).astype(float))
        ends = Ends(values[0], values[-1], 0.0)
        assert values[0] < -1e-10 * values[-1]
        assert judge(ends, trace=1.0, n=300, precision="float32").outcome == "fine"
        assert judge(ends, trace=1.0, n=300).outcome == "repaired"
    beyond = judge(Ends(-3e-7, 1.0, 0.0), trace=1.0, n=3, precision="float32")
    assert beyond.outcome == "repaired"
    assert judge(Ends(-3e-6, 1.0, 0.0), trace=1.0, n=3, precision="float32").outcome == "refused"


def test_values_beyond_float32_are_refused(tmp_path):
    X = np.full((20, 2), 1e20)
    with pytest.raises(KernelError, match=r"2e\+40 is beyond float32; state gram_precision"):
        compute_gram(tmp_path / "a.h5", X, "linear", precision="float32")
    with pytest.raises(KernelError, match="'float16'; allowed are float64 and float32"):
        compute_gram(tmp_path / "a.h5", X, "linear", precision="float16")
    assert list(tmp_path.iterdir()) == []
    compute_gram(tmp_path / "a.h5", X, "linear")
    with pytest.raises(KernelError, match="dtype int64; allowed"):
        read_gram(tmp_path / "a.h5", dtype=int)


def test_ends_of_a_small_joined_matrix_are_exact(tmp_path):
    """The recorded smallest eigenvalue does not depend on how many jobs made the matrix."""
    check = made(tmp_path / "k.h5", X=POINTS[:700], cut=stripes(700, 500))
    values = np.linalg.eigvalsh(read_gram(tmp_path / "k.h5"))
    assert abs(check.smallest_eigenvalue - values[0]) <= 1e-12 * values[-1]
    assert check.eigenvalue_error == 0
