"""Plan: everything that decides a run, as one value.

Made by ``run`` and by the supervised child, carried out by the engine. Imports values alone.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from samplercheck.case import Case
    from samplercheck.contract import Contract
    from samplercheck.store import Store
    from samplercheck.targets import Target

__all__ = ["Plan"]


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What is run: a target, its laws, how far the search looks, and where it takes place.

    Where ``cases`` are given, those are tried and nothing is searched. ``explains`` says that broken
    laws get their region and cause.
    """

    target: Target | Callable[..., Any] | str
    contract: Contract | None = None
    axes: Mapping[str, Any] | None = None
    profile: str = "standard"
    worlds: Iterable[str] | None = None
    select: Iterable[str] = ()
    skip: Mapping[str, str] | Iterable[str] = ()
    seed: int = 0
    max_time: float | None = None
    max_cases: int | None = None
    cases: tuple[Case, ...] = ()
    explains: bool = True
    store: Store | None = None
    world_settings: Mapping[str, Any] = field(default_factory=dict)
