"""A SLURM of one node for tests: munged, slurmctld and slurmd, without systemd and cgroups.

All files are in one folder, but for a link at /etc/slurm/slurm.conf: the job step of the executor
plugin takes SLURM_CONF out of the environment, so that srun looks there. The daemons run in the
foreground as children of this process and get a signal from the kernel if it dies.
"""

import ctypes
import os
import secrets
import shutil
import signal
import socket
import subprocess
import time
from pathlib import Path

DEFAULT = Path("/etc/slurm/slurm.conf")
PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "srun", "squeue", "scancel", "scontrol")
INSTALL = "apt-get install --no-install-recommends slurmctld slurmd slurm-client munge"
SEARCHED = os.environ.get("PATH", "") + ":/usr/sbin:/sbin"
POLLED_SECONDS = 2

CONFIGURATION = """
ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
SlurmdUser=root
SlurmctldPort={controller_port}
SlurmdPort={node_port}
CommunicationParameters=NoInAddrAny,NoCtldInAddrAny
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
StateSaveLocation={folder}/controller
SlurmdSpoolDir={folder}/node
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
SwitchType=switch/none
ReturnToService=2
SchedulerType=sched/backfill
SchedulerParameters=sched_min_interval=0,batch_sched_delay=0
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
# Without cgroups memory is looked at every few seconds, and too much of it ends the job.
JobAcctGatherType=jobacct_gather/linux
JobAcctGatherFrequency=task={polled}
JobAcctGatherParams=OverMemoryKill
KillWait=3
# What can never run is refused at once; otherwise it would wait for ever.
EnforcePartLimits=ALL
# squeue must still know a job that has ended when it is asked.
MinJobAge=3600
AccountingStorageType=accounting_storage/none
# The node is what is stated here, also where a container shows fewer processors.
SlurmdParameters=config_overrides
NodeName={host} NodeAddr=127.0.0.1 CPUs={processors} RealMemory={memory_mb} State=UNKNOWN
PartitionName=everyday Nodes={host} Default=YES MaxTime=INFINITE DefaultTime=5 State=UP
PartitionName=chosen Nodes={host} MaxTime=INFINITE DefaultTime=5 State=UP
"""


def missing():
    """Say why there can be no SLURM here; empty where there can."""
    absent = [name for name in PROGRAMS if not shutil.which(name, path=SEARCHED)]
    if absent:
        return f"{', '.join(absent)} not installed; {INSTALL}"
    if os.geteuid() != 0:
        return "starting SLURM's daemons and linking /etc/slurm/slurm.conf needs root"
    if DEFAULT.exists() and not DEFAULT.is_symlink():
        return f"{DEFAULT} is there: this machine has a SLURM of its own"
    try:
        socket.gethostbyname(_host())
    except OSError:
        return f"the host name {_host()} does not resolve, and SLURM would wait for it"
    return ""


