"""History: what a model was really trained on, epoch by epoch, put together from the attempts of a job.

Made by the audit from ledgers, judged by ``laws.history``. Steps are read where they are, in windows: a
history holds what they come to. May import numpy and values alone.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from samplercheck.values.contract import Contract
from samplercheck.values.deliveries import Deliveries, Numbers, go_through

Promise = Literal["same-order", "once", "numbers"]
"""What two trainings have in common: every step; the samples of each epoch; the number of these."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Stretch:
    """Steps of one rank within one pass of one attempt.

    ``taken`` are these steps, ``steps`` the number of all that the rank took from the loader in this pass,
    and ``has_ended`` whether the loader had no more. ``epoch`` is what the sampler called it.
    """

    attempt: int
    rank: int
    epoch: int | None
    taken: Deliveries
    steps: int
    has_ended: bool


@dataclass(frozen=True, kw_only=True, eq=False)
class TrainedEpoch:
    """One epoch as the model saw it: in a pass of one attempt, or of several that went on from one another.

    ``is_sure`` says that it is known where each of them went on; ``is_whole`` that it was taken to its end.
    """

    number: int
    stretches: tuple[Stretch, ...]
    world: int
    is_sure: bool
    is_whole: bool

    @cached_property
    def attempts(self) -> tuple[int, ...]:
        """The attempts that took part."""
        return tuple(sorted({one.attempt for one in self.stretches}))

    @property
    def is_resumed(self) -> bool:
        """Whether it was interrupted and gone on with."""
        return len(self.attempts) > 1

    @property
    def worlds(self) -> tuple[int, ...]:
        """The numbers of ranks that it was taken by, each once."""
        return tuple({len({one.rank for one in self.stretches if one.attempt == at}) for at in self.attempts})

    @cached_property
    def total(self) -> int:
        """The number of samples that it was trained on."""
        return sum(one.taken.tally.samples for one in self.stretches)

    @cached_property
    def sum(self) -> int:
        """What stands for all its samples together."""
        return sum(one.taken.tally.sum for one in self.stretches) % 2**64

    @cached_property
    def has_ids(self) -> bool:
        """Whether the ledgers have all its samples."""
        return bool(self.stretches) and all(one.taken.has_ids for one in self.stretches)

    def read_ids(self) -> Numbers:
        """Return all its samples, where the ledgers have them."""
        return np.concatenate(
            [ids for one in self.stretches for ids in one.taken.ids()] or [np.zeros(0, np.int64)]
        )

    def takes_of(self, rank: int) -> list[Deliveries]:
        """Return the steps of one rank, in their order."""
        return [one.taken for one in self.stretches if one.rank == rank]

    @cached_property
    def order(self) -> bytes:
        """What stands for the steps of rank 0, in their order."""
        return self._digest_of([0])

    @cached_property
    def order_of_all(self) -> bytes:
        """What stands for the steps of all ranks, in their order."""
        return self._digest_of(sorted({one.rank for one in self.stretches}))

    def _digest_of(self, ranks: Iterable[int]) -> bytes:
        digest = hashlib.blake2b(digest_size=16)
        for rank in ranks:
            digest.update(f"rank {rank}".encode())
            for orders in go_through(self.takes_of(rank), "orders"):
                digest.update(orders.tobytes())
        return digest.digest()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Seam:
    """Where an attempt went on from an earlier one: what each would have had next, rank by rank.

    ``before`` are the steps that the earlier attempt still took after the place that was gone on from, in
    the epoch that was under way, ``after`` those that the later one took; ``is_amid`` says that some were
    to come. ``steps`` is the number of optimizer steps that were kept of the earlier attempt.
    """

    earlier: int
    later: int
    epoch: int
    steps: int
    is_amid: bool
    before: tuple[Stretch, ...]
    after: tuple[Stretch, ...]


@dataclass(frozen=True, kw_only=True, eq=False)
class History:
    """All that the audit knows of one loader of a job.

    ``length`` is the number of samples from 0 up that an epoch owes, ``owed`` what stands for all of them;
    None where nobody knows. ``shuffled`` is what the sampler says. ``tells_apart`` says that ids stand for
    samples, and not for their content. ``passes`` are all passes of all attempts, trained on or not.
    ``undisturbed`` is what the same job was trained on when nothing interrupted it, where that was tried, and
    ``promise`` how far this history must agree with it.
    """

    contract: Contract
    length: int | None
    owed: int | None
    batch_size: int | None
    drop_last: bool
    shuffled: bool | None
    sampler: str
    draws: bool
    tells_apart: bool
    epochs: tuple[TrainedEpoch, ...]
    seams: tuple[Seam, ...]
    passes: tuple[tuple[Stretch, ...], ...]
    undisturbed: History | None = None
    promise: Promise = "same-order"

    @cached_property
    def judged(self) -> tuple[TrainedEpoch, ...]:
        """The epochs that ended, and of which all that belongs to them is known."""
        return tuple(one for one in self.epochs if one.is_whole and one.is_sure)

    @cached_property
    def plain(self) -> tuple[TrainedEpoch, ...]:
        """Those of them that nothing interrupted: what the others are compared with."""
        return tuple(one for one in self.judged if not one.is_resumed)

    def copies(self, world: int) -> int:
        """Return how often each sample comes in an epoch that so many ranks take."""
        return self.contract.repeats * (1 if self.contract.sharding == "ranks" else world)

    def spare(self, world: int) -> tuple[int, int]:
        """Return how many samples an epoch may repeat and lose together: its uneven tail, by the contract."""
        tail, size = self.contract.tail, self.batch_size or 1
        if self.length is not None and self.sampler == "DistributedSampler" and not self.drop_last:
            repeated = -self.length * self.contract.repeats % world
        else:
            repeated = 0 if world == 1 else world * size - 1
        may_drop = tail == "drop" or (tail == "auto" and self.drop_last)
        return (repeated if tail in ("auto", "pad") else 0), (world * (size + 1) - 1 if may_drop else 0)
