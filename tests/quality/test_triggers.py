"""Bugs that one thing triggers are found: a late epoch, a large number, another object; twins are sound."""

from __future__ import annotations

from random import Random

import pytest

import samplercheck as sc
from samplercheck.engine import Plan, carry_out
from samplercheck.search.profiles import find_profile
from tests.quality.triggers import TRIGGERS
from tests.support.brief import BRIEFLY, look_briefly
from tests.support.tiers import thin_out
from tests.zoo._sound import Strided

COSTLY = {
    "epoch_7_alone",
    "epoch_in_the_class",
    "world_of_16",
    "chunks_rounded",
    "epoch_200_alone",
    "epochs_modulo_2",
    "resumed_behind_workers",
    "sixth_epoch_repeats_one",
    "wide_and_long",
}  # more than a second each


def run(name: str, *, bad: bool, briefly: bool = False) -> sc.Report:
    """Run a bug or its twin; briefly with a smaller small scope, and all that is beyond it."""
    trigger = TRIGGERS[name]
    contract = sc.Contract(**trigger.contract)
    target = sc.target(trigger.build(bad), name=name, contract=contract, axes=trigger.axes)
    with look_briefly(briefly=briefly, frontier=find_profile("quick").frontier):
        return carry_out(Plan(target=target, profile="quick", worlds=("simulated",), explains=False))


@pytest.mark.parametrize("name", thin_out((pytest.param(name, id=name) for name in TRIGGERS), COSTLY))
@pytest.mark.parametrize("briefly", BRIEFLY)
def test_a_bug_is_found_by_what_triggers_it(name: str, *, briefly: bool) -> None:
    assert [result.code for result in run(name, bad=True, briefly=briefly).failures]


@pytest.mark.slow
@pytest.mark.parametrize("name", TRIGGERS)
def test_without_its_trigger_a_bug_is_a_sound_sampler(name: str) -> None:
    report = run(name, bad=False)
    assert [(one.code, one.failure.message) for one in report.failures if one.failure] == []


class Blocks(Strided):
    """Whole blocks are shuffled, of short datasets two or three: few orders, which recur."""

    def order(self) -> list[int]:
        blocks = [list(range(k, min(k + 10, self.length))) for k in range(0, self.length, 10)]
        Random(self.seed * 1_000_003 + self.epoch).shuffle(blocks)
        return [i for block in blocks for i in block]


class Reversed(Strided):
    """Two orders, drawn for each epoch."""

    def order(self) -> list[int]:
        ids = list(range(self.length))
        return ids[::-1] if Random(self.seed * 1_000_003 + self.epoch).random() < 0.5 else ids


@pytest.mark.thorough
@pytest.mark.parametrize("kind", [Blocks, Reversed])
@pytest.mark.parametrize("seeded", [True, False])
def test_few_orders_that_recur_as_they_are_drawn_are_no_alarm(kind: type[Strided], *, seeded: bool) -> None:
    def with_seed(length: int, rank: int, world_size: int, seed: int) -> Strided:
        return kind(length, rank, world_size, seed=seed)

    def without(length: int, rank: int, world_size: int) -> Strided:
        return kind(length, rank, world_size)

    target = sc.target(with_seed if seeded else without, contract=sc.Contract(order="shuffled"))
    report = carry_out(Plan(target=target, profile="quick", worlds=("simulated",), select=["SC301"]))
    assert [one.failure.message for one in report.failures if one.failure] == []
