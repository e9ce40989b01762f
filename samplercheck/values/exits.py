"""Exits: what the number means with which a command ends, the same for all verbs, and what ends one early.

Of one report ``reports.standing`` says it, of an error the command line, of several runs ``worst_exit``.
Standard library alone.
"""

from __future__ import annotations

import signal
from collections.abc import Iterable

ENDINGS = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]
"""The signals by which somebody ends a program."""
HOLDS = 0
"""Every law holds, and what was asked for was done."""
BROKEN = 1
"""A law is broken, or a comparison, a certificate or a known failure is not as it should be."""
USAGE = 2
"""What was asked for cannot be done."""
UNDECIDED = 3
"""Some law is undecided."""
FAULT = 4
"""Samplercheck itself has failed, or what it was to write could not be written."""
NOTHING = 5
"""There was nothing to check."""
INTERRUPTED = 130
"""Ctrl-C has ended it."""

_BADNESS = (HOLDS, NOTHING, UNDECIDED, BROKEN, USAGE, FAULT, INTERRUPTED)


def worst_exit(codes: Iterable[int]) -> int:
    """Return the exit code of several runs: the one that most needs a person."""
    return max(codes, key=_BADNESS.index, default=NOTHING)
