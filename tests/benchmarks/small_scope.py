"""How fast the small scope is, and what the kit adds to the passes themselves; prints a table.

Run by hand: ``python tests/benchmarks/small_scope.py``. Timings are noisy, so the bare passes and
the kit's are measured by turns in one process, and the ratio of the best rounds is what counts.
"""

from __future__ import annotations

import gc
import pickle
import time
from itertools import islice
from typing import TYPE_CHECKING, Any

from torch.utils.data import DistributedSampler

import samplercheck as sc
from samplercheck import Contract
from samplercheck.engine._probe import probe
from samplercheck.engine._search import Search
from samplercheck.experiments.arguments import other_seeds
from samplercheck.experiments.few_ranks import ranks_that_repeat
from samplercheck.laws import ALL_LAWS
from samplercheck.running.child import GARBAGE
from samplercheck.search.profiles import find_profile
from samplercheck.search.small_scope import scope_of
from samplercheck.targets.features import IdentityDataset
from samplercheck.worlds import open_world

if TYPE_CHECKING:
    from collections.abc import Iterator

    from samplercheck import Case
    from samplercheck.worlds import HomeWorld

ROUNDS = 5


class Counted(DistributedSampler):
    """Counts the passes that are begun."""

    begun = 0

    def __iter__(self) -> Iterator[int]:
        Counted.begun += 1
        return super().__iter__()


def bare_passes(case: Case) -> int:
    """Build and run what the experiments build and run, with nothing around it; return how many passes."""
    dataset = IdentityDataset(case.length)
    few = ranks_that_repeat(case, Contract()) or range(case.world_size)
    return sum(_passes_of_rank(case, dataset, rank, repeats=rank in few) for rank in range(case.world_size))


def _passes_of_rank(case: Case, dataset: IdentityDataset, rank: int, *, repeats: bool) -> int:
    passes, last = 0, case.epochs - 1

    def build(**changes: Any) -> DistributedSampler:
        named = {"shuffle": case.shuffle, "seed": case.seed, "drop_last": case.drop_last, **changes}
        return DistributedSampler(dataset, case.world_size, rank, **named)

    def take(sampler: DistributedSampler, epoch: int) -> list[int]:
        nonlocal passes
        passes += 1
        sampler.set_epoch(epoch)
        return list(sampler)

    sampler = build()
    usual = [take(sampler, epoch) for epoch in range(case.epochs)]
    if repeats:  # screened, unplaced
        sampler, unplaced = build(), build()
        sampler.set_epoch(last)
        copy = pickle.loads(pickle.dumps(sampler))
        for one, epoch in ((sampler, last), (copy, last), *[(sampler, 0)] * 3, (unplaced, 0)):
            take(one, epoch)
        list(islice(sampler, max(1, case.length // case.world_size // 4)))
        passes += 1
    if case.shuffle:  # seeds, until one makes a difference
        *near, far = other_seeds(case.seed, last)
        matters = False
        for seed in near:
            sampler = build(seed=seed)
            matters |= take(sampler, 0) != usual[0]
        if not matters:
            sampler = build(seed=far)
            matters = take(sampler, 0) != usual[0]
        for epoch in () if matters else range(1, case.epochs):
            take(sampler, epoch)
    take(build(drop_last=not case.drop_last), 0)  # knobs
    if case.shuffle:
        sampler = build(shuffle=False)
        next(filter(None, (take(sampler, epoch) != usual[epoch] for epoch in range(case.epochs))), None)
    return passes


def begun_passes(case: Case, world: HomeWorld, experiments: tuple[str, ...]) -> int:
    """Return how many passes the experiments take in a case."""
    Counted.begun = 0
    world.trace(sc.target(Counted).bind(), case, experiments)
    return Counted.begun


def main() -> None:
    """Print cases a second, bare and with all laws, and their ratio."""
    gc.freeze()  # as the command line's child does once all is imported
    gc.set_threshold(GARBAGE)
    binding = sc.target(DistributedSampler).bind()
    profile = find_profile("quick")
    cases = list(scope_of(binding, profile, ((),)).cases())
    with open_world("simulated") as world:
        scope = probe(world, binding, ())
        laws = tuple(law for law in ALL_LAWS if law.applies(scope))
        bare, kit, passes = [], [], 0
        experiments = Search(world, binding, scope, laws).experiments
        for case in cases:  # the bare passes are those of the experiments, no more and no fewer
            assert bare_passes(case) == begun_passes(case, world, experiments), case.token
        for _ in range(ROUNDS):
            started = time.perf_counter()
            passes = sum(bare_passes(case) for case in cases)
            bare.append(time.perf_counter() - started)
            search = Search(world, binding, scope, laws)
            started = time.perf_counter()
            for case in cases:
                search.try_case(case, counts=True)
            kit.append(time.perf_counter() - started)
    assert not search.ledger.broken, [page.law.code for page in search.ledger.broken]
    number = len(cases)
    print(
        f"DistributedSampler, small scope of {profile.label}: "
        f"{number} cases, {passes} passes, {len(laws)} laws"
    )
    print(f"{'':24}{'cases/s':>10}{'us/case':>10}{'us/pass':>10}")
    for name, seconds in (("bare passes", min(bare)), ("with all laws", min(kit))):
        print(
            f"{name:24}{number / seconds:10.0f}{seconds / number * 1e6:10.0f}{seconds / passes * 1e6:10.2f}"
        )
    print(f"{'ratio':24}{min(kit) / min(bare):10.2f}")


if __name__ == "__main__":
    main()
