"""Frequencies: how much independent passes speak against a share that a sample should have.

Called by the laws that are judged by statistics. Evidence is a wager: who bets, at fair odds, on
another share than the promised one multiplies the stake by the likelihood ratio. A sound target
multiplies it by 1 on average, so by Markov's inequality the stake grows by 1/p with probability p at
most: no approximation, whatever the spread inside a pass. Imports numpy and the trace's values.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp

import numpy as np
from numpy.typing import NDArray

from samplercheck.values.epoch import asked_once
from samplercheck.values.record import Pass
from samplercheck.values.trace import Trace

CERTAIN = 1e13
"""How much a stake has to grow: the engine asks for a chance of 1e-13, whatever was tried before."""
LENGTHS = 16
"""So many powers of two are bet on as the length that no pass exceeds, in multiples of the dataset's."""
OUT_OF_THE_QUESTION = 40
"""What is expected so often comes at least once, but for a chance of 10^-17."""
FEWEST = 2
SELDOM = 1e-4
SHIFTED = "how a drawn number becomes a sample (an offset?): some never come, others do in their place"
CUT_SHORT = (
    "how far draws reach (a bound, a sum that stops early?): the last never come, the others by their weights"
)
BETS = (0.0, 0.25, 0.5, 0.7, 0.8, 0.9, 1.1, 1.2, 1.4, 2.0, 4.0, 8.0)
"""The other shares that are bet on alike, in multiples of the promised one."""


@dataclass(frozen=True, slots=True)
class Odd:
    """A share that no luck explains: what it is of, what it should be, what it is, and its chance."""

    what: tuple[int, ...]
    expected: float
    observed: float
    chance: float


@asked_once
def passes_of(trace: Trace, ranks: tuple[int, ...]) -> list[list[NDArray[np.int64]]]:
    """Return the samples of the independent passes of each of these ranks.

    In which order a batch holds its samples means nothing; it is left to chance.
    """
    columns = independent_passes(trace, ranks)
    return [[_mix_batches(one, number) for number, one in enumerate(passes)] for passes in columns]


@asked_once
def independent_passes(trace: Trace, ranks: tuple[int, ...]) -> list[list[Pass]]:
    """Return the independent passes of each of these ranks, whole and as they were drawn.

    None where all are the same: one that always comes says nothing of chance. Passes that come again by a
    rule say no more than they did, and are left out: each order for some epochs in a row, or from some epoch
    on a cycle. Chance is not mistaken for a rule: an order that is likelier than others stays as often as it
    came, and a stake may be looked at after any number of passes (Ville's inequality).
    """
    records = trace.of("draws")
    taken = [records[rank].passes for rank in ranks if rank < len(records)]
    if len(taken) < len(ranks):
        return []
    numbers: dict[tuple[bytes, ...], int] = {}
    course = [
        numbers.setdefault(tuple([one.items.tobytes() for one in together]), len(numbers))
        for together in zip(*taken, strict=False)
    ]
    if len(numbers) < FEWEST:
        return []
    each = _repeats_in_a_row(course)
    course = course[::each]
    kept = len(course) - _repeats_at_the_end(course)
    return [passes[: kept * each : each] for passes in taken]


def _mix_batches(one: Pass, number: int) -> NDArray[np.int64]:
    """Return the samples of a pass with those of each batch in an order of chance, of this number."""
    items = one.indices
    if one.sizes is None or len(one.sizes) == len(items):
        return items
    keys = np.random.default_rng((len(items), number)).random(len(items))
    batches = np.repeat(np.arange(len(one.sizes)), one.sizes)
    return items[np.lexsort((keys, batches))]


def drawn_passes(trace: Trace, ranks: tuple[int, ...], fair: NDArray[np.float64]) -> list[NDArray[np.int64]]:
    """Return the independent passes of these ranks together, also where all are draws of a single sample.

    What is always one sample has no order that could be shuffled, so only its frequency speaks. Not where a
    single draw that always comes, which is for other laws to say, may be of one sample by luck.
    """
    found, records = join_ranks(passes_of(trace, ranks)), trace.of("draws")
    if found or not trace.owed.is_shuffled or ranks[-1] >= len(records):
        return found
    alike = join_ranks([[one.indices for one in records[rank].passes] for rank in ranks])
    drawn = np.unique(np.concatenate(alike)) if all(map(len, alike)) else np.empty(0, np.int64)
    is_one = len(drawn) == 1 and 0 <= drawn[0] < len(fair)
    return alike if is_one and fair[drawn[0]] ** (len(alike[0]) - 1) < SELDOM else []


def are_drawn(trace: Trace, fair: NDArray[np.float64]) -> bool:
    """Whether some share has passes that say how often samples come."""
    return any(drawn_passes(trace, ranks, fair) for ranks in trace.shares)


def has_differing_passes(trace: Trace) -> bool:
    """Whether some share has two passes that differ."""
    return any(passes_of(trace, ranks) for ranks in trace.shares)


