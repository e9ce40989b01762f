"""Ranks that talk are run in step: their traces are whole, and disagreements are found at once."""

from __future__ import annotations

import os
import random
import sys
import time
from typing import Any

import numpy as np
import pytest
import torch
import torch.distributed as dist

import samplercheck as sc
from samplercheck.experiments import EXPERIMENTS
from samplercheck.values.wording import name_ranks, ordinal
from samplercheck.worlds import open_world
from samplercheck.worlds.in_rank.deadlines import Deadlines
from tests.worlds.simulation.talking import talking, trace_of

ALL = tuple(EXPERIMENTS)


class SeedFromRankZero:
    """Shuffles alike on all ranks, by a seed that rank 0 draws and sends to the others."""

    def __init__(self, dataset, rank, world_size, seed):
        drawn = torch.tensor([seed * 1_000 + 7 if rank == 0 else -1])
        dist.broadcast(drawn, src=0)
        self.seed, self.epoch = drawn.item(), 0
        self.length, self.rank, self.size = len(dataset), rank, world_size

    def set_epoch(self, epoch):
        self.epoch = epoch

    def __iter__(self):
        generator = torch.Generator().manual_seed(self.seed + self.epoch)
        return iter(torch.randperm(self.length, generator=generator).tolist()[self.rank :: self.size])


class LengthsFromEveryone(SeedFromRankZero):
    """Agrees with the other ranks on the shortest share before it yields."""

    def __init__(self, dataset, rank, world_size):
        self.share = list(range(rank, len(dataset), world_size))
        self.size = world_size

    def __iter__(self):
        shares: list[Any] = [None] * self.size
        dist.all_gather_object(shares, {"length": len(self.share)})
        yield from self.share[: min(share["length"] for share in shares)]


def yielded(trace, epoch=0):
    return [one.items.tolist() for one in trace.epochs[epoch].passes]


class TestWholeTraces:
    @pytest.mark.parametrize("size", [1, 2, 5])
    def test_a_seed_sent_at_building_gives_every_rank_its_share(self, size):
        trace = trace_of(SeedFromRankZero, length=10, world_size=size, epochs=3)
        assert trace.is_whole
        for epoch in range(3):
            order = torch.randperm(10, generator=torch.Generator().manual_seed(7 + epoch)).tolist()
            assert yielded(trace, epoch) == [order[rank::size] for rank in range(size)]

    def test_lengths_gathered_in_each_pass_reach_every_rank(self):
        trace = trace_of(LengthsFromEveryone, length=8, world_size=3, epochs=2)
        assert trace.is_whole
        assert yielded(trace, 0) == yielded(trace, 1) == [[0, 3], [1, 4], [2, 5]]

    def test_each_record_counts_its_collectives(self):
        trace = trace_of(LengthsFromEveryone, "epochs", "jumps", "again", world_size=2, epochs=3)
        counts = {
            name: [one.notes["collectives"] for one in records] for name, records in trace.records.items()
        }
        assert counts == {"epochs": [6, 6], "jumps": [4, 4], "again": [4, 4]}

    def test_every_experiment_can_be_carried(self):
        trace = trace_of(SeedFromRankZero, *ALL, length=6, world_size=3, epochs=3)
        assert trace.is_whole
        assert [len(records) for records in trace.records.values()] == [3] * len(ALL)
        assert yielded(trace) == [one.passes[0].items.tolist() for one in trace.of("again")]

    def test_all_ranks_offer_nonsense_to_targets_that_wait_for_each_other(self):
        trace = trace_of(SeedFromRankZero, "nonsense", world_size=2)
        assert (trace.deadlock, trace.not_carried, trace.faults) == ("", "", ())
        assert ["accepted" in record.notes for record in trace.of("nonsense")] == [True, False]

    def test_cases_follow_one_another(self):
        binding = sc.target(SeedFromRankZero).bind()
        with open_world("simulated") as world:
            for size in (3, 1, 2, 2, 4):
                trace = world.trace(binding, sc.Case(length=8, world_size=size), ("epochs",))
                assert trace.is_whole
                assert trace.epochs[0].counts.tolist() == [1] * 8

    def test_targets_without_collectives_are_not_counted(self):
        trace = trace_of(talking(lambda rank, size: dist.get_rank()))
        assert "collectives" not in trace.of("epochs")[0].notes


