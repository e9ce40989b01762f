"""How fast the small scope is, and what the kit adds to the passes themselves; prints a table.

Run by hand: ``python tests/benchmarks/small_scope.py``. Timings are noisy, so the bare passes and
the kit's are measured by turns in one process, and the ratio of the best rounds is what counts.
"""

from __future__ import annotations

import gc
import time
from itertools import islice
from typing import TYPE_CHECKING

from torch.utils.data import DistributedSampler

import samplercheck as sc
from samplercheck.engine._probe import probe
from samplercheck.engine._search import Search
from samplercheck.experiments.arguments import other_seeds
from samplercheck.laws import ALL_LAWS
from samplercheck.search.profiles import find_profile
from samplercheck.search.small_scope import scope_of
from samplercheck.targets.features import IdentityDataset
from samplercheck.worlds import open_world

if TYPE_CHECKING:
    from samplercheck import Case
    from samplercheck.values.trace import Trace

ROUNDS = 5


def bare_passes(case: Case) -> int:
    """Build and run what the experiments build and run, with nothing around it."""
    dataset = IdentityDataset(case.length)
    passes = 0
    for rank in range(case.world_size):

        def build(
            rank: int = rank,
            *,
            shuffle: bool = case.shuffle,
            seed: int = case.seed,
            drop_last: bool = case.drop_last,
        ) -> DistributedSampler:
            return DistributedSampler(dataset, case.world_size, rank, shuffle, seed, drop_last)

        for visited in (
            range(case.epochs),
            range(case.epochs),
            (case.epochs - 1, 0),
        ):  # epochs, lengths, jumps
            sampler = build()
            for epoch in visited:
                sampler.set_epoch(epoch)
                list(sampler)
                passes += 1
        for halves in (False, False, True):  # again, interleaved, abandoned
            sampler = build()
            sampler.set_epoch(0)
            list(islice(sampler, max(1, case.length // case.world_size // 4))) if halves else list(sampler)
            list(sampler)
            passes += 2
        seeds = other_seeds(case.seed, case.epochs - 1) if case.shuffle else ()
        others = [build(seed=seed) for seed in seeds]
        others += others[-1:] * (case.epochs - 1)  # the later epochs under the last seed
        pickled, unplaced = build(), build()
        others += [build(drop_last=not case.drop_last), pickled, pickled, unplaced]  # knobs first
        if case.shuffle:
            others += [build(shuffle=False)] * case.epochs
        for sampler in others:
            sampler.set_epoch(0)
            list(sampler)
            passes += 1
    return passes


def recorded_passes(trace: Trace) -> int:
    """Count the passes that all ranks recorded in all experiments."""
    return sum(len(record.passes) for records in trace.records.values() for record in records)


def main() -> None:
    """Print cases a second, bare and with all laws, and their ratio."""
    gc.freeze()  # as the command line's child does once all is imported
    binding = sc.target(DistributedSampler).bind()
    profile = find_profile("quick")
    cases = list(scope_of(binding, profile, ((),)).cases())
    with open_world("simulated") as world:
        scope = probe(world, binding, ())
        laws = tuple(law for law in ALL_LAWS if law.applies(scope))
        bare, kit, passes = [], [], 0
        experiments = Search(world, binding, scope, laws).experiments
        for case in cases:  # the bare passes are those of the experiments, no more and no fewer
            assert bare_passes(case) == recorded_passes(world.trace(binding, case, experiments)), case.token
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