class OneNode:
    """A context in which SLURM runs; leaving it stops everything and looks that nothing is left.

    Parameters
    ----------
    folder : path
        New, for keys, states and logs.
    """

    def __init__(self, folder):
        self.folder = Path(folder)
        self.configuration = self.folder / "slurm.conf"
        self.daemons = []

    def __enter__(self):
        try:
            self._start()
        except BaseException:
            self._stop()
            raise
        return self

    def __exit__(self, *_):
        left = self._stop()
        assert not left, f"still running: {left}"

    def environment(self, **more):
        """Return the variables with which SLURM's commands find this cluster."""
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("SLURM_", "SBATCH_"))}
        return {**kept, "PATH": SEARCHED, "SLURM_CONF": str(self.configuration), **more}

    def ask(self, *command):
        """Return what a command of SLURM prints, empty if it fails."""
        made = subprocess.run(
            command, env=self.environment(), capture_output=True, text=True, timeout=20, check=False
        )
        return made.stdout.strip() if made.returncode == 0 else ""

    def jobs(self, fields="%i %T %k"):
        """List jobs, those that have ended included: number, state, comment."""
        return self.ask("squeue", "--noheader", "--states=all", f"--format={fields}").splitlines()

    def _start(self):
        folder = self.folder
        for name in ("controller", "node"):
            (folder / name).mkdir(parents=True)
        for path in (folder, *folder.iterdir()):
            path.chmod(0o755)
        key = folder / "munge.key"
        key.touch(0o600)
        key.write_bytes(secrets.token_bytes(128))
        controller_port, node_port = _free_ports(2)
        self.configuration.write_text(
            CONFIGURATION.format(
                host=_host(), folder=folder, polled=POLLED_SECONDS, memory_mb=_memory_mb(),
                processors=max(os.cpu_count(), 2),
                controller_port=controller_port, node_port=node_port,
            )
        )  # fmt: skip
        DEFAULT.parent.mkdir(parents=True, exist_ok=True)
        DEFAULT.unlink(missing_ok=True)  # a link of tests that were killed
        DEFAULT.symlink_to(self.configuration)
        self._daemon(
            "munged", "--foreground", "--force", f"--key-file={key}",
            f"--socket={folder}/munge.socket", f"--pid-file={folder}/munged.pid",
            f"--log-file={folder}/munged.log", f"--seed-file={folder}/munged.seed",
        )  # fmt: skip
        self._wait("munged", (folder / "munge.socket").exists)
        self._daemon("slurmctld", "-D", "-f", self.configuration)
        self._wait("slurmctld", lambda: "UP" in self.ask("scontrol", "ping"))
        # A node that registers before the controller answers may be down for half a minute.
        self._daemon("slurmd", "-D", "-f", self.configuration)
        self._wait("the node", lambda: {"idle"} == set(self.ask("sinfo", "-ho", "%t").split()))

    def _daemon(self, name, *arguments):
        with open(self.folder / f"{name}.out", "wb") as output:
            self.daemons.append(
                subprocess.Popen(
                    [name, *map(str, arguments)], env=self.environment(), stdout=output,
                    stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
                    preexec_fn=_end_with_parent, cwd=self.folder,
                )
            )  # fmt: skip

    def _wait(self, what, ready, seconds=60):
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            if ready():
                return
            time.sleep(0.1)
        logs = [
            f"== {path.name}\n{path.read_text(errors='replace')[-1500:]}"
            for path in sorted(self.folder.glob("*.log")) + sorted(self.folder.glob("*.out"))
        ]
        raise AssertionError("\n".join([f"{what} did not come up", *logs]))

    def _stop(self):
        if len(self.daemons) == 3:
            self.ask("scancel", "--quiet", "--user=root")
            self.wait_until_idle()
        for daemon in reversed(self.daemons):
            daemon.terminate()
            try:
                daemon.wait(timeout=15)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()
        if DEFAULT.is_symlink() and os.readlink(DEFAULT) == str(self.configuration):
            DEFAULT.unlink()
        # What ends jobs may take a moment longer than the daemons.
        deadline = time.monotonic() + 10
        while (left := self._left()) and time.monotonic() < deadline:
            time.sleep(0.2)
        return left

    def wait_until_idle(self, seconds=20):
        """Wait until no job runs, at most so long."""
        active = ("squeue", "--noheader", "--states=RUNNING,COMPLETING", "--format=%i")
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline and self.ask(*active):
            time.sleep(0.2)

    def _left(self):
        """List processes of this cluster: daemons, steps, jobs."""
        mark = f"SLURM_CONF={self.configuration}".encode()
        found = []
        for process in Path("/proc").glob("[0-9]*"):
            try:
                named = str(self.folder).encode() in (process / "cmdline").read_bytes()
                if named or mark in (process / "environ").read_bytes().split(b"\0"):
                    found.append(f"{process.name} {(process / 'comm').read_text().strip()}")
            except OSError:  # ended meanwhile
                continue
        return found


def _host():
    return socket.gethostname().split(".")[0]


def _memory_mb():
    pages = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return pages * 9 // 10 // 2**20


def _free_ports(count):
    held = [socket.socket() for _ in range(count)]
    for one in held:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in held]
    for one in held:
        one.close()
    return ports


_LIBC = ctypes.CDLL(None)


def _end_with_parent():
    set_signal_at_parents_death = 1  # PR_SET_PDEATHSIG of prctl(2)
    _LIBC.prctl(set_signal_at_parents_death, signal.SIGTERM)
