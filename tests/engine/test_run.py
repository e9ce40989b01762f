"""``sc.run`` as users call it: outcomes, selection, own laws, determinism, what is left behind."""

from __future__ import annotations

import os
import random
import signal
import sys
from typing import Any

import numpy as np
import pytest
import torch
from torch.utils.data import DistributedSampler, RandomSampler

import samplercheck as sc
from samplercheck.engine._ledger import PhaseLog
from samplercheck.laws.own import forget
from samplercheck.storage.store import Store
from samplercheck.values.errors import ContractError, LawError, TargetError, UsageError
from tests.sound.of_torch import SOUND, batched
from tests.support.brief import look_briefly
from tests.support.tiers import thin_out

FARTHER = [pytest.param(name, marks=pytest.mark.slow) for name in ("quick", "standard")]


class OnlyEvenRanks(DistributedSampler):
    def __iter__(self):
        return iter(() if self.rank % 2 else super().__iter__())


@pytest.mark.parametrize("name", thin_out(pytest.param(name, id=name) for name in SOUND))
@pytest.mark.parametrize("profile", ["brief", *FARTHER])
def test_torchs_own_samplers_are_sound(name, profile):
    factory, contract = SOUND[name]
    with look_briefly(briefly=profile == "brief"):
        report = sc.run(factory, contract, profile.replace("brief", "quick"), ["simulated"], max_cases=40)
    assert [(one.code, one.reason) for one in report.results if one.outcome > sc.Outcome.HOLDS] == []
    assert report.ok


@pytest.mark.thorough
def test_a_broken_law_is_reported_with_its_smallest_case():
    report = sc.run(OnlyEvenRanks, profile="quick")
    assert not report.ok
    assert report.outcome is sc.Outcome.BROKEN
    by_code = {one.code: one for one in report.results}
    failure = by_code["SC104"].failure
    assert failure.case == sc.Case(length=1, world_size=2)
    assert failure.realistic_case == sc.Case(length=4, world_size=2)
    assert "rank 0 yields 2 items, rank 1 yields 0" in failure.message
    assert "rank 0 yields 1 item, rank 1 yields 0" in failure.violation.found
    assert failure.scene.token == failure.realistic_case.token
    assert failure.scene.marked == ((0, 1, 0),)
    assert "SC104 equal-steps" in failure.text
    with pytest.raises(sc.LawBroken, match="SC104 equal-steps"):
        report.raise_for_failures()


@pytest.mark.thorough
@pytest.mark.usefixtures("brief")
def test_a_sampler_that_knows_no_ranks_is_broken_where_shares_are_demanded():
    report = sc.run(RandomSampler, contract=sc.Contract(), profile="quick")
    assert {"SC103", "SC402"} <= {one.code for one in report.failures}


@pytest.mark.slow
def test_the_same_run_gives_the_same_report():
    plan = {"profile": "standard", "worlds": ["simulated"], "max_cases": 25, "seed": 3}
    first, second = (sc.run(OnlyEvenRanks, **plan) for _ in range(2))
    assert first == second
    one, other = first.to_dict(), second.to_dict()
    assert {**one, "seconds": 0} == {**other, "seconds": 0}


@pytest.mark.thorough
def test_selecting_runs_these_laws_alone():
    report = sc.run(DistributedSampler, profile="quick", select=["SC104", "reshuffles"])
    assert [one.code for one in report.results] == ["SC104", "SC301"]


@pytest.mark.thorough
def test_a_skip_is_shown_with_its_reason():
    report = sc.run(OnlyEvenRanks, profile="quick", select=["SC104", "SC101"], skip={"SC104": "issue 7"})
    assert [(one.code, one.skipped, one.outcome.value) for one in report.results] == [
        ("SC101", "", "holds"),
        ("SC104", "issue 7", "not_applicable"),
    ]


@pytest.mark.parametrize(
    ("mistake", "error", "match"),
    [
        ({"select": ["SC14"]}, LawError, "SC104"),
        ({"skip": ["SC104"]}, LawError, "reason"),
        ({"profile": "standart"}, UsageError, "Did you mean 'standard'"),
        ({"worlds": ["ncl"]}, UsageError, "Did you mean 'nccl'"),
        ({"world_settings": {"max_rank": 2}}, UsageError, "Did you mean 'max_ranks'"),
        ({"axes": {"suffle": [1]}}, TargetError, "Did you mean 'shuffle'"),
    ],
)
def test_a_mistake_is_an_error_that_names_the_fix(mistake, error, match):
    with pytest.raises(error, match=match):
        sc.run(DistributedSampler, **{"profile": "quick", **mistake})


def test_an_explicit_padding_contradicts_drop_last_of_a_batch_sampler():
    with pytest.raises(ContractError, match="drop_last"):
        sc.run(batched, sc.Contract(tail="pad"), "quick")


@pytest.mark.usefixtures("brief")
def test_an_own_law_takes_part():
    @sc.law(
        "MY001",
        "starts-at-zero",
        "Rank 0 starts every unshuffled epoch with sample 0.",
        consequence="wrong order",
    )
    def starts_at_zero(trace):
        if trace.case.length and not trace.case.shuffle and trace.epochs[0].passes[0].items[0] != 0:
            yield sc.Violation(found="it does not", rank=0, epoch=0, step=0)

    class Backwards(DistributedSampler):
        def __iter__(self):
            return iter(list(super().__iter__())[::-1])

    try:
        assert starts_at_zero.code == "MY001"
        report = sc.run(Backwards, profile="quick", select=["MY001"])
        assert report.results[0].failure.case == sc.Case(length=2)
        assert sc.run(DistributedSampler, sc.Contract(tail="pad"), "quick", select=["MY001"]).failures == ()
    finally:
        forget("MY001")


