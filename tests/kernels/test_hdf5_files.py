import os
import signal
import subprocess
import sys
import textwrap
import time

import h5py
import numpy as np
import pytest

from gramworks.errors import FileDamaged
from gramworks.hdf5 import (
    FileMissing,
    atomic,
    opened,
    read_json,
    rebuild_command,
    write_array,
    write_json,
)

CONTENT = np.arange(6000.0).reshape(60, 100)


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "a b.h5"
    with atomic(path, "test") as file:
        write_array(file, "x", CONTENT)
        write_json(file, "provenance", {"text": "é" * 35_000, "n": np.int64(3)})
    return path


def read(path):
    with opened(path, "test") as file:
        return file["x"][()], read_json(file, "provenance")


def test_round_trip_with_a_provenance_of_70_kb(path):
    x, provenance = read(path)
    assert np.array_equal(x, CONTENT)
    assert provenance == {"text": "é" * 35_000, "n": 3}
    assert os.listdir(path.parent) == [path.name]


def test_json_takes_numpy_and_paths_and_refuses_the_rest(tmp_path):
    with atomic(tmp_path / "a", "test") as file:
        write_json(file, "p", {"a": np.float64(0.5), "b": np.arange(3), "c": tmp_path})
        assert read_json(file, "p") == {"a": 0.5, "b": [0, 1, 2], "c": str(tmp_path)}
        with pytest.raises(TypeError, match="set"):
            write_json(file, "q", {"a": {1}})


@pytest.mark.parametrize(
    "array", [np.float64(2), np.zeros((0, 3)), np.zeros((3, 0)), np.array([True]), np.ones(7, "i1")]
)
def test_arrays_of_every_shape(array, tmp_path):
    with atomic(tmp_path / "a", "test") as file:
        write_array(file, "x", array)
    with opened(tmp_path / "a", "test") as file:
        found = file["x"][()]
    assert np.array_equal(found, array)
    assert found.dtype == array.dtype


def test_an_error_leaves_the_old_file(path):
    before = path.read_bytes()
    with pytest.raises(ZeroDivisionError), atomic(path, "test") as file:
        file["x"] = 1 / 0
    assert path.read_bytes() == before
    assert os.listdir(path.parent) == [path.name]


def killed_writer(path):
    """Start a process that is in the middle of writing, and kill it."""
    code = f"""
        import time
        import numpy as np
        from gramworks.hdf5 import atomic, write_array
        with atomic({str(path)!r}, "test") as file:
            write_array(file, "x", np.ones((500, 500)))
            file.flush()
            print("half", flush=True)
            time.sleep(60)
    """
    process = subprocess.Popen([sys.executable, "-c", textwrap.dedent(code)], stdout=-1)
    assert process.stdout.readline() == b"half\n"
    beside = [name for name in os.listdir(path.parent) if name.endswith(".tmp")]
    process.send_signal(signal.SIGKILL)
    process.wait()
    process.stdout.close()
    return beside


def test_kill_leaves_the_old_file_and_the_next_writer_cleans_up(path):
    before = path.read_bytes()
    beside = killed_writer(path)
    assert len(beside) == 1
    assert path.read_bytes() == before
    assert np.array_equal(read(path)[0], CONTENT)
    with atomic(path, "test") as file:
        write_array(file, "x", np.zeros(2))
    assert os.listdir(path.parent) == [path.name]


def test_kill_leaves_no_file_where_there_was_none(tmp_path):
    path = tmp_path / "new.h5"
    killed_writer(path)
    assert not path.exists()
    with pytest.raises(FileMissing):
        read(path)


def test_a_running_writer_is_not_cleaned_away(tmp_path):
    path = tmp_path / "a.h5"
    with atomic(path, "test") as first:
        write_array(first, "x", np.zeros(1))
        with atomic(path, "test") as second:
            write_array(second, "x", np.ones(1))
        with opened(path, "test") as file:
            assert file["x"][0] == 1
    with opened(path, "test") as file:
        assert file["x"][0] == 0


def test_two_processes_write_one_file_while_it_is_read(tmp_path):
    path = tmp_path / "same.h5"
    code = f"""
        import sys
        import numpy as np
        from gramworks.hdf5 import atomic, write_array
        for _ in range(25):
            with atomic({str(path)!r}, "test") as file:
                write_array(file, "x", np.full((300, 300), float(sys.argv[1])))
    """
    writers = [
        subprocess.Popen([sys.executable, "-c", textwrap.dedent(code), mark]) for mark in "12"
    ]
    seen = set()
    while any(writer.poll() is None for writer in writers):
        if path.exists():
            with opened(path, "test") as file:
                values = np.unique(file["x"][()])
            assert values.size == 1
            seen.add(float(values[0]))
        time.sleep(0.005)
    assert [writer.returncode for writer in writers] == [0, 0]
    assert seen <= {1.0, 2.0}
    assert seen
    assert os.listdir(tmp_path) == ["same.h5"]


