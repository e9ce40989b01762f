"""RunRequest: what a user asked for on the command line, as plain data that crosses to a child process.

Made by the command line, read where the run takes place. Imports the standard library alone;
``target_of`` imports the user's module.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any

from samplercheck.errors import UsageError, did_you_mean

if TYPE_CHECKING:
    from samplercheck.targets import Target

__all__ = ["RunRequest", "target_of"]

LISTS = ("worlds", "select", "cases")


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRequest:
    """One run of one target.

    ``contract`` and ``axes`` change the target's own, field by field and axis by axis. ``skip``
    gives a reason for each law. ``directory`` holds the stored cases; None stores nothing. Where
    ``cases`` are named, as tokens, those are tried and nothing is searched.
    ``world_settings`` are settings of worlds that are plain data ("max_ranks", "memory").
    """

    target: str
    contract: dict[str, Any] = field(default_factory=dict)
    axes: dict[str, list[Any]] = field(default_factory=dict)
    profile: str = "standard"
    worlds: tuple[str, ...] = ()
    select: tuple[str, ...] = ()
    skip: dict[str, str] = field(default_factory=dict)
    seed: int = 0
    max_time: float | None = None
    max_cases: int | None = None
    directory: str | None = ".samplercheck"
    world_settings: dict[str, int] = field(default_factory=dict)
    cases: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON data, the inverse of ``from_dict``."""
        plain = {item.name: getattr(self, item.name) for item in fields(self)}
        return plain | {name: list(plain[name]) for name in LISTS}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> RunRequest:
        """Return the request that ``data`` describes; unknown fields are refused."""
        known = [item.name for item in fields(cls)]
        for name in data:
            if name not in known:
                raise UsageError(f"Field {name!r} of a run does not exist. {did_you_mean(name, known)}")
        plain = dict(data)
        plain.update({name: tuple(data[name]) for name in LISTS if name in data})
        return cls(**plain)


def target_of(text: str, contract: dict[str, Any], axes: dict[str, list[Any]]) -> Target:
    """Return the target that ``text`` names, its own contract and axes changed as asked."""
    from samplercheck.targets import as_target

    found = as_target(text)
    merged: dict[str, Any] = dict(found.axes)
    merged.update(axes)
    return as_target(found, found.contract.but(**contract), merged)
