"""Law SC107: repeated augmentation repeats each sample as often as declared, on different ranks.

Judged by the engine on every epoch under ``repeats=k``. Imports values and numpy.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from samplercheck.laws._passes import deficit, excess
from samplercheck.laws.law import Law, Scope, first_few
from samplercheck.values.finding import Evidence, Violation
from samplercheck.values.record import Pass
from samplercheck.values.trace import Epoch, Trace
from samplercheck.values.wording import brief, limit_indices, pluralise

GATHERED = "gathers a sample's copies on one rank"
BY_TURNS = "Whether the copies of a sample lie side by side in the order: ranks take turns there."
BY_BLOCKS = "Whether the order is dealt out in turn: in a block copies that lie side by side stay together."
MEANT_SO = (
    "Where they may meet on a rank, as in several passes of one epoch, declare "
    'coverage="sampled", frequencies="at_least_once".'
)
MEANT = Evidence(kind="meant", argument='layout="contiguous"')


def repeats_samples(scope: Scope) -> bool:
    """Whether each sample is to come several times in epochs that end."""
    contract = scope.contract
    return contract.repeats > 1 and contract.coverage == "once" and not contract.endless


def owes_copies(trace: Trace) -> bool:
    """Whether this case owes a known number of items."""
    return bool(trace.owed.total) and trace.is_readable


@first_few
def judge(trace: Trace) -> Iterator[Violation]:
    """Yield the epochs with a wrong number of copies, or with copies gathered on one rank."""
    owed = trace.owed
    for epoch in trace.epochs:
        extra = excess(epoch, owed.repeats)
        if deficit(epoch, owed.repeats) > owed.losable or extra.sum() > owed.padding:
            yield _wrong_number(trace, epoch)
        # Blocks of the order need not hold a sample's copies apart: nothing is said of them.
        elif owed.places > 1 and trace.contract.layout != "contiguous":
            yield from _too_many_on_one_rank(trace, epoch)


def _wrong_number(trace: Trace, epoch: Epoch) -> Violation:
    owed = trace.owed
    wrong = np.flatnonzero(epoch.counts != owed.repeats)
    sample = wrong[0]
    beyond = int(excess(epoch, owed.repeats).sum())
    lost = deficit(epoch, owed.repeats)
    return Violation(
        found=f"in epoch {epoch.number} sample {sample} comes {pluralise(int(epoch.counts[sample]), 'time')} "
        f"where {owed.repeats} are owed; in all {lost} missing and {beyond} too many "
        f"({owed.losable} and {owed.padding} allowed)",
        rank=epoch.ranks[0] if len(epoch.ranks) == 1 else None,
        epoch=epoch.number,
        indices=limit_indices(wrong),
        hint="Where samples are repeated, and where that order is padded or cut before it is dealt out.",
        consequence="loses data" if lost > owed.losable else "repeats data",
    )


def _too_many_on_one_rank(trace: Trace, epoch: Epoch) -> Iterator[Violation]:
    owed = trace.owed
    most = -(-owed.repeats // owed.places)
    tallies = [np.bincount(one.indices, minlength=epoch.length) for one in epoch.passes]
    beyond = [np.maximum(tally - most, 0) for tally in tallies]
    if sum(int(one.sum()) for one in beyond) <= owed.padding:
        return
    place = next(place for place, one in enumerate(beyond) if one.any())
    samples = np.flatnonzero(beyond[place])
    yield Violation(
        found=f"in epoch {epoch.number} rank {epoch.ranks[place]} holds {tallies[place][samples[0]]} of "
        f"{owed.repeats} copies of {brief(samples)}; spread over {owed.places} ranks it would be {most}",
        rank=epoch.ranks[place],
        epoch=epoch.number,
        indices=limit_indices(samples),
        hint=f"{BY_BLOCKS if _lie_together(epoch.passes[place], samples[0]) else BY_TURNS} {MEANT_SO}",
        fault=GATHERED,
        evidence=MEANT if _stand_together(epoch, owed.repeats) else Evidence(),
    )


def _lie_together(one: Pass, sample: int) -> bool:
    """Whether a rank yields all copies of a sample one after the other, and others as well."""
    at = np.flatnonzero(one.indices == sample)
    return len(one.items) > len(at) and bool((np.diff(at) == 1).all())


def _stand_together(epoch: Epoch, repeats: int) -> bool:
    """Whether ranks yield all copies of a sample one after the other, as views that are compared have to.

    Those of a rank's first and last sample may be cut apart.
    """
    begins = (np.flatnonzero(np.diff(one.indices)) + 1 for one in epoch.passes)
    return all(len({*(one % repeats).tolist()}) <= 1 for one in begins)


LAW = Law(
    code="SC107",
    name="repeats-exactly",
    statement=(
        "Under `repeats=k` each sample comes k times per epoch, before padding or dropping, and its "
        "copies go to different ranks where the world allows it."
    ),
    fault="repeats samples a wrong number of times",
    consequence="repeats data",
    judge=judge,
    applies=repeats_samples,
    sees=owes_copies,
    why=(
        "Repeated augmentation shows different views of one sample to different ranks in the same step. "
        "Copies that gather on one rank make its batches poorer, and copies that are lost or doubled "
        "weigh samples unevenly."
    ),
    fix="Repeat each index k times in place, pad or drop once, and let rank r take order[r::world_size].",
    intended=(
        'Declare coverage="sampled" in place of repeats=k where copies are only roughly k, with '
        'frequencies="at_least_once" where each sample comes, and its copies may meet on one rank. Views '
        'of a sample that belong on one rank, side by side, are blocks of the order: layout="contiguous".'
    ),
)
