"""Reports of real runs, one for each kind of first screen; each has golden files of two widths.

They are stored, so that tests need not run them again: ``python -m tests.reports.screens`` stores them again
where a run says something else than before, and a slow test compares them.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from torch.utils.data import Sampler

import samplercheck as sc
from samplercheck.engine import Plan, carry_out
from tests.zoo import ceil_chunk_clamp, more_ranks_than_samples_refused, negative_rank_takes_all
from tests.zoo import rank_zero_skips_the_reduction as one_rank_reduces

if TYPE_CHECKING:
    from collections.abc import Iterator, Sized
    from types import ModuleType

STORED = Path(__file__).parent / "stored"
SECONDS = 12.4


class Strided(Sampler[int]):
    """Two faults: nothing is padded, and with seed 0 the epoch has no effect."""

    def __init__(self, dataset: Sized, num_replicas: int, rank: int, shuffle: bool, seed: int) -> None:
        self.length, self.world_size, self.rank = len(dataset), num_replicas, rank
        self.shuffle, self.seed, self.epoch = shuffle, seed, 0

    def set_epoch(self, epoch: int) -> None:
        """Begin another epoch."""
        self.epoch = epoch

    def __iter__(self) -> Iterator[int]:
        """Deal out what there is, one rank after the other."""
        order = list(range(self.length))
        if self.shuffle:
            import torch

            generator = torch.Generator()
            generator.manual_seed(self.seed * (self.epoch + 1))
            order = torch.randperm(self.length, generator=generator).tolist()
        return iter(order[self.rank :: self.world_size])

    def __len__(self) -> int:
        """Return how many samples this rank gets."""
        return len(range(self.rank, self.length, self.world_size))


def of_zoo(module: ModuleType, part: str = "bug") -> sc.Target:
    """A part of a file of the zoo under its contract."""
    contract = sc.Contract(**module.CONTRACT)
    return sc.target(getattr(module, part), name=module.SLUG, contract=contract, axes=module.AXES)


TARGETS = {
    "one": of_zoo(ceil_chunk_clamp),
    "two": sc.target(Strided, name="mypkg.samplers:Strided"),
    "clean": of_zoo(one_rank_reduces, "sound"),
    "advice": of_zoo(negative_rank_takes_all),
    "crash": of_zoo(more_ranks_than_samples_refused),
    "hang": of_zoo(one_rank_reduces),
}
"""One mistake with what follows, two unrelated ones, none, none but advice, a crash, laws left unjudged."""


def run(name: str) -> dict[str, Any]:
    """Run one of them; what differs from machine to machine is the same in all."""
    plain = carry_out(Plan(target=TARGETS[name], profile="quick", worlds=("simulated",))).to_dict()
    versions = {"samplercheck": "0.1.0", "torch": "2.13.0"}
    return json.loads(json.dumps({**plain, "seconds": SECONDS, "versions": versions, "map": []}))  # type: ignore[no-any-return]


def stored(name: str) -> dict[str, Any]:
    """Return a stored report."""
    return json.loads((STORED / f"{name}.json").read_text(encoding="utf-8"))  # type: ignore[no-any-return]


SCREENS = {name: stored(name) for name in TARGETS}

if __name__ == "__main__":
    import importlib

    screens = importlib.import_module("tests.reports.screens")  # so that the targets have places

    for name in TARGETS:
        text = json.dumps(screens.run(name), indent=1)
        (STORED / f"{name}.json").write_text(f"{text}\n", encoding="utf-8")
