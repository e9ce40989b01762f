"""Reading: what an iterator yields, taken into a pass as integers; what is no index is described.

Called by ``Seat``, inside a rank, under the world's guard. Values are copied at once, because a
target may change or reuse what it has yielded. Imports the trace's values alone.
"""

from __future__ import annotations

import traceback
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice, repeat
from operator import index
from types import GeneratorType
from typing import Any

from samplercheck.experiments._values import UnclearError, indices_in, names_its_index
from samplercheck.experiments.loaders import is_dataset, is_loader, is_stream
from samplercheck.targets.locate import KIT
from samplercheck.values.record import Pass

END = object()
"""Stands for the end of an iterator, as the default of ``next``."""
HUGE = 2**63
AT_ONCE, PART = 2**14, 2**12
"""Samples read in one go, each a sign of progress; and in each part of what is left of a longer pass."""
RANGES = frozenset((type(iter(range(0))), type(iter(range(2**70)))))
THEMSELVES = RANGES | {GeneratorType, map, islice, *(type(iter(kind())) for kind in (list, tuple))}
"""Iterators that ``iter`` returns as they are."""
BY_POSITION = type(iter(type("", (), {"__getitem__": None})()))
"""What ``iter`` makes of an object that has no ``__iter__``."""

DATASET = "{!r} object is a dataset: it yields samples, no indices"


@dataclass(frozen=True, slots=True)
class Sample:
    """What a stream yielded: a sample with parts, where others yield batches."""

    item: Any


def open_pass(subject: Any) -> Iterator[Any]:
    """Open a pass; what a stream yields, by itself or through a loader that makes no batches, is marked."""
    return mark(subject, open_bare(subject))


def open_bare(subject: Any) -> Iterator[Any]:
    """Open a pass whose steps are as the target yields them.

    From here on the target's iterator is asked for ``next`` alone, as ``for`` and DataLoader do: some start
    again when they are iterated, and others cannot be.
    """
    iterator = iter(subject)
    if type(iterator) is BY_POSITION:
        refuse_dataset(subject)
    return iterator if type(iterator) in THEMSELVES else map(next, repeat(iterator))


def refuse_dataset(subject: Any) -> None:
    """Raise a TypeError for a map-style dataset whose samples are neither indices nor lists of them."""
    if is_dataset(subject) and len(subject):
        first = subject[0]
        if not (isinstance(first, list) or hasattr(first, "__index__")):
            raise TypeError(DATASET.format(type(subject).__name__))


def mark(subject: Any, iterator: Iterator[Any]) -> Iterator[Any]:
    """Mark samples with parts, which are no batches: those of a stream."""
    is_sample = subject.batch_sampler is None if is_loader(subject) else is_stream(subject)
    return map(_as_sample, iterator) if is_sample else iterator


def _as_sample(item: Any) -> Any:
    """Mark a sample with parts; what may be an integer needs no mark."""
    return item if hasattr(item, "__index__") else Sample(item)


def consume(iterator: Iterator[Any], pass_: Pass, cap: int, subject: Any = None) -> None:
    """Take at most ``cap`` steps; a pass that has more is "capped". Values are copied at once.

    What a ``subject`` yields is marked here, and whether it has to be is asked where it yields no integers.
    """
    items, before = pass_.items, len(pass_.items)
    if pass_.steps >= cap:
        pass_.ending = "capped"
        return
    first = next(iterator, END)
    if type(first) is not int:
        if first is not END:
            iterator = chain((first,), iterator)
            _consume_batches(iterator if subject is None else mark(subject, iterator), pass_, cap)
        return
    try:
        items.append(first)
        items.extend(islice(iterator, min(cap, AT_ONCE)))
    except (TypeError, OverflowError) as error:
        if _is_of_the_target(error):
            raise
        pass_.strange = f"item {len(items)} is no integer index: {error}"
        return
    if len(items) - before > AT_ONCE and len(items) <= cap:
        del items  # it is replaced
        _consume_rest(iterator, pass_, cap)
    if len(pass_.items) > cap:
        del pass_.items[cap:]
        pass_.ending = "capped"


def _consume_rest(iterator: Iterator[Any], pass_: Pass, cap: int) -> None:
    """Take the rest of a long pass part by part: read in eight bytes an index, kept in four."""
    pass_.narrow()
    while len(pass_.items) <= cap:
        part, steps = array("q"), min(PART, cap + 1 - len(pass_.items))
        try:
            part.extend(islice(iterator, steps))
        except (TypeError, OverflowError) as error:
            if _is_of_the_target(error):
                raise
            pass_.strange = f"item {len(pass_.items) + len(part)} is no integer index: {error}"
        finally:
            pass_.extend(part)
        if len(part) < steps:
            return


