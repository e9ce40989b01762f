"""The job that a process belongs to: its place among the ranks, its launch, and the key of a ledger's folder.

Asked when a watched loader is iterated for the first time in a process. Imports msgspec, and asks
``torch.distributed`` where it is in use.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import socket
import sys
from pathlib import Path
from typing import Annotated, Literal

import msgspec

from samplercheck.storage.atomic import blame_place, write_first
from samplercheck.values.errors import InputError
from samplercheck.values.guarded import parse_guarded, read_guarded

KEY_FILE = "ledger.json"
KEY_WHAT = "key of a ledger"
LARGEST_KEY = 10_000
ATTEMPT = "SAMPLERCHECK_ATTEMPT"
_LAUNCH = (
    "TORCHELASTIC_RUN_ID",
    "TORCHELASTIC_RESTART_COUNT",
    "MASTER_PORT",
    "SLURM_JOB_ID",
    "SLURM_STEP_ID",
)


class LedgerKey(msgspec.Struct, forbid_unknown_fields=True):
    """The key of a folder of ledgers: samples are written down as numbers that depend on it."""

    format: Literal[1]
    key: Annotated[str, msgspec.Meta(pattern=r"^[0-9a-f]{16}$(?!\n)")]


def place_of_rank() -> tuple[int, int]:
    """Return the rank of this process and the number of ranks: of its group, or of the environment."""
    distributed = sys.modules.get("torch.distributed")
    if distributed is not None and distributed.is_available() and distributed.is_initialized():
        return distributed.get_rank(), distributed.get_world_size()
    rank, world = os.environ.get("RANK", ""), os.environ.get("WORLD_SIZE", "")
    if rank.isdecimal() and world.isdecimal() and int(rank) < int(world):
        return int(rank), int(world)
    return 0, 1


def name_launch() -> str:
    """Return what tells one start of a job from another, as far as the environment knows."""
    known = os.environ.get(ATTEMPT)
    return known or ":".join(os.environ.get(name, "") for name in _LAUNCH)


def name_host() -> str:
    """Return the host of this process, and which node it is where a launcher has several on one host."""
    node = os.environ.get("GROUP_RANK", "0")
    return socket.gethostname() + (f"#{node}" if node not in {"", "0"} else "")


def key_of(folder: Path, *, make: bool) -> tuple[int, str]:
    """Return the key of a folder of ledgers, and the name that its ledgers bear; the first rank makes it."""
    path = folder / KEY_FILE
    if make:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            write_first(path, msgspec.json.encode(LedgerKey(format=1, key=secrets.token_hex(8))))
        except OSError as error:
            raise blame_place(
                error,
                f"No ledger can be written to {str(folder)!r}: {error.strerror}. "
                "Name a directory that can be made or written.",
            ) from None
    try:
        content = read_guarded(path, KEY_WHAT, LARGEST_KEY)
        said = parse_guarded(content, path, KEY_WHAT, msgspec.json.Decoder(LedgerKey).decode)
    except InputError as error:
        raise InputError(f"{error} Use a new folder.") from None
    key = bytes.fromhex(said.key)
    return int.from_bytes(key, "little"), hashlib.sha256(key).hexdigest()[:16]
