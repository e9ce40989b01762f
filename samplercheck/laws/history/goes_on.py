"""Laws SC1102 and SC1103: an interrupted epoch goes on in the order that it had; later epochs are whole."""

from __future__ import annotations

from collections.abc import Iterator

from samplercheck.laws.law import Law
from samplercheck.values.deliveries import find_unlike
from samplercheck.values.finding import Violation
from samplercheck.values.history import History, Seam, Stretch, TrainedEpoch


def _later(history: History) -> list[TrainedEpoch]:
    """Return the epochs that one attempt which had gone on from another began and ended."""
    resumed = {seam.later for seam in history.seams}
    return [one for one in history.plain if one.attempts[0] in resumed]


def sees_later(history: History) -> bool:
    """Whether a job went on and began another epoch, of a length that is known."""
    return any(_usual(history, one) is not None for one in _later(history))


def judge_later(history: History) -> Iterator[Violation]:
    """Yield the later epochs that are too short."""
    for epoch in _later(history):
        usual = _usual(history, epoch)
        if usual is not None and epoch.total < usual:
            yield Violation(
                found=(
                    f"epoch {epoch.number}, begun by attempt {epoch.attempts[0] + 1} after it had gone on, "
                    f"has {epoch.total} samples; {usual} are an epoch"
                ),
                epoch=epoch.number,
                hint="Whether the number of steps to skip is put back to 0 when the resumed epoch is over.",
            )


def _usual(history: History, epoch: TrainedEpoch) -> int | None:
    """Return how many samples an epoch had before anything was resumed, or else owes at least."""
    resumed = {seam.later for seam in history.seams}
    before = [
        one.total for one in history.plain if one.world == epoch.world and one.attempts[0] not in resumed
    ]
    if before:
        return min(before)
    if history.length is None:
        return None
    return history.length * history.copies(epoch.world) - history.spare(epoch.world)[1]


WHOLE_EPOCHS = Law(
    code="SC1103",
    name="whole-later-epochs",
    statement="Only the epoch that was interrupted is continued: those that follow are whole.",
    fault="an epoch after a resumed one is not whole",
    event="in epochs after a resumed one",
    consequence="loses data",
    judge=judge_later,
    sees=sees_later,
    applies=lambda contract: contract.coverage == "once" and not contract.endless,
    reads=(),
    why=(
        "A place to go on from that is applied in each later epoch as well leaves out the same number of "
        "samples in all of them, and no error tells of it: the job is only a little faster than it should be."
    ),
    fix="Put the number of samples or steps to skip back to 0 when the resumed epoch has ended.",
)


def sees(history: History) -> bool:
    """Whether a job went on in the midst of an epoch, and it is known what would have come next."""
    return any(_pairs(seam) or _labels(history, seam) for seam in history.seams)


def judge(history: History) -> Iterator[Violation]:
    """Yield the first step of each resumption that differs from what the earlier attempt had there."""
    for seam in history.seams:
        found = next(filter(None, (_parting(seam, *pair) for pair in _pairs(seam))), None)
        if not _pairs(seam):
            found = _other_label(history, seam)
        if found is not None:
            yield found


def _pairs(seam: Seam) -> list[tuple[Stretch, Stretch]]:
    """Return for each rank the steps that both attempts took after the same weights."""
    if not seam.is_amid:
        return []
    later = {one.rank: one for one in seam.after}
    same_world = {one.rank for one in seam.before} == later.keys()
    return [(one, later[one.rank]) for one in seam.before if len(one.taken)] if same_world else []


def _parting(seam: Seam, before: Stretch, after: Stretch) -> Violation | None:
    unlike = find_unlike([[before.taken], [after.taken]], "orders")
    if unlike is None:
        return None
    step = unlike[0]
    return Violation(
        found=(
            f"attempt {seam.later + 1} goes on in epoch {seam.epoch} after {seam.steps} optimizer steps of "
            f"attempt {seam.earlier + 1}: in step {step} from there rank {after.rank} gets other samples "
            f"than attempt {seam.earlier + 1} got"
        ),
        rank=after.rank,
        epoch=seam.epoch,
        step=step,
        hint="Whether the epoch is set to the one under way, and the order is drawn from what was saved.",
    )


def _labels(history: History, seam: Seam) -> tuple[int, int] | None:
    """Return what a DistributedSampler called the epoch before and after."""
    if not seam.is_amid or history.sampler != "DistributedSampler":
        return None
    old = next((one.epoch for one in seam.before if one.epoch is not None), None)
    new = next((one.epoch for one in seam.after if one.epoch is not None), None)
    return None if old is None or new is None else (old, new)


def _other_label(history: History, seam: Seam) -> Violation | None:
    labels = _labels(history, seam)
    if labels is None or labels[0] == labels[1]:
        return None
    return Violation(
        found=(
            f"attempt {seam.later + 1} goes on in epoch {seam.epoch}, for which the sampler was set to epoch "
            f"{labels[0]}, with the sampler set to epoch {labels[1]}"
        ),
        epoch=seam.epoch,
        hint="Call set_epoch with the number of the epoch that was under way before the loader is iterated.",
    )


LAW = Law(
    code="SC1102",
    name="goes-on-in-order",
    statement=(
        "An epoch that was interrupted goes on with the samples that would have come next, in their order."
    ),
    fault="does not go on where it was interrupted",
    event="in an epoch that was interrupted and resumed",
    consequence="wrong order",
    judge=judge,
    sees=sees,
    applies=lambda contract: contract.coverage == "once",
    reads=(),
    why=(
        "Where the rest of an epoch comes in another order than its beginning, samples of the beginning come "
        "again and others never, and the run cannot be repeated."
    ),
    fix=(
        "Set the epoch, and the seed or the random state that the order is drawn from, to what they were at "
        "the checkpoint before the loader is iterated again."
    ),
)
