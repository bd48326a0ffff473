"""A real Slurm on this machine alone, for tests: munged, slurmctld and a few slurmd.

python tests/slurm/local_slurm.py start FOLDER   then: export SLURM_CONF=FOLDER/slurm.conf
python tests/slurm/local_slurm.py stop FOLDER

Everything it writes is in FOLDER. It listens on the loopback only and needs Debian's
packages slurm-wlm and munge, but neither root, systemd, cgroups nor a database. Unlike
most small clusters made for tests it enforces memory: a job over its allocation is killed.
"""

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

PROGRAMS = ("munged", "mungekey", "munge", "slurmctld", "slurmd", "sbatch", "squeue", "scancel")
SEARCHED = "/usr/sbin:/usr/bin:/sbin:/bin"
ADDRESS = "127.0.0.1"
PORTS = range(21000, 29000, 50)
WAIT_S = 60.0
SOCKET_PATH_LIMIT = 80

CONFIGURATION = """\
ClusterName=routebench
SlurmctldHost={host}({address})
SlurmctldPort={port}
CommunicationParameters=NoInAddrAny,NoCtldInAddrAny
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
SlurmUser={user}
SlurmdUser={user}
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool-%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd-%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd-%n.log
MailProg=/bin/true
MpiDefault=none
PropagateResourceLimits=NONE
# Without cgroups: processes are found through /proc and are not bound to cores.
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
# Cores and memory are handed out; memory is measured every second, and enforced.
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
JobAcctGatherType=jobacct_gather/linux
JobAcctGatherFrequency=task=1
JobAcctGatherParams=OverMemoryKill
AccountingStorageType=accounting_storage/none
EnforcePartLimits=ALL
# Start what can be started at once.
SchedulerType=sched/backfill
SchedulerParameters=batch_sched_delay=0,sched_interval=1,bf_interval=1
MinJobAge=300
KillWait=2
ReturnToService=2
SlurmdParameters=config_overrides
{nodes}
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""
NODE = (
    "NodeName=node{number} NodeHostname={host} NodeAddr={address} Port={port} CPUs={cpus} "
    "RealMemory={memory_mb} State=UNKNOWN"
)


def missing_programs() -> list[str]:
    """Returns the programs of Slurm and munge that are not installed."""
    return [name for name in PROGRAMS if not shutil.which(name, path=SEARCHED)]


def start(folder: Path, *, nodes: int = 2, cpus: int = 2, memory_mb: int = 8000) -> None:
    """Starts a cluster; memory and cores are what a node claims to have.

    Raises:
        SystemExit: the machine is not fit for it, or a daemon does not come up.
    """
    host = _check_machine(folder)
    (folder / "state").mkdir(parents=True)
    folder.chmod(0o755)
    port = _free_ports(nodes + 1)
    places = {"host": host, "address": ADDRESS}
    lines = []
    for number in range(1, nodes + 1):
        (folder / f"spool-node{number}").mkdir()
        size = {"cpus": cpus, "memory_mb": memory_mb}
        lines.append(NODE.format(number=number, port=port + number, **places, **size))
    user = subprocess.run(["id", "-un"], capture_output=True, text=True, check=True).stdout.strip()
    (folder / "slurm.conf").write_text(
        CONFIGURATION.format(folder=folder, user=user, port=port, nodes="\n".join(lines), **places)
    )
    try:
        _start_daemons(folder, nodes)
    except BaseException:
        stop(folder)
        raise


def stop(folder: Path) -> None:
    """Ends the daemons of a cluster, jobs first; harmless where none runs."""
    if _process(folder, "slurmctld"):
        with contextlib.suppress(subprocess.SubprocessError):
            _run(folder, "scancel", "--state=PENDING", "--user", str(os.getuid()))
            _run(folder, "scancel", "--user", str(os.getuid()))
            _wait("the end of all jobs", lambda: not _run(folder, "squeue", "-h"))
    for file in sorted(folder.glob("*.pid"), key=lambda file: file.name.startswith("munged")):
        _end(folder, file.stem)


def _check_machine(folder: Path) -> str:
    if missing := missing_programs():
        raise SystemExit(f"not installed: {', '.join(missing)}; apt-get install slurm-wlm munge")
    if len(str(folder)) > SOCKET_PATH_LIMIT:
        raise SystemExit(f"{folder}: too long a path for a socket")
    host = os.uname().nodename
    found = socket.gethostbyname(host)
    if found != ADDRESS:
        raise SystemExit(f"{host} must be {ADDRESS} in /etc/hosts, it is {found}")
    return host.partition(".")[0]


def _free_ports(count: int) -> int:
    for first in PORTS:
        with contextlib.ExitStack() as stack, contextlib.suppress(OSError):
            for port in range(first, first + count):
                taken = stack.enter_context(socket.socket())
                taken.bind((ADDRESS, port))
            return first
    raise SystemExit(f"no {count} free ports in a row")


def _start_daemons(folder: Path, nodes: int) -> None:
    key = folder / "munge.key"
    _run(folder, "mungekey", "--create", f"--keyfile={key}")
    _run(
        folder,
        *("munged", "--force", f"--key-file={key}", f"--socket={folder}/munge.socket"),
        *(f"--pid-file={folder}/munged.pid", f"--seed-file={folder}/munge.seed"),
        f"--log-file={folder}/munged.log",
    )
    _wait("munged", (folder / "munge.socket").exists)
    _run(folder, "slurmctld")
    for number in range(1, nodes + 1):
        _run(folder, "slurmd", "-N", f"node{number}")
    _wait(
        f"{nodes} idle nodes",
        lambda: _run(folder, "sinfo", "-h", "-N", "-o", "%t").split() == ["idle"] * nodes,
    )


def _run(folder: Path, *command: str) -> str:
    done = subprocess.run(
        command,
        env={"PATH": SEARCHED, "SLURM_CONF": str(folder / "slurm.conf")},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        check=command[0] not in ("sinfo", "scancel"),
        timeout=WAIT_S,
    )
    return done.stdout


def _wait(what: str, is_true: Callable[[], bool], seconds: float = WAIT_S) -> None:
    deadline = time.monotonic() + seconds
    while not is_true():
        if time.monotonic() > deadline:
            raise SystemExit(f"{what}: not within {seconds:.0f} s")
        time.sleep(0.1)


def _process(folder: Path, daemon: str) -> int | None:
    # The process of a pid file, if it lives and is this cluster's.
    try:
        pid = int((folder / f"{daemon}.pid").read_text())
        environment = Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    except (OSError, ValueError):
        return None
    return pid if f"SLURM_CONF={folder}/slurm.conf".encode() in environment else None


def _end(folder: Path, daemon: str) -> None:
    for sent in (signal.SIGTERM, signal.SIGKILL):
        pid = _process(folder, daemon)
        if pid is None:
            return
        os.kill(pid, sent)
        with contextlib.suppress(SystemExit):
            _wait(daemon, lambda: _process(folder, daemon) is None, seconds=15)


def main(arguments: Sequence[str]) -> None:
    """Starts or stops a cluster."""
    if len(arguments) != 2 or arguments[0] not in ("start", "stop"):
        raise SystemExit(__doc__)
    {"start": start, "stop": stop}[arguments[0]](Path(arguments[1]).absolute())


if __name__ == "__main__":
    main(sys.argv[1:])
