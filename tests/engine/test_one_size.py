"""Runs of one size: what is tried of it, by which laws, and what is said of what was not seen."""

from __future__ import annotations

import json

import pytest
from torch.utils.data import DistributedSampler

import samplercheck as sc
from samplercheck import Case
from samplercheck.engine import _one_size
from samplercheck.engine._one_size import cases_of, is_affordable
from samplercheck.engine.plan import Plan
from samplercheck.errors import UsageError
from samplercheck.experiments.few_ranks import choose_ranks
from samplercheck.laws import ALL_LAWS
from samplercheck.reports.brief import brief
from samplercheck.reports.standing import exit_code
from samplercheck.values.owed import LONGEST_KEPT
from samplercheck.values.sizes import Sizes

LONG = LONGEST_KEPT + 8
CONTIGUOUS = sc.Contract(tail="keep", order="free")
OF_COVERAGE = {"SC001", "SC002", "SC101", "SC102", "SC103", "SC104", "SC105"}


class Blocks:
    """Takes a block of the dataset, as a range."""

    lost: int | None = None

    def __init__(self, length, rank, world_size):
        self.block = range(length * rank // world_size, length * (rank + 1) // world_size)

    def __iter__(self):
        if self.lost in self.block:
            return (one for one in self.block if one != self.lost)
        return iter(self.block)


class LosesOne(Blocks):
    lost = 1_234_567


class Uneven(Blocks):
    """Gives the last rank of a world one sample less."""

    def __init__(self, length, rank, world_size):
        super().__init__(length, rank, world_size)
        self.block = self.block[: len(self.block) - (rank == world_size - 1)]


def judged(target, contract=CONTIGUOUS, **sizes):
    return sc.run(target, contract=contract, worlds=["simulated"], **sizes)


def outcomes(report):
    return {one.code: one.outcome.value for one in report.results}


def reasons(report, outcome):
    return {one.code: one.reason for one in report.results if one.outcome.value == outcome}


@pytest.fixture(scope="module")
def report():
    return judged(Blocks, length=LONG)


class TestLongPasses:
    """Beyond a few million samples fingerprints decide."""

    def test_laws_of_coverage_hold(self, report):
        assert {code for code, outcome in outcomes(report).items() if outcome == "holds"} == OF_COVERAGE
        assert report.ok
        assert exit_code(report.to_dict()) == 0

    def test_all_other_laws_say_that_they_were_not_checked(self, report):
        told = reasons(report, "not_applicable")
        assert told["SC501"].startswith("not checked at this length")
        assert told["SC403"].startswith("not checked at this length")
        assert OF_COVERAGE | told.keys() == {law.code for law in ALL_LAWS}

    def test_the_bound_is_told(self, report):
        (note,) = (one for one in report.notes if one.startswith("Fingerprints of 4,194,312 samples"))
        assert "a chance of at most 2^-90" in note
        assert "2^-90" in brief(report.to_dict())

    def test_what_was_not_tried_is_told(self, report):
        assert any("this run is of one size" in line for line in report.not_tried)
        assert [one.scope for one in report.tried] == ["1 case of length 4,194,312, world 8"]

    @pytest.mark.thorough
    def test_a_loss_is_named(self):
        report = judged(LosesOne, length=LONG, world_size=4)
        broken = {one.code: one.failure.violation.found for one in report.failures}
        assert set(broken) == {"SC102", "SC105"}
        assert broken["SC102"] == "in epoch 0 no rank yielded sample 1234567"
        assert exit_code(report.to_dict()) == 1

    @pytest.mark.thorough
    def test_a_stored_case_fails_again_by_itself_and_in_no_other_run(self, tmp_path):
        from samplercheck.storage.store import Store

        target = sc.target("tests.engine.test_one_size:LosesOne", contract=CONTIGUOUS)
        store = Store(tmp_path)
        sc.run(target, worlds=["simulated"], length=LONG, world_size=2, select=["SC102"], store=store)
        (case,) = store.cases_of(target.name)
        assert case.length == LONG
        assert not list(tmp_path.rglob("*.py"))
        again = sc.run(target, worlds=["simulated"], profile="quick", select=["SC102"], store=store)
        assert "stored" not in {one.phase for one in again.tried}

    @pytest.mark.thorough
    def test_endless_passes_are_told_from_covered_ones(self):
        class Endless(Blocks):
            def __iter__(self):
                while True:
                    yield from self.block

        contract = sc.Contract(endless=True, epochs="fixed", order="free", coverage="sampled")
        report = judged(Endless, contract, length=LONG, world_size=1)
        assert outcomes(report)["SC102"] != "holds"
        assert not report.failures


class Clock:
    """A search and a world whose ranks take so many seconds each, and each case some besides."""

    binding = kind = only = None

    def __init__(self, *, each, besides):
        self.each, self.besides, self.now = each, besides, 0.0

    def read(self):
        return self.now

    def trace(self, binding, case, experiments, kind):
        self.now += self.besides + self.each * len(self.only)


class TestLargeWorlds:
    """All ranks where they are cheap, else some, of which laws say what they can."""

    @pytest.mark.thorough
    def test_all_ranks_of_a_large_world_are_run_where_they_are_cheap(self):
        report = judged(DistributedSampler, sc.Contract(), length=2_000, world_size=1_024)
        assert [one.scope for one in report.tried] == ["2 cases of length 2,000, world 1,024"]
        held = {code for code, outcome in outcomes(report).items() if outcome == "holds"}
        assert held >= OF_COVERAGE
        assert report.ok

    @pytest.mark.parametrize(("each", "estimate"), [(0.001, 0.001), (0.2, 0.23)])
    def test_what_a_case_takes_besides_its_ranks_is_left_out(self, monkeypatch, each, estimate):
        clock = Clock(each=each, besides=0.03)
        monkeypatch.setattr("time.process_time", clock.read)
        found = _one_size._time_rank(clock, clock, Case(length=9, world_size=4_096))
        assert found == pytest.approx(estimate)
        assert clock.only is None

    @pytest.fixture
    def dear(self, monkeypatch):
        monkeypatch.setattr(_one_size, "AFFORDABLE", 0.0)

    @pytest.mark.thorough
    @pytest.mark.usefixtures("dear")
    def test_of_some_ranks_nothing_is_said_to_hold(self):
        report = judged(DistributedSampler, sc.Contract(), length=2_000, world_size=16_384)
        assert "in 17 of the ranks" in report.tried[0].scope
        assert "holds" not in outcomes(report).values()
        told = reasons(report, "unknown")
        assert "nothing against it in 17 of 16,384 ranks; the others were not run" in told["SC104"]
        assert "it is about all ranks, and known are only 17 of 16,384 ranks" in told["SC102"]
        assert exit_code(report.to_dict()) == 3

    @pytest.mark.thorough
    @pytest.mark.usefixtures("dear")
    def test_what_some_ranks_show_is_broken(self):
        report = judged(Uneven, sc.Contract(tail="drop", order="free"), length=16_384 * 3, world_size=16_384)
        assert outcomes(report)["SC104"] == "broken"
        assert outcomes(report)["SC102"] == "unknown"

    @pytest.mark.usefixtures("dear")
    def test_a_sample_that_some_ranks_share_is_found(self):
        class OverlappingBorders(Blocks):
            def __init__(self, length, rank, world_size):
                super().__init__(length, rank, world_size)
                self.block = range(max(0, self.block.start - 1), self.block.stop - (rank == world_size - 1))

        report = judged(OverlappingBorders, length=16_384 * 3, world_size=4_096)
        found = next(one.failure.violation for one in report.failures if one.code == "SC103")
        assert found.hint == ""
        assert "SC102" not in {one.code for one in report.failures}

    @pytest.mark.usefixtures("dear")
    def test_long_passes_of_some_ranks_leave_coverage_open(self):
        report = judged(LosesOne, length=LONG, world_size=2_048)
        assert set(outcomes(report).values()) == {"unknown", "not_applicable"}

    @pytest.mark.parametrize("world", [65, 1_000, 1_024, 16_384])
    def test_ranks_are_chosen_alike_and_with_the_ends(self, world):
        case = Case(length=100_003, world_size=world)
        chosen = choose_ranks(case, 8, 64)
        assert chosen == choose_ranks(case, 8, 64)
        assert {0, 7, 8, world // 2, world - 1} <= chosen
        assert chosen <= set(range(world))
        assert 64 <= len(chosen) <= 66


class TestCases:
    """Which cases a size is."""

    def cases(self, target, contract=None, **sizes):
        binding = sc.target(target, contract=contract or sc.Contract()).bind()
        return cases_of(Sizes(**sizes), binding, ((),), 8)

    def test_what_the_target_names_is_tried_in_both_ways(self):
        first, second = self.cases(DistributedSampler, length=100, world_size=4)
        assert (first.shuffle, first.drop_last) == (False, False)
        assert (second.shuffle, second.drop_last) == (True, True)
        assert {one.length for one in (first, second)} == {100}
        (alone,) = self.cases(Blocks, length=100)
        assert (alone.world_size, alone.batch_size, alone.epochs) == (8, 1, 2)

    def test_a_world_has_whole_groups_of_replicas(self):
        replicas = sc.Contract(replicas=3)
        assert self.cases(Blocks, replicas, length=100)[0].world_size == 6
        with pytest.raises(UsageError, match="use a multiple of 3"):
            self.cases(Blocks, replicas, length=100, world_size=4)

    def test_large_cases_are_stored_and_not_tried_by_every_run(self):
        binding = sc.target(Blocks).bind()
        assert is_affordable(Case(length=10_000, world_size=1_024), binding)
        assert not is_affordable(Case(length=LONG), binding)
        assert not is_affordable(Case(length=10**5, world_size=4_096), binding)

    def test_one_size_is_not_divided_into_shards(self):
        with pytest.raises(UsageError, match="leave --shard out"):
            judged(Blocks, length=100, shard="1/2")

    def test_a_plan_of_one_size_survives_json(self):
        sizes = Sizes(length=10**9, world_size=8)
        plan = Plan(target="a:b", worlds=[], select=[], experiments=[], sizes=sizes)
        assert Plan.from_dict(json.loads(json.dumps(plan.to_dict()))).sizes == sizes
