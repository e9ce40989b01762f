"""Sound samplers of one process that draw on its generators, or read them: none is called broken for it."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch.utils.data import RandomSampler

import samplercheck as sc

CONTRACT = sc.Contract.single_process(epochs="set_epoch", order="shuffled")


class Reading:
    """Shuffles by a generator of its own, whose seed is made from the process's and the epoch."""

    def __init__(self, length):
        self.length, self.epoch = length, 0

    def set_epoch(self, epoch):
        self.epoch = epoch

    def seed(self):
        return (torch.initial_seed() + 7919 * self.epoch) % 2**60

    def __iter__(self):
        generator = torch.Generator().manual_seed(self.seed())
        return iter(torch.randperm(self.length, generator=generator).tolist())

    def __len__(self):
        return self.length


class ReadingNumpy(Reading):
    def seed(self):
        return int(np.random.get_state(legacy=False)["state"]["key"][0]) + self.epoch


class Forking(Reading):
    def seed(self):
        with torch.random.fork_rng(devices=[]):
            return int(torch.randint(2**40, ())) + self.epoch


def reseeding(length, epoch):
    torch.manual_seed(epoch)
    return RandomSampler(range(length))


@pytest.mark.parametrize(
    "factory", [Reading, ReadingNumpy, Forking, pytest.param(reseeding, marks=pytest.mark.thorough)]
)
def test_what_the_process_decides_is_no_fault(factory):
    report = sc.run(factory, CONTRACT, "quick", ["simulated"], max_cases=150)
    assert [one.code for one in report.results if one.outcome is sc.Outcome.BROKEN] == []
