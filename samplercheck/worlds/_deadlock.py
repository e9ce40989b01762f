"""Deadlock: what ranks do that wait for one another, in the same words for simulated ranks and real groups.

Called by the collective log of simulated ranks and by the watch over the ranks of a group. Imports values
alone.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from samplercheck.values.wording import describe_ranks

if TYPE_CHECKING:
    from samplercheck.values.record import Fault


def describe_deadlock(ranks: Iterable[tuple[int, str, Fault | None]]) -> str:
    """Say what each rank does: "rank 0 waits in ..., ranks 1-3 have finished".

    A rank comes with what it waits in, or else with the fault that ended it, if there is one.
    """
    return describe_ranks((rank, _describe_rank(waits_in, fault)) for rank, waits_in, fault in ranks)


def _describe_rank(waits_in: str, fault: Fault | None) -> tuple[str, str]:
    """Say what one rank does, and the same for several."""
    if waits_in:
        return f"waits in {waits_in}", f"wait in {waits_in}"
    how = "finished"
    if fault is not None:
        how = f"raised {fault.error}" if fault.error else f"ended: {fault.message}"
    return f"has {how}", f"have {how}"
