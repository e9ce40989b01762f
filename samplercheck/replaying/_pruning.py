"""Pruning: what is fixed is taken out of its file, and a file without failures is removed.

Done only when asked for: that a case has passed once is no reason to forget it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from samplercheck.files import write_whole
from samplercheck.replaying._subjects import Subject
from samplercheck.replaying._verdicts import FIXED
from samplercheck.stored import StoredCase, read_case

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from samplercheck.replaying._verdicts import Verdict
    from samplercheck.stored import Breach

__all__ = ["prune_fixed"]


def prune_fixed(verdicts: Sequence[Verdict]) -> Iterator[str]:
    """Take what is fixed out of its files; yield a line for each that changes."""
    fixed: dict[Path, list[Breach]] = {}
    for verdict in verdicts:
        subject = verdict.subject
        if isinstance(subject, Subject) and subject.path and subject.breach and verdict.word == FIXED:
            fixed.setdefault(subject.path, []).append(subject.breach)
    for path, gone in fixed.items():
        stored = read_case(path)
        left = tuple(one for one in stored.broken if one not in gone)
        if left:
            write_whole(path, StoredCase(stored.case, left).encode())
            yield f"took {len(gone)} of {len(stored.broken)} failures out of {path}"
            continue
        path.unlink()
        path.with_suffix(".py").unlink(missing_ok=True)
        yield f"removed {path}"
