"""Pruning: what is fixed is taken out of its file, and a file without failures is removed.

Done only when asked for: that a case has passed once is no reason to forget it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from samplercheck.files import write_whole
from samplercheck.replaying._subjects import Subject
from samplercheck.replaying._verdicts import FIXED
from samplercheck.store import script_in
from samplercheck.stored import StoredCase, read_case

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from samplercheck.replaying._verdicts import Verdict
    from samplercheck.stored import Breach

__all__ = ["prune_fixed"]


def prune_fixed(verdicts: Sequence[Verdict]) -> Iterator[str]:
    """Take what is fixed out of its files; yield a line for each that changes."""
    fixed: dict[Path, set[tuple[str, str]]] = {}
    for verdict in verdicts:
        subject = verdict.subject
        if isinstance(subject, Subject) and subject.path and subject.breach and verdict.word == FIXED:
            for path in (subject.path, *subject.copies):
                fixed.setdefault(path, set()).add(_failure(subject.breach))
    for path, gone in fixed.items():
        stored = read_case(path)
        left = tuple(one for one in stored.broken if _failure(one) not in gone)
        for target in {one.target for one in stored.broken} - {one.target for one in left}:
            script_in(path.parent, stored.case.id, target).unlink(missing_ok=True)
        if left:
            write_whole(path, StoredCase(stored.case, left).encode())
            yield f"took {len(gone)} of {len(stored.broken)} failures out of {path}"
            continue
        path.unlink()
        yield f"removed {path}"


def _failure(one: Breach) -> tuple[str, str]:
    """Return what tells a failure from the others of its file."""
    return one.target, one.law
