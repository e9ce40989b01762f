"""One fault is one mistake also where no cause of its own is known, and two independent ones stay two."""

from __future__ import annotations

from itertools import cycle, islice
from typing import TYPE_CHECKING, Any

import pytest

import samplercheck as sc
from samplercheck.reports.mistakes import list_mistakes
from samplercheck.search.profiles import PROFILES
from tests.support.brief import look_briefly
from tests.zoo import (
    account_kept_in_the_class,
    generator_saved_behind_the_draw,
    only_its_own_samples_are_done,
    share_by_a_fraction,
    third_dataset_begins_too_early,
)
from tests.zoo._resumable import Resumable

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence, Sized

QUICK = PROFILES["quick"]
pytestmark = pytest.mark.usefixtures("brief")


def mistakes(factory: Any, codes: Sequence[str], **contract: Any) -> list[tuple[str, ...]]:
    """The mistakes of a target as the codes of their laws, among these, the first one in front."""
    report = sc.run(
        sc.target(factory, name="it", contract=sc.Contract(**contract)),
        profile="quick",
        worlds=["simulated"],
        select=[*codes],
    )
    assert {result.code for result in report.failures} == {*codes}
    told = list_mistakes(report.to_dict())
    return sorted((one.lead["code"], *sorted(one.codes - {one.lead["code"]})) for one in told)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("module", "codes"),
    [
        (account_kept_in_the_class, ("SC502", "SC801")),
        (generator_saved_behind_the_draw, ("SC701", "SC702")),
        (only_its_own_samples_are_done, ("SC701", "SC705")),
        (third_dataset_begins_too_early, ("SC102", "SC103")),
    ],
    ids=lambda one: getattr(one, "SLUG", ""),
)
def test_one_fault_is_one_mistake(module: Any, codes: tuple[str, ...]) -> None:
    assert mistakes(module.bug, codes, **module.CONTRACT) == [codes]


@pytest.mark.slow
def test_one_fault_of_shares_that_only_large_worlds_show_is_one_mistake() -> None:
    codes = "SC102", "SC104", "SC105"
    with look_briefly(longest=12, widest=5, batches=(1, 2, 3), frontier=QUICK.frontier, sweep=QUICK.sweep):
        assert mistakes(share_by_a_fraction.bug, codes, **share_by_a_fraction.CONTRACT) == [codes]


def two_worlds(length: int, rank: int, world_size: int) -> list[int]:
    """Of two ranks the second one leaves its first sample out, of three the first one takes two twice."""
    total = -(-length // world_size) * world_size
    share = list(islice(cycle(range(length)), rank, total, world_size))
    if world_size == 2 and rank == 1:
        return share[1:]
    return [*share[:2], *share] if world_size == 3 and rank == 0 else share


def test_shares_that_are_wrong_in_different_worlds_are_two_mistakes() -> None:
    told = mistakes(two_worlds, ("SC102", "SC103"))
    assert told == [("SC102",), ("SC103",)]


def loses_and_repeats(length: int) -> list[int]:
    """Loses the last of an odd number of samples, and takes the first of an even one twice."""
    return list(range(length - 1)) if length % 2 else [*range(min(length, 1)), *range(length)]


def test_what_comes_again_elsewhere_than_others_are_lost_is_a_mistake_of_its_own() -> None:
    assert mistakes(loses_and_repeats, ("SC102", "SC103"), sharding="none") == [("SC102",), ("SC103",)]


class StepBackForOddAndTaken(Resumable):
    """A state of an odd dataset counts one round too few, and any brings the rank along that has saved it."""

    def state_dict(self) -> dict[str, Any]:
        done = max(0, self.done - self.length % 2 * self.world_size)
        return {**super().state_dict(), "done": done, "place": (self.rank, self.world_size)}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        super().load_state_dict(state)
        self.rank, self.world_size = state["place"]


def test_a_wrong_place_and_a_restored_rank_are_two_mistakes() -> None:
    told = mistakes(StepBackForOddAndTaken, ("SC701", "SC705"), resume="state_dict", elastic=True)
    assert told == [("SC701",), ("SC705",)]


class StepBackAndStays(Resumable):
    """A state counts one round too few, and the place that it holds is that of all later epochs, too."""

    def set_epoch(self, epoch: int) -> None:
        self.epoch = epoch

    def go(self) -> Iterator[Any]:
        yield from self.run(self.left(self.start), self.start)

    def state_dict(self) -> dict[str, Any]:
        return {**super().state_dict(), "done": max(0, self.done - self.world_size)}


def test_a_count_too_low_and_a_place_that_stays_are_two_mistakes() -> None:
    told = mistakes(StepBackAndStays, ("SC701", "SC702"), resume="state_dict")
    assert told == [("SC701",), ("SC702",)]


class SharesAndCounts:
    """Objects share a set of the class; and iter() counts, which workers make a loader ask twice."""

    seen: set[int] = set()  # noqa: RUF012  (that is the fault)

    def __init__(self, dataset: Sized) -> None:
        self.length, self.passes = len(dataset), -1

    def __iter__(self) -> Iterator[int]:
        self.passes += 1
        return self.walk(self.passes)

    def walk(self, passes: int) -> Iterator[int]:
        for place in range(self.length):
            sample = (place + passes) % self.length
            if sample not in self.seen:
                self.seen.add(sample)
                yield sample
        self.seen.clear()


def test_what_objects_share_and_what_iter_counts_are_two_mistakes() -> None:
    contract = {"sharding": "none", "order": "free", "epochs": "advance"}
    assert mistakes(SharesAndCounts, ("SC502", "SC801"), **contract) == [("SC502",), ("SC801",)]


class HandsOutAnOldState(Resumable):
    """Counts in a dictionary of its own after loading, and hands out the one from before."""

    def __init__(self, *place: int, **options: Any) -> None:
        super().__init__(*place, **options)
        self.kept = self.counted = {"epoch": 0, "done": 0}

    def set_epoch(self, epoch: int) -> None:
        super().set_epoch(epoch)
        self.counted["epoch"] = epoch

    def run(self, mine: list[Any], start: int) -> Iterator[Any]:
        for number, sample in enumerate(mine, 1):
            self.counted["done"] = start + number * self.world_size
            yield sample

    def state_dict(self) -> dict[str, Any]:
        return dict(self.kept)

    def load_state_dict(self, state: dict[str, Any]) -> None:
        super().load_state_dict(state)
        self.counted = dict(state)


class CountsFromZero(Resumable):
    """Counts from zero once it was resumed, and says zero right after loading: in two places."""

    def run(self, mine: list[Any], start: int) -> Iterator[Any]:
        return super().run(mine, 0)

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self.epoch, self.start, self.done = state["epoch"], state["done"], 0


@pytest.mark.parametrize(
    ("factory", "told"),
    [
        (HandsOutAnOldState, [("SC703", "SC707")]),
        (CountsFromZero, [("SC703",), ("SC707",)]),
    ],
)
def test_a_state_that_stands_still_is_one_mistake_and_one_that_counts_wrongly_another(
    factory: Any, told: list[tuple[str, ...]]
) -> None:
    assert mistakes(factory, ("SC703", "SC707")) == told
