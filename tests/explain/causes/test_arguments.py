"""Where an argument must matter: nowhere that a sound target would yield the same with and without it."""

from __future__ import annotations

import pytest

from samplercheck import Case, Contract
from samplercheck.explain.causes import _arguments as matters
from samplercheck.targets.binding import Binding


def samples(length, rank, world_size, shuffle, seed, drop_last):
    """A target of samples."""


def batches(length, rank, world_size, batch_size, drop_last):
    """A target of batches."""


def in_case(says, factory=samples, *, contract=None, **fields):
    binding = Binding(factory, Contract(**contract or {}), {}, "made")
    return says(binding, Case(**fields))


@pytest.mark.parametrize(
    ("says", "fields", "other"),
    [
        (matters.rank_matters, {"length": 3, "world_size": 2}, {"world_size": 1}),
        (matters.rank_matters, {"length": 3, "world_size": 2}, {"length": 0}),
        (matters.rank_matters, {"length": 3, "world_size": 2}, {"contract": {"sharding": "none"}}),
        (matters.shuffle_matters, {"length": 2}, {"length": 1}),
        (matters.shuffle_matters, {"length": 2}, {"contract": {"order": "shuffled"}}),
        (matters.seed_matters, {"length": 2, "shuffle": True}, {"shuffle": False}),
        (matters.drop_last_matters, {"length": 3, "world_size": 2}, {"length": 4}),
        (matters.drop_last_matters, {"length": 3, "world_size": 2}, {"contract": {"tail": "pad"}}),
        (
            matters.drop_last_matters,
            {"length": 4, "world_size": 2, "batch_size": 3, "factory": batches},
            {"length": 6},
        ),
        (
            matters.batch_size_matters,
            {"length": 5, "world_size": 2, "batch_size": 2, "factory": batches},
            {"length": 2},
        ),
    ],
)
def test_an_argument_matters_in_one_case_and_not_in_another(says, fields, other):
    assert in_case(says, **fields)
    assert not in_case(says, **{**fields, **other})