class TestDisagreement:
    def test_names_each_rank_and_its_collective(self):
        def act(rank, size):
            dist.barrier()
            dist.all_reduce(torch.zeros(1)) if rank == 0 else dist.broadcast(torch.zeros(1), 0)

        trace = trace_of(talking(act), epochs=2)
        assert trace.deadlock == (
            "rank 0 waits in all_reduce (the 2nd collective, epoch 0), "
            "rank 1 waits in broadcast (the 2nd collective, epoch 0)"
        )
        assert trace.faults == ()
        assert not trace.is_whole

    def test_a_rank_that_finished_early_is_named(self):
        class OneStepMore:
            def __init__(self, dataset, rank, world_size):
                self.share = range(rank, len(dataset), world_size)

            def __iter__(self):
                for index in self.share:
                    dist.all_reduce(torch.zeros(1))
                    yield index

        trace = trace_of(OneStepMore, length=3, world_size=2, epochs=2)
        # Rank 0 has one sample more: its second collective of epoch 0 meets the first of epoch 1, and so on.
        assert trace.deadlock == (
            "rank 0 waits in all_reduce (the 3rd collective, epoch 1), rank 1 has finished"
        )

    @pytest.mark.parametrize(
        ("act", "text"),
        [
            (
                lambda rank, size: dist.all_reduce(torch.zeros(2 + rank)),
                "rank 0 waits in all_reduce (sum) of float32[2]",
            ),
            (
                lambda rank, size: dist.all_reduce(torch.zeros(2, dtype=(torch.int64, torch.int32)[rank])),
                "rank 1 waits in all_reduce (sum) of int32[2]",
            ),
            (
                lambda rank, size: dist.all_reduce(
                    torch.zeros(1), op=(dist.ReduceOp.SUM, dist.ReduceOp.MAX)[rank]
                ),
                "rank 1 waits in all_reduce (max) of float32[1]",
            ),
            (
                lambda rank, size: dist.broadcast(torch.zeros(1), rank),
                "rank 1 waits in broadcast with root rank 1 of",
            ),
            (
                lambda rank, size: dist.broadcast(torch.zeros(1 + rank), 0),
                "rank 1 waits in broadcast with root rank 0",
            ),
            (
                lambda rank, size: dist.all_gather([torch.zeros(1 + rank)] * 2, torch.zeros(1 + rank)),
                "rank 1 waits in all_gather of float32[2] into 2 x float32 (2, 2 values)",
            ),
            (
                lambda rank, size: dist.all_to_all_single(
                    torch.zeros(3), torch.zeros(3), [1 + rank, 2 - rank], [1, 2]
                ),
                "all_to_all_single of 2 x float32 (1, 2 values) into 2 x float32 (2, 1 values)",
            ),
        ],
    )
    def test_about_what_is_sent_is_told_in_full(self, act, text):
        assert text in trace_of(talking(act)).deadlock

    def test_a_rank_that_raises_leaves_the_others_waiting(self):
        def act(rank, size):
            if rank == 2:
                raise ValueError("no data")
            dist.barrier()

        trace = trace_of(talking(act), "epochs", "again", world_size=4)
        assert trace.deadlock == (
            "ranks 0, 1, 3 wait in barrier (the 1st collective, epoch 0), rank 2 has raised ValueError"
        )
        faults = [(fault.rank, fault.error, fault.experiment) for fault in trace.faults]
        assert faults == [(2, "ValueError", "epochs")]
        assert trace.of("again") == []

    def test_while_building_and_in_len_is_told(self):
        class Building:
            def __init__(self, dataset, rank, world_size):
                if rank:
                    dist.barrier()

            def __iter__(self):
                return iter(())

        class Length(Building):
            def __init__(self, dataset, rank, world_size):
                self.rank = rank

            def __len__(self):
                if self.rank:
                    dist.barrier()
                return 0

        assert trace_of(Building).deadlock == (
            "rank 0 has finished, rank 1 waits in barrier (the 1st collective, while building)"
        )
        assert "(the 1st collective, in len(), epoch 0)" in trace_of(Length, "lengths").deadlock

    def test_in_a_group_of_some_ranks_names_the_group(self):
        def act(rank, size):
            group = dist.new_group([0, 1])
            if rank == 0:
                dist.barrier(group=group)

        assert trace_of(talking(act), world_size=3).deadlock == (
            "rank 0 waits in barrier among ranks 0, 1 (the 1st collective, epoch 0), ranks 1, 2 have finished"
        )

    def test_across_groups_is_left_to_a_process_group_when_asynchronous(self):
        def act(rank, size, *, asynchronous):
            groups = [dist.new_group(), dist.new_group()]
            for group in groups if rank else groups[::-1]:
                dist.broadcast(torch.zeros(1), src=0, group=group, async_op=asynchronous)

        waiting = trace_of(talking(lambda rank, size: act(rank, size, asynchronous=True)))
        assert (waiting.deadlock, "async_op=True" in waiting.not_carried) == ("", True)
        hanging = trace_of(talking(lambda rank, size: act(rank, size, asynchronous=False)))
        assert "of float32[1] among ranks 0, 1, group 2 of these (the 1st collective" in hanging.deadlock

    def test_across_groups_is_left_to_a_process_group_where_torch_does_not_say(self, monkeypatch):
        def act(rank, size):
            groups = [dist.new_group(), dist.new_group()]
            for group in groups if rank else groups[::-1]:
                dist.all_reduce(torch.zeros(1), group=group)

        class OlderOptions:  # those of torch 2.4 have no asyncOp
            def __setattr__(self, name, value):
                vars(self).update({name: value} if name != "asyncOp" else {})

        monkeypatch.setattr(dist.distributed_c10d, "AllreduceOptions", OlderOptions)
        unknown = trace_of(talking(act))
        assert (unknown.deadlock, "async_op=True" in unknown.not_carried) == ("", True)

    def test_the_next_case_is_untouched(self):
        bad = sc.target(talking(lambda rank, size: rank and dist.barrier())).bind()
        good = sc.target(SeedFromRankZero).bind()
        with open_world("simulated") as world:
            assert world.trace(bad, sc.Case(length=2, world_size=2), ("epochs",)).deadlock
            assert world.trace(good, sc.Case(length=2, world_size=2), ("epochs",)).is_whole


