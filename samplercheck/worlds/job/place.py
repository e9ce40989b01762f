"""Place: which rank of a job this process is, from the variables of what has started it.

Read when a run is attached to a job. torchrun, Slurm and Open MPI each have variables of their own.
"""

from __future__ import annotations

import os
import re
import socket
from collections.abc import Mapping
from dataclasses import dataclass

from samplercheck.values.errors import JobError

NAMES = (
    "TORCHELASTIC_RUN_ID",
    "SLURM_JOB_ID",
    "SLURM_STEP_ID",
    "OMPI_MCA_ess_base_jobid",
    "PMIX_NAMESPACE",
    "MASTER_PORT",
)
FIRST_PORT, PORTS = 20_000, 40_000
_FIRST_HOST = re.compile(r"([^,\[]+)(?:\[(\d+))?")
NOBODY = (
    "World 'attached' needs the ranks of a job, and this process is not one of them: start it by torchrun "
    "(torchrun --nproc-per-node 4 -m samplercheck run TARGET --world attached), srun or mpirun, or in a "
    "program that has a process group. World 'gloo' starts ranks by itself."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class JobPlace:
    """One rank of a job, and where its first rank is met; ``local`` is its number on its machine."""

    rank: int
    size: int
    local: int
    address: str
    port: int


@dataclass(frozen=True, slots=True)
class _Launcher:
    """The variables of one launcher: rank, size of the job, rank on this machine, ranks on this machine."""

    name: str
    rank: str
    size: str
    local: str
    here: str


LAUNCHERS = (
    _Launcher("torchrun", "RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE"),
    _Launcher("srun", "SLURM_PROCID", "SLURM_NTASKS", "SLURM_LOCALID", "SLURM_STEP_TASKS_PER_NODE"),
    _Launcher(
        "mpirun",
        *(f"OMPI_COMM_WORLD_{name}" for name in ("RANK", "SIZE", "LOCAL_RANK", "LOCAL_SIZE")),
    ),
)


def place_from(variables: Mapping[str, str], *, meets: bool = True) -> JobPlace:
    """Return the place that the variables of a launcher give; the first that is there decides.

    Where the ranks do not ``meet`` by themselves, nobody asks where the first one is.
    """
    launcher = next((one for one in LAUNCHERS if one.rank in variables and one.size in variables), None)
    if launcher is None:
        raise JobError(NOBODY)
    rank, size = _number(launcher.rank, variables), _number(launcher.size, variables)
    if not 0 <= rank < size:
        raise JobError(
            f"{launcher.rank}={rank} is no rank of {launcher.size}={size}: ranks are counted from 0 "
            f"to {size - 1}. "
            "Set both as the launcher does."
        )
    local = _number(launcher.local, variables) if launcher.local in variables else 0
    if not meets:
        return JobPlace(rank=rank, size=size, local=local, address="", port=0)
    return JobPlace(
        rank=rank,
        size=size,
        local=local,
        address=variables.get("MASTER_ADDR") or _first_host(launcher, size, variables),
        port=_number("MASTER_PORT", variables) if variables.get("MASTER_PORT") else _port(variables),
    )


def _number(name: str, variables: Mapping[str, str]) -> int:
    text = variables.get(name, "").strip()
    if not text.isdecimal():
        raise JobError(f"{name}={text!r} is no number from 0 up: set it as the launcher does.")
    return int(text)


def _first_host(launcher: _Launcher, size: int, variables: Mapping[str, str]) -> str:
    """Return the machine of the first rank where nothing says it; on one machine that is this one."""
    nodes = variables.get("SLURM_STEP_NODELIST") or variables.get("SLURM_JOB_NODELIST")
    if launcher.name == "srun" and nodes:
        match = _FIRST_HOST.match(nodes)
        if match is not None:
            return match[1] + (match[2] or "")
    if variables.get(launcher.here) == str(size):
        return "127.0.0.1"
    raise JobError(
        f"{launcher.name} has started {size} ranks and does not say where the first is: set MASTER_ADDR to "
        "its machine, and MASTER_PORT to a free port there."
    )


def _port(variables: Mapping[str, str]) -> int:
    """Return a port that all ranks of a job come to by themselves, and another job hardly."""
    job = variables.get("SLURM_JOB_ID") or variables.get("OMPI_MCA_ess_base_jobid") or ""
    digits = "".join(filter(str.isdecimal, job))
    return FIRST_PORT + (int(digits or 0) * 7 + int(variables.get("SLURM_STEP_ID") or 0)) % PORTS


def job_name(variables: Mapping[str, str]) -> str:
    """Return what tells this job from others, alike in all of its ranks; empty where nothing does."""
    return " ".join(f"{name}={variables[name]}" for name in NAMES if variables.get(name))


def machine_name() -> str:
    """Return what this machine and this process are called in a message."""
    return f"{socket.gethostname()}, process {os.getpid()}"
