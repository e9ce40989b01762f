"""Stream: what is kept of a pass that is too long to be kept itself, and of the epoch of all ranks.

Filled inside ranks, chunk by chunk; put together by traces, read by laws. Imports numpy and the values below.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate
from operator import add

from samplercheck.values.case import Case
from samplercheck.values.fingerprint import Fingerprint, FingerprintTaker, Keys
from samplercheck.values.record import Record
from samplercheck.values.sketch import Sketch

STREAMED, SKETCHED = "streamed", "sketched"
"""The experiments that take long passes: once for their fingerprints, and once more where these differ."""


@dataclass(slots=True, eq=False)
class Stream:
    """One iteration of a target by one rank, of which nothing is kept but sums.

    ``samples`` are all that it yielded, ``strays`` those outside of the dataset: the first is ``stray``, in
    the step ``stray_step``; ``is_plain`` says that steps are Python's integers. ``left`` is the fingerprint
    of the others without this rank's share of what is owed, and ``sketch`` the same as a table; where the
    ranks of a world are run one after the other the first of them has the sum of their tables. ``ending``
    and ``strange`` are as of a pass.
    """

    epoch: int
    steps: int = 0
    samples: int = 0
    is_batched: bool = False
    is_plain: bool = True
    strays: int = 0
    stray: int = 0
    stray_step: int = 0
    left: Fingerprint = field(default_factory=Fingerprint)
    sketch: Sketch | None = None
    ending: str = "finished"
    strange: str = ""


class StreamedEpoch:
    """One epoch of the ranks that share it: what is left of it when what is owed is taken away."""

    def __init__(self, ranks: Sequence[int], streams: Sequence[Stream], case: Case) -> None:
        self.number = streams[0].epoch
        self.ranks = tuple(ranks)
        self.passes = tuple(streams)
        self.total = sum(stream.samples for stream in streams)
        self.left = list(accumulate((stream.left for stream in streams), add))[-1]
        self.sketch: Sketch | None = None
        self._keys = keys_of(case)

    @property
    def steps(self) -> list[int]:
        """The number of steps of each rank."""
        return [one.steps for one in self.passes]

    @property
    def samples(self) -> list[int]:
        """The number of samples of each rank."""
        return [one.samples for one in self.passes]

    @property
    def is_covered(self) -> bool:
        """Whether each sample came as often as an epoch without a tail owes it."""
        return bool(self.left.is_covered)

    @cached_property
    def differences(self) -> dict[int, int] | None:
        """By how much samples came too often or too seldom; None where that many cannot be named.

        What the second passes named is believed where it is all that the first ones had left.
        """
        if self.is_covered:
            return {}
        found = None if self.sketch is None else self.sketch.decode()
        if found is None:
            return None
        taker = FingerprintTaker(self._keys)
        taker.leave(found)
        return found if (self.left - taker.fingerprint).is_covered else None


def keys_of(case: Case) -> Keys:
    """Return the keys by which all ranks mix the indices of a case."""
    return Keys.of(case.id)


def put_together(
    records: Mapping[str, Sequence[Record]], shares: Sequence[Sequence[int]], case: Case
) -> tuple[StreamedEpoch, ...]:
    """Return the epochs that all ranks of each share have finished, with the sum of their tables."""
    found = []
    first, second = records.get(STREAMED, ()), records.get(SKETCHED, ())
    for ranks in shares:
        if len(first) <= ranks[-1]:
            continue
        for number, streams in enumerate(zip(*(first[rank].streams for rank in ranks), strict=False)):
            epoch = StreamedEpoch(ranks, streams, case)
            epoch.sketch = _add_tables(second, ranks, number)
            found.append(epoch)
    return tuple(found)


def _add_tables(records: Sequence[Record], ranks: Sequence[int], number: int) -> Sketch | None:
    """Return the sum of the tables of one epoch; None where not all ranks finished it once more."""
    if len(records) <= ranks[-1] or any(len(records[rank].streams) <= number for rank in ranks):
        return None
    tables = [records[rank].streams[number].sketch for rank in ranks]
    whole: Sketch | None = None
    for table in tables:
        if table is not None:
            whole = whole or Sketch(table.keys, table.length)
            whole.add(table)
    return whole


def add_up_tables(records: Sequence[Record]) -> None:
    """Add the tables of the last rank to those of the first, which keeps them alone."""
    for whole, one in zip(records[0].streams, records[-1].streams, strict=False):
        if whole is not one and whole.sketch is not None and one.sketch is not None:
            whole.sketch.add(one.sketch)
            one.sketch = None