def complaint(path):
    with pytest.raises(FileDamaged) as caught:
        read(path)
    text = str(caught.value)
    assert str(path) in text
    assert rebuild_command(path) in text
    return text


def test_the_command_is_quoted_for_the_shell():
    assert rebuild_command("results/a b.h5").endswith("-- 'results/a b.h5'")


def test_bad_files_are_named_with_the_command_that_rebuilds_them(path):
    whole = path.read_bytes()
    for content, message in [
        (b"", "empty"),
        (b"a,b\n1,2\n" * 500, "not an HDF5 file"),
        (whole[: len(whole) // 2], "truncated"),
        (whole[:-1], "truncated"),
        (whole[:20], "damaged"),
        (b"\0" * len(whole), "not an HDF5 file"),
    ]:
        path.write_bytes(content)
        assert message in complaint(path)
    path.unlink()
    with pytest.raises(FileNotFoundError, match="no such file"):
        read(path)
    assert "no such file" in complaint(path)
    path.mkdir()
    assert "folder" in complaint(path)


def test_100_flipped_bytes_are_found(path):
    whole = np.frombuffer(path.read_bytes(), dtype=np.uint8)
    rng = np.random.default_rng(0)
    for _ in range(20):
        flipped = whole.copy()
        flipped[rng.choice(whole.size, 100, replace=False)] ^= 0x40
        path.write_bytes(flipped.tobytes())
        complaint(path)


def test_one_flipped_bit_anywhere_is_found_or_harmless(path):
    whole = path.read_bytes()
    rng = np.random.default_rng(1)
    found = 0
    for place in np.concatenate([np.arange(0, 900, 4), rng.integers(0, len(whole), 100)]):
        flipped = bytearray(whole)
        flipped[place] ^= 1 << int(rng.integers(8))
        path.write_bytes(flipped)
        try:
            x, provenance = read(path)
        except FileDamaged:
            found += 1
        else:
            assert np.array_equal(x, CONTENT)
            assert provenance == {"text": "é" * 35_000, "n": 3}
    assert found > 200


def test_another_kind_of_file(path):
    with (
        pytest.raises(FileDamaged, match="'gramworks-test', expected 'gramworks-gram'"),
        opened(path, "gram"),
    ):
        pass
    with h5py.File(path, "w"):
        pass
    assert "format None" in complaint(path)


def test_what_is_missing_in_a_good_file(path):
    with pytest.raises(FileDamaged, match="nothing"), opened(path, "test") as file:
        read_json(file, "nothing")
    with pytest.raises(FileDamaged, match="'x' cannot be read"), opened(path, "test") as file:
        read_json(file, "x")
    with pytest.raises(FileDamaged, match="nothing"), opened(path, "test") as file:
        file["nothing"]


def test_errors_of_the_block_that_are_not_damage_pass(path):
    with pytest.raises(ValueError, match="mine"), opened(path, "test"):
        raise ValueError("mine")


def external_link(file):
    file["out"] = h5py.ExternalLink("/etc/hostname", "/")


def soft_link(file):
    file["out"] = h5py.SoftLink("/x")


def loop(file):
    group = file.create_group("g")
    group["up"] = group


def loop_to_the_root(file):
    file["up"] = file["/"]


def nested_link(file):
    external_link(file.create_group("g"))


def external_storage(file):
    file.create_dataset("raw", (4,), "u1", external=[("/etc/hostname", 0, 4)])


def virtual(file):
    layout = h5py.VirtualLayout((4,), "f8")
    layout[:] = h5py.VirtualSource("other.h5", "x", (4,))
    file.create_virtual_dataset("v", layout)


def bomb(file):
    file.create_dataset("big", (10**6, 10**6), "f8", chunks=(100, 100))


def text_attribute(file):
    file.attrs["note"] = "text of varying length"


def text_of_varying_length(file):
    file.create_dataset("names", data=["a", "b"], dtype=h5py.string_dtype())


def reference(file):
    file.create_dataset("r", data=file.ref, dtype=h5py.ref_dtype)


def very_deep(file):
    file.create_group("/".join("abcdefghijkl"))


@pytest.mark.parametrize(
    "trick",
    [
        external_link,
        soft_link,
        loop,
        loop_to_the_root,
        nested_link,
        external_storage,
        virtual,
        bomb,
        text_attribute,
        text_of_varying_length,
        reference,
        very_deep,
    ],
)
def test_what_our_writers_never_make_is_refused_on_reading_and_writing(trick, path):
    with h5py.File(path, "r+", libver=("v110", "v110")) as file:
        trick(file)
    complaint(path)
    before = path.read_bytes()
    with pytest.raises(FileDamaged), atomic(path, "test") as file:
        trick(file)
    assert path.read_bytes() == before


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may read everything")
def test_no_permission_is_not_damage(path):
    path.chmod(0)
    with pytest.raises(PermissionError):
        read(path)
