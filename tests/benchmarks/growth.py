"""How what the kit adds grows with the dataset and with the world: ``python tests/benchmarks/growth.py``.

For DistributedSampler, shuffled, two epochs: the seconds of bare passes, and those of the passes taken and
judged by all laws that read them, in turn, each the least of its rounds; their ratio, how far the median of
the rounds lies above, and the exponents of the growth, fitted to what is added. Then, at length 10^6, what
each law takes for an index.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch.utils.data import DistributedSampler

import samplercheck as sc
from samplercheck.engine._judging import judge
from samplercheck.experiments import STREAMED
from samplercheck.laws import ALL_LAWS
from samplercheck.laws.law import Scope
from samplercheck.targets.features import IdentityDataset
from samplercheck.values.owed import has_long_passes
from samplercheck.worlds import open_world

if TYPE_CHECKING:
    from collections.abc import Callable

    from samplercheck.values.trace import Trace

LENGTHS = (10**2, 10**3, 10**4, 10**5, 10**6, 10**7)
WORLDS = (1, 8, 64, 512, 4_096)
USUAL_LENGTH, USUAL_WORLD, EPOCHS = 10**5, 8, 2
SECONDS, FEWEST, MOST = 4.0, 3, 200
ENOUGH = 30.0
FIT_FROM = 10**4
LONG_LAWS = ("SC101", "SC102", "SC103", "SC104", "SC105")
"""What judges passes of which fingerprints alone are taken."""


def pass_bare(case: sc.Case) -> None:
    """Let every rank run its epochs."""
    dataset = IdentityDataset(case.length)
    for rank in range(case.world_size):
        sampler = DistributedSampler(dataset, case.world_size, rank, seed=case.seed)
        for epoch in range(case.epochs):
            sampler.set_epoch(epoch)
            list(sampler)


def take(world: Any, binding: Any, case: sc.Case) -> Trace:
    """Let the kit take the epochs."""
    long = has_long_passes(case, binding.contract)
    trace: Trace = world.trace(binding, case, (STREAMED if long else "epochs",))
    return trace


def laws_of(trace: Trace) -> list[Any]:
    """Return the laws that judge this target by the epochs alone."""
    scope = Scope(contract=trace.contract, named=trace.named, traits=frozenset({"set_epoch", "len"}))
    laws = [law for law in ALL_LAWS if law.reads == ("epochs",) and law.applies(scope)]
    return [law for law in laws if law.code in LONG_LAWS] if trace.is_streamed else laws


def take_and_judge(world: Any, binding: Any, case: sc.Case) -> None:
    """Let the kit take the epochs and judge them."""
    trace = take(world, binding, case)
    outcomes = {law.code: judge(law, trace).outcome.value for law in laws_of(trace)}
    assert "broken" not in outcomes.values(), outcomes


def _goes_on(rounds: int, seconds: float) -> bool:
    return seconds < (ENOUGH if rounds < FEWEST else SECONDS) and rounds < MOST


def time_in_turn(*actions: Callable[[], Any]) -> list[list[float]]:
    """Return the seconds of a processor that each took, round after round."""
    rounds: list[list[float]] = []
    began = time.perf_counter()
    while not rounds or _goes_on(len(rounds), time.perf_counter() - began):
        rounds.append([])
        for action in actions:
            before = time.process_time()
            action()
            rounds[-1].append(time.process_time() - before)
    return [list(each) for each in zip(*rounds, strict=True)]


def compare(world: Any, binding: Any, length: int, world_size: int) -> float:
    """Print one row; return the seconds that the kit adds."""
    case = sc.Case(length=length, world_size=world_size, shuffle=True, epochs=EPOCHS)
    actions = (lambda: pass_bare(case)), (lambda: take_and_judge(world, binding, case))
    bare, kit = time_in_turn(*actions)
    added = min(kit) - min(bare)
    row = (
        f"{length:,}",
        f"{world_size:,}",
        f"{min(bare) * 1e3:,.2f} ms",
        f"{min(kit) * 1e3:,.2f} ms",
        f"{min(kit) / min(bare):.2f}",
        f"{added / (length * EPOCHS) * 1e9:,.0f} ns",
        f"{added / (world_size * EPOCHS) * 1e6:,.0f} us",
        f"{np.median(kit) / min(kit) - 1:.0%}",
    )
    print(f"| {' | '.join(row)} |", flush=True)
    return added


def fit(sizes: list[int], added: list[float]) -> str:
    """Return the exponent with which what is added grows; rows in which noise hides it are left out."""
    seen = np.log([pair for pair in zip(sizes, added, strict=True) if pair[1] > 0])
    return f"{np.polyfit(seen[:, 0], seen[:, 1], 1)[0]:.2f}"


def list_laws(world: Any, binding: Any, length: int = 10**6) -> None:
    """Print what each law takes for an index."""
    case = sc.Case(length=length, world_size=USUAL_WORLD, shuffle=True, epochs=EPOCHS)
    costs = {}
    for law in laws_of(take(world, binding, case)):
        trace = take(world, binding, case)  # one that no other law has counted
        began = time.process_time()
        judge(law, trace)
        costs[law.code] = (time.process_time() - began) / (length * EPOCHS) * 1e9
    print(f"\nWhat judging takes for an index, in ns, at length {length:,}, where no other law has judged:")
    print(", ".join(f"{code} {cost:.1f}" for code, cost in sorted(costs.items(), key=lambda one: -one[1])))


def main() -> None:
    """Print all of it."""
    torch.set_num_threads(1)
    binding = sc.target(DistributedSampler).bind()
    head = "length", "world", "bare", "with the kit", "ratio", "added an index", "a rank's epoch", "apart"
    print(f"| {' | '.join(head)} |\n{'| --- ' * len(head)}|")
    with open_world("simulated") as world:
        by_length = [compare(world, binding, length, USUAL_WORLD) for length in LENGTHS]
        by_world = [compare(world, binding, USUAL_LENGTH, size) for size in WORLDS]
        long = [length for length in LENGTHS if length >= FIT_FROM]
        lengths, worlds = fit(long, by_length[-len(long) :]), fit(list(WORLDS), by_world)
        print(f"\nWhat is added grows with length ^ {lengths} from {FIT_FROM:,} on, with world ^ {worlds}.")
        list_laws(world, binding)


if __name__ == "__main__":
    main()
