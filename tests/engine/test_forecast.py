"""A run that takes minutes says so before it starts, by a few cases of each kind."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from torch.utils.data import DistributedSampler

import samplercheck as sc
from samplercheck.engine._forecast import foretell
from samplercheck.engine._probe import probe
from samplercheck.engine._search import Search
from samplercheck.laws import ALL_LAWS
from samplercheck.search.profiles import FORECAST, Profile, find_profile
from samplercheck.values.shard import parse_shard
from samplercheck.worlds import open_world
from samplercheck.worlds.in_rank.deadlines import Deadlines
from tests.zoo._sound import Strided

if TYPE_CHECKING:
    from collections.abc import Iterator

    from samplercheck.search.profiles import Progress
    from samplercheck.worlds import HomeWorld

CERTIFY = find_profile("certify")


class Slow(Strided):
    """Sound, and takes a millisecond for each order."""

    def order(self) -> list[int]:
        time.sleep(0.001)
        return super().order()


class HangsWithFew(Strided):
    """Never comes to an end with seven samples."""

    def order(self) -> list[int]:
        while self.length == 7:
            pass
        return super().order()


@pytest.fixture
def home() -> Iterator[HomeWorld]:
    with open_world("simulated", deadlines=Deadlines(seconds=0.4)) as world:
        yield world


def forecasts(home: HomeWorld, target: Any, profile: Profile, shard: str = "") -> list[Progress]:
    told: list[Progress] = []
    binding = sc.target(target).bind()
    scope = probe(home, binding, ())
    laws = tuple(law for law in ALL_LAWS if law.applies(scope))
    search = Search(home, binding, scope, laws, report_progress=told.append)
    if shard:
        search.shard = parse_shard(shard, {})
    foretell(search, profile, ((),), 0)
    assert not search.tried
    assert not any(page.judged for page in search.ledger.pages.values())
    return told


def test_a_certificate_is_said_to_take_minutes(home: HomeWorld) -> None:
    (told,) = forecasts(home, DistributedSampler, CERTIFY)
    assert told.phase == FORECAST
    assert told.planned == 2_400 + 19_500 + 500 + 100
    assert 30 < told.seconds < 3_600  # four minutes on a quiet machine


@pytest.mark.thorough
def test_what_is_slow_is_said_to_take_longer(home: HomeWorld) -> None:
    few = replace(CERTIFY, longest=3, widest=2, modest=0, large_length=40, large_world=4)
    quick, slow = (forecasts(home, target, few)[0].seconds for target in (Strided, Slow))
    assert slow > quick + 5  # both begin with what is beside the cases


@pytest.mark.parametrize("name", ["quick", "standard"])
def test_what_takes_seconds_is_not_foretold(home: HomeWorld, name: str) -> None:
    assert not forecasts(home, DistributedSampler, find_profile(name))


def test_nothing_is_foretold_of_a_part_or_of_what_hangs(home: HomeWorld) -> None:
    assert not forecasts(home, DistributedSampler, CERTIFY, "1/2")
    assert not forecasts(home, HangsWithFew, CERTIFY)
