"""Process groups in a run: what is opened, tried, compared and moved there."""

from __future__ import annotations

import re
from contextlib import suppress
from functools import partial

import pytest
import torch
import torch.distributed as dist
from torch.utils.data import DistributedSampler

import samplercheck as sc
from samplercheck.engine._groups import RunPlaces, places_of
from samplercheck.search.profiles import find_profile
from samplercheck.storage.store import Store
from samplercheck.values.errors import UsageError
from samplercheck.worlds.simulation.known_faults import KnownFaults
from tests.engine.fakes import FEW, Worlds, judged, outcomes, reason

QUICK, STANDARD = find_profile("quick"), find_profile("standard")


class Uneven(DistributedSampler):
    def __iter__(self):
        return iter(list(super().__iter__())[self.rank :])


@pytest.mark.parametrize(
    ("worlds", "profile", "places"),
    [
        (None, QUICK, RunPlaces(True, ("gloo",), 0)),
        (None, STANDARD, RunPlaces(True, ("gloo",), STANDARD.group_cases)),
        ("auto", STANDARD, RunPlaces(True, ("gloo",), STANDARD.group_cases)),
        (["simulated"], STANDARD, RunPlaces(True, (), 0)),
        (["gloo"], QUICK, RunPlaces(False, ("gloo",), QUICK.group_cases_asked)),
        (["nccl", "gloo"], STANDARD, RunPlaces(False, ("gloo", "nccl"), STANDARD.group_cases)),
        (["simulated", "gloo"], QUICK, RunPlaces(True, ("gloo",), QUICK.group_cases_asked)),
        (["auto", "nccl"], STANDARD, RunPlaces(True, ("gloo", "nccl"), STANDARD.group_cases)),
    ],
)
def test_what_is_asked_decides_where_a_run_takes_place(worlds, profile, places):
    assert places_of(worlds, profile) == places


def test_a_world_that_does_not_exist_is_refused_with_the_nearest_that_does():
    with pytest.raises(UsageError, match=r"World 'glo' does not exist\. Did you mean 'gloo'"):
        places_of(["simulated", "glo"], QUICK)


def test_a_setting_that_no_world_takes_is_refused():
    with pytest.raises(UsageError, match=r"'max_rank' does not exist\. Did you mean 'max_ranks'"):
        judged(Worlds(), world_settings={"max_rank": 3})


@pytest.mark.thorough
def test_the_standard_run_tries_the_chosen_set_in_gloo_after_everything_else():
    worlds = Worlds()
    report = judged(worlds, profile="standard", max_cases=5, world_settings={"max_ranks": 7})
    assert outcomes(report) == dict.fromkeys(FEW, "holds")
    phases = [one.phase for one in report.tried]
    assert (phases[0], phases[-2:]) == ("small scope", ["large", "gloo"])
    assert report.tried[-1].cases == report.tried[-1].planned == STANDARD.group_cases
    assert report.tried[-1].scope.startswith("in gloo: every pair of values of length 0-101, world 1-4")
    assert "process groups of nccl" in report.not_tried
    real, fresh = worlds.group("gloo"), worlds.group("gloo", fresh=True)
    assert real.settings == {"max_ranks": 7}
    assert fresh.settings == {"max_ranks": 7, "hash_seed": 1, "reverse": True}
    assert set(real.cases) == set(fresh.cases)
    assert not real.is_open
    assert not fresh.is_open


@pytest.mark.thorough
def test_quick_opens_no_group_and_says_so():
    worlds = Worlds()
    report = judged(worlds)
    assert worlds.groups == []
    assert (outcomes(report)["SC901"], outcomes(report)["SC902"]) == ("not_applicable", "not_applicable")
    assert "--world gloo" in reason(report, "SC902")
    assert any(line.startswith("real process groups") for line in report.not_tried)
    assert report.ok


def test_a_group_asked_for_by_name_is_all_that_is_tried():
    worlds = Worlds()
    report = judged(worlds, worlds=["gloo"], select=())
    assert [one.phase for one in report.tried] == ["gloo"]
    assert report.tried[0].cases >= QUICK.group_cases_asked
    assert outcomes(report)["SC902"] == "holds"
    assert "broken" not in outcomes(report).values()


