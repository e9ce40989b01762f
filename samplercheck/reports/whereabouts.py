"""Which sample went where: for one epoch, the ranks that got each sample.

Called by ``samplercheck show``. Pure: reads the trace and says what is there, not what is right.
Imports values alone.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from samplercheck.reports.scenes._columns import pass_name
from samplercheck.reports.table import Row, draw
from samplercheck.words import brief

if TYPE_CHECKING:
    from samplercheck.trace import Epoch, Trace

__all__ = ["whereabouts"]


def whereabouts(trace: Trace, experiment: str, number: int) -> tuple[str, ...]:
    """Return the lines for one epoch: sample by sample its ranks, then what is missing or doubled."""
    lines: list[str] = []
    mine = [epoch for epoch in trace.epochs_of(experiment) if epoch.number == number and trace.case.length]
    several = len({epoch.ranks for epoch in mine}) < len(mine)
    for epoch in mine:
        lines += [f"{_name(trace, experiment, epoch)}:"] if several else []
        lines += draw([Row(0, _owner(epoch), _Owners(epoch))], title="sample")
        lines.append(_told(epoch))
    return tuple(lines)


def _name(trace: Trace, experiment: str, epoch: Epoch) -> str:
    """Say which of several passes of the same epoch this is."""
    record = trace.of(experiment)[epoch.ranks[0]]
    return pass_name(record, next(at for at, one in enumerate(record.passes) if one is epoch.passes[0]))


def _owner(epoch: Epoch) -> str:
    return "rank" if len(epoch.ranks) > 1 else f"rank {epoch.ranks[0]}"


class _Owners:
    """The ranks that got a sample; as often as they got it."""

    def __init__(self, epoch: Epoch) -> None:
        self._epoch = epoch
        self._known: dict[int, str] = {}

    @cached_property
    def steps(self) -> int:
        """The number of samples."""
        return self._epoch.length

    def at(self, sample: int) -> str:
        """Return the ranks of one sample, or how often its only rank got it."""
        if sample not in self._known:
            self._known[sample] = self._words(sample)
        return self._known[sample]

    def _words(self, sample: int) -> str:
        times = [int((one.indices == sample).sum()) for one in self._epoch.passes]
        if len(times) == 1:
            return f"{times[0]}x"
        owners = zip(self._epoch.ranks, times, strict=True)
        return ",".join(str(rank) for rank, often in owners for _ in range(often)) or "-"


def _told(epoch: Epoch) -> str:
    counts = epoch.counts
    missing, doubled = (counts == 0).nonzero()[0].tolist(), (counts > 1).nonzero()[0].tolist()
    parts = [f"missing: {brief(missing)}"] if missing else []
    parts += [f"more than once: {brief(doubled)}"] if doubled else []
    parts += [] if epoch.is_in_range else ["some indices are not in the dataset"]
    return "; ".join(parts) or "every sample once"
