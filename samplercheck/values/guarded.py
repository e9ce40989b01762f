"""Guarded reading: the one way to what comes from outside, which anybody may have made or put there.

Reports, certificates, case files, pyproject.toml, tests, certified sources and those that are searched for
targets are read by this: plain files only, so that no pipe is waited for, no more of them than is told, and
not for long. What cannot be read is an ``InputError`` of one sentence. Standard library alone.
"""

from __future__ import annotations

import ast
import io
import os
import stat
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from samplercheck.values.errors import InputError
from samplercheck.values.layout import cut, printable

Content = TypeVar("Content")

LONGEST = 10.0
"""Seconds after which a file is given up that hands out its bytes slowly, as one on a network may."""
SLOWEST = 2**24
"""Bytes of a large file that are waited for in each second, beyond these."""
BLOCK = 2**20
LONGEST_REASON = 300
TOO_DEEP = "it is nested too deep"
MAY_NEST = b".([+-*/%&|^@<>"
"""What nests: Python 3.10 parses any depth, and its process ends where it makes objects of the tree."""
DEEPEST = 50_000
UNREADABLE = (OSError, ValueError, RecursionError, MemoryError, SyntaxError)
"""What readers of text raise for a text of another kind, or one that is too deep for them."""


def read_guarded(path: Path, what: str, most: int) -> bytes:
    """Return what a plain file of at most so many bytes holds; ``what`` it should be is for messages."""
    with _open_guarded(path, what) as file:
        return _read(file.read, path, what, most)


@contextmanager
def _open_guarded(path: Path, what: str) -> Iterator[io.FileIO]:
    """Open a plain file; whatever fails while it is read is said in one sentence."""
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):  # noqa: PTH116  (pathlib hides a null byte)
            raise _unreadable(path, what, "it is no plain file")
        number = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
        with io.FileIO(number) as file:
            if not stat.S_ISREG(os.fstat(number).st_mode):  # it was exchanged
                raise _unreadable(path, what, "it is no plain file")
            yield file
    except (OSError, ValueError) as error:  # a ValueError: a name with a null byte
        raise _unreadable(path, what, getattr(error, "strerror", None) or error) from None


class GuardedFile:
    """A plain file that is read in parts, for one that is too large to be held; it is not kept open."""

    def __init__(self, path: Path, what: str, most: int) -> None:
        self._path, self._what, self._waited = path, what, 0.0
        with _open_guarded(path, what) as file:
            self.size = file.seek(0, os.SEEK_END)
        if self.size > most:
            raise _unreadable(path, what, f"it is larger than {most:,} bytes")

    def read(self, parts: Sequence[tuple[int, int]]) -> bytearray:
        """Return the bytes of some parts, each given by where it begins and how long it is."""
        began, content, at = time.monotonic(), bytearray(sum(length for _, length in parts)), 0
        room = memoryview(content)
        with _open_guarded(self._path, self._what) as file:
            for begin, length in parts:
                file.seek(begin)
                end = at + length
                while at < end and (read := file.readinto(room[at:end])):
                    at += read
                if at < end:
                    raise _unreadable(self._path, self._what, "it became shorter while it was read")
        self._waited += time.monotonic() - began - len(content) / SLOWEST
        if self._waited > LONGEST:
            raise _unreadable(self._path, self._what, f"reading it took {LONGEST:.0f} s longer than it may")
        return content


def _read(read: Callable[[int], bytes | None], path: Path, what: str, most: int) -> bytes:
    content, until = bytearray(), time.monotonic() + LONGEST
    while block := read(min(BLOCK, most + 1 - len(content))):
        content += block
        if len(content) > most:
            raise _unreadable(path, what, f"it is larger than {most:,} bytes")
        if time.monotonic() > until:
            raise _unreadable(path, what, f"reading it took longer than {LONGEST:.0f} s")
    return bytes(content)


def parse_guarded(content: bytes, name: object, what: str, parse: Callable[[bytes], Content]) -> Content:
    """Return what a parser makes of a content; whatever it cannot take, also what is too deep, is said."""
    try:
        return parse(content)
    except UNREADABLE as error:
        why = TOO_DEEP if isinstance(error, (RecursionError, MemoryError)) else error
        raise _unreadable(name, what, why) from None


def parse_python(content: bytes, name: object, what: str) -> ast.Module:
    """Return the syntax tree of a Python source; what this Python cannot take, in whatever way, is said."""
    if sys.version_info < (3, 11) and sum(map(content.count, MAY_NEST)) > DEEPEST:
        raise _unreadable(name, what, TOO_DEEP)
    return parse_guarded(content, name, what, ast.parse)


def _unreadable(name: object, what: str, why: object) -> InputError:
    reason = cut(printable(str(why).rstrip(".")), LONGEST_REASON)
    return InputError(f"{printable(name)} is no {what}: {reason}.")
