"""A SLURM for one test at a time, and copies of the project that are run on it."""

import fcntl
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest
from one_node_slurm import OneNode, missing

ROOT = Path(__file__).parents[2]
PARTS = ("Snakefile", "config.yaml", "config", "profiles", "workflow", "src", "pyproject.toml")
# The shortest jobs take some seconds; the profile's own number is for jobs of minutes.
PROFILE = (
    "--workflow-profile", "profiles/slurm", "--slurm-init-seconds-before-status-checks", "6",
    "--latency-wait", "10",
)  # fmt: skip


class Project:
    """A copy of the workflow and the library, run here or on a cluster."""

    def __init__(self, folder, cluster=None, **variables):
        self.folder = folder
        self.cluster = cluster
        self.variables = variables
        for part in PARTS:
            source = ROOT / part
            if source.is_dir():
                ignore = shutil.ignore_patterns("__pycache__", "*.egg-info")
                shutil.copytree(source, folder / part, ignore=ignore)
            else:
                folder.mkdir(parents=True, exist_ok=True)
                shutil.copy2(source, folder / part)

    def command(self, *arguments):
        where = PROFILE if self.cluster else ("--cores", "2")
        return [sys.executable, "-m", "snakemake", *where, *arguments]

    def start(self, *arguments):
        """Start a run in a session of its own; return its process."""
        given = self.cluster.environment() if self.cluster else dict(os.environ)
        search = os.pathsep.join([str(Path(sys.executable).parent), given.get("PATH", "")])
        given |= self.variables | {"PYTHONPATH": str(self.folder / "src"), "PATH": search}
        given.pop("GRAMWORKS_MIRROR", None)
        with open(self.folder / "output.txt", "ab") as output:
            return subprocess.Popen(
                self.command(*arguments), cwd=self.folder, env=given, stdin=subprocess.DEVNULL,
                stdout=output, stderr=subprocess.STDOUT, start_new_session=True,
            )  # fmt: skip

    def finish(self, process, seconds=3000):
        """Wait for a run; return all output so far."""
        try:
            code = process.wait(timeout=seconds)
        except BaseException:
            self.kill(process)
            raise
        assert code == 0, self.output()[-6000:]
        return self.output()

    def run(self, *arguments):
        return self.finish(self.start(*arguments))

    def output(self):
        return (self.folder / "output.txt").read_text(errors="replace")

    def kill(self, process):
        """Kill a run here and its processes, as kill -9 does; jobs of the cluster go on."""
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()

    def wait_for(self, process, condition, seconds=600):
        """Wait until something is true (returned) while a run goes on."""
        deadline = time.monotonic() + seconds
        while not (found := condition()):
            over = process.poll() is not None or time.monotonic() > deadline
            if over:
                self.kill(process)
                raise AssertionError("it did not come to that\n" + self.output()[-6000:])
            time.sleep(0.1)
        return found

    def merged_scores(self):
        """Map the merged score files to their bytes; those of parts lie deeper."""
        scores = self.folder / "results/scores"
        found = {path.relative_to(scores): path.read_bytes() for path in scores.rglob("*.csv")}
        return {str(name): text for name, text in found.items() if len(name.parts) <= 3}


@pytest.fixture
def cluster(tmp_path):
    reason = missing()
    if reason:
        pytest.skip(reason)
    # /etc/slurm/slurm.conf is one for all test processes of a machine.
    with open(Path(tempfile.gettempdir()) / "gramworks-slurm-tests.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with OneNode(tmp_path / "slurm") as running:
            yield running


@pytest.fixture
def new_project(tmp_path):
    """Make a project in a folder of its own: here, or on a cluster, with further variables."""
    return lambda name, *where, **variables: Project(tmp_path / name, *where, **variables)