class TestFaults:
    def test_after_a_collective_name_rank_and_step(self):
        class Late:
            def __init__(self, dataset, rank, world_size):
                self.rank = rank

            def __iter__(self):
                dist.barrier()
                yield 0
                raise KeyError(self.rank)

        trace = trace_of(Late, "epochs", "again")
        assert [(one.rank, one.error, one.step, one.epoch) for one in trace.faults] == [
            (0, "KeyError", 1, 0),
            (1, "KeyError", 1, 0),
        ]
        assert (trace.deadlock, trace.not_carried) == ("", "")

    def test_a_hang_after_a_collective_ends_the_case(self):
        def act(rank, size):
            dist.barrier()
            while True:
                pass

        binding = sc.target(talking(act)).bind()
        with open_world("simulated", deadlines=Deadlines(seconds=0.2)) as world:
            trace = world.trace(binding, sc.Case(length=2, world_size=2), ("epochs",))
        assert [(one.rank, one.kind) for one in trace.faults] == [(0, "deadline")]

    @pytest.mark.thorough
    def test_collectives_without_end_are_given_up(self):
        def act(rank, size):
            while True:
                dist.barrier()

        started = time.monotonic()
        trace = trace_of(talking(act))
        assert "uses more collectives than the" in trace.not_carried
        assert time.monotonic() - started < 60


class TestSwallowing:
    def test_a_bare_except_is_told(self):
        def act(rank, size):
            try:
                dist.barrier()
            except:  # noqa: E722
                return

        trace = trace_of(talking(act))
        assert trace.not_carried.startswith("Rank 0 swallowed the interruption that suspends it in barrier")
        assert trace.deadlock == ""

    def test_so_is_an_error_raised_instead(self):
        def act(rank, size):
            try:
                dist.barrier()
            except BaseException as error:
                raise RuntimeError("lost") from error

        trace = trace_of(talking(act))
        assert "swallowed" in trace.not_carried
        assert trace.faults == ()

    @pytest.mark.thorough
    def test_retrying_for_ever_is_no_hang_of_the_target(self):
        def act(rank, size):
            while True:
                try:
                    return dist.barrier()
                except BaseException as error:
                    if type(error).__name__ == "DeadlineExceeded":
                        raise

        binding = sc.target(talking(act)).bind()
        with open_world("simulated", deadlines=Deadlines(seconds=0.2)) as world:
            trace = world.trace(binding, sc.Case(length=2, world_size=2), ("epochs",))
        assert "swallowed" in trace.not_carried
        assert trace.faults == ()

    def test_except_exception_and_finally_do_no_harm(self):
        def act(rank, size):
            given = torch.tensor([rank])
            try:
                dist.all_reduce(given)
            except Exception:  # noqa: BLE001
                return -1
            finally:
                dist.barrier()
            return given.item()

        seen = {}
        assert trace_of(talking(act, seen)).is_whole
        assert seen == {0: 1, 1: 1}


