"""Megatron's style: the trainer counts consumed samples, and the sampler is built with that number.

The broken twin takes the count for its own rank's. samplercheck says of it:

    BROKEN  Does not resume where it stopped                           wrong order
            SC701 resumes-exactly
      found     Rank 0, stopped after 1 batch of epoch 0, yields [1] when it is
                resumed, not the remaining [2].

        rank 0, epoch 0, stopped at | and resumed
        step           0    1
        not stopped  [0]  [2]
        stopped      [0]    |
        resumed           [1]   <- not due: 1; lost: 2

      case      length=4 world_size=2 batch_size=1 (dsc6ldnm)
      when      after a stop and resume: always on 2 or more ranks with at least 2
                * world_size * batch_size samples (31 of 195 small cases)
      cause     Resuming between two epochs is right; inside an epoch it does not
                go on where it stopped.
                tested: with the state of the epoch's start saved, and what was
                yielded since then skipped, 31 of 31 hold
      fix       Consumed counts the samples of all ranks: skip that many (modulo
                an epoch's) of the epoch's order, then deal it out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import samplercheck as sc

if TYPE_CHECKING:
    from collections.abc import Iterator


class Consumed:
    """Batches behind ``consumed_samples``, whole global batches only, in the order of the data."""

    def __init__(
        self, total_samples: int, consumed_samples: int, micro_batch_size: int, rank: int, world_size: int
    ) -> None:
        self.total, self.consumed, self.size = total_samples, consumed_samples, micro_batch_size
        self.rank, self.world_size = rank, world_size

    def start(self) -> int:
        """Return the first sample of the epoch that no rank has consumed."""
        step = self.size * self.world_size
        return self.consumed % max(step, self.total - self.total % step)

    def __iter__(self) -> Iterator[list[int]]:
        step, start = self.size * self.world_size, self.start()
        self.consumed = 0  # the next pass begins at the beginning
        for first in range(start, self.total - step + 1, step):
            mine = first + self.rank * self.size
            yield list(range(mine, mine + self.size))

    def __len__(self) -> int:
        return (self.total - self.start()) // (self.size * self.world_size)


class CountsItsOwn(Consumed):
    """Skips on each rank what all together have consumed, divided by the ranks."""

    def start(self) -> int:
        """Return a place that is too early."""
        return super().start() // self.world_size


def main() -> None:
    """Judge both, and show what is said of the second."""
    contract = sc.Contract(
        tail="drop", tail_unit="batch", epochs="fixed", order="sequential", resume="consumed"
    )
    for kind in (Consumed, CountsItsOwn):
        report = sc.run(sc.target(kind, contract=contract), profile="quick", worlds=["simulated"])
        print(f"{kind.__name__}: {', '.join(one.code for one in report.failures) or 'holds'}")
    print(report)


if __name__ == "__main__":
    main()
