"""What only large cases or late epochs show has its region, and its cause where a change tells one.

The samplers are those of ``triggers.py`` and some whose bug begins at a size of their own.
"""

from __future__ import annotations

from functools import partial

import pytest

import samplercheck as sc
from samplercheck.engine import Plan, carry_out
from tests.quality.triggers import MIXED, TRIGGERS, batched, losing, mixing
from tests.zoo._sound import Strided, permutation


class ShortOnManyRanks(Strided):
    """From eleven ranks on the last one has a sample less than the others."""

    def share(self):
        mine = super().share()
        return mine[:-1] if self.world_size >= 11 and self.rank == self.world_size - 1 and mine[1:] else mine


class ShortUnlessEights(Strided):
    """In worlds of more than eight ranks that are no multiple of eight all ranks but the first are short."""

    def share(self):
        mine = super().share()
        return mine[:-1] if self.world_size > 8 and self.world_size % 8 and self.rank and mine[1:] else mine


class SixteenBits(Strided):
    """Indices are kept in 16 bits."""

    def order(self):
        return [i & 0xFFFF for i in super().order()]


class SignedSeed(Strided):
    """Of a seed that 31 bits do not hold the epoch has no part."""

    def order(self):
        epoch = self.epoch if self.seed < 2**31 else 0
        return permutation(self.length, self.seed, epoch) if self.shuffle else super().order()


def build(kind, length, rank, world_size, shuffle, seed):
    return kind(length, rank, world_size, shuffle=shuffle, seed=seed)


def a_bug(kind):
    return partial(build, kind), {}


def lost(when):
    return losing(when)(True), {}


def trigger(name):
    return TRIGGERS[name].build(True), TRIGGERS[name].contract


BITS_16 = "It goes wrong from 2**16 + 1 samples on: an unsigned 16-bit integer cannot hold the last index."
BITS_31 = "It goes wrong from seed 2**31 on, the first that a signed 32-bit integer cannot hold."
FOR_EPOCHS = "The epoch decides which samples come, and not only in which order."
NOT_AS_PROMISED = "is dealt out wrongly."
OF_SHARES = "The order that a single process yields is right; the shares that ranks take of it are not."
ROUND = "world_size * batch_size"
SHARES = "length > world_size and world_size"

RECURS = "What seeds the order recurs: later epochs get the seeds of earlier ones."
LARGE = {
    "world of 11": (
        lost(lambda s: s.world_size >= 11),
        "SC102",
        "exactly when length >= 2 and world_size >= 11",
        OF_SHARES,
    ),
    "length of 3,000": (lost(lambda s: s.length >= 3_000), "SC102", "exactly when length >= 3000", ""),
    "length % 64": (
        lost(lambda s: s.length > 0 and s.length % 64 == 0),
        "SC102",
        "exactly when length >= 2 and length % 64 == 0",
        "",
    ),
    "world % 8": (
        lost(lambda s: s.world_size % 8 == 0),
        "SC102",
        "exactly when length >= 2 and world_size % 8 == 0",
        OF_SHARES,
    ),
    "share of 100": (
        lost(lambda s: s.length / s.world_size > 100),
        "SC102",
        "exactly when ceil(length / world_size) >= 101",
        "",
    ),
    "short on 11 ranks": (a_bug(ShortOnManyRanks), "SC104", f"exactly when {SHARES} >= 11", OF_SHARES),
    "short unless eights": (
        a_bug(ShortUnlessEights),
        "SC104",
        f"exactly when {SHARES} >= 9 and world_size % 8 != 0",
        OF_SHARES,
    ),
    "16 bits": (a_bug(SixteenBits), "SC102", "exactly when length > 2**16", BITS_16),
    "seed of 31 bits": (
        lost(lambda s: s.seed >= 2**31),
        "SC102",
        "exactly when length >= 2 and seed >= 2**31",
        BITS_31,
    ),
    "order of a seed of 31 bits": (
        a_bug(SignedSeed),
        "SC301",
        "exactly when length >= 2 and shuffle and seed >= 2**31",
        BITS_31,
    ),
    "seeds below 2**32": (
        trigger("seed_between_31_and_32_bits"),
        "SC102",
        "exactly when length >= 2 and seed >= 2**31 and seed < 2**32",
        BITS_31,
    ),
    "sum across 2**32": (
        trigger("sum_across_32_bits"),
        "SC102",
        "exactly when length >= 2 and seed + epochs > 2**32 and seed < 2**32",
        FOR_EPOCHS,
    ),
    "wide and long": (
        trigger("wide_and_long"),
        "SC102",
        "exactly when length >= 1000 and world_size >= 65",
        OF_SHARES,
    ),
    "power of two": (
        trigger("length_of_a_power_of_two"),
        "SC102",
        "exactly when length >= 128 and length is a power of two",
        "",
    ),
    "epoch 10": (
        lost(lambda s: s.epoch >= 10),
        "SC102",
        "not before epoch 10, exactly when length >= 2",
        FOR_EPOCHS,
    ),
    "epoch 100": (
        trigger("epoch_100_and_beyond"),
        "SC102",
        "not in 48 epochs in a row (seen in epoch 100), exactly when length >= 2",
        FOR_EPOCHS,
    ),
    "frozen from epoch 9": (
        (mixing(lambda epoch: min(epoch, 9))(True), MIXED),
        "SC301",
        "not before epoch 10",
        RECURS,
    ),
    "eight orders in turn": (
        (mixing(lambda epoch: epoch % 8)(True), MIXED),
        "SC301",
        "not before epoch 8",
        RECURS,
    ),
    "a byte of the epoch": (
        (mixing(lambda epoch: abs((epoch + 128) % 256 - 128))(True), MIXED),
        "SC301",
        "not in 48 epochs in a row (seen in epoch 256)",
        "",
    ),
    "batch of 34": (
        (batched(lambda s: s.batch_size >= 34)(True), {}),
        "SC102",
        f"exactly when batch_size >= 34 and length > {ROUND} and ceil(length / world_size) % batch_size != 0",
        f"The last, incomplete round of batches (fewer than {ROUND} samples) {NOT_AS_PROMISED}",
    ),
}


