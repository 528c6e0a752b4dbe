"""A folder to work in, and tables in many disguises."""

from pathlib import Path

import numpy as np
import pytest

from gramworks.cli import main
from gramworks.owndata.findings import Findings
from gramworks.owndata.understanding import Request, understand


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty folder that commands run in."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def read(folder):
    """Write files, read them as `gramworks new` does; gives what came out and the findings."""

    def understood(content, target="label", name="t.csv", encoding="utf-8", **request):
        contents = content if isinstance(content, dict) else {name: content}
        for file, text in contents.items():
            data = text if isinstance(text, bytes) else text.encode(encoding)
            Path(file).write_bytes(data)
        findings = Findings()
        request = Request(tuple(map(Path, contents)), target, **request)
        found = understand("t", request, findings)
        return found.dataset, "\n".join(findings.said + findings.warnings)

    return understood


@pytest.fixture
def command(folder, capsys):
    """Run the command line; gives exit status, output and errors."""

    def run(*arguments):
        status = main([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return status, captured.out, captured.err

    return run


def table(n=40, extra="", cell=lambda i: "", header="x,y,label"):
    """Two columns of numbers that do not repeat, and two classes."""
    lines = [header + ("," + extra if extra else "")]
    for i in range(n):
        row = [f"{(i * 37) % 101}.5", f"{(i * i) % 89}", "ab"[i % 2]]
        lines.append(",".join(row + ([cell(i)] if extra else [])))
    return "\n".join(lines) + "\n"


@pytest.fixture(name="table")
def _table():
    return table


@pytest.fixture
def points():
    """Points of two classes, apart along two of three axes."""
    random = np.random.default_rng(3)
    y = np.arange(40) % 2
    X = random.normal(size=(40, 3))
    X[:, :2] += 2 * y[:, None]
    return X, y
