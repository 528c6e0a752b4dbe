import os
import signal
import socket
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from gramworks.whole_files import final_name, replacing, write_bytes, write_text


def test_text_is_written_as_utf_8_with_its_line_ends(tmp_path):
    path = tmp_path / "new" / "folder" / "a.txt"
    write_text(path, "\u00e4\r\nb\n")
    assert path.read_bytes() == "\u00e4\r\nb\n".encode()
    write_bytes(path, b"\xff")
    assert path.read_bytes() == b"\xff"
    assert os.listdir(path.parent) == ["a.txt"]


def test_an_error_leaves_the_old_file(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("old")
    with pytest.raises(UnicodeEncodeError), replacing(path) as temporary:
        temporary.write_text("half" * 10_000 + "\ud800", encoding="utf-8")
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["a.txt"]


def killed_writer(path, *, waited_for):
    """Kill a process in the middle of writing; return it."""
    code = f"""
        import time
        from gramworks.whole_files import replacing
        with replacing({os.fspath(path)!r}) as temporary:
            temporary.write_text("half")
            print("half", flush=True)
            time.sleep(60)
    """
    process = subprocess.Popen([sys.executable, "-c", textwrap.dedent(code)], stdout=-1)
    with process.stdout:
        assert process.stdout.readline() == b"half\n"
    process.send_signal(signal.SIGKILL)
    # waits until it is dead; without WNOWAIT its parent has taken note of it as well
    os.waitid(os.P_PID, process.pid, os.WEXITED | (0 if waited_for else os.WNOWAIT))
    return process


@pytest.mark.parametrize("waited_for", [True, False])
def test_the_next_writer_removes_what_a_killed_one_left(tmp_path, waited_for):
    path = tmp_path / "a.txt"
    path.write_text("old")
    process = killed_writer(path, waited_for=waited_for)
    assert path.read_text() == "old"
    assert len(os.listdir(tmp_path)) == 2
    write_text(tmp_path / "b.txt", "other")
    assert len(os.listdir(tmp_path)) == 3
    write_text(path, "new")
    assert sorted(os.listdir(tmp_path)) == ["a.txt", "b.txt"]
    assert path.read_text() == "new"
    process.wait()


def test_files_of_running_writers_and_other_machines_stay(tmp_path):
    path = tmp_path / "a.txt"
    other = tmp_path / ".a.txt.another-machine.1.abcd.tmp"
    ours = tmp_path / f".a.txt.{socket.gethostname()}.{os.getpid()}.abcd.tmp"
    for kept in (other, ours):
        kept.write_text("half")
    write_text(path, "new")
    assert set(os.listdir(tmp_path)) == {"a.txt", other.name, ours.name}


def test_the_final_name_of_a_temporary_one(tmp_path):
    for name in ("a.h5", ".hidden", "with.dots.csv", f"x.{socket.gethostname()}.y"):
        with replacing(tmp_path / name) as temporary:
            temporary.write_bytes(b"")
            assert final_name(temporary) == tmp_path / name
        assert final_name(tmp_path / name) == tmp_path / name
    assert final_name(Path("/x/.a.tmp")) == Path("/x/.a.tmp")