FIRST = dict.fromkeys(
    ("world of 11", "epoch 10", "seed of 31 bits", "eight orders in turn", "a byte of the epoch"),
    (pytest.mark.thorough,),
)
"""What CI looks at; the rest is the nightly run's."""


@pytest.mark.parametrize(
    "name", [pytest.param(name, id=name, marks=FIRST.get(name, (pytest.mark.slow,))) for name in LARGE]
)
def test_what_only_large_cases_show_says_where_it_fails_and_why(name: str) -> None:
    (target, contract), code, region, cause = LARGE[name]
    sampler = sc.target(target, name="large", contract=sc.Contract(**contract))
    report = carry_out(Plan(target=sampler, profile="quick", worlds=("simulated",)))
    failures = {one.code: one.failure for one in report.failures if one.failure}
    assert (failures[code].region, failures[code].cause) == (region, cause)
    assert "only in larger cases" not in str(report).split("also")[0] or not region


@pytest.mark.thorough
def test_the_line_that_runs_only_in_large_cases_is_named() -> None:
    (target, contract), *_ = LARGE["world of 11"]
    plan = Plan(
        target=sc.target(target, name="large", contract=sc.Contract(**contract)),
        profile="quick",
        worlds=("simulated",),
        select=["SC102"],
    )
    (failure,) = (one.failure for one in carry_out(plan).failures)
    assert failure is not None
    assert "ids[0] = ids[-1]; it runs only in failing cases" in failure.line


@pytest.mark.thorough
def test_the_tail_is_not_blamed_where_larger_cases_without_one_fail_too() -> None:
    (target, contract), *_ = LARGE["short on 11 ranks"]
    plan = Plan(
        target=sc.target(target, name="large", contract=sc.Contract(**contract)),
        profile="quick",
        worlds=("simulated",),
        select=["SC104"],
        explains=False,
    )
    (failure,) = (one.failure for one in carry_out(plan).failures)
    assert failure is not None
    assert "Where samples get lost before or as they are dealt out" in failure.hint


@pytest.mark.thorough
def test_a_fault_of_large_cases_is_told_once() -> None:
    (target, contract), *_ = LARGE["length of 3,000"]
    plan = Plan(
        target=sc.target(target, name="large", contract=sc.Contract(**contract)),
        profile="quick",
        worlds=("simulated",),
        select=["SC102", "SC302"],
    )
    failures = {one.code: one.failure for one in carry_out(plan).failures if one.failure}
    assert failures.keys() == {"SC102"}


@pytest.mark.thorough
@pytest.mark.parametrize("epoch", [7, 1_000, 2**31])
def test_padding_hides_no_sample_that_one_rank_leaves_out_in_a_late_epoch(epoch: int) -> None:
    """It brings the first samples again, and so the first one of the first rank."""
    target, contract = lost(lambda s: s.rank == 0 and s.epoch == epoch)
    report = carry_out(
        Plan(
            target=sc.target(target, name="large", contract=sc.Contract(**contract)),
            profile="quick",
            worlds=("simulated",),
            select=["SC102"],
            explains=False,
        )
    )
    assert [one.code for one in report.failures] == ["SC102"]
