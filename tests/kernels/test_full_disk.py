"""A full disk ends in an error before HDF5 writes, not in a crash of the process."""

import os
import shutil
import subprocess
import sys
from types import SimpleNamespace

import h5py
import numpy as np
import pytest

from gramworks.errors import ResourceError
from gramworks.gram import compute_gram, read_gram, write_gram
from gramworks.hdf5 import atomic, write_array, write_json

MEGABYTE = 1 << 20


@pytest.fixture
def free(monkeypatch):
    def grant(n_bytes):
        found = SimpleNamespace(total=n_bytes, used=0, free=n_bytes)
        monkeypatch.setattr(shutil, "disk_usage", lambda folder: found)

    return grant


def _refused(action, path, free_bytes):
    with pytest.raises(ResourceError) as error:
        action()
    text = str(error.value)
    assert text.startswith(f"{path}: disk full: ")
    assert f", {free_bytes} are free in {path.parent}" in text
    assert os.listdir(path.parent) == []


def test_matrices_that_do_not_fit(tmp_path, free):
    path, X = tmp_path / "a.h5", np.random.default_rng(0).normal(size=(700, 2))
    free(4_900_000)  # less than 8 n^2 = 3.92 MB with the spare megabyte
    _refused(lambda: write_gram(path, np.eye(700)), path, 4_900_000)
    _refused(lambda: compute_gram(path, X, "linear"), path, 4_900_000)
    _refused(lambda: compute_gram(path, X, "linear", memory_mb=17), path, 4_900_000)
    free(5_200_000)
    write_gram(path, np.eye(700))
    compute_gram(path, X, "linear", memory_mb=17)
    np.testing.assert_allclose(read_gram(path), X @ X.T, atol=1e-12)


def test_arrays_and_texts_that_do_not_fit(tmp_path, free):
    path = tmp_path / "a.h5"

    def array():
        with atomic(path, "test") as file:
            write_array(file, "a", np.zeros(MEGABYTE // 4))

    def text():
        with atomic(path, "test") as file:
            write_json(file, "a", "x" * 2 * MEGABYTE)

    free(2_500_000)
    _refused(array, path, 2_500_000)
    _refused(text, path, 2_500_000)
    free(1000)
    _refused(lambda: write_gram(path, np.eye(2)), path, 1000)


def test_a_disk_that_does_not_tell_is_written_to(tmp_path, monkeypatch):
    def refuse(folder):
        raise OSError("not supported")

    monkeypatch.setattr(shutil, "disk_usage", refuse)
    write_gram(tmp_path / "a.h5", np.eye(3))
    assert h5py.is_hdf5(tmp_path / "a.h5")


def test_a_small_disk_in_truth(tmp_path):
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", tmp_path], capture_output=True
    ) if os.geteuid() == 0 and shutil.which("mount") else None  # fmt: skip
    if mounted is None or mounted.returncode:
        pytest.skip("a small file system cannot be mounted here")
    code = (
        "import sys, numpy; from gramworks.gram import write_gram\n"
        "write_gram(sys.argv[1], numpy.eye(700))"
    )
    try:
        ended = subprocess.run(
            [sys.executable, "-c", code, tmp_path / "a.h5"], capture_output=True, text=True
        )
        assert ended.returncode == 1
        assert "ResourceError" in ended.stderr
        assert "disk full" in ended.stderr
        write_gram(tmp_path / "b.h5", np.eye(300))  # 0.7 MB
    finally:
        subprocess.run(["umount", tmp_path], check=True)
