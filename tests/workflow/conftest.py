"""Projects in temporary folders, so that tests can edit the library and kill runs."""

import csv
import io
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PARTS = ("Snakefile", "config.yaml", "config", "profiles", "workflow", "src", "pyproject.toml")

STUDY = """
name: tiny
title: A tiny study
datasets: {iris-two: {}}
splits: {kind: random-fraction, test: 0.2, repeats: 3}
kernels: {K1: linear, K2: gaussian-w1-unit}
methods:
  majority: {}
  svm: {settings: {C: 1, kernel: K1}}
  kernel-ridge: {settings: {ridge: 0.1, kernel: K1}, kernels: [linear]}
metrics: [test-accuracy-percent]
chunk: 2
"""


class Project:
    """A copy of the workflow and the library in a folder of its own."""

    def __init__(self, folder):
        self.folder = folder

    @classmethod
    def new(cls, folder):
        folder.mkdir(parents=True, exist_ok=True)
        ignore = shutil.ignore_patterns("__pycache__", "*.egg-info")
        for part in PARTS:
            source = ROOT / part
            if source.is_dir():
                shutil.copytree(source, folder / part, ignore=ignore)
            else:
                shutil.copy2(source, folder / part)
        project = cls(folder)
        project.write("config/studies/tiny.yaml", STUDY)
        project.write("config.yaml", "studies: [tiny]\n")
        return project

    def copy(self, folder):
        """Copy with time stamps, results and the engine's own records."""
        shutil.copytree(self.folder, folder)
        return Project(folder)

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def edit(self, name, old, new):
        text = (self.folder / name).read_text()
        assert old in text, f"{name} has no {old!r}"
        self.write(name, text.replace(old, new))

    def environment(self, **more):
        kept = {k: v for k, v in os.environ.items() if k != "GRAMWORKS_MIRROR"}
        bin_folder = str(Path(sys.executable).parent)
        return {
            **kept,
            "PYTHONPATH": str(self.folder / "src"),
            "PATH": bin_folder + os.pathsep + kept.get("PATH", ""),
            "PYTHONDONTWRITEBYTECODE": "1",
            **more,
        }

    def command(self, *arguments, cores=2):
        return [sys.executable, "-m", "snakemake", "--cores", str(cores), *arguments]

    def run(self, *arguments, cores=2, check=True, **environment):
        """Run the workflow; return its output (both streams)."""
        made = subprocess.run(
            self.command(*arguments, cores=cores), cwd=self.folder, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=500, check=False,
            env=self.environment(**environment),
        )  # fmt: skip
        if check:
            assert made.returncode == 0, made.stdout[-6000:]
        else:
            assert made.returncode != 0, made.stdout[-6000:]
        return made.stdout

    def kill_when(self, condition):
        """Start a run and kill it, and all its processes, as soon as the condition holds."""
        process = subprocess.Popen(
            self.command(), cwd=self.folder, env=self.environment(), start_new_session=True,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        deadline = time.monotonic() + 300
        while time.monotonic() < deadline and process.poll() is None and not condition():
            time.sleep(0.02)
        assert process.poll() is None, "the run ended before it could be killed"
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()

    def gramworks(self, *arguments):
        return subprocess.run(
            [sys.executable, "-m", "gramworks.cli", *arguments], cwd=self.folder, text=True,
            capture_output=True, timeout=120, check=False, env=self.environment(),
        )  # fmt: skip

    def stamps(self):
        """Map every result file to its time stamp."""
        return {
            str(path.relative_to(self.folder)): path.stat().st_mtime_ns
            for part in ("results", "data")
            for path in (self.folder / part).rglob("*")
            if path.is_file() and "logs" not in path.parts and "benchmarks" not in path.parts
        }

    def rerun(self, *arguments, **keywords):
        """Run again; return the files that were written anew."""
        before = self.stamps()
        self.run(*arguments, **keywords)
        return {name for name, stamp in self.stamps().items() if before.get(name) != stamp}

    def scores(self, method, study="tiny", dataset="iris-two"):
        return (self.folder / f"results/scores/{study}/{dataset}/{method}.csv").read_text()

    def rows(self, method, **where):
        return list(csv.DictReader(io.StringIO(self.scores(method, **where))))


@pytest.fixture(scope="session")
def finished(tmp_path_factory):
    """A project whose run is finished; copy it before editing."""
    project = Project.new(tmp_path_factory.mktemp("finished") / "project")
    project.run()
    return project


@pytest.fixture
def project(tmp_path):
    return Project.new(tmp_path / "project")


@pytest.fixture
def done(finished, tmp_path):
    return finished.copy(tmp_path / "project")


@pytest.fixture(scope="session")
def new_project():
    """Make a project in a folder, for fixtures of a module."""
    return Project.new
