"""Seeds: those of one run come again in another, however they are given; then all is as it was before."""

from __future__ import annotations

import random

import numpy as np
import pytest
import torch

from samplercheck.explain.seeds import BIT_GENERATORS, give_seeds, note_seeds, repeat_seeds


def drawn_by_torch(seed):
    return torch.randperm(20, generator=torch.Generator().manual_seed(seed)).tolist()


def by_name(holder, name):
    """A function that is looked up when it is called, as code does."""

    def act(seed):
        return getattr(holder, name)(seed)

    return act


def drawn_after(seed_all, draw):
    def drawn(seed):
        seed_all(seed)
        return draw()

    return drawn


def seeded_late(seed):
    generator = random.Random()
    generator.seed(seed)
    return generator.random()


WAYS = {
    "torch.Generator": drawn_by_torch,
    "torch.manual_seed": drawn_after(by_name(torch, "manual_seed"), lambda: float(torch.rand(1))),
    "random.Random": lambda seed: random.Random(f"{seed}").random(),
    "Random.seed": seeded_late,
    "random.seed": drawn_after(by_name(random, "seed"), random.random),
    "numpy.random.seed": drawn_after(by_name(np.random, "seed"), lambda: float(np.random.rand())),
    "default_rng": lambda seed: np.random.default_rng([seed, 1]).random(),
    "RandomState": lambda seed: np.random.RandomState(seed).rand(),
    **{
        name: lambda seed, name=name: np.random.Generator(getattr(np.random, name)(seed)).random()
        for name in BIT_GENERATORS
    },
}


@pytest.mark.parametrize("way", WAYS)
def test_what_one_run_was_seeded_with_comes_again_in_another(way):
    draw = WAYS[way]
    with note_seeds() as seeds:
        first = draw(1), draw(2)
    with repeat_seeds(seeds):
        again = draw(8), draw(9)
    assert again == first == (draw(1), draw(2))


def test_what_is_seeded_beyond_the_noted_ones_stays_as_it_is():
    with note_seeds() as seeds:
        drawn_by_torch(1)
    with repeat_seeds(seeds):
        found = drawn_by_torch(7), drawn_by_torch(8)
    assert found == (drawn_by_torch(1), drawn_by_torch(8))


def test_everything_is_put_back_after_an_error():
    holders = (random.Random, "seed"), (random, "seed"), (torch, "Generator"), (np.random, "RandomState")
    before = [getattr(holder, name) for holder, name in holders]
    with pytest.raises(KeyError), note_seeds():
        raise KeyError
    assert [getattr(holder, name) for holder, name in holders] == before


UNSEEDED = {
    "random.Random": lambda: random.Random().random(),
    "default_rng": lambda: np.random.default_rng().random(),
    "RandomState": lambda: np.random.RandomState().rand(),
    "Generator.seed": lambda: torch.Generator().seed(),
}


@pytest.mark.parametrize("draw", UNSEEDED.values(), ids=UNSEEDED)
def test_what_is_seeded_with_nothing_gets_a_seed_by_the_epoch(draw):
    drawn = []
    for epoch in (0, 0, 1):
        with give_seeds(epoch):
            drawn.append(draw())
            seeded = random.Random(7).random()
        assert seeded == random.Random(7).random()
    assert drawn[0] == drawn[1] != drawn[2]
    assert draw() != draw()
