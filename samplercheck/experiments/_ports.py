"""What a world hands to a seat: a guard, the ambient generators and, in real groups, a pace; as protocols.

Experiments know nothing of worlds; worlds implement these. Standard library alone.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, TypeVar

from samplercheck.values.case import Case
from samplercheck.values.record import Pass

Result = TypeVar("Result")


class Guard(Protocol):
    """Watches the time spent in the target's code; ``stretch`` multiplies what is allowed.

    ``too_far`` is an epoch that the target took too long to reach, None where none is known.
    """

    stretch: float
    too_far: int | None

    def watch(self, seat: Any, phase: str, epoch: int | None, passing: Pass | None) -> None:
        """Say that the target's code begins to run; a pass that grows counts as progress."""

    def rest(self) -> None:
        """Say that the target's code has returned."""

    def is_deadline(self, error: BaseException) -> bool:
        """Whether the guard itself raised this."""

    def reraise(self, error: BaseException) -> None:
        """Raise again what is no finding: the user's own Ctrl-C."""


class Ambient(Protocol):
    """The process's global random generators, as this rank finds them."""

    def share(self, case: Case, *, watched: bool = False) -> None:
        """Put all generators into the one state that all ranks share in this case."""

    def find_moved(self, *, may_wait: bool = False) -> tuple[str, ...] | None:
        """Name the generators that were used or reseeded since the last call; None where nobody knows."""


class Pace(Protocol):
    """Keeps the ranks of a real group in step."""

    def meet(self, steps: int) -> list[int]:
        """Meet all ranks in a collective and return, rank by rank, its steps since the meeting before."""


class Memory(Protocol):
    """Knows what parts of an experiment came to, where a rank is run again for each of its collectives."""

    def once(self, part: Callable[[], Result]) -> Result:
        """Do a part of the experiment, unless it ended in an earlier run; return its result."""
