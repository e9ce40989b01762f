"""What the kit adds to long passes: length 10^6, world 8; prints a table.

Run by hand: ``python tests/benchmarks/long_passes.py``.
"""

from __future__ import annotations

import time

from torch.utils.data import DistributedSampler

import samplercheck as sc
from samplercheck.engine._judging import judge
from samplercheck.laws import ALL_LAWS
from samplercheck.targets.features import IdentityDataset
from samplercheck.worlds import open_world

CASE = sc.Case(length=1_000_000, world_size=8, shuffle=True, epochs=3)
ROUNDS = 3


def bare() -> None:
    """Every rank runs its epochs."""
    dataset = IdentityDataset(CASE.length)
    for rank in range(CASE.world_size):
        sampler = DistributedSampler(dataset, CASE.world_size, rank, seed=CASE.seed)
        for epoch in range(CASE.epochs):
            sampler.set_epoch(epoch)
            list(sampler)


def main() -> None:
    """Print seconds bare, recorded, and recorded and judged by all laws that read the epochs."""
    binding = sc.target(DistributedSampler).bind()
    laws = [law for law in ALL_LAWS if law.reads == ("epochs",)]
    times: dict[str, list[float]] = {"bare": [], "recorded": [], "recorded and judged": []}
    with open_world("simulated") as world:
        for _ in range(ROUNDS):
            started = time.perf_counter()
            bare()
            times["bare"].append(time.perf_counter() - started)
            started = time.perf_counter()
            trace = world.trace(binding, CASE, ("epochs",))
            times["recorded"].append(time.perf_counter() - started)
            outcomes = {law.code: judge(law, trace).outcome.value for law in laws}
            times["recorded and judged"].append(time.perf_counter() - started)
    assert "broken" not in outcomes.values(), outcomes
    print(f"DistributedSampler, length 10^6, world 8, 3 epochs, {len(laws)} laws")
    for name, seconds in times.items():
        print(f"{name:24}{min(seconds):8.2f} s{min(seconds) / min(times['bare']):8.2f} times bare")


if __name__ == "__main__":
    main()
