"""Law SC1103: an epoch that begins after a resumption is as long as those before."""

from __future__ import annotations

from collections.abc import Iterator

from samplercheck.laws.law import Law
from samplercheck.values.finding import Violation
from samplercheck.values.history import History, TrainedEpoch


def _later(history: History) -> list[TrainedEpoch]:
    """Return the epochs that one attempt which had gone on from another began and ended."""
    resumed = {seam.later for seam in history.seams}
    return [one for one in history.plain if one.attempts[0] in resumed]


def sees(history: History) -> bool:
    """Whether a job went on and began another epoch, of a length that is known."""
    return any(_usual(history, one) is not None for one in _later(history))


def judge(history: History) -> Iterator[Violation]:
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


LAW = Law(
    code="SC1103",
    name="whole-later-epochs",
    statement="Only the epoch that was interrupted is continued: those that follow are whole.",
    fault="an epoch after a resumed one is not whole",
    event="in epochs after a resumed one",
    consequence="loses data",
    judge=judge,
    sees=sees,
    applies=lambda contract: contract.coverage == "once" and not contract.endless,
    reads=(),
    why=(
        "A place to go on from that is applied in each later epoch as well leaves out the same number of "
        "samples in all of them, and no error tells of it: the job is only a little faster than it should be."
    ),
    fix="Put the number of samples or steps to skip back to 0 when the resumed epoch has ended.",
)
