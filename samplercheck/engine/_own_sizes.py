"""Own sizes: of batches that a target makes, or rounds that it fills up or cuts, where none can be asked for.

Called by the probe. Cases have such a size for their batch size, as if it were asked for (docs/rules.md A1).
"""

from __future__ import annotations

from collections.abc import Callable

from samplercheck.values.contract import Contract
from samplercheck.values.sizes import OF_ONE, OwnBatch
from samplercheck.values.trace import Trace

Look = Callable[[int, int], Trace]
"""Takes the usual epochs of so many samples on so many ranks."""
LENGTHS, ENOUGH_STEPS = (30, 300, 3_000), 3
"""So many samples are looked at until every rank takes so many steps."""


def find_own_size(look: Look, kind: str, contract: Contract) -> OwnBatch:
    """Return how many samples a batch holds, or a round of one rank, if rounds are promised; else 1."""
    if kind == "batches":
        return _size_of_batches(look)
    promises = contract.tail_unit == "batch" and contract.coverage == "once" and contract.repeats == 1
    return OwnBatch(_size_of_rounds(look) if kind == "samples" and promises and not contract.endless else 1)


def find_kind(look: Look) -> str:
    """Return whether samples or batches come, where it takes more than a few samples to see any; else ""."""
    for length in LENGTHS:
        trace = look(length, 1)
        if trace.has_steps or not trace.is_whole:
            return trace.kind if trace.has_steps else ""
    return ""


def _size_of_batches(look: Look) -> OwnBatch:
    """Return the size of all batches but the last ones, on one rank and on more, which may share it."""
    for length in LENGTHS:
        alone, two = look(length, 1), look(length, 2)
        if not (alone.is_whole and two.is_whole):
            return OF_ONE
        if _has_enough_steps(alone) and _has_enough_steps(two):
            size, of_two = _size_in(alone), _size_in(two)
            if size == of_two:
                return OwnBatch(size)
            is_shared = of_two == size // 2 and _size_in(look(length, 3)) == size // 3
            return OwnBatch(size, is_shared=True) if is_shared else OF_ONE
    return OF_ONE


def _has_enough_steps(trace: Trace) -> bool:
    return all(record.passes[0].steps >= ENOUGH_STEPS for record in trace.of("epochs"))


def _size_in(trace: Trace) -> int:
    """Return the size of all batches but the last ones, which are no larger; 1 where they are not alike."""
    passes = [record.passes[0] for record in trace.of("epochs") if record.passes]
    sizes = [one.sizes for one in passes if one.sizes is not None and one.steps]
    full = {size for one in sizes for size in one[:-1]}
    is_alike = len(full) == 1 and all(one[-1] <= one[0] for one in sizes)
    return int(full.pop()) if is_alike else 1


def _size_of_rounds(look: Look) -> int:
    """Return what one sample is filled up to, or the fewest samples of which all come and more are cut."""
    alone = _taken(look, 1)
    size = len(alone) if alone else _fewest(look)
    if size <= 1 or sorted(_taken(look, size)) != [*range(size)]:
        return 1
    one_more = _taken(look, size + 1)
    return size if len(one_more) == (2 * size if alone else size) else 1


def _fewest(look: Look) -> int:
    """Return the fewest samples of which any come, as far as lengths are looked at; else 1."""
    low, high = 1, LENGTHS[-1]
    if not _taken(look, high):
        return 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if _taken(look, middle) else (middle, high)
    return high


def _taken(look: Look, length: int) -> list[int]:
    """Return what a rank that is alone yields of so many samples; nothing where that fails."""
    trace = look(length, 1)
    return [int(index) for index in trace.of("epochs")[0].passes[0].items] if trace.is_whole else []
