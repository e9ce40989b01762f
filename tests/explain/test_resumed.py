"""What was consumed in epochs that are over, left out of what a target is told."""

from __future__ import annotations

import pytest

from samplercheck import Case, Contract
from samplercheck.explain.resumed import of_its_epoch
from samplercheck.targets.binding import Binding


class Told:
    """Keeps what it was told."""

    def __init__(self, length, consumed):
        self.length, self.consumed = length, consumed


@pytest.mark.parametrize(
    ("tail", "told", "left"), [("pad", 9, 1), ("pad", 8, 0), ("drop", 9, 3), ("keep", 9, 2)]
)
def test_it_is_told_what_was_consumed_in_its_epoch(tail, told, left):
    contract = Contract(resume="consumed", tail=tail)
    binding = of_its_epoch.binding(Binding(Told, contract, {}, "told"))
    case = Case(length=7, world_size=2)
    assert binding.build(case, 1, {"consumed": told}).consumed == left
    assert binding.build(case, 1, {}).consumed == 0


def test_where_no_epoch_has_a_known_size_it_is_told_all():
    contract = Contract(resume="consumed", epochs="fixed", endless=True)
    binding = of_its_epoch.binding(Binding(Told, contract, {}, "told"))
    assert binding.build(Case(length=7), 0, {"consumed": 9}).consumed == 9
