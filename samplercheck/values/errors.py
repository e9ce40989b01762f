"""Every error that samplercheck raises on purpose, one root and its leaves.

Called by every layer; imports the standard library alone. A message names the value, the rule
and the fix, in that order. Each class pickles, because errors cross process boundaries.
"""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from pathlib import PurePath

__all__ = [
    "AdapterError",
    "CaseError",
    "ContractError",
    "InputError",
    "JobError",
    "LawBroken",
    "LawError",
    "NotCertified",
    "RankError",
    "SamplerCheckError",
    "StoreError",
    "TargetError",
    "UsageError",
    "WorldError",
    "did_you_mean",
]

MOST_WORDS = 60


class SamplerCheckError(Exception):
    """The root of all errors raised by samplercheck."""


class UsageError(SamplerCheckError):
    """Something the caller asked for cannot be done; the message says what to write instead."""


class CaseError(UsageError):
    """A case, its token or its file is not a legal configuration."""


class ContractError(UsageError):
    """A contract promises something impossible, or names a field or value that does not exist."""


class TargetError(UsageError):
    """A target cannot be found, imported or bound by name."""


class AdapterError(TargetError):
    """A target raises an exception in every case; the message has an adapter to paste."""


class LawError(UsageError):
    """A law is unknown, defined twice or defined wrongly."""


class StoreError(SamplerCheckError):
    """A stored case or a report cannot be read or written."""


class InputError(StoreError, UsageError):
    """A file that was handed in, or a place to write to that was named, cannot be what it should."""


class WorldError(SamplerCheckError):
    """A world cannot run the experiments on this machine."""


class JobError(WorldError, UsageError):
    """A process was to join a job that it is no rank of, or whose launcher says something impossible."""


class RankError(SamplerCheckError):
    """A function failed in a rank of a world; the message names each rank that did.

    ``rank`` is the first of them, None where all ranks wait for one another; ``kind`` the name of
    its exception, or how it ended; ``traceback`` its own frames as text.
    """

    def __init__(self, message: str, *, rank: int | None = None, kind: str = "", traceback: str = "") -> None:
        super().__init__(message)
        self.rank = rank
        self.kind = kind
        self.traceback = traceback


class LawBroken(SamplerCheckError, AssertionError):  # noqa: N818  (a public name)
    """Raised by ``Report.raise_for_failures``; carries the failure blocks as its message."""


class NotCertified(SamplerCheckError):  # noqa: N818  (what it says of the target)
    """Raised by ``certify`` where a target earns no certificate; the message gives every reason."""


def did_you_mean(value: str, known: Iterable[str]) -> str:
    """Return the end of a message: the nearest known word, then all of them, or the first sixty."""
    words = sorted(known)
    ending = PurePath(value).suffix  # all files of a kind have the same, which makes none of them near
    bare = {word.removesuffix(ending): word for word in words}
    near = [bare[one] for one in get_close_matches(value.removesuffix(ending), bare, n=1, cutoff=0.5)]
    guess = f"Did you mean {near[0]!r}? " if near else ""
    if not words:
        return f"{guess}Nothing is known here."
    more = f" and {len(words) - MOST_WORDS} more" if len(words) > MOST_WORDS else ""
    return f"{guess}Known: {', '.join(words[:MOST_WORDS])}{more}."
