"""Laps: how endless passes begin, which is all that they are held to as long as nothing deals them out.

Called by the law disjoint, and by the engine to say what a run leaves out. One rank alone walks lap
after lap; several ranks are known to share a lap only where they deal it out in turn. Imports values alone.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from samplercheck.trace import Epoch

if TYPE_CHECKING:
    from samplercheck.contract import Contract
    from samplercheck.laws._law import Scope
    from samplercheck.trace import Trace

__all__ = ["begins_with_a_lap", "first_lap", "has_laps", "is_dealt_in_turn", "is_told"]

GROUPING = frozenset({"labels", "lengths"})
BUFFERING = frozenset({"stream", "loader"})


def has_laps(contract: Contract) -> bool:
    """Whether each sample comes once in a lap; batches by a rule wait across laps until they are full."""
    plain = contract.batches == "fixed" and contract.batch_rule is None and contract.tail_unit == "sample"
    return contract.endless and contract.coverage == "once" and plain


def is_dealt_in_turn(contract: Contract) -> bool:
    """Whether ranks take the positions of a lap in turn; in chunks one may be in the next lap already."""
    return has_laps(contract) and contract.layout == "strided"


def begins_with_a_lap(scope: Scope) -> bool:
    """Whether one rank alone begins with a lap; what groups or buffers samples may hold some back."""
    free = scope.contract.order == "free" or GROUPING & scope.named or BUFFERING & scope.traits
    return is_dealt_in_turn(scope.contract) or (has_laps(scope.contract) and not free)


def is_told(trace: Trace) -> bool:
    """Whether it is known of a case who takes what of the first lap."""
    return trace.owed.places == 1 or is_dealt_in_turn(trace.contract)


def first_lap(trace: Trace, epoch: Epoch) -> Epoch:
    """Return the whole rounds, of batches where there are some, that endless passes begin with in one lap."""
    owed, unit = trace.owed, trace.case.batch_size if trace.batched else 1
    each = owed.appearances // (owed.places * unit) * unit
    begun = tuple(replace(one, items=one.items[:each], sizes=None) for one in epoch.passes)
    return Epoch(epoch.number, epoch.ranks, begun, epoch.length)
