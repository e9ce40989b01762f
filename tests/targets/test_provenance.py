"""What a file can say of how a target was judged, and what of the contract no file can hold."""

from __future__ import annotations

import pytest

import samplercheck as sc
from samplercheck.targets.provenance import Provenance
from samplercheck.values.batch_rules import budget


class Stricter(budget):
    """A rule of one's own."""


def own(batch, features):
    return len(batch) < 2


def strided(dataset, rank, world_size):
    return list(range(rank, len(dataset), world_size))


@pytest.mark.parametrize(
    ("rule", "contract", "lacking"),
    [
        (None, {}, ()),
        (budget("lengths", 8, padded=True), {"batch_rule": "budget(lengths,8,padded)"}, ()),
        (own, {}, ("batch_rule",)),
        (Stricter("lengths", 8), {}, ("batch_rule",)),
    ],
    ids=["none", "ready", "own", "made of a ready one"],
)
def test_a_ready_rule_is_recorded_as_its_text_and_one_of_ones_own_is_lacking(rule, contract, lacking):
    target = sc.target(strided, contract=sc.Contract(batch_rule=rule))
    provenance = Provenance(target=target, binding=target.bind())
    assert (provenance.contract, provenance.lacking) == (contract, lacking)
