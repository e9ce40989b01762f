"""Words: the messages of a job, between its first rank and the others. Imports values alone."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from samplercheck.worlds.groups.messages import RunCase


@dataclass(frozen=True, slots=True)
class Beat:
    """A rank lives; ``where`` says what it is doing."""

    where: str


@dataclass(frozen=True, slots=True)
class CaseTurn:
    """Run a case; its number counts all cases of the job."""

    number: int
    case: RunCase


@dataclass(frozen=True, slots=True)
class Renew:
    """Make the groups of a size again: a collective has failed in them."""

    size: int


@dataclass(frozen=True, slots=True)
class Finish:
    """A run is over: what its report says, or the error that kept it from being made."""

    report: dict[str, Any] = field(default_factory=dict)
    error: tuple[str, str] = ("", "")


@dataclass(frozen=True, slots=True)
class Leave:
    """A rank was lost, and the run is over: end at once, whatever this one waits for."""


@dataclass(frozen=True, slots=True)
class Close:
    """The first rank has said its last: all end now."""


@dataclass(frozen=True, slots=True)
class Hello:
    """A rank has come to the files of a job, whose ranks have no other way to meet.

    ``job`` is what its launcher calls the job, empty where it has no name; ``nonce`` was drawn by the rank.
    """

    rank: int
    size: int
    name: str
    nonce: str
    job: str = ""


@dataclass(frozen=True, slots=True)
class Welcome:
    """All ranks have come; a rank whose own nonce is not here belongs to another job."""

    nonces: dict[int, str]


@dataclass(frozen=True, slots=True)
class Refuse:
    """The ranks that have come are not those of one job."""

    why: str