def _repeats_in_a_row(course: list[int]) -> int:
    """Return for how many epochs each order stays, where all stay equally long."""
    changes = np.flatnonzero(np.diff(course)) + 1
    return int(np.gcd.reduce(changes)) if len(changes) else 1


def _repeats_at_the_end(course: list[int]) -> int:
    """Return how many of the last passes are those that came a period before: the most for any period."""
    backwards = course[::-1]
    # The Z-function: for each shift, how far the sequence is like itself from there on.
    alike, left, right = [0] * len(backwards), 0, 0
    for shift in range(1, len(backwards)):
        length = min(right - shift, alike[shift - left]) if shift < right else 0
        while shift + length < len(backwards) and backwards[length] == backwards[shift + length]:
            length += 1
        alike[shift] = length
        if shift + length > right:
            left, right = shift, shift + length
    return max(alike)


def join_ranks(columns: list[list[NDArray[np.int64]]]) -> list[NDArray[np.int64]]:
    """Return what all ranks drew together, pass by pass."""
    return [np.concatenate(together) for together in zip(*columns, strict=True)]


def shares_of(passes: list[NDArray[np.int64]], fair: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return, pass by pass, the share of the draws that each sample got; on average it is the fair one.

    Where lengths differ a longer pass counts for more, as all draws together are to be as promised: what a
    sample got beyond its share is measured by a length that no pass exceeds.
    """
    sizes = np.array([len(one) for one in passes], dtype=np.float64)
    counts = np.stack([np.bincount(one, minlength=len(fair)) for one in passes])
    longest = max(1.0, sizes[0])
    if varies(passes):
        longest = len(fair) * 2.0 ** np.ceil(np.log2(max(1.0, sizes.max() / len(fair))))
    found: NDArray[np.float64] = fair + (counts - fair * sizes[:, None]) / longest
    return found


def never_drawn(passes: list[NDArray[np.int64]], fair: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the samples that never come, if together many of them should have come."""
    drawn = np.concatenate(passes)
    never = (np.bincount(drawn, minlength=len(fair)) == 0) & (fair > 0)
    is_certain = fair[never].sum() * len(drawn) >= OUT_OF_THE_QUESTION
    return np.flatnonzero(never) if is_certain else np.empty(0, dtype=np.int64)


def why_some_never_come(
    passes: list[NDArray[np.int64]], fair: NDArray[np.float64], never: NDArray[np.int64]
) -> str:
    """Say what to look at, by whether the last are missing and the others come as they should."""
    due = np.flatnonzero(fair)
    if not len(never) or len(never) == len(due):
        return ""
    rest = np.where(np.isin(np.arange(len(fair)), never), 0.0, fair)
    rest /= rest.sum()
    is_as_due = most_telling(shares_of(passes, rest), rest, among=split_by_length(passes)) is None
    return CUT_SHORT if due[-len(never)] == never[0] and is_as_due else SHIFTED


def varies(passes: list[NDArray[np.int64]]) -> bool:
    """Whether passes are of different lengths."""
    return len({len(one) for one in passes}) > 1


def split_by_length(passes: list[NDArray[np.int64]]) -> float:
    """Return into how many parts a stake is split over the lengths that passes may have.

    Seven eighths of it for passes of one length, the rest for all powers of two times the dataset's.
    """
    return 8 * LENGTHS if varies(passes) else 8 / 7


def most_telling(
    shares: NDArray[np.float64], expected: NDArray[np.float64], *, among: float = 1
) -> Odd | None:
    """Return the share that speaks loudest against what is expected, if no luck explains them all.

    ``shares`` has a row for each pass and, behind it, any number of dimensions; each of its numbers
    lies between 0 and 1 and should on average be the one of ``expected``, which has those dimensions.
    ``among`` is the number of such tables that are looked at together.
    """
    judged = (expected > 0) & (expected < 1)
    if not judged.any():
        return None
    columns, fair = shares[:, judged], expected[judged]
    growth = _growth(columns, fair)
    loudest = int(growth.argmax())
    # The stake was split over all bets and all shares; what the loudest made of its part is enough.
    total = growth[loudest] - np.log(growth.size * among)
    if total < np.log(CERTAIN):
        return None
    place = tuple(int(axis[loudest]) for axis in np.nonzero(judged))
    return Odd(place, float(fair[loudest]), float(columns[:, loudest].mean()), exp(-min(total, 700.0)))


def _growth(columns: NDArray[np.float64], fair: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return, for each column, the logarithm of what a stake split over all bets has become."""
    stakes = []
    for factor in BETS:
        bet = np.minimum(fair * factor, (1 + fair) / 2)
        slope = (bet - fair) / (fair * (1 - fair))
        with np.errstate(divide="ignore"):  # a bet on "never" is lost with the first pass that disagrees
            stakes.append(np.log(np.maximum(1 + slope * (columns - fair), 0.0)).sum(axis=0))
    highest = np.max(stakes, axis=0)
    summed = np.exp(np.asarray(stakes) - highest).sum(axis=0)
    found: NDArray[np.float64] = highest + np.log(summed / len(BETS))
    return found