@pytest.mark.thorough
def test_an_own_law_that_fails_is_unknown_and_the_report_not_ok():
    @sc.law("MY002", "fails-itself", "Nothing can be said.")
    def fails_itself(trace):
        raise RuntimeError("no idea")

    try:
        result = sc.run(DistributedSampler, profile="quick", select=["MY002"]).results[0]
        assert (result.outcome, result.failure) == (sc.Outcome.UNKNOWN, None)
        assert "RuntimeError: no idea" in result.reason
    finally:
        forget("MY002")


def generator_states():
    of_numpy: Any = np.random.get_state()
    return random.getstate(), of_numpy[1].tolist(), torch.get_rng_state().tolist()


@pytest.mark.thorough
@pytest.mark.usefixtures("brief")
def test_a_run_leaves_the_process_as_it_was(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    random.seed(11)
    np.random.seed(12)
    torch.manual_seed(13)
    states = generator_states()
    others = dict(os.environ), os.getcwd(), sys.stdout, signal.getsignal(signal.SIGALRM)
    interrupt = signal.getsignal(signal.SIGINT)
    sc.run(OnlyEvenRanks, profile="quick")
    assert generator_states() == states
    assert (dict(os.environ), os.getcwd(), sys.stdout, signal.getsignal(signal.SIGALRM)) == others
    assert signal.getsignal(signal.SIGINT) is interrupt
    assert not torch.distributed.is_initialized()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.thorough
@pytest.mark.usefixtures("brief")
def test_stored_cases_are_tried_first(tmp_path):
    store = Store(tmp_path / "stored")
    first = sc.run(OnlyEvenRanks, profile="quick", store=store)
    assert first.tried[0].phase == "small scope"
    again = sc.run(OnlyEvenRanks, profile="quick", store=store)
    assert (again.tried[0].phase, again.tried[0].cases) == ("stored", len(store.cases_of(again.target)))
    assert [one.code for one in again.failures] == [one.code for one in first.failures]


@pytest.mark.thorough
def test_time_cuts_only_the_search_beyond_the_small_scope():
    only = {"worlds": ["simulated"], "select": ["SC102", "SC301", "SC1002"]}
    report = sc.run(DistributedSampler, profile="standard", max_time=0, **only)
    assert [(one.phase, one.is_complete) for one in report.tried] == [
        ("small scope", True), ("epochs", True), ("frequencies", True), ("frontier", False), ("wide", False),
        ("large", False),
    ]  # fmt: skip
    assert any("the time was up" in line for line in report.not_tried)
    assert report.ok


def test_when_the_time_is_up_cases_of_many_epochs_have_a_while_of_their_own(monkeypatch):
    monkeypatch.setattr(PhaseLog.allow, "__defaults__", (0.0,))
    only = {"worlds": ["simulated"], "select": ["SC102", "SC1002"]}
    report = sc.run(DistributedSampler, profile="quick", max_time=0, **only)
    done = {one.phase: one.cases for one in report.tried}
    assert done.pop("small scope") > 0
    assert set(done.values()) == {0}
    assert {one.code: one.outcome for one in report.results} == {
        "SC102": sc.Outcome.HOLDS,
        "SC1002": sc.Outcome.UNKNOWN,
    }


class BrokenWhenLarge(DistributedSampler):
    def __iter__(self):
        yielded = list(super().__iter__())
        return iter(yielded[:-1] if len(self.dataset) >= 57 and self.rank == 0 else yielded)


@pytest.mark.thorough
def test_a_large_failure_is_shrunk_to_the_smallest():
    report = sc.run(BrokenWhenLarge, profile="standard", worlds=["simulated"], select=["SC104"])
    assert report.results[0].failure.case == sc.Case(length=57, world_size=2, epochs=2)


class LosesItsLastWhenLarge(DistributedSampler):
    def __iter__(self):
        yielded = list(super().__iter__())
        return iter(yielded[:-1] if len(self.dataset) >= 57 else yielded)


@pytest.mark.thorough
def test_the_smallest_case_that_looks_like_training_is_shrunk_by_itself():
    only = {"worlds": ["simulated"], "select": ["SC102"], "max_cases": 60}
    report = sc.run(LosesItsLastWhenLarge, profile="standard", **only)
    failure = report.results[0].failure
    assert failure.case == sc.Case(length=57, epochs=2)
    assert failure.realistic_case == sc.Case(length=57, world_size=2, epochs=2)


def test_a_process_group_of_the_users_own_is_an_error_that_says_what_to_do():
    store = torch.distributed.HashStore()  # type: ignore[attr-defined]
    torch.distributed.init_process_group("gloo", store=store, rank=0, world_size=1)
    try:
        with pytest.raises(sc.SamplerCheckError, match="destroy_process_group"):
            sc.run(DistributedSampler, profile="quick")
    finally:
        torch.distributed.destroy_process_group()


@pytest.mark.thorough
def test_progress_is_told_by_phase():
    told = []
    sc.run(DistributedSampler, profile="quick", progress=told.append)
    phases = ["small scope", "epochs", "frequencies", "frontier", "wide"]
    assert list(dict.fromkeys(one.phase for one in told)) == phases
    small = [one for one in told if one.phase == "small scope"]
    assert small[-1].done == small[-1].planned == 520
    assert [one.done for one in small] == sorted(one.done for one in small)
