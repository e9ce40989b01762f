"""Files that appear whole or not at all, places to write them, and whose fault it is if that cannot be.

Called by reports, the store, certificates and ledgers. Standard library alone.
"""

from __future__ import annotations

import errno
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryFile

from samplercheck.values.errors import InputError, StoreError, UsageError


def write_whole(path: Path, content: bytes) -> None:
    """Write beside ``path``, then take its place in one step; where that fails, what was there stays."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with _written_beside(path, content) as temporary:
        temporary.replace(path)


def write_first(path: Path, content: bytes, *, mode: int = 0o666) -> None:
    """Write a file in one step, unless it is there: of several processes that do so, the first wins."""
    if not path.exists():
        with _written_beside(path, content, mode) as temporary, suppress(FileExistsError):
            os.link(temporary, path)


@contextmanager
def _written_beside(path: Path, content: bytes, mode: int = 0o666) -> Iterator[Path]:
    """Write a file in the same folder, on disk to the last byte, of which nothing is left under its name."""
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(8)}.tmp")
    try:
        number = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), mode)
        with os.fdopen(number, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        yield temporary
    finally:
        with suppress(OSError):  # it has taken the other's place, or was never made
            temporary.unlink()


def check_directory(directory: Path, option: str, fix: str, file: str = "") -> None:
    """Make a directory, or refuse it before minutes are lost; its ``file`` must be no directory."""
    try:
        directory.mkdir(parents=True, exist_ok=True)
        TemporaryFile(dir=directory).close()
        if file and (directory / file).is_dir():
            raise IsADirectoryError(errno.EISDIR, f"its {file} is a directory")
    except OSError as error:
        what = f"{option} {str(directory)!r} cannot be written to: {error.strerror}"
        raise UsageError(f"{what}. {fix}") from None


def blame_place(error: OSError, message: str) -> StoreError:
    """Return the error of what cannot be written: of the place that was named, or of the machine."""
    is_named = isinstance(error, (FileExistsError, IsADirectoryError, NotADirectoryError, PermissionError))
    is_named = is_named or error.errno in (errno.ENAMETOOLONG, errno.ELOOP)
    return (InputError if is_named else StoreError)(message)