class TestRunsThatDiffer:
    @pytest.mark.parametrize(
        "act",
        [
            lambda: dist.broadcast(torch.tensor([time.time_ns()]), 0),
            lambda: dist.all_gather_object([None, None], time.time_ns()),
            lambda: dist.broadcast_object_list([os.urandom(8)], 0),
            lambda: dist.all_reduce(torch.tensor([random.SystemRandom().random()])),
        ],
    )
    def test_in_what_they_send_are_told(self, act):
        def twice(rank, size):
            act()
            dist.barrier()

        trace = trace_of(talking(twice))
        assert "handed in something else at its" in trace.not_carried
        assert (trace.deadlock, trace.faults) == ("", ())

    def test_in_what_they_call_are_told(self):
        runs = []

        def act(rank, size):
            runs.append(rank)
            dist.all_reduce(torch.zeros(1)) if runs.count(rank) < 3 else dist.barrier()

        assert "handed in something else at its barrier" in trace_of(talking(act)).not_carried

    def test_in_how_often_they_call_are_told(self):
        runs = []

        def act(rank, size):
            runs.append(rank)
            if runs.count(rank) < 3:
                dist.barrier()

        assert "ended after 0 of them" in trace_of(talking(act)).not_carried

    def test_what_is_overwritten_may_differ(self):
        def act(rank, size):
            given = torch.tensor([5 if rank == 0 else time.time_ns()])
            dist.broadcast(given, 0)
            dist.barrier()
            return given.item()

        seen = {}
        assert trace_of(talking(act, seen)).is_whole
        assert seen == {0: 5, 1: 5}


class TestSurroundings:
    def test_generators_stand_alike_in_every_run_and_apart_in_every_rank(self):
        def act(rank, size):
            values = [random.random(), np.random.rand(), torch.rand(()).item()]
            drawn = torch.tensor(values, dtype=torch.float64)
            drawn_by_all = [torch.zeros(3, dtype=torch.float64) for _ in range(size)]
            dist.all_gather(drawn_by_all, drawn)
            dist.barrier()
            return [tuple(one.tolist()) for one in drawn_by_all]

        seen = {}
        trace = trace_of(talking(act, seen), world_size=3)
        assert trace.is_whole
        assert seen[0] == seen[1] == seen[2]
        assert len(set(seen[0])) == 3

    def test_generators_stand_alike_in_every_rank_when_the_script_seeds_them(self):
        def act(rank, size):
            gathered = [None] * size
            dist.all_gather_object(gathered, torch.rand(()).item())
            return gathered

        seen = {}
        target = sc.target(talking(act, seen), contract=sc.Contract(ambient_rng="shared"))
        assert trace_of(target).is_whole
        assert len(set(seen[0])) == 1

    def test_another_experiment_meets_other_states(self):
        states = []

        def act(rank, size):
            dist.barrier()
            states.append(random.random())

        trace_of(talking(act), "epochs", "again", world_size=1)
        assert states[0] != states[1]

    def test_the_moves_of_generators_are_still_noticed(self):
        def act(rank, size):
            dist.barrier()
            random.random()

        trace = trace_of(talking(act))
        assert [record.notes["moved"] for record in trace.of("epochs")] == [(("iterating", "random"),)] * 2

    def test_all_is_put_back(self):
        def act(rank, size):
            os.environ["SAMPLERCHECK_TALKS"] = str(rank)
            random.seed(3)
            dist.barrier()

        before = random.getstate(), torch.get_rng_state().tolist(), dict(os.environ), sys.excepthook
        trace_of(talking(act))
        assert (random.getstate(), torch.get_rng_state().tolist(), dict(os.environ), sys.excepthook) == before
        assert not dist.is_initialized()

    def test_time_for_starting_workers_is_allowed_in_lockstep_too(self):
        allowed: list[float] = []

        def act(rank, size):
            dist.barrier()
            allowed.append(world.guard.stretch)

        case = sc.Case(length=4, world_size=2, epochs=1, workers=1)
        with open_world("simulated") as world:
            trace = world.trace(sc.target(talking(act)).bind(), case, ("workers",))
        assert (trace.faults, trace.deadlock, trace.not_carried) == ((), "", "")
        assert min(allowed) > 1.0

    def test_every_run_finds_its_rank_in_the_environment(self):
        def act(rank, size):
            dist.barrier()
            return os.environ["RANK"], os.environ["WORLD_SIZE"], dist.get_rank(), dist.get_world_size()

        seen = {}
        trace_of(talking(act, seen), world_size=3)
        assert seen == {rank: (str(rank), "3", rank, 3) for rank in range(3)}

    def test_a_rank_that_closes_the_group_closes_it_for_itself(self):
        def act(rank, size):
            dist.barrier()
            dist.destroy_process_group()

        assert trace_of(talking(act), world_size=3).is_whole
        assert trace_of(talking(lambda rank, size: dist.destroy_process_group()), world_size=3).is_whole


