"""Edges: how far one size of a large failing case can come down before it fails no longer, the rest alike.

Asked by the engine of laws that no small case breaks, which hands in what runs a case. On either side of an
edge stands a case that was run: they tell ``world_size >= 11`` from ``world_size >= 12``. Values alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from samplercheck.explain.conditions import Fails
from samplercheck.search.profiles import LARGEST_SEED
from samplercheck.values.case import Case

Resized = Callable[[Case, int], Case]

MOST_WALKED, MOST_WORK = 2, 140_000
MOST_STEPS = 256
"""Where sizes are further apart than this, their neighbours are tried before what is halfway."""
MULTIPLES = (2, 3)
"""What is cut into chunks of the length at an edge is whole at these times that length."""
LARGE = 8
"""Up to here sizes are those of small cases, which are all tried."""


def find_edges(
    failing: Sequence[Case], fails: Fails, *, step: int = 1, sized: bool = True
) -> list[tuple[Case, bool]]:
    """Return cases on either side of the edges of the smallest failing ones, and whether they fail.

    ``step`` is what a world must be a multiple of; batches of another size can be asked for where ``sized``.
    """
    told: dict[Case, bool] = {}
    for case in sorted(failing)[:MOST_WALKED]:
        for size, resized in _walks(case, step, sized=sized):
            told.update(_walk(case, size, resized, fails))
    return sorted(told.items())


def _walks(case: Case, step: int, *, sized: bool) -> Iterator[tuple[int, Resized]]:
    """Name the sizes of a case that are large, with what makes the case of another such size.

    Of lengths the rest that ranks leave is as before, or else anything; with other ranks go as many samples
    for each, or else as many in all.
    """
    whole = case.world_size * case.batch_size
    rounds, rest = divmod(case.length, case.world_size)
    if case.seed > LARGE:
        yield case.seed, lambda case, seed: case.but(seed=min(seed, LARGEST_SEED))
    if sized and case.batch_size > LARGE:
        yield case.batch_size, lambda case, size: case.but(batch_size=size)
    if case.world_size > LARGE:
        yield case.world_size // step, lambda case, times: case.but(world_size=step * times)
    if case.world_size > LARGE and rounds:
        yield (
            case.world_size // step,
            lambda case, times: case.but(
                world_size=step * times, length=rounds * step * times + min(rest, step * times - 1)
            ),
        )
    if case.length > LARGE:
        yield case.length, lambda case, length: case.but(length=length)
    if case.length > LARGE and whole > 1:
        yield case.length // whole, lambda case, times: case.but(length=case.length % whole + whole * times)


def _walk(case: Case, size: int, resized: Resized, fails: Fails) -> dict[Case, bool]:
    """Bring together a size that holds and one that fails until they are neighbours."""
    told: dict[Case, bool] = {}
    most = max(MOST_WORK, case.length * case.world_size)

    def say(number: int) -> bool | None:
        other = resized(case, number)
        if other.length * other.world_size > most:
            return None
        found = told[other] if other in told else fails(other)
        if found is not None:
            told[other] = found
        return found

    low, high = 1, size
    if say(low) is not False or say(high) is not True:
        return told
    _say_all(say, (size + 1, 3 * size // 2, 2 * size, 3 * size))
    for between in (_power, _below, _above, _halfway):
        while (middle := between(low, high)) is not None:
            found = say(middle)
            if found is None:
                return told
            low, high = (low, middle) if found else (middle, high)
            if between in (_below, _above):
                break
    if resized(case, low).length != resized(case, high).length:
        _say_all(say, [times * edge for edge in (low, high) for times in MULTIPLES])
    return told


def _say_all(say: Callable[[int], bool | None], sizes: Iterable[int]) -> None:
    for size in sizes:
        say(size)


def _power(low: int, high: int) -> int | None:
    """Return the power of two halfway between two sizes: at powers of two many bugs begin."""
    least, most = low.bit_length(), (high - 1).bit_length() - 1
    return 2 ** ((least + most) // 2) if least <= most else None


def _below(low: int, high: int) -> int | None:
    return high - 1 if high - low > MOST_STEPS else None


def _above(low: int, high: int) -> int | None:
    return low + 1 if high - low > MOST_STEPS else None


def _halfway(low: int, high: int) -> int | None:
    return (low + high) // 2 if high - low > 1 else None
