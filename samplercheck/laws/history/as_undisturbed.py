"""Law SC1108: a job that was killed and started again trains on what it trains on undisturbed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from samplercheck.laws.law import Law
from samplercheck.values.deliveries import find_unlike
from samplercheck.values.finding import Violation
from samplercheck.values.history import History, Promise, Stretch, TrainedEpoch
from samplercheck.values.wording import brief, limit_indices, pluralise

LOST, REPEATED, REORDERED = "loses data", "repeats data", "wrong order"


def sees(history: History) -> bool:
    """Whether it is known what the undisturbed job was trained on, and where each attempt went on."""
    return history.undisturbed is not None and all(one.is_sure for one in history.epochs)


def judge(history: History) -> Iterator[Violation]:
    """Yield the first place at which the job was trained on something else."""
    usual = history.undisturbed
    assert usual is not None
    if history.promise == "same-order":
        parted = [_find_parting(history, usual, rank) for rank in _ranks(history, usual)]
        places = [one for one in parted if one is not None]
        if places:
            yield _describe_parting(history, usual, *min(places))
    elif _measure(history, usual, history.promise) != _measure(usual, usual, history.promise):
        yield from _compare_epochs(history, usual)


def _ranks(*histories: History) -> list[int]:
    return sorted({one.rank for history in histories for epoch in history.epochs for one in epoch.stretches})


def _stretches(history: History, rank: int) -> list[Stretch]:
    """Return the steps of a rank, from the first epoch to the last."""
    return [one for epoch in history.epochs for one in epoch.stretches if one.rank == rank]


def _count_steps(history: History, rank: int) -> int:
    return sum(len(one.taken) for one in _stretches(history, rank))


def _borders(history: History, rank: int) -> np.ndarray:
    """Return after how many steps of a rank each epoch is over."""
    steps = [sum(map(len, epoch.takes_of(rank))) for epoch in history.epochs]
    return np.cumsum(steps, dtype=np.int64)


def _find_parting(history: History, usual: History, rank: int) -> tuple[int, int] | None:
    """Return the first step in which a rank was trained on something else, with the rank."""
    rows = [[one.taken for one in _stretches(each, rank)] for each in (history, usual)]
    unlike = find_unlike(rows, "orders")
    if unlike is not None:
        return unlike[0], rank
    steps = [_count_steps(each, rank) for each in (history, usual)]
    return (min(steps), rank) if steps[0] != steps[1] else None


def _describe_parting(history: History, usual: History, at: int, rank: int) -> Violation:
    """Say which step differs, in which attempt, and which samples were lost or repeated in its epoch."""
    borders = _borders(usual, rank)
    epoch = min(int(np.searchsorted(borders, at, side="right")), len(borders) - 1)
    step = at - (int(borders[epoch - 1]) if epoch else 0)
    steps, wanted = _count_steps(history, rank), int(borders[-1])
    where = f"step {step} of epoch {epoch} on rank {rank}"
    if at >= steps:
        found = f"the training ends before {where}: {pluralise(wanted - steps, 'step')} too few"
    elif at >= wanted:
        found = f"the training goes on for {pluralise(steps - wanted, 'step')} after its end"
    else:
        attempt = _attempt_at(history, rank, at) + 1
        found = f"attempt {attempt} has other samples in {where} than the undisturbed job"
    told = [_compare(one, other) for one, other in zip(history.epochs, usual.epochs, strict=False)]
    first = next((one for one in told if one.words), _Difference())
    return Violation(
        found=found + first.words,
        rank=rank,
        epoch=epoch,
        step=step,
        indices=limit_indices(first.ids),
        consequence=first.harm if first.words else REORDERED,
    )


def _attempt_at(history: History, rank: int, at: int) -> int:
    """Return the attempt that took a step."""
    stretches = _stretches(history, rank)
    ends = np.cumsum([len(one.taken) for one in stretches])
    return stretches[int(np.searchsorted(ends, at, side="right"))].attempt


class _Difference:
    """Which samples of an epoch came more often, or less often, than in the undisturbed job."""

    def __init__(self, words: str = "", ids: Any = (), harm: str = "") -> None:
        self.words, self.ids, self.harm = words, ids, harm


def _compare(epoch: TrainedEpoch, usual: TrainedEpoch) -> _Difference:
    """Return what two epochs do not have in common, but for their order."""
    if not (epoch.has_ids and usual.has_ids):
        more = epoch.total - usual.total
        words = (
            f"; epoch {usual.number} has {pluralise(abs(more), 'sample')} too {'many' if more > 0 else 'few'}"
        )
        return _Difference(words, (), REPEATED if more > 0 else LOST) if more else _Difference()
    mine, its = epoch.read_ids(), usual.read_ids()
    ids, place = np.unique(np.concatenate([mine, its]), return_inverse=True)
    times = np.bincount(place[: len(mine)], minlength=len(ids))
    times -= np.bincount(place[len(mine) :], minlength=len(ids))
    again, lost = ids[times > 0], ids[times < 0]
    parts = [f"{brief(again)} once more than it"] if len(again) else []
    parts += [f"{brief(lost)} less often"] if len(lost) else []
    if not parts:
        return _Difference()
    words = f"; in epoch {usual.number} the model is trained on {' and on '.join(parts)}"
    return _Difference(words, np.concatenate([again, lost]), REPEATED if len(again) else LOST)


def _measure(history: History, usual: History, promise: Promise) -> list[tuple[int, int]]:
    """Return the number and the sum of the samples between the steps at which usual epochs are over."""
    counts, sums = np.zeros(len(usual.epochs) + 1, np.int64), np.zeros(len(usual.epochs) + 1, np.uint64)
    for rank in _ranks(history, usual):
        borders, begin = _borders(usual, rank), 0
        for window in (one for stretch in _stretches(history, rank) for one in stretch.taken.windows()):
            end = begin + len(window.counts)
            epochs = np.searchsorted(borders, np.arange(begin, end), side="right")
            np.add.at(counts, epochs, window.counts)
            np.add.at(sums, epochs, window.sums)
            begin = end
    known = sums if promise == "once" else np.zeros_like(sums)
    return list(zip(counts.tolist(), known.tolist(), strict=True))


def _compare_epochs(history: History, usual: History) -> Iterator[Violation]:
    """Yield the first epoch that has other samples, or another number of them."""
    if len(history.epochs) != len(usual.epochs):
        yield Violation(
            found=f"the model is trained on {len(history.epochs)} epochs instead of {len(usual.epochs)}"
        )
        return
    for epoch, other in zip(history.epochs, usual.epochs, strict=True):
        is_same = epoch.total == other.total
        if is_same and (history.promise == "numbers" or epoch.sum == other.sum):
            continue
        told = _compare(epoch, other) if history.promise == "once" else _Difference()
        yield Violation(
            found=(
                f"epoch {epoch.number} is trained on {epoch.total} samples, undisturbed on {other.total}"
                f"{told.words}"
            ),
            epoch=epoch.number,
            indices=limit_indices(told.ids),
            consequence=told.harm or (REPEATED if epoch.total > other.total else LOST),
        )
        return


LAW = Law(
    code="SC1108",
    name="as-undisturbed",
    statement=(
        "A job that was killed and started again trains its model on the same samples as one that nothing "
        "interrupts: in each step, or, where their order may differ, in each epoch."
    ),
    fault="is trained on other samples after a kill",
    event="after a kill and a restart",
    consequence="loses data",
    judge=judge,
    sees=sees,
    reads=(),
    follows=("SC1101", "SC1102", "SC1103"),
    why=(
        "A run that was interrupted cannot be repeated, and is not what was planned: samples count twice or "
        "never, and no message says so."
    ),
    fix=(
        "Save what the loader needs to go on (its place, the epoch, the random state that the order is drawn "
        "from) in the checkpoint that holds the weights, at the same step, and load all of it."
    ),
)