class Resumed(SeedFromRankZero):
    """Goes on behind the place that its state names; counts how often it was built."""

    built = 0

    def __init__(self, dataset, rank, world_size, seed):
        super().__init__(dataset, rank, world_size, seed)
        Resumed.built += 1
        self.place = 0

    def state_dict(self):
        return {"epoch": self.epoch, "place": self.place}

    def load_state_dict(self, state):
        self.epoch, self.place = state["epoch"], state["place"]

    def __iter__(self):
        for index in list(super().__iter__())[self.place :]:
            self.place += 1
            yield index
        self.place = 0


class TestResuming:
    """Each trial of resuming is a part by itself, which is not run again once it has ended."""

    @pytest.mark.parametrize("experiment", ["resumed", "resumed_again", "saved"])
    def test_what_has_ended_is_not_run_again(self, experiment):
        Resumed.built = 0
        trace = trace_of(Resumed, experiment, epochs=3, length=12, world_size=3)
        (first, *others) = (record.notes["trials"] for record in trace.of(experiment))
        assert [[one.stops for one in trials] for trials in others] == [[one.stops for one in first]] * 2
        assert Resumed.built <= 3 * 8 * len(first)  # each trial builds few objects, in each of three ranks

    @pytest.mark.parametrize("length", [1, 2, 3, 7])
    def test_ranks_stop_equally_often_whatever_each_of_them_yields(self, length):
        trace = trace_of(Resumed, "resumed", epochs=3, length=length, world_size=3)
        assert trace.is_whole
        assert len({len(record.notes["trials"]) for record in trace.of("resumed")}) == 1

    def test_nothing_is_lost_between_parts(self):
        trace = trace_of(Resumed, "resumed", epochs=3, length=12, world_size=3)
        for record in trace.of("resumed"):
            straight = [pass_.items.tolist() for pass_ in record.passes[:4]]
            (taken, left) = record.passes[record.notes["trials"][1].first :][:2]
            assert record.notes["trials"][1].stops == (1,)
            assert [*taken.items, *left.items] == straight[0]
            assert record.notes["tells_steps"]
            assert not any(trial.error for trial in record.notes["trials"])


class TestSpeed:
    """Loose bounds, so that a busy machine raises no alarm: the goals are ten times less."""

    @pytest.mark.parametrize(("size", "collectives", "seconds"), [(4, 2, 0.1), (64, 1, 3.0)])
    def test_running_again_is_quick(self, size, collectives, seconds):
        def act(rank, size):
            for _ in range(collectives):
                dist.all_gather([torch.zeros(1) for _ in range(size)], torch.ones(1))

        binding = sc.target(talking(act)).bind()
        case = sc.Case(length=size, world_size=size, epochs=1)
        with open_world("simulated") as world:
            world.trace(binding, case, ("epochs",))
            started = time.process_time()
            assert world.trace(binding, case, ("epochs",)).is_whole
        assert time.process_time() - started < seconds


def test_numbers_and_ranks_read_well():
    assert [ordinal(number) for number in (1, 2, 3, 4, 11, 12, 13, 21, 101, 112)] == [
        "1st", "2nd", "3rd", "4th", "11th", "12th", "13th", "21st", "101st", "112th",
    ]  # fmt: skip
    assert name_ranks([3]) == "rank 3"
    assert name_ranks([0, 1]) == "ranks 0, 1"
    assert name_ranks([1, 2, 3]) == "ranks 1-3"
    assert name_ranks(range(0, 40, 2)) == "ranks 0, 2, 4, 6, 8, 10, 12, 14 and 12 more"
