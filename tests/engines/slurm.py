"""A Slurm of one machine that belongs to a test: munged, slurmctld and slurmd in a directory of their own."""

from __future__ import annotations

import getpass
import os
import shutil
import signal
import socket
import subprocess
import time
from pathlib import Path
from typing import TYPE_CHECKING

from tests.engines.launched import settings
from tests.support.waiting import until

if TYPE_CHECKING:
    from types import TracebackType

DAEMONS = ("munged", "slurmctld", "slurmd")
NEEDED = (*DAEMONS, "srun", "sbatch")
LONGEST_START = 30.0
RANKS = 4
CONFIGURATION = """\
ClusterName=kit
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={ports[0]}
SlurmdPort={ports[1]}
AuthType=auth/munge
AuthInfo=socket={where}/munge
SlurmUser={user}
SlurmdUser={user}
StateSaveLocation={where}/state
SlurmdSpoolDir={where}/spool
SlurmctldPidFile={where}/slurmctld.pid
SlurmdPidFile={where}/slurmd.pid
SlurmctldLogFile={where}/slurmctld.log
SlurmdLogFile={where}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
ReturnToService=2
NodeName={host} NodeAddr=127.0.0.1 CPUs={ranks} State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES State=UP
"""


def find(name: str) -> str | None:
    """Where a command of Slurm or Munge is: daemons may be beside the usual path."""
    return shutil.which(name, path=f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/sbin")


class Cluster:
    """A running Slurm; a context manager. ``environment`` is what its commands need."""

    def __init__(self, where: Path) -> None:
        self._where = where
        self.environment = {"SLURM_CONF": str(where / "slurm.conf")}
        for name in ("state", "spool"):
            (where / name).mkdir()
        key = where / "key"
        key.write_bytes(os.urandom(128))
        key.chmod(0o400)
        (where / "slurm.conf").write_text(
            CONFIGURATION.format(
                host=socket.gethostname().partition(".")[0],
                where=where,
                user=getpass.getuser(),
                ports=free_ports(2),
                ranks=RANKS,
            )
        )

    def __enter__(self) -> Cluster:
        munge = [f"--{name}={self._where}/munged.{name}" for name in ("pid-file", "log-file", "seed-file")]
        self._start(
            "munged", "--force", f"--socket={self._where}/munge", f"--key-file={self._where}/key", *munge
        )
        for name in DAEMONS[1:]:
            self._start(name, "-f", str(self._where / "slurm.conf"))
        until = time.monotonic() + LONGEST_START
        while "idle" not in self.call("sinfo", "--noheader", "--format=%t"):
            assert time.monotonic() < until, self.logs
            time.sleep(0.2)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for name in ("slurmd.pid", "slurmctld.pid", "munged.pid-file"):
            file = self._where / name
            if file.exists():
                end(int(file.read_text()))

    @property
    def logs(self) -> str:
        """What its daemons have written."""
        return "\n".join(file.read_text() for file in sorted(self._where.glob("*.log*")))

    def _start(self, name: str, *words: str) -> None:
        command = find(name)
        assert command is not None
        done = subprocess.run(
            [command, *words],
            env=settings(),
            capture_output=True,
            text=True,
            timeout=LONGEST_START,
            check=False,
        )
        assert done.returncode == 0, f"{name}: {done.stderr}\n{self.logs}"

    def call(self, *words: str, where: Path | None = None) -> str:
        """What one of its commands prints."""
        done = subprocess.run(
            words,
            cwd=where,
            env=settings(**self.environment),
            capture_output=True,
            text=True,
            timeout=240,
            check=False,
        )
        return done.stdout + done.stderr


def end(process: int) -> None:
    """End a daemon and wait until it is gone."""
    os.kill(process, signal.SIGTERM)
    until(lambda: not Path(f"/proc/{process}").exists(), LONGEST_START)


def free_ports(count: int) -> list[int]:
    """Ports that nobody has now."""
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports
