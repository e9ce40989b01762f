"""Experiments of passes too long to be kept: ``streamed`` and, where that is not enough, ``sketched``.

Run inside a rank. What is left of a pass when this rank's share of what is owed is taken away is a few
numbers, which are added over the ranks: from so much laws judge whether all samples came.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from samplercheck.experiments._chunks import Indices, read_chunks
from samplercheck.experiments.seat import Seat
from samplercheck.values.fingerprint import FingerprintTaker, share_of
from samplercheck.values.sketch import Sketch
from samplercheck.values.stream import Stream, keys_of


def take_fingerprints(seat: Seat) -> None:
    """Take the fingerprints of the epochs of one object, in order, and ask ``len()`` before each.

    Read by the laws of coverage where epochs are long.
    """
    subject = seat.build()
    for epoch in range(seat.case.epochs):
        subject = seat.begin(subject, epoch)
        seat.ask_length(subject, "before", epoch)
        taker, stream = FingerprintTaker(keys_of(seat.case)), Stream(epoch)
        taken = 0
        for indices, sizes in read_chunks(seat, subject, stream):
            inside = _leave_strays_out(indices, sizes, stream, seat.case.length)
            taker.take(inside, sizes=sizes, begin=taken, step=stream.steps)
            taken += len(inside)
        taker.owe(*_share(seat), seat.contract.repeats)
        stream.left = taker.fingerprint
        seat.record.streams.append(stream)


def sketch(seat: Seat) -> None:
    """Take the same epochs of another object once more, into the tables that name what differs."""
    subject: Any = seat.build()
    for epoch in range(seat.case.epochs):
        subject = seat.begin(subject, epoch)
        table, stream = Sketch(keys_of(seat.case), seat.case.length), Stream(epoch)
        for indices, sizes in read_chunks(seat, subject, stream):
            table.take(_leave_strays_out(indices, sizes, stream, seat.case.length))
        if seat.contract.sharding == "none" or not seat.rank % seat.contract.replicas:
            table.owe(*_share(seat), seat.contract.repeats)
            stream.sketch = table
        seat.record.streams.append(stream)


def _share(seat: Seat) -> tuple[int, int]:
    """Return the range of samples that this rank takes away: all, or its place's part of them."""
    case, step = seat.case, seat.contract.replicas
    if seat.contract.sharding == "none":
        return 0, case.length
    return share_of(seat.rank // step, max(1, case.world_size // step), case.length)


def _leave_strays_out(indices: Indices, sizes: Indices | None, stream: Stream, length: int) -> Indices:
    """Return the indices of the dataset; of the others the first is noted, and how many there are."""
    if not len(indices) or int(indices.view(np.uint64).max()) < length:  # where negative ones are the largest
        return indices
    outside = (indices < 0) | (indices >= length)
    if not stream.strays:
        position = int(np.flatnonzero(outside)[0])
        step = position if sizes is None else int(np.searchsorted(np.cumsum(sizes), position, "right"))
        stream.stray, stream.stray_step = int(indices[position]), stream.steps + step
    stream.strays += int(outside.sum())
    return indices[~outside]
