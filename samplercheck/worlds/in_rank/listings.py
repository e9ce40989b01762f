"""Directories listed in another order than the file system's own, as another machine lists them.

Set once, in a rank of a process of its own, before its target is built. Standard library alone.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import Any


class Entries:
    """What ``os.scandir`` returns, with the last entry first: an iterator that can be closed."""

    def __init__(self, scanned: Any) -> None:
        with scanned:
            self._left = iter(list(scanned)[::-1])

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        return next(self._left)

    def __enter__(self) -> Entries:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Yield no more."""
        self._left = iter(())


def list_in_reverse() -> None:
    """Let ``os.listdir`` and ``os.scandir``, and so glob, ``os.walk`` and pathlib, begin at the end."""
    listdir: Callable[..., list[Any]] = os.listdir
    scandir: Callable[..., Any] = os.scandir
    reverse: dict[str, Any] = {
        "listdir": lambda *path, **named: listdir(*path, **named)[::-1],
        "scandir": lambda *path, **named: Entries(scandir(*path, **named)),
    }
    vars(os).update(reverse)