def _is_of_the_target(error: Exception) -> bool:
    """Whether the target's own code raised it, and not the array into which an item was put."""
    return error.__traceback__ is None or error.__traceback__.tb_next is not None


def advance(iterator: Iterator[Any], pass_: Pass, steps: int) -> None:
    """Take so many steps and ask for nothing beyond them."""
    for item in islice(iterator, steps):
        append(pass_, item)
        if pass_.strange:
            return


def _consume_batches(iterator: Iterator[Any], pass_: Pass, cap: int) -> None:
    append(pass_, next(iterator))
    room = cap - pass_.steps
    for item in islice(iterator, cap):
        if pass_.strange:
            return
        if room == 0:
            pass_.ending = "capped"
            return
        room -= 1
        if type(item) is not list or not extend_with_list(pass_, item):
            append(pass_, item)


def extend_with_list(pass_: Pass, batch: list[Any]) -> bool:
    """Take a batch of plain ints, as nearly all are, the quick way; False where it is another."""
    items, sizes = pass_.items, pass_.sizes
    if not batch or type(batch[0]) is not int or (sizes is None and items):
        return False
    before = len(items)
    try:
        items.extend(batch)
    except (TypeError, OverflowError):
        del items[before:]
        return False
    if sizes is None:
        sizes = pass_.sizes = array("q")
    sizes.append(len(batch))
    return True


def append(pass_: Pass, item: Any) -> None:
    """Append a sample or a batch; what is neither is described in ``strange``."""
    if type(item) is int and pass_.sizes is None and -HUGE < item < HUGE:
        pass_.items.append(item)
        return
    if type(item) is list and extend_with_list(pass_, item):
        return
    is_sample, item = (True, item.item) if type(item) is Sample else (False, item)
    try:
        found = _read(item, is_sample=is_sample)
        if isinstance(found, int):
            if pass_.sizes is not None:
                pass_.strange = f"step {pass_.steps} is {_brief(item)}, a sample after batches"
            else:
                pass_.items.append(found)
            return
        if found is None or (pass_.sizes is None and pass_.items):
            pass_.strange = f"step {pass_.steps} is {_brief(item)}, neither an integer nor a batch of them"
            return
        if pass_.sizes is None:
            pass_.sizes = array("q")
        pass_.items.extend(found)
        pass_.sizes.append(len(found))
    except Exception as error:  # noqa: BLE001  (whatever an item raises when it is read)
        pass_.strange = f"step {pass_.steps} is {_why_unread(item, error)}"


def _why_unread(item: Any, error: Exception) -> str:
    """Say what is wrong with an item; an error of the kit's own is none of the target's doing."""
    if isinstance(error, UnclearError):
        return f"a {type(item).__name__}, and {error}"
    if isinstance(error, OverflowError):
        return f"{_brief(item)}, too large for an index"
    if isinstance(error, RecursionError):
        return f"{_brief(item)}, which holds itself"
    if traceback.extract_tb(error.__traceback__)[-1].filename.startswith(KIT):
        raise error
    return f"a {type(item).__name__} that raises {type(error).__name__} when it is read"


def _read(item: Any, *, is_sample: bool) -> int | Sequence[int] | None:
    """Return the index of a sample, or those of a batch; None where it is neither."""
    sample = _sample(item)
    if sample is not None:
        return sample
    batch = None if hasattr(item, "_fields") and (is_sample or names_its_index(item)) else _batch(item)
    return indices_in(item, lone=is_sample) if batch is None else batch


def _sample(item: Any) -> int | None:
    """Return the integer that an int, a numpy integer or a 0-d tensor stands for."""
    if isinstance(item, int):
        return int(item)
    if getattr(item, "ndim", None) == 0 and hasattr(item, "__index__"):
        try:
            return index(item)
        except TypeError:
            return None
    return None


def _batch(item: Any) -> Sequence[int] | None:
    """Return the integers of a sequence, such as a list or a range, or of a 1-d array or tensor."""
    if getattr(item, "ndim", None) == 1 and hasattr(item, "tolist"):
        item = item.tolist()
    if not isinstance(item, Sequence) or isinstance(item, (str, bytes)):
        return None
    samples = [_sample(member) for member in item]
    return None if None in samples else samples  # type: ignore[return-value]  # checked here


def _brief(item: Any) -> str:
    """Describe a strange value; its own ``repr`` may fail or be huge."""
    try:
        text = repr(item)
    except Exception as error:  # noqa: BLE001  (whatever a target's object raises when it is shown)
        text = f"<no repr: {type(error).__name__}>"
    return f"{text[:60]} ({type(item).__name__})"
