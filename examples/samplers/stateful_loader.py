"""torchdata's StatefulDataLoader saves the state of its sampler, and without one skips what was done.

Needs torchdata. The broken twin draws every epoch from one generator and has no state: the loader skips as
many samples as were done, but of another order. samplercheck says of it:

    BROKEN  Does not resume where it stopped                           wrong order
            SC701 resumes-exactly
      found     Rank 1, stopped after 0 batches of epoch 1, yields [1], [2] when
                it is resumed, not the remaining [2], [1].

        rank 1, epoch 1, stopped at | and resumed
        step           0    1
        not stopped  [2]  [1]
        stopped        |
        resumed      [1]  [2]   <- another order

      case      length=4 world_size=2 batch_size=1
      smallest  length=2 world_size=1 batch_size=1 (qxkinjcg)
      when      after a stop and resume, once the first epoch is over: always with
                2 or more samples (99 of 117 small cases)
      cause     Loading a state does not restore what the passes before it had
                changed: their number, a generator, or something else that passes
                change.
                tested: with the passes before it taken again before loading, 40
                of 40 hold
      fix       Save whatever one pass leaves for the next, and restore it in
                load_state_dict().
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import torch
from torch.utils.data import Sampler
from torchdata.stateful_dataloader import StatefulDataLoader

import samplercheck as sc

if TYPE_CHECKING:
    from collections.abc import Iterator


class Drawn(Sampler[int]):
    """Shuffles with a generator that goes on from epoch to epoch, the same on all ranks."""

    def __init__(self, dataset: Any, rank: int, world_size: int, seed: int = 0) -> None:
        self.length, self.rank, self.world_size = len(dataset), rank, world_size
        self.generator = torch.Generator().manual_seed(seed)
        self.began, self.start, self.done = self.generator.get_state(), 0, 0

    def __iter__(self) -> Iterator[int]:
        self.began, start, self.start = self.generator.get_state(), self.start, 0
        self.done = start
        order = torch.randperm(self.length, generator=self.generator).tolist()
        for step in range(start, len(self)):
            self.done += 1
            yield order[(step * self.world_size + self.rank) % self.length]

    def __len__(self) -> int:
        return -(-self.length // self.world_size)


class Saved(Drawn):
    """Says where its generator stood when the epoch began, and how many steps are done."""

    def state_dict(self) -> dict[str, Any]:
        """Return where the epoch stands."""
        return {"began": self.began, "done": self.done}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Let the next pass draw the same order and go on in it."""
        self.generator.set_state(state["began"])
        self.began, self.start, self.done = state["began"], state["done"], state["done"]


def saved(dataset: Any, rank: int, world_size: int, batch_size: int, seed: int) -> Any:
    """Build the loader with the sampler that has a state."""
    return StatefulDataLoader(dataset, batch_size, sampler=Saved(dataset, rank, world_size, seed))


def drawn(dataset: Any, rank: int, world_size: int, batch_size: int, seed: int) -> Any:
    """Build the loader with the sampler that has none."""
    return StatefulDataLoader(dataset, batch_size, sampler=Drawn(dataset, rank, world_size, seed))


def main() -> None:
    """Judge both by the first law of resuming, and show what is said of the second."""
    warnings.simplefilter("ignore")  # torchdata's own
    contract = sc.Contract(order="shuffled", epochs="advance", resume="state_dict")
    for build in (saved, drawn):
        report = sc.run(build, contract=contract, profile="quick", select=["SC701"], worlds=["simulated"])
        print(f"{build.__name__}: {', '.join(one.code for one in report.failures) or 'holds'}")
    print(report)


if __name__ == "__main__":
    main()
