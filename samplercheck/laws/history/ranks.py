"""Laws SC1105 to SC1107: ranks take as many steps, of as many samples, and are in the same epoch."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from samplercheck.laws.law import Law
from samplercheck.values.deliveries import find_unlike
from samplercheck.values.finding import Violation
from samplercheck.values.history import History
from samplercheck.values.wording import join_numbers


def has_ranks(history: History) -> bool:
    """Whether there are passes of several ranks."""
    return any(len(ranks) > 1 for ranks in history.passes)


def _judge_steps(history: History) -> Iterator[Violation]:
    for ranks in history.passes:
        steps = [one.steps for one in ranks]
        if all(one.has_ended for one in ranks) and max(steps) != min(steps):
            short = ranks[int(np.argmin(steps))]
            yield Violation(
                found=(
                    f"in attempt {short.attempt + 1} the ranks take unlike numbers of steps from one pass: "
                    f"{join_numbers(steps)}"
                ),
                rank=short.rank,
                step=short.steps,
            )


def sees_sizes(history: History) -> bool:
    """Whether there are steps of several ranks, whose batches have a fixed size."""
    return history.batch_size is not None and has_ranks(history)


def _judge_sizes(history: History) -> Iterator[Violation]:
    for ranks in history.passes:
        if len({one.taken.tally.sizes for one in ranks}) == 1:
            continue
        unlike = find_unlike([[one.taken] for one in ranks], "counts")
        if unlike is not None:
            step, sizes = unlike
            yield Violation(
                found=(
                    f"in attempt {ranks[0].attempt + 1} step {step} of a pass has "
                    f"{join_numbers(sizes)} samples"
                ),
                rank=int(np.argmin(sizes)),
                step=step,
            )


def sees_epochs(history: History) -> bool:
    """Whether the samplers of several ranks say in which epoch they are."""
    return any(len(ranks) > 1 and all(one.epoch is not None for one in ranks) for ranks in history.passes)


def _judge_epochs(history: History) -> Iterator[Violation]:
    for ranks in history.passes:
        named = [one.epoch for one in ranks if one.epoch is not None]
        if len(set(named)) > 1:
            other = next(one for one in ranks if one.epoch != ranks[0].epoch)
            yield Violation(
                found=(
                    f"in attempt {other.attempt + 1} the samplers of the ranks are in epochs "
                    f"{join_numbers(named)}"
                ),
                rank=other.rank,
                hint="Call set_epoch on every rank, and restore the epoch of a checkpoint on every rank.",
            )


STEPS = Law(
    code="SC1105",
    name="steps-of-ranks",
    statement="All ranks take the same number of steps from an epoch.",
    fault="ranks take different numbers of steps",
    consequence="would hang",
    judge=_judge_steps,
    sees=has_ranks,
    applies=lambda contract: contract.tail != "keep" and not contract.endless,
    reads=(),
    why="A rank that has no more batches leaves the epoch, and the others wait for it in their next step.",
    fix="Pad or drop the tail before samples are dealt out, and let all ranks go on from the same step.",
    intended='Declare tail="keep" where ranks may differ, as under a Join context.',
)

SIZES = Law(
    code="SC1106",
    name="sizes-over-ranks",
    statement="In one step all ranks have batches of the same number of samples.",
    fault="batch sizes differ between ranks at a step",
    consequence="uneven batches",
    judge=_judge_sizes,
    sees=sees_sizes,
    applies=lambda contract: contract.tail != "keep" and contract.batches == "fixed",
    reads=(),
    why="Gradients are averaged over ranks: samples of a smaller batch count for more than the others.",
    fix="Deal out whole global batches, and let all ranks go on from the same step of the epoch.",
    intended='Declare batches="variable" where batches are filled by another measure than samples.',
)

EPOCHS = Law(
    code="SC1107",
    name="epoch-of-ranks",
    statement="The samplers of all ranks are in the same epoch.",
    fault="ranks are in different epochs",
    consequence="repeats data",
    judge=_judge_epochs,
    sees=sees_epochs,
    applies=lambda contract: contract.sharding == "ranks",
    reads=(),
    why="Ranks that cut their shares out of different orders repeat some samples, and lose others.",
    fix="Call set_epoch with the same number on every rank, also after a resumption.",
)
