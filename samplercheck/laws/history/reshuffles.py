"""Law SC1104: epochs of a job come in orders of their own, also those after a resumption."""

from __future__ import annotations

import math
from collections.abc import Iterator

from samplercheck.laws.law import Law
from samplercheck.values.finding import Violation
from samplercheck.values.history import History, TrainedEpoch
from samplercheck.values.wording import pluralise

FEWEST = 16
"""So many samples a rank are asked for where it is not known how a sampler shuffles."""
CHANCE = 5e-7
"""How often, at most, orders may be as alike as they are by accident: of rank 0, or of all ranks."""


def sees(history: History) -> bool:
    """Whether there are whole epochs of a sampler that shuffles, and equal orders could be no accident."""
    epochs = _comparable(history)
    return len(epochs) > 1 and (not history.shuffled or _luck(history, epochs, 1, "order_of_all") <= CHANCE)


def judge(history: History) -> Iterator[Violation]:
    """Yield each epoch that comes in the order of an earlier one."""
    epochs = _comparable(history)
    for what in ("order", "order_of_all"):
        different = len({getattr(one, what) for one in epochs})
        if not history.shuffled or _luck(history, epochs, different, what) <= CHANCE:
            yield from _repeated(epochs, what)
            return


def why_unseen(history: History) -> str:
    """Say that there are epochs to compare, too few and too short ones."""
    epochs = [one for one in history.plain if history.shuffled and history.tells_apart]
    if len(epochs) < 2 or sees(history):  # noqa: PLR2004  (two are compared)
        return ""
    most = max(one.total for one in epochs)
    return (
        f"{len(epochs)} whole epochs of {pluralise(most, 'sample')} come in one order by accident too often "
        "to be judged: give the job more samples, or more epochs"
    )


def in_part(history: History) -> str:
    """Say where an order that came only once more may be an accident."""
    epochs = _comparable(history)
    if not history.shuffled or _luck(history, epochs, len(epochs) - 1, "order_of_all") <= CHANCE:
        return ""
    return "an order that came only twice may be an accident in epochs so short, and is not reported"


def _comparable(history: History) -> list[TrainedEpoch]:
    """Return the epochs of a sampler that shuffles: that says so, or was seen to."""
    if history.shuffled is False or not history.tells_apart:
        return []
    if history.shuffled:
        return list(history.plain)
    epochs = [one for one in history.plain if one.total >= FEWEST * one.world]
    return epochs if len({one.order for one in epochs}) > 1 else []


def _luck(history: History, epochs: list[TrainedEpoch], different: int, what: str) -> float:
    """Return at most how often so many epochs of a uniform shuffle come in so few different orders.

    Whichever epochs repeat an order, each of them meets one of the others' by one chance in all orders.
    """
    repeated = len(epochs) - different
    orders = min(_count_orders(history, one, what) for one in epochs)
    chance = math.log(math.comb(len(epochs), repeated)) + repeated * (math.log(different) - orders)
    return math.exp(min(0.0, chance))


def _count_orders(history: History, epoch: TrainedEpoch, what: str) -> float:
    """Return the logarithm of the number of orders in which the samples may come, to rank 0 or to all."""
    known = history.length is not None
    again = 0 if known else history.spare(epoch.world)[0]
    samples = min(epoch.total, history.length) if history.length is not None else epoch.total - again
    taken = samples
    if what == "order":
        taken = min(samples, sum(one.tally.samples for one in epoch.takes_of(0)) - again)
    return math.lgamma(max(0, samples) + 1) - math.lgamma(max(0, samples - max(0, taken)) + 1)


def _repeated(epochs: list[TrainedEpoch], what: str) -> Iterator[Violation]:
    before: dict[bytes, TrainedEpoch] = {}
    for epoch in epochs:
        other = before.setdefault(getattr(epoch, what), epoch)
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
                "Whether the job goes on with the number of the epoch, or the random state, that it saved."
                if resumed
                else "Whether set_epoch is called before each epoch."
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
