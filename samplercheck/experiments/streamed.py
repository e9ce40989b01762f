"""Experiments of passes too long to be kept: ``streamed`` and, where that is not enough, ``sketched``.

Run inside a rank. A pass is read a few thousand steps at a time into arrays: integers, and batches of them;
what is neither ends the pass and is described. What is left of it when this rank's share of what is owed is
taken away is a few numbers, which are added over the ranks: from so much laws judge whether all samples came.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samplercheck.experiments._reading import RANGES, append, open_pass
from samplercheck.experiments.seat import Seat
from samplercheck.values.fingerprint import FingerprintTaker, share_of
from samplercheck.values.record import Pass
from samplercheck.values.sketch import Sketch
from samplercheck.values.stream import Stream, keys_of

Indices = NDArray[np.int64]
Chunk = tuple[Indices, Indices | None]
Read = tuple[Indices, Indices | None, int]

AT_ONCE = 2**14
SEQUENCES = RANGES | {type(iter(np.empty(0)))}


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
        for indices, sizes in _read_chunks(seat, subject, stream):
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
        for indices, sizes in _read_chunks(seat, subject, stream):
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


def _read_chunks(seat: Seat, subject: Any, stream: Stream) -> Iterator[Chunk]:
    """Yield the indices of one pass, and the sizes of its batches where it has some, chunk by chunk."""
    iterator = seat.within("iter", stream.epoch, open_pass, subject)
    known = _find_sequence(iterator)
    chunks = _take(seat, iterator, stream) if known is None else _cut(known, seat.cap)
    for indices, sizes in chunks:
        yield indices, sizes
        stream.samples += len(indices)
        stream.steps += len(indices) if sizes is None else len(sizes)
        if stream.steps > seat.cap:
            stream.ending = "capped"
            seat.check_ended(stream)
            return


def _find_sequence(iterator: Iterator[Any]) -> Any:
    """Return the range or the array of integers that an iterator walks along; None where it is another.

    What these iterators yield is known without asking them one by one.
    """
    if type(iterator) not in SEQUENCES:
        return None
    reduced: Any = iterator.__reduce__()  # of a built-in type: iter, what it walks along, and how far it is
    _, (whole, *_), *state = reduced
    rest = whole[state[0] :] if state else whole
    if type(rest) is range:
        ends = (rest[0], rest[-1]) if rest else (0,)
        return rest if min(ends) >= -(2**63) and max(ends) < 2**63 else None
    return rest if type(rest) is np.ndarray and rest.ndim == 1 and rest.dtype.kind == "i" else None


def _cut(known: Any, cap: int) -> Iterator[Chunk]:
    """Yield what is known, up to a step beyond the cap."""
    end = min(len(known), cap + 1)
    for begin in range(0, end, AT_ONCE):
        part = known[begin : min(begin + AT_ONCE, end)]
        is_range = type(part) is range
        yield (np.arange(part.start, part.stop, part.step) if is_range else part.astype(np.int64)), None


def _take(seat: Seat, iterator: Iterator[Any], stream: Stream) -> Iterator[Chunk]:
    """Yield what an iterator yields; the first step alone shows what steps are, and how large.

    Integers are held together. All else is copied at once, as a target may change what it has yielded.
    """
    size, read = 1, _read_each
    while True:
        indices, sizes, number = read(seat, iterator, stream, size)
        if len(indices) or sizes is not None:
            yield indices, sizes
        if stream.strange or number < size:
            return
        read = _read_each if stream.is_batched or not stream.is_plain else _read_together
        size = max(1, min(AT_ONCE, AT_ONCE * size // max(1, len(indices))))


def _read_together(seat: Seat, iterator: Iterator[Any], stream: Stream, size: int) -> Read:
    """Return the next steps, of which the first ones were integers, and how many there were."""
    held: list[Any] = []
    with _watch(seat, stream, lambda: len(held)):
        held.extend(islice(iterator, size))
    if _is_of_integers(held):
        try:
            return np.fromiter(held, np.int64, len(held)), None, len(held)
        except OverflowError:
            pass
    pass_ = Pass(stream.epoch, array("q"))
    for item in held:
        _add(pass_, item)
    return *_finish(pass_, stream), len(held)


def _read_each(seat: Seat, iterator: Iterator[Any], stream: Stream, size: int) -> Read:
    """Return the next steps, copied one by one, and how many there were."""
    number = 0
    pass_ = Pass(stream.epoch, array("q"), array("q") if stream.is_batched else None)
    with _watch(seat, stream, lambda: number):
        for item in islice(iterator, size):
            number += 1
            stream.is_plain = type(item) is int
            _add(pass_, item)
            if pass_.strange:
                break
    return *_finish(pass_, stream), number


@contextmanager
def _watch(seat: Seat, stream: Stream, count: Callable[[], int]) -> Iterator[None]:
    """Let the guard watch the target's code; ``count`` says how many steps it has taken in this part."""
    seat.guard.watch(seat, "next", stream.epoch, None)
    try:
        yield
    except BaseException as error:  # noqa: BLE001  (converted into what is raised)
        raise seat.convert(error, "next", stream.epoch, stream.steps + count()) from None
    finally:
        seat.guard.rest()


def _add(pass_: Pass, item: Any) -> None:
    if not pass_.strange:
        append(pass_, item)


def _finish(pass_: Pass, stream: Stream) -> Chunk:
    """Return what was read as arrays; what is strange is described, and what came after it left out."""
    is_batched = pass_.sizes is not None
    if pass_.strange:  # which counts from the first step of this part
        here, there = f"step {pass_.steps} ", f"step {stream.steps + pass_.steps} "
        stream.strange = pass_.strange.replace(here, there, 1)
    elif stream.steps and is_batched and not stream.is_batched:
        stream.strange = f"step {stream.steps} is a batch after samples"
        return np.empty(0, np.int64), None
    stream.is_batched = is_batched
    return pass_.indices, None if pass_.sizes is None else np.frombuffer(pass_.sizes, dtype=np.int64)


def _is_of_integers(held: list[Any]) -> bool:
    """Whether all of a list are integers, found out by adding them up: nothing else adds up to one."""
    try:
        return type(sum(held)) is int
    except Exception:  # noqa: BLE001  (whatever a target's object raises when it is added)
        return False
