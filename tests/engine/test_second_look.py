"""The second look: small cases are known as if all ranks had carried out all experiments."""

from __future__ import annotations

import pytest
from torch.utils.data import DistributedSampler

import samplercheck as sc
from samplercheck.engine._judging import judge
from samplercheck.engine._probe import probe
from samplercheck.engine._search import Search
from samplercheck.engine._shrinking import look_again
from samplercheck.experiments.few_ranks import FEW_RANKS, MANY_RANKS, ranks_that_repeat
from samplercheck.laws import ALL_LAWS
from samplercheck.search.profiles import find_profile
from samplercheck.search.small_scope import scope_of
from samplercheck.values.case import Case
from samplercheck.values.contract import Contract
from samplercheck.values.finding import Outcome
from samplercheck.worlds import open_world
from tests.zoo import epoch_lost_in_pickle


class StaysBehindOnRankTwo(DistributedSampler):
    """Does not go back to an epoch, on one of the ranks."""

    def set_epoch(self, epoch):
        super().set_epoch(max(epoch, self.epoch) if self.rank == 2 else epoch)


class FailsWhenAbandoned(DistributedSampler):
    """Raises on the last rank of three where a pass of four samples or more was given up."""

    given_up = False

    def __iter__(self):
        assert not (self.given_up and (self.rank, self.num_replicas) == (2, 3) and self.num_samples > 3)
        order = list(super().__iter__())
        self.given_up = True
        yield from order
        self.given_up = False


class ForgetsItsPlaceOnRankTwo(DistributedSampler):
    """Can be resumed; the state of one of the ranks is always that of the beginning."""

    done = skip = 0

    def set_epoch(self, epoch):
        if epoch != self.epoch:
            self.done = self.skip = 0
        super().set_epoch(epoch)

    def __iter__(self):
        self.done, self.skip = self.skip, 0
        for index in list(super().__iter__())[self.done :]:
            self.done += 1
            yield index

    def state_dict(self):
        return {"epoch": self.epoch, "done": 0 if self.rank == 2 else self.done}

    def load_state_dict(self, state):
        self.epoch, self.done, self.skip = state["epoch"], state["done"], state["done"]


def search_small(world, kind, codes):
    binding = sc.target(kind).bind()
    scope = probe(world, binding, ())
    laws = tuple(law for law in ALL_LAWS if law.code in codes)
    search = Search(world, binding, scope, laws, ALL_LAWS)
    search.looks_again = True
    world.forbids = lambda case: False
    cases = list(scope_of(binding, find_profile("quick"), ((),)).cases())
    search.phase("small scope", "", cases, len(cases), counts=True)
    return search


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("kind", "code"),
    [
        (StaysBehindOnRankTwo, "SC304"),
        (FailsWhenAbandoned, "SC001"),
        (ForgetsItsPlaceOnRankTwo, "SC701"),
    ],
)
def test_what_two_ranks_did_not_show_is_found_where_a_law_is_broken(kind, code):
    with open_world("simulated") as world:
        search = search_small(world, kind, {code, "SC103", "SC503"})
        page = search.ledger.pages[code]
        before, counts = list(page.failing), (page.judged, page.tried)
        look_again(search)
        law, experiments = page.law, search.experiments
        due = [
            place
            for place, case in enumerate(search.ledger.small)
            if judge(law, world.trace(search.binding, case, experiments)).outcome is Outcome.BROKEN
        ]
    assert 0 < len(before) < len(due)
    assert page.failing == due
    assert page.broken == len(due)
    assert (page.judged, page.tried) == counts
    assert page.smallest.case == min(search.ledger.small[place] for place in due)
    assert sorted(place for places in page.faults.values() for place in places) == due


def test_a_case_that_held_by_luck_is_run_again_where_larger_ones_fail(monkeypatch):
    """One object for seven experiments is copied in the last epoch, whose order may be that of the first."""
    monkeypatch.setattr("samplercheck.worlds.simulated.MOST_UNLIKE", 10**6)
    with open_world("simulated") as world:
        search = search_small(world, epoch_lost_in_pickle.bug, {"SC304", "SC501", "SC502", "SC503", "SC504"})
        page = search.ledger.pages["SC504"]
        before = page.smallest.case
        look_again(search)
    assert page.smallest.case == min(search.ledger.small[place] for place in page.failing) < before


def test_where_no_law_is_broken_nothing_is_run_again():
    with open_world("simulated") as world:
        search = search_small(world, DistributedSampler, {"SC304", "SC103"})
        search.world = None
        look_again(search)


def test_the_first_rank_repeats_with_each_other_one_now_and_then():
    for world in range(1, MANY_RANKS + 1):
        cases = [
            Case(length=length, world_size=world, shuffle=on) for length in range(13) for on in (False, True)
        ]
        chosen = [ranks_that_repeat(case, Contract(), by_two=True) for case in cases]
        if world <= FEW_RANKS:
            assert set(chosen) == {None}
        else:
            assert all(len(ranks) == 2 and 0 in ranks for ranks in chosen)
            assert set().union(*chosen) == set(range(world))
    assert ranks_that_repeat(Case(length=4, world_size=4), Contract()) is None
    assert ranks_that_repeat(Case(length=4, world_size=4), Contract(epochs="advance"), by_two=True) is None
