"""What the ledger keeps of a law: which of its failing cases is told, and where else it fails or holds."""

from __future__ import annotations

import pytest
from torch.utils.data import DistributedSampler

import samplercheck as sc
from samplercheck import Case, Outcome
from samplercheck.engine._judging import HOLDS, LawVerdict
from samplercheck.engine._page import Page
from samplercheck.laws import ALL_LAWS
from samplercheck.values.finding import Evidence, Violation
from samplercheck.values.trace import Trace
from tests.engine.fakes import Worlds, judged

LAW = next(law for law in ALL_LAWS if law.code == "SC104")
BROKEN = LawVerdict(Outcome.BROKEN, (Violation(found="uneven"),))
SMALL, SMALLER = Case(length=9, world_size=2), Case(length=1, world_size=2, epochs=2)


def entered(*notes):
    """The page of a law after cases, each with its world and whether it is of the small scope."""
    page = Page(LAW)
    for place, (case, world, is_small) in enumerate(notes):
        trace = Trace(case, sc.Contract(), {}, world=world)
        page.note(case, BROKEN, trace, place=place if is_small else None, counts=is_small)
    return page


@pytest.mark.parametrize("world", ["gloo", "simulated"])
def test_the_first_failure_of_the_small_scope_is_told_whatever_comes_before_or_later(world):
    small, smaller = (SMALL, "simulated", True), (SMALLER, world, False)
    for notes in ((small, smaller), (smaller, small)):
        page = entered(*notes)
        assert page.smallest.case == page.realistic.case == SMALL


def test_what_simulation_shows_is_told_before_what_a_group_shows():
    page = entered((SMALLER, "gloo", False), (SMALL, "simulated", False))
    assert (page.smallest.case, page.smallest.trace.world) == (SMALL, "simulated")


def test_what_a_group_alone_shows_is_told_with_its_smallest_case():
    page = entered((SMALL, "gloo", False), (SMALLER, "gloo", False))
    assert page.smallest.case == SMALLER


def test_places_are_kept_apart_by_the_list_that_a_case_is_in():
    page, trace = Page(LAW), Trace(SMALL, sc.Contract(), {})
    unknown = LawVerdict(Outcome.UNKNOWN, reason="cannot be said")
    for verdict, place in ((BROKEN, 3), (HOLDS, 4)):
        page.note(SMALL, verdict, trace, place=place, counts=True)
    for verdict, place in ((BROKEN, 0), (unknown, 1)):
        page.note(SMALL, verdict, trace, place=place, counts=False)
    page.note(SMALL, BROKEN, trace, place=None, counts=False)
    assert (page.small.failing, page.small.undecided) == ([3], [])
    assert (page.beyond.failing, page.beyond.undecided) == ([0], [1])
    assert (page.broken, page.tried, page.own) == (1, 2, [])


class Strided(DistributedSampler):
    """The commonest bug: nothing is padded."""

    def __iter__(self):
        return iter(range(self.rank, len(self.dataset), self.num_replicas))

    def __len__(self):
        return len(range(self.rank, len(self.dataset), self.num_replicas))


@pytest.mark.thorough
def test_a_law_that_simulation_breaks_is_explained_and_told_alike_with_and_without_groups():
    select = ["SC104", "SC105", "SC902"]
    quick = judged(Worlds(), Strided, worlds=["simulated"], select=select)
    both = judged(Worlds(), Strided, profile="standard", max_cases=40, select=select)
    alone = {one.code: one.failure for one in quick.failures}
    found = {one.code: one.failure for one in both.failures}
    assert set(found) == {*alone, "SC902"} == {"SC104", "SC105", "SC902"}
    for code, failure in alone.items():
        assert (found[code].case, found[code].realistic_case) == (failure.case, failure.realistic_case)
        assert (failure.case, found[code].world) == (Case(length=1, world_size=2), "simulated")
        assert (found[code].region, found[code].other) == (failure.region, failure.other)
        assert found[code].cause == failure.cause != ""
    uneven = "length % world_size != 0"
    assert (alone["SC104"].region, alone["SC104"].other) == (f"exactly when {uneven}", "")
    told = (alone["SC105"].region, alone["SC105"].other)  # with drop_last it is one too many
    assert told == (f"exactly when not drop_last and {uneven}", "drops too few samples for equal steps")
    assert found["SC902"].world == "gloo"


class NoEpoch(DistributedSampler):
    """Its order is that of epoch 0 forever."""

    def set_epoch(self, epoch):
        pass


@pytest.mark.thorough
def test_the_case_that_looks_like_training_is_that_of_the_small_scope():
    report = judged(Worlds(), NoEpoch, select=["SC301"])
    (failure,) = (one.failure for one in report.failures)
    assert failure.realistic_case == Case(length=4, shuffle=True)


def test_what_may_be_meant_is_advised_where_it_fits_nearly_all_cases():
    page = Page(law=ALL_LAWS[0])
    dropped = Violation(found="", hint="declare it", evidence=Evidence(kind="meant"))
    lost = Violation(found="", hint="look there")
    assert page.advise(dropped) == "declare it"
    page.hints.update({("look there", ""): 5, ("declare it", "meant"): 4, ("elsewhere", ""): 1})
    assert (page.advise(dropped), page.advise(lost)) == ("look there", "look there")
    page.hints.update({("declare it", "meant"): 30})
    assert (page.advise(dropped), page.advise(lost)) == ("declare it", "look there")


def test_what_fits_the_smallest_dataset_alone_gives_way_to_the_hint_of_nearly_all_cases():
    page = Page(law=ALL_LAWS[0])
    few, usual = (Violation(found="", hint=hint) for hint in ("nothing shuffles", "what seeds it"))
    page.hints.update({("nothing shuffles", ""): 2, ("what seeds it", ""): 7, ("elsewhere", "fixed"): 1})
    assert (page.advise(few), page.advise(usual)) == ("nothing shuffles", "what seeds it")
    page.hints.update({("what seeds it", ""): 2})
    assert (page.advise(few), page.advise(usual)) == ("what seeds it", "what seeds it")