@pytest.mark.usefixtures("brief")
def test_the_same_run_gives_the_same_report():
    one, other = (judged(Worlds(), Uneven, worlds=["simulated", "gloo"]).to_dict() for _ in range(2))
    assert {**one, "seconds": 0} == {**other, "seconds": 0}


def test_groups_are_prepared_before_the_first_case():
    worlds, seen = Worlds(), []

    def factory(length, rank, world_size):
        seen.append([group.prepared for group in worlds.groups])
        return range(rank, length - length % world_size, world_size)

    judged(worlds, factory, worlds=["simulated", "gloo"])
    assert seen[0] == [[worlds.group("gloo").prepared[0]]] * 2


def test_without_a_law_that_asks_for_it_no_fresh_process_is_started():
    worlds = Worlds()
    judged(worlds, worlds=["gloo"], select=["SC902"])
    assert [group.is_fresh for group in worlds.groups] == [False]


def _backwards(trace, *, shortest):
    """Turn what ranks yielded around, as a group would show that does otherwise than simulation."""
    for record in [*trace.of("epochs"), *trace.of("again")] if trace.case.length >= shortest else ():
        for one in record.passes:
            one.items[:] = one.items[::-1]


@pytest.mark.thorough
def test_a_group_that_yields_otherwise_breaks_sc901_with_the_smallest_case_and_its_world():
    worlds = Worlds(lambda trace, world: _backwards(trace, shortest=7))
    report = judged(worlds, worlds=["simulated", "gloo"], select=["SC901", "SC104"])
    assert outcomes(report) == {"SC104": "holds", "SC901": "broken"}
    failure = report.failures[0].failure
    assert (failure.world, failure.case) == ("gloo", sc.Case(length=7, epochs=2))
    assert report.to_dict()["results"][1]["failure"]["world"] == "gloo"


def _hashed(trace, world, *, lucky=()):
    """What an order that hangs on the hashes of strings shows: its own in every process.

    In simulation the case goes as it goes; in the ``lucky`` lengths fresh processes agree with the group.
    """
    if world.is_fresh or trace.case.length in lucky:
        _backwards(trace, shortest=7)


@pytest.mark.thorough
def test_fresh_processes_that_yield_otherwise_break_sc402_and_leave_sc901_undecided():
    report = judged(Worlds(_hashed), worlds=["simulated", "gloo"], select=["SC402", "SC901"])
    assert outcomes(report) == {"SC402": "broken", "SC901": "unknown"}
    assert reason(report, "SC901") == (
        "fresh processes yield something else (SC402), so worlds cannot be compared"
    )
    assert report.failures[0].failure.case == sc.Case(length=7, epochs=2)


@pytest.mark.thorough
def test_sc901_stays_undecided_where_fresh_processes_agree_by_luck():
    """In these lengths the group differs from simulation, and no fresh twin shows that it proves nothing."""
    worlds = Worlds(partial(_hashed, lucky=range(7, 12)))
    report = judged(worlds, worlds=["simulated", "gloo"], select=["SC402", "SC901"])
    assert any(7 <= case.length < 12 for case in worlds.group("gloo").cases)
    assert outcomes(report) == {"SC402": "broken", "SC901": "unknown"}


def test_the_case_in_which_fresh_processes_were_seen_to_differ_is_judged():
    def in_thirty_alone(trace, world):
        if world.is_fresh and trace.case.length == 30:
            _backwards(trace, shortest=0)

    report = judged(Worlds(in_thirty_alone), worlds=["gloo"], select=["SC402", "SC901"])
    assert outcomes(report) == {"SC402": "broken", "SC901": "unknown"}
    assert report.tried[0].scope.endswith("and 1 failing case")


def test_worlds_are_compared_where_one_rank_is_all_there_is():
    worlds = Worlds(_hashed, most_ranks=1)
    report = judged(worlds, worlds=["gloo"], select=["SC402", "SC901"])
    assert outcomes(report) == {"SC402": "broken", "SC901": "unknown"}


def test_cases_asked_for_are_not_compared_either_where_fresh_processes_differ():
    report = judged(
        Worlds(_hashed), worlds=["gloo"], select=["SC402", "SC901"], cases=(sc.Case(length=3, world_size=2),)
    )
    assert outcomes(report) == {"SC402": "holds", "SC901": "unknown"}
    assert [one.cases for one in report.tried] == [1]


