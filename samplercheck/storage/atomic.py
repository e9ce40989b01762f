"""Files that appear whole or not at all, and whose fault it is that one cannot be written.

Called by reports, the store, certificates and ledgers. Standard library alone.
"""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
from pathlib import Path

from samplercheck.values.errors import InputError, StoreError


def write_whole(path: Path, content: bytes) -> None:
    """Write beside ``path``, then take its place in one step; where that fails, what was there stays."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(8)}.tmp")
    try:
        with temporary.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise


def blame_place(error: OSError, message: str) -> StoreError:
    """Return the error of what cannot be written: of the place that was named, or of the machine."""
    is_named = isinstance(error, (FileExistsError, IsADirectoryError, NotADirectoryError, PermissionError))
    return (InputError if is_named or error.errno == errno.ENAMETOOLONG else StoreError)(message)
