"""What a world may be handed by whoever outlives its process: a black box, as a protocol.

Worlds know nothing of supervision, which implements it. Standard library alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from samplercheck.case import Case
    from samplercheck.experiments.seat import Seat

__all__ = ["BlackBox"]


class BlackBox(Protocol):
    """Notes where a run is, for whoever outlives its process."""

    def enter_case(self, case: Case, experiments: Sequence[str]) -> None:
        """Note the case that begins."""

    def at(self, rank: int, experiment: int) -> None:
        """Note the rank and which of the experiments it begins."""

    def note(self, seat: Seat, phase: str, epoch: int | None, step: int | None = None) -> None:
        """Note what is asked of the target now."""

    def stepping(self, iterator: Iterator[Any]) -> Iterator[Any]:
        """Pass on what ``iterator`` yields, noting each step before it is taken."""

    def watch(self, *, on: bool) -> None:
        """Note that the heart begins to beat, or that it stops on purpose."""

    def beat(self) -> None:
        """Show that Python still runs in this process."""

    def allow(self, seconds: float) -> None:
        """Note for how long the heart may stand still."""

    def hang(self, seat: Seat, phase: str, epoch: int | None, step: int | None) -> None:
        """Note that the target hangs and cannot be interrupted from inside."""
