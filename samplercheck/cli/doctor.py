"""``samplercheck doctor``: what is installed here, what worlds can run, what may get in the way.

Reads this machine and prints; it sends nothing. Imports torch.
"""

from __future__ import annotations

import platform
import re
import shutil
import sys
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

import click

from samplercheck import __version__
from samplercheck.values.layout import printable, row
from samplercheck.values.wording import pluralise

PACKAGES = ("torch", "numpy", "hypothesis", "pytest", "pytest-xdist", "torchdata")
COLUMN = 14
SMALL_SHM = 1 << 28
SHM = Path("/dev/shm")  # noqa: S108  (its size is read, nothing is written there)
MEDDLERS = {
    "schemathesis": "silences Hypothesis' printing in its own tests",
    "randomly": "reseeds the global generators before each test; the kit puts them back as it found them",
    "timeout": "uses SIGALRM, as the kit's deadlines do; the kit passes on alarms that are not its own",
}
"""Names of pytest plugins that meet the kit."""
UNGROUPED = (
    "xdist: with this pytest the mark xdist_group groups nothing (pytest-xdist issue 1386); "
    "the kit's own process groups take turns all the same"
)


@click.command()
def command() -> int:
    """Print versions, backends, GPUs, shared memory and plugins that may get in the way."""
    for label, text in _facts():
        for line in row(label, printable(text), indent=0, column=COLUMN):
            click.echo(line)
    return 0


def _facts() -> Iterator[tuple[str, str]]:
    yield "samplercheck", __version__
    yield "python", f"{platform.python_version()} ({platform.python_implementation()}), {sys.executable}"
    yield "platform", platform.platform()
    for package in PACKAGES:
        yield package, _version(package)
    yield from _torch()
    yield str(SHM), _check_memory()
    yield from _plugins()
    yield "privacy", "nothing is sent anywhere"


def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "not installed"


def _torch() -> Iterator[tuple[str, str]]:
    try:
        import torch
        import torch.distributed as dist
    except Exception as error:  # noqa: BLE001  (a broken torch is what the doctor is asked about)
        yield "backends", f"torch cannot be imported: {type(error).__name__}: {error}"
        return
    if not dist.is_available():
        yield "backends", "this torch has no torch.distributed"
    else:
        known = {"gloo": dist.is_gloo_available(), "nccl": dist.is_nccl_available()}
        yield "backends", ", ".join(f"{name} {'yes' if there else 'no'}" for name, there in known.items())
    yield "GPUs", f"{torch.cuda.device_count()}"
    yield "threads", f"{torch.get_num_threads()} for torch"
    yield from _worlds()


def _worlds() -> Iterator[tuple[str, str]]:
    """Say of each world of process groups what it carries here, or why nothing."""
    from samplercheck.worlds import GROUPS, open_world

    yield "worlds", "simulated: any number of ranks"
    for name in GROUPS:
        world = open_world(name)
        room = pluralise(world.most_ranks, "rank")
        yield "worlds", f"{name}: {world.unavailable or f'up to {room}, each a process of its own'}"


def _check_memory() -> str:
    if not SHM.is_dir():
        return "none on this platform"
    usage = shutil.disk_usage(SHM)
    room = f"{usage.free / 2**20:,.0f} MiB free of {usage.total / 2**20:,.0f}"
    remark = "" if usage.total >= SMALL_SHM else ": small for loader workers (docker run --shm-size=1g)"
    return room + remark


def _plugins() -> Iterator[tuple[str, str]]:
    """Name the pytest plugins that are installed, and those that are known to meet the kit."""
    found = sorted({point.name for point in metadata.entry_points(group="pytest11")})
    yield "plugins", ", ".join(found) or "none"
    clashes = [f"{name}: {what}" for name in found for key, what in MEDDLERS.items() if key in name.lower()]
    if _groups_nothing(_version("pytest"), _version("pytest-xdist")):
        clashes.append(UNGROUPED)
    for clash in clashes or ["none known"]:
        yield "clashes", clash


def _groups_nothing(pytest: str, xdist: str) -> bool:
    """Whether pytest has what this pytest-xdist writes the group to no more: known up to xdist 3.8."""
    return xdist[:1].isdigit() and _numbers(pytest) >= (9, 2) and _numbers(xdist) < (3, 9)


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(one) for one in re.findall(r"\d+", version)[:2])
