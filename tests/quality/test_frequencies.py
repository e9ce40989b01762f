"""Laws judged by statistics: 2,000 runs on sound samplers raise no alarm, and what the docs name is found.

A run is all patient cases of a sampler under one seed, as the profile ``quick`` tries them.
"""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
import torch
from torch.utils.data import DistributedSampler

import samplercheck as sc
from samplercheck.engine._search import Search
from samplercheck.laws.follows_weights import LAW as WEIGHTS_HOLD
from samplercheck.laws.frequencies import most_telling
from samplercheck.laws.law import Scope, is_patient
from samplercheck.laws.uniform_shuffle import LAW as UNIFORM
from samplercheck.search.axes import combinations
from samplercheck.search.profiles import find_profile
from samplercheck.search.special import patient_cases
from samplercheck.worlds import open_world
from tests.sound.samplers import SOUND
from tests.zoo import filled_up_with_sample_zero, fixed_length_bias, never_at_its_own_place

QUICK = find_profile("quick").patience[-1]
STANDARD = find_profile("standard").patience[-1]
RUNS = 200
OUGHT = 0.99

KNOWN = {name: (factory, promise, axes) for name, factory, promise, axes in SOUND}
TOLD = {
    module.SLUG: (module.sound, module.CONTRACT, module.AXES)
    for module in (filled_up_with_sample_zero, fixed_length_bias, never_at_its_own_place)
}
NAMES = ("weighted", "weighted_ranks", "endless_shuffled", "advancing", "numpy_generator", "repeated")
NAMES_OF_DRAWS = ("poisson_bootstrap", "shuffled_bootstrap", "repeat_factors", "now_and_then_in_order")
JUDGED = {
    **{name: KNOWN[name] for name in (*NAMES, *NAMES_OF_DRAWS)},
    **TOLD,
    "distributed": (DistributedSampler, {}, {}),
}


def alarms(factory, promise, axes, seeds, epochs=QUICK):
    """Return what the two laws find under these seeds, and how many verdicts they gave."""
    target = sc.target(factory, "sound", sc.Contract(**promise), axes)
    binding = target.bind()
    laws = tuple(
        law
        for law in (WEIGHTS_HOLD, UNIFORM)
        if law.applies(Scope(contract=binding.contract, named=binding.named))
    )
    with open_world("simulated") as world:
        search = Search(world, binding, Scope(contract=binding.contract, named=binding.named), laws)
        for seed in seeds:
            for case in patient_cases(binding, combinations(target.axes, 0), epochs):
                search.try_case(case.but(seed=seed * 1_009), counts=False)
    pages = search.ledger.pages.values()
    assert not any(page.reasons for page in pages)
    broken = [(page.smallest.case.token, page.smallest.violations[0].found) for page in search.ledger.broken]
    return broken, sum(page.judged for page in pages)


@pytest.mark.thorough
def test_every_judged_sampler_is_seen_by_a_law_that_wants_patience():
    assert is_patient(sc.Case(length=1, epochs=QUICK))
    for factory, promise, axes in JUDGED.values():
        assert alarms(factory, promise, axes, range(1))[1]


@pytest.mark.slow
@pytest.mark.parametrize("name", JUDGED)
def test_200_runs_of_each_sound_sampler_raise_no_alarm(name):
    broken, judged = alarms(*JUDGED[name], range(RUNS))
    assert broken == []
    assert judged >= RUNS


# What the documentation says is found, in at least 99 of 100 runs


def found(draw, expected, epochs, runs=100):
    """Return in how many of the runs passes that are drawn like this are told from what is expected."""
    told = 0
    for run in range(runs):
        generator = np.random.default_rng(run)
        told += most_telling(draw(generator, epochs), np.asarray(expected)) is not None
    return told / runs


def draws(shares, number):
    """Return a maker of passes: the part of ``number`` draws with replacement that each sample gets."""
    return lambda generator, epochs: generator.multinomial(number, shares, size=epochs) / number


def tilted(length, factor):
    """Return shares of which the first is ``factor`` times the fair one, the others alike."""
    first = factor / length
    return [first, *[(1 - first) / (length - 1)] * (length - 1)]


WEIGHTS_OFF = [(1.75, QUICK), (0.0, QUICK), (1.25, STANDARD), (0.8, STANDARD)]
PLACES_OFF = [(3.0, QUICK), (0.0, QUICK), (1.5, STANDARD), (0.5, STANDARD)]


@pytest.mark.parametrize(("factor", "epochs"), WEIGHTS_OFF)
def test_a_weight_that_is_off_is_found(factor, epochs):
    assert found(draws(tilted(9, factor), 9), [1 / 9] * 9, epochs) >= OUGHT


@pytest.mark.parametrize(("factor", "epochs"), PLACES_OFF)
def test_a_place_that_favours_a_sample_is_found(factor, epochs):
    assert found(draws(tilted(7, factor), 1), [1 / 7] * 7, epochs) >= OUGHT


@pytest.mark.parametrize("epochs", [QUICK, STANDARD])
def test_fair_draws_raise_no_alarm(epochs):
    assert found(draws([1 / 9] * 9, 9), [1 / 9] * 9, epochs) == 0


def by_keys(bits, generator, epochs):
    """Return orders of seven samples by random sort keys of so many bits: ties stay in order."""
    orders = np.argsort(generator.integers(0, 2**bits, size=(epochs, 7)), axis=1, kind="stable")
    return (orders[:, :, None] == np.arange(7)).astype(float)


@pytest.mark.parametrize(("bits", "told"), [(3, 1.0), (62, 0.0)])
def test_sort_keys_of_few_bits_are_found(bits, told):
    assert found(partial(by_keys, bits), np.full((7, 7), 1 / 7), STANDARD, runs=30) == told


def test_a_pass_that_repeats_one_draw_throughout_is_as_fair_as_any():
    """Nothing is assumed of the spread inside a pass: only the passes are independent."""
    assert found(draws([1 / 5] * 5, 1), [1 / 5] * 5, STANDARD) == 0


def test_laps_are_less_spread_than_independent_draws_and_pass():
    def laps(generator, epochs):
        orders = np.argsort(generator.random((epochs, 4)), axis=1)[:, :3]
        return (orders[:, :, None] == np.arange(4)).mean(axis=1)

    assert found(laps, [1 / 4] * 4, STANDARD) == 0


def test_torchs_own_draws_by_weight_are_fair():
    weights = torch.tensor([1.0, 2.0, 3.0, 4.0], dtype=torch.float64)
    generator = torch.Generator().manual_seed(3)
    drawn = torch.multinomial(weights, 4 * STANDARD, replacement=True, generator=generator).reshape(-1, 4)
    shares = (drawn[:, :, None] == torch.arange(4)).double().mean(dim=1).numpy()
    assert most_telling(shares, np.array([0.1, 0.2, 0.3, 0.4])) is None
