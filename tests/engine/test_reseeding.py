"""Reseeding: what sets a global seed is said to do so, and what draws on one is not."""

from __future__ import annotations

import random
from typing import Any

import pytest
import torch

import samplercheck as sc
from tests.zoo._sound import Strided


class Seeds(Strided):
    """Sets the global seed of torch before it deals out."""

    def order(self) -> Any:
        torch.manual_seed(self.number)
        return super().order()

    @property
    def number(self) -> int:
        return self.epoch


class SeedsByRank(Seeds):
    """Sets it to something else on each rank."""

    @property
    def number(self) -> int:
        return self.epoch * self.world_size + self.rank


class SeedsAndDraws(Seeds):
    """And draws from it then."""

    def order(self) -> Any:
        torch.manual_seed(self.number)
        return torch.randperm(self.length).tolist()


class Draws(Strided):
    """Draws a number from random's global generator."""

    def order(self) -> Any:
        random.random()
        return super().order()


def told_of(kind: type) -> tuple[str, str]:
    def build(length: int, rank: int, world_size: int) -> Any:
        return kind(length, rank, world_size)

    report = sc.run(build, profile="quick", select=["SC403"], worlds=["simulated"])
    (result,) = report.failures
    assert not result.failure.grid
    seen = result.failure.violation
    assert seen.consequence == ("same random draws" if seen.fault else "")
    return seen.fault, result.failure.cause


@pytest.mark.thorough
@pytest.mark.parametrize(("kind", "alike"), [(Seeds, " alike on all ranks"), (SeedsByRank, "")])
def test_a_global_seed_that_is_set_is_said_with_what_it_does(kind: type, alike: str) -> None:
    fault, cause = told_of(kind)
    assert fault == f"sets torch's seed{alike}"
    by_epoch = " to the epoch" if alike else ""
    assert cause.startswith(f"It sets the global seed of torch{by_epoch}: dropout and augmentation draw")
    assert ("on all ranks" in cause) is bool(alike)


@pytest.mark.thorough
def test_the_line_that_sets_a_seed_is_named_and_not_the_one_that_then_draws() -> None:
    (result,) = sc.run(SeedsAndDraws, profile="quick", select=["SC403"]).failures
    assert result.failure.line.endswith("torch.manual_seed(self.number); this sets the global seed")


@pytest.mark.thorough
def test_what_draws_is_not_said_to_seed() -> None:
    fault, cause = told_of(Draws)
    assert fault == ""
    assert cause.startswith("It draws from, or reseeds, the global random generator of random")