@pytest.mark.thorough
def test_failing_cases_of_the_simulation_are_tried_in_the_group_too():
    class BrokenAtEleven(DistributedSampler):
        def __iter__(self):
            short = len(self.dataset) == 11 and self.num_replicas == 3 and self.rank == 1
            return iter(list(super().__iter__())[short:])

    worlds = Worlds()
    report = judged(worlds, BrokenAtEleven, worlds=["simulated", "gloo"])
    case = report.results[0].failure.case
    assert (case.length, case.world_size) == (11, 3)
    assert case in worlds.group("gloo").cases
    assert outcomes(report)["SC902"] == "broken"
    (in_group,) = (one for one in report.tried if one.phase == "gloo")
    assert "and 1 failing case" in in_group.scope


@pytest.mark.thorough
def test_stored_cases_are_tried_in_a_group_asked_for_by_name(tmp_path):
    store = Store(tmp_path)
    target = sc.target(Uneven, name="uneven")
    found = judged(Worlds(), target, store=store, select=["SC104"]).results[0].failure.case
    again = Worlds()
    judged(again, target, worlds=["gloo"], store=store)
    assert found in again.group("gloo").cases


@pytest.mark.thorough
def test_large_witnesses_that_no_group_has_room_for_stay_out():
    class BrokenInSix(DistributedSampler):
        def __iter__(self):
            return iter(list(super().__iter__())[self.rank == 5 :])

    worlds = Worlds()
    report = judged(worlds, BrokenInSix, profile="standard", max_cases=30)
    assert report.results[0].failure.case.world_size == 6
    assert max(case.world_size for case in worlds.group("gloo").cases) == 4


@pytest.mark.thorough
def test_a_target_that_cannot_be_carried_again_in_a_known_case_is_not_moved():
    case = sc.Case(length=0)
    worlds, known = Worlds(), KnownFaults({case: "the process ended (SIGKILL)"})
    report = judged(worlds, select=["SC104"], world_settings={"known": known})
    assert worlds.groups == []
    assert outcomes(report) == {"SC104": "unknown"}


# What simulation cannot carry.


class Swallowing(DistributedSampler):
    """Catches whatever a collective raises, and so the interruption that simulation works with."""

    def __iter__(self):
        with suppress(BaseException):
            dist.barrier()
        return super().__iter__()


@pytest.mark.thorough
def test_what_simulation_cannot_carry_runs_in_a_group_by_itself_and_the_report_says_so():
    worlds = Worlds(binding=sc.target(DistributedSampler).bind(), most_ranks=6)
    report = judged(worlds, Swallowing, select=["SC104", "SC102"])
    assert outcomes(report) == {"SC102": "holds", "SC104": "holds"}
    (note,) = report.notes
    assert "cases ran in gloo instead of simulation: Rank 0 swallowed" in note
    assert len(worlds.group("gloo").cases) > 100


@pytest.mark.thorough
def test_without_groups_what_simulation_cannot_carry_is_unknown():
    report = judged(Worlds(), Swallowing, worlds=["simulated"], select=["SC104"])
    assert outcomes(report) == {"SC104": "unknown"}
    assert "swallowed" in reason(report, "SC104")


@pytest.mark.thorough
def test_cases_that_move_are_drawn_no_wider_than_a_group_is():
    worlds = Worlds(binding=sc.target(DistributedSampler).bind(), most_ranks=6)
    report = judged(worlds, Swallowing, profile="standard", max_cases=20, select=["SC104", "SC902"])
    assert outcomes(report) == {"SC104": "holds", "SC902": "holds"}
    widest = [re.search(r"world to (\d+)", one.scope) for one in report.tried]
    assert 1 < max(int(found[1]) for found in widest if found) <= 6


@pytest.mark.skipif(torch.cuda.is_available(), reason="there are GPUs")
def test_why_a_world_is_missing_stands_in_a_list_without_the_end_of_a_sentence():
    report = sc.run(Uneven, profile="quick", worlds=["nccl"], select=["SC104"])
    [why] = [one for one in report.not_tried if one.startswith("nccl: ")]
    assert why.endswith("Use world 'gloo' for the same laws on CPU")
