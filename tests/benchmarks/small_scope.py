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
from samplercheck.values.owed import drop_last_matters
from samplercheck.worlds import open_world

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

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
    dataset, settled = IdentityDataset(case.length), set[str]()
    few = ranks_that_repeat(case, Contract(), by_two=True) or range(case.world_size)
    ranks = [_Rank(case, dataset, rank) for rank in range(case.world_size)]
    return sum(one.run(settled, repeats=rank in few) for rank, one in enumerate(ranks))


class _Rank:
    """One rank of a case; ``settled`` are the arguments that made a difference on a rank before."""

    def __init__(self, case: Case, dataset: IdentityDataset, rank: int) -> None:
        self.case, self.dataset, self.rank = case, dataset, rank
        self.passes = 0
        self.usual: list[list[int]] = []

    def run(self, settled: set[str], *, repeats: bool) -> int:
        sampler = self.build()
        self.usual = [self.take(sampler, epoch) for epoch in range(self.case.epochs)]
        if repeats:
            self.screen()
        if self.case.shuffle and "seed" not in settled:
            self.turn_seed(settled)
        matters = drop_last_matters(self.case, Contract(), batched=False) or not self.usual[0]
        if matters and "drop_last" not in settled:
            self.turn("drop_last", (0,), settled)
        if self.case.shuffle and "shuffle" not in settled:
            self.turn("shuffle", range(self.case.epochs), settled)
        return self.passes

    def build(self, **changes: Any) -> DistributedSampler:
        case = self.case
        named = {"shuffle": case.shuffle, "seed": case.seed, "drop_last": case.drop_last, **changes}
        return DistributedSampler(self.dataset, case.world_size, self.rank, **named)

    def take(self, sampler: DistributedSampler, epoch: int) -> list[int]:
        self.passes += 1
        sampler.set_epoch(epoch)
        return list(sampler)

    def screen(self) -> None:
        sampler, last = self.build(), self.case.epochs - 1
        sampler.set_epoch(last)
        self.take(pickle.loads(pickle.dumps(sampler)), last)
        for _ in range(3):
            self.take(sampler, 0)
        list(islice(sampler, max(1, self.case.length // self.case.world_size // 4)))
        self.passes += 1

    def turn_seed(self, settled: set[str]) -> None:
        *near, far = other_seeds(self.case.seed, self.case.epochs - 1)
        found = [self.take(self.build(seed=seed), 0) for seed in near]
        matters = any(one != self.usual[0] for one in found)
        overlaps = found == self.usual[1 : len(found) + 1]
        if not matters:
            sampler = self.build(seed=far)
            matters = self.take(sampler, 0) != self.usual[0]
            for epoch in () if matters else range(1, self.case.epochs):
                self.take(sampler, epoch)
        settled |= {"seed"} if matters and not overlaps else set()

    def turn(self, name: str, epochs: Iterable[int], settled: set[str]) -> None:
        sampler = self.build(**{name: not getattr(self.case, name)})
        if any(self.take(sampler, epoch) != self.usual[epoch] for epoch in epochs):
            settled.add(name)


def begun_passes(case: Case, world: HomeWorld, experiments: tuple[str, ...]) -> int:
    """Return how many passes the experiments take in a case."""
    Counted.begun = 0
    world.trace(sc.target(Counted).bind(), case, experiments, spare="most")
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
            search.looks_again = True  # as in a run: two ranks of a small case repeat their passes
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
