"""No false alarm over many seeds: the worst bug that a test-kit can have.

Small datasets, where luck is likeliest, with every sound sampler that this project knows.
"""

from __future__ import annotations

from itertools import product

import pytest
from torch.utils.data import DistributedSampler

import samplercheck as sc
from samplercheck.engine._probe import probe
from samplercheck.engine._search import Search
from samplercheck.laws import ALL_LAWS
from samplercheck.search.axes import batch_of, combinations
from samplercheck.worlds import open_world
from tests.sound.of_torch import SOUND as TORCHS
from tests.sound.samplers import SOUND

SEEDED = [(name, factory, promise, axes) for name, factory, promise, axes in SOUND]


def alarms(target, seeds, lengths, worlds, batches=(2,)):
    """Return what any law finds broken or cannot decide over all cases of the grid."""
    binding = target.bind()
    options = combinations(target.axes, 0)
    with open_world("simulated") as world:
        scope = probe(world, binding, options[0])
        search = Search(world, binding, scope, tuple(law for law in ALL_LAWS if law.applies(scope)))
        step = binding.contract.replicas
        flags = [(False, True) if name in binding.named else (False,) for name in ("shuffle", "drop_last")]
        tried = product(seeds, lengths, worlds, batches if "batch_size" in binding.named else (1,), *flags)
        for seed, length, ranks, batch, shuffle, drop_last in tried:
            if not shuffle and flags[0] != (False,) and seed:
                continue  # the seed says nothing of an order that is not shuffled
            case = sc.Case(
                length=length,
                world_size=ranks * step,
                batch_size=batch_of(binding, batch, ranks * step),
                shuffle=shuffle,
                drop_last=drop_last,
                seed=seed if "seed" in binding.named else 0,  # what is not named is pinned
                options=options[seed % len(options)],
            )
            search.try_case(case, counts=True)
    pages = search.ledger.pages.values()
    broken = {
        page.law.code: (page.smallest.case.token, page.smallest.violations[0].found)
        for page in search.ledger.broken
    }
    return broken, {page.law.code: dict(page.reasons) for page in pages if page.reasons}


@pytest.mark.parametrize(
    ("seeded", "others"),
    [pytest.param(3, 3, marks=pytest.mark.thorough), pytest.param(50, 10, marks=pytest.mark.slow)],
)
@pytest.mark.parametrize(("name", "factory", "promise", "axes"), SEEDED, ids=[name for name, *_ in SEEDED])
def test_seeds_of_a_sound_sampler_raise_no_alarm(name, factory, promise, axes, seeded, others):
    target = sc.target(factory, name, sc.Contract(**promise), axes)
    seeds = range(seeded if "seed" in target.bind().named else others)
    assert alarms(target, seeds, (2, 3), (1, 2)) == ({}, {})


@pytest.mark.slow
@pytest.mark.parametrize("name", TORCHS)
def test_200_seeds_of_torchs_samplers_raise_no_alarm(name):
    factory, contract = TORCHS[name]
    target = sc.target(factory, contract=contract)
    seeds = range(200) if "seed" in target.bind().named else range(20)
    assert alarms(target, seeds, (2, 4), (1, 3)) == ({}, {})


@pytest.mark.slow
def test_1000_seeds_of_the_distributed_sampler_raise_no_alarm():
    assert alarms(sc.target(DistributedSampler), range(1000), (2,), (1, 2)) == ({}, {})
