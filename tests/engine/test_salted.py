"""Salted: hashes are named as the cause where they alone make the difference between processes."""

from __future__ import annotations

import random
import time
from typing import Any

import pytest

import samplercheck as sc
from tests.zoo._sound import Strided


class ByText(Strided):
    """Seeds its order with a number that some text decides."""

    def order(self) -> Any:
        return random.Random(self.number).sample(range(self.length), self.length)

    @property
    def number(self) -> int:
        return hash(f"{self.seed} {self.epoch}")


class ByTime(ByText):
    """Seeds its order with when its process has first asked."""

    started = 0

    @property
    def number(self) -> int:
        ByTime.started = ByTime.started or time.time_ns()
        return ByTime.started + self.epoch


def by_text(length: int, rank: int, world_size: int) -> Any:
    return ByText(length, rank, world_size)


def by_time(length: int, rank: int, world_size: int) -> Any:
    return ByTime(length, rank, world_size)


@pytest.mark.thorough
@pytest.mark.parametrize(("target", "is_salted"), [(by_text, True), (by_time, False)])
def test_hashes_are_the_cause_where_fresh_processes_with_like_ones_agree(
    target: Any, *, is_salted: bool
) -> None:
    report = sc.run(target, profile="quick", select=["SC402"], contract=sc.Contract(order="shuffled"))
    (result,) = report.failures
    assert result.failure.violation.fault == "each process, so each rank, has another order"
    assert bool(result.failure.cause) is is_salted
    if is_salted:
        assert result.failure.cause.startswith("hash() of a text")
        assert "PYTHONHASHSEED alike" in result.failure.evidence
        assert result.failure.fix.startswith("For hash(text)")
        assert result.failure.line.endswith("this asks for a hash")
        assert result.failure.remedies == ("own shuffle",)
