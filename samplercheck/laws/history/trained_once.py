"""Law SC1101: a model is trained on every sample once an epoch, however often the job was interrupted."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from samplercheck.laws.law import Law
from samplercheck.values.deliveries import WINDOW, go_through
from samplercheck.values.finding import Violation
from samplercheck.values.history import History, TrainedEpoch
from samplercheck.values.wording import brief, limit_indices

MOST_HELD = 2**24
"""So many steps of an epoch are held at once, where it is asked whether one came twice."""
MOST_TIMES = 4
LOST, REPEATED = "loses data", "repeats data"
FAULTS = {LOST: "never trains on some samples", REPEATED: "trains on some samples twice"}
INTERRUPTED = "in an epoch that was interrupted and resumed"
RESUMED = "Whether the checkpoint holds the state of the loader or sampler, and the job loads it."
WHOLE = "Whether each rank reads a share of its own. Declare sharding=none where each is meant to read all."
EXACT = "only the number of samples, and steps that came twice, were compared: exact=True keeps the ids"


def sees(history: History) -> bool:
    """Whether an epoch was taken to its end of which it is known how many samples it owes."""
    return any(_owed(history, one) is not None for one in history.judged)


def judge(history: History) -> Iterator[Violation]:
    """Yield the epochs in which samples were lost or repeated beyond what the contract allows."""
    for epoch in history.judged:
        owed = _owed(history, epoch)
        if owed is not None:
            # Of samples that nobody has counted there may be too many to name those that are missing.
            few = history.length is None or history.length < MOST_TIMES * epoch.total + MOST_HELD
            has_ids = epoch.has_ids and history.tells_apart and few
            yield from _judge_ids(history, epoch, owed) if has_ids else _judge_sums(history, epoch, owed)


def in_part(history: History) -> str:
    """Say where sums cannot tell single samples: what is padded or dropped is not known."""
    if history.draws or all(one.has_ids or one.total == history.length for one in history.judged):
        return ""
    return EXACT


def _owed(history: History, epoch: TrainedEpoch) -> tuple[int, int] | None:
    """Return the fewest and the most samples of an epoch; a resumed one has as many as the others."""
    if epoch.is_resumed and len(epoch.worlds) == 1:
        usual = [one.total for one in history.plain if one.world == epoch.world]
        if usual:
            return min(usual), max(usual)
    if history.length is None:
        return None
    owed = history.length * history.copies(epoch.world)
    spares = [history.spare(world) for world in epoch.worlds]
    return owed - sum(lost for _, lost in spares), owed + sum(repeated for repeated, _ in spares)


def _judge_sums(history: History, epoch: TrainedEpoch, owed: tuple[int, int]) -> Iterator[Violation]:
    """Compare numbers of samples, then whole steps, then what stands for all samples together."""
    fewest, most = owed
    if epoch.total < fewest:
        yield _violation(history, epoch, f"{fewest - epoch.total} samples too few", LOST)
    elif epoch.total > most:
        yield _violation(history, epoch, f"{epoch.total - most} samples too many", REPEATED)
    elif not history.tells_apart or history.copies(epoch.world) > 1:
        return  # equal steps are right there
    elif (epoch.total, epoch.sum) == (history.length, history.owed):
        return  # then no step came twice
    elif (twice := _count_twice(epoch)) > history.spare(epoch.world)[0]:
        yield _violation(history, epoch, f"steps that came twice, with {twice} samples", REPEATED)
    elif epoch.total == history.length and history.owed is not None:
        yield _violation(history, epoch, "other samples: some came twice, others never", LOST)


def _count_twice(epoch: TrainedEpoch) -> int:
    """Return the number of samples in steps of which another one of the epoch had the same.

    Of long epochs a part is held at a time: the steps whose sums leave the same rest.
    """
    steps = sum(len(one.taken) for one in epoch.stretches)
    parts = 1 << (steps // MOST_HELD).bit_length()
    found = [_find_twice(epoch, np.uint64(parts - 1), part, steps // parts) for part in range(parts)]
    again = np.concatenate(found)
    return _count_more(epoch, _distinct(again)) if len(again) else 0


def _find_twice(epoch: TrainedEpoch, mask: np.uint64, part: int, expected: int) -> np.ndarray:
    """Return the sums that came more than once in one part, of which about so many are expected."""
    held, number = np.empty(expected + expected // 8 + WINDOW, np.uint64), 0
    twice: list[np.ndarray] = []
    for sums in go_through((one.taken for one in epoch.stretches), "sums"):
        own = sums[(sums & mask) == part]
        if number + len(own) > len(held):  # as where one step comes again and again
            is_new = ~_sort(held[:number], twice)
            once = held[:number][is_new]
            number = len(once)
            held = np.empty(max(len(held), 2 * number + WINDOW), np.uint64)
            held[:number] = once
        held[number : number + len(own)] = own
        number += len(own)
    _sort(held[:number], twice)
    return np.concatenate(twice)


def _sort(values: np.ndarray, twice: list[np.ndarray]) -> np.ndarray:
    """Sort values where they are, add those to ``twice`` that came again, and return where."""
    values.sort()
    again = np.zeros(len(values), np.bool_)
    again[1:] = values[1:] == values[:-1]
    twice.append(_distinct(values[again]))
    return again


def _count_more(epoch: TrainedEpoch, again: np.ndarray) -> int:
    """Return the number of samples in steps of these sums, but for the first of each."""
    more, unseen = 0, np.ones(len(again), np.bool_)
    for window in (one for stretch in epoch.stretches for one in stretch.taken.windows()):
        place = np.minimum(np.searchsorted(again, window.sums), len(again) - 1)
        chosen = again[place] == window.sums
        places, first = np.unique(place[chosen], return_index=True)
        counts = window.counts[chosen]
        more += int(counts.sum() - counts[first][unseen[places]].sum())
        unseen[places] = False
    return more


def _judge_ids(history: History, epoch: TrainedEpoch, owed: tuple[int, int]) -> Iterator[Violation]:
    """Compare the samples themselves with those that there are, or that the other epochs had."""
    copies = history.copies(epoch.world)
    found, times = _count_samples(history, epoch)
    usual = _usual_samples(history, found)
    often, extra = found[times > copies], int(np.maximum(times - copies, 0).sum())
    due = usual if usual is not None else found[:0]
    known = len(due) if history.length is None else history.length
    size = known * copies if known else epoch.total
    missing, is_rare = np.setdiff1d(due, found, assume_unique=True), (times < copies) & np.isin(found, due)
    if len(missing) * copies + (copies - times)[is_rare].sum() > max(0, size - owed[0]):
        what = f"no {brief(missing)}" if len(missing) else f"{brief(found[is_rare])} too seldom"
        lost = missing if len(missing) else found[is_rare]
        yield _violation(history, epoch, what, LOST, lost)
    elif epoch.total < owed[0]:
        yield _violation(history, epoch, f"{owed[0] - epoch.total} samples too few", LOST)
    if extra > max(0, owed[1] - size):
        yield _violation(history, epoch, f"{brief(often)} more than once", REPEATED, often)


def _count_samples(history: History, epoch: TrainedEpoch) -> tuple[np.ndarray, np.ndarray]:
    """Return the samples of an epoch, rising, and how often each came."""
    if history.length is None:
        return np.unique(epoch.read_ids(), return_counts=True)
    table, others = np.zeros(history.length, np.int64), [np.zeros(0, np.int64)]
    for ids in (one for stretch in epoch.stretches for one in stretch.taken.ids()):
        known = (ids >= 0) & (ids < history.length)
        np.add.at(table, ids[known], 1)
        others.append(ids[~known])
    found = np.flatnonzero(table)
    strange, times = np.unique(np.concatenate(others), return_counts=True)
    samples = np.concatenate([found, strange])
    order = np.argsort(samples) if len(strange) else slice(None)
    return samples[order], np.concatenate([table[found], times])[order]


def _usual_samples(history: History, found: np.ndarray) -> np.ndarray | None:
    """Return the samples of each epoch; None where they are others from epoch to epoch.

    Ids of which none is a number below the length are names, of which nobody knows those that never come.
    """
    if history.length is not None and bool(((found >= 0) & (found < history.length)).any()):
        return np.arange(history.length)
    usual: np.ndarray | None = None
    for pass_ in history.plain:
        if pass_.has_ids:
            found = _distinct(pass_.read_ids())
            if usual is not None and not np.array_equal(found, usual):
                return None
            usual = found
    return usual


def _distinct(values: np.ndarray) -> np.ndarray:
    """Return each value once, rising; faster for numbers in a row than what numpy does by their hashes."""
    values = np.sort(values)
    is_new = np.ones(len(values), np.bool_)
    is_new[1:] = values[1:] != values[:-1]
    return values[is_new]


def _violation(
    history: History, epoch: TrainedEpoch, what: str, harm: str, ids: np.ndarray | None = None
) -> Violation:
    attempts = " and ".join(str(one + 1) for one in epoch.attempts)
    among = f" (attempts {attempts})" if epoch.is_resumed else ""
    copies = history.length is not None and epoch.total == history.length * epoch.world
    return Violation(
        found=f"epoch {epoch.number}{among} was trained on {epoch.total} samples: {what}",
        epoch=epoch.number,
        indices=() if ids is None else limit_indices(ids),
        consequence=harm,
        fault=FAULTS[harm],
        event=INTERRUPTED if epoch.is_resumed else "",
        hint=WHOLE if copies and epoch.world > 1 else RESUMED if epoch.is_resumed else "",
    )


LAW = Law(
    code="SC1101",
    name="trained-once",
    statement=(
        "The model is trained on every sample once an epoch, but for the uneven tail that the contract "
        "allows, also where the job was interrupted and went on."
    ),
    fault="loses or repeats samples in training",
    consequence=LOST,
    judge=judge,
    sees=sees,
    applies=lambda contract: contract.coverage == "once" and not contract.endless,
    reads=(),
    why=(
        "A job that goes on from a checkpoint with a loader that does not trains on the same samples again, "
        "or never on others. Losses look plausible, and the score of the model suffers."
    ),
    fix=(
        "Save the place of the loader with the weights, at the same step, and load both: the state_dict of "
        "a stateful loader, or the number of steps to skip. Skip with the order of that very epoch."
    ),
    intended='Declare coverage="sampled" for draws, tail="drop" or sharding="none" where these are meant.',
)
