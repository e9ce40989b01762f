"""Law SC1104: epochs of a job come in orders of their own, also those after a resumption."""

from __future__ import annotations

from collections.abc import Iterator

from samplercheck.laws.law import Law
from samplercheck.values.finding import Violation
from samplercheck.values.history import History, TrainedEpoch

FEWEST = 16
"""So many samples a rank come in the same order twice by a chance of 1 in 10 to the 13th."""


def _comparable(history: History) -> list[TrainedEpoch]:
    return [one for one in history.plain if one.total >= FEWEST * one.world]


def sees(history: History) -> bool:
    """Whether there are two whole epochs, of a sampler that shuffles: that says so, or was seen to."""
    epochs = _comparable(history)
    if len(epochs) < 2 or history.shuffled is False or not history.tells_apart:  # noqa: PLR2004  (two are compared)
        return False
    return bool(history.shuffled) or len({one.order for one in epochs}) > 1


def judge(history: History) -> Iterator[Violation]:
    """Yield each epoch that comes in the order of an earlier one."""
    before: dict[bytes, TrainedEpoch] = {}
    for epoch in _comparable(history):
        other = before.setdefault(epoch.order, epoch)
        if other is epoch:
            continue
        resumed = epoch.attempts != other.attempts
        yield Violation(
            found=(
                f"epoch {epoch.number} (attempt {epoch.attempts[0] + 1}) comes in the order of epoch "
                f"{other.number} (attempt {other.attempts[0] + 1})"
            ),
            rank=0,
            epoch=epoch.number,
            hint=(
                "Does the job go on with the number of the epoch, or the random state, of its checkpoint?"
                if resumed
                else "Is set_epoch called before each epoch?"
            ),
        )


LAW = Law(
    code="SC1104",
    name="reshuffled-epochs",
    statement="Where epochs are shuffled, each comes in an order of its own, also after a resumption.",
    fault="epochs have the same order",
    consequence="wrong order",
    judge=judge,
    sees=sees,
    applies=lambda contract: contract.epochs != "fixed" and contract.order != "sequential",
    reads=(),
    why=(
        "A job that goes on with the epoch's number, or the random state, of its start trains on the first "
        "epochs' orders again: the same batches, in the same sequence."
    ),
    fix="Save the number of the epoch, or the random state, and call set_epoch with it before each epoch.",
    intended='Declare epochs="fixed" where all epochs are meant to have one order.',
)
