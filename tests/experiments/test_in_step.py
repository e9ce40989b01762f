"""Ranks that are run in step learn together who has left an epoch, and stop alike.

Here they are threads, with a fake pace.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest

import samplercheck as sc
from samplercheck.experiments import in_step
from samplercheck.experiments.seat import Seat
from samplercheck.experiments.stopped import Stopped
from samplercheck.worlds import open_world

PATIENCE = 20


class Meeting:
    """Where the threads of one group meet."""

    def __init__(self, ranks):
        self.told = [0] * ranks
        self.barrier = Barrier(ranks, timeout=PATIENCE)
        self.steps = 0


class Pace:
    def __init__(self, meeting, rank):
        self.meeting = meeting
        self.rank = rank

    def meet(self, steps):
        meeting = self.meeting
        meeting.told[self.rank] = steps
        if not meeting.barrier.wait():
            meeting.steps += 1
        told = list(meeting.told)
        meeting.barrier.wait()  # nobody tells of the next step before all have read this one
        return told


class Nobody:
    """A guard that lets everything run, and generators that nobody moves."""

    def watch(self, *_):
        pass

    def rest(self):
        pass

    def reraise(self, _):
        pass

    def is_deadline(self, _):
        return False

    def share(self, _):
        pass

    def moved(self):
        return ()


def seats(factory, *, ranks=2, paced=True, contract=None, **details):
    """One seat for each rank of a group whose ranks are threads."""
    binding = sc.target(factory, contract=contract).bind()
    case = sc.Case(**{"length": 6, "world_size": ranks, "epochs": 2, **details})
    meeting = Meeting(ranks)
    return meeting, [
        Seat(
            binding,
            case,
            rank,
            guard=Nobody(),
            ambient=Nobody(),
            pace=Pace(meeting, rank) if paced else None,
        )
        for rank in range(ranks)
    ]


def recorded(seated):
    """What every rank records when all run at once; a fault in place of a record where one ended it."""

    def run(seat):
        seat.start("in_step")
        try:
            in_step.run(seat)
        except Stopped as stopped:
            return stopped.fault
        return seat.record

    with ThreadPoolExecutor(len(seated)) as pool:
        return list(pool.map(run, seated))


def passes(record):
    return [(one.epoch, list(one.items), one.ending) for one in record.passes]


class Dealt:
    """Deals out the dataset in turn, another first sample in each epoch."""

    def __init__(self, length, rank, world_size):
        self.length, self.rank, self.world_size, self.epoch = length, rank, world_size, 0

    def set_epoch(self, epoch):
        self.epoch = epoch

    def __iter__(self):
        ids = [(one + self.epoch) % self.length for one in range(self.length)]
        return iter(ids[self.rank :: self.world_size])


class InBatches(Dealt):
    def __iter__(self):
        return ([one] for one in super().__iter__())


def test_even_ranks_take_all_epochs_to_their_ends():
    meeting, seated = seats(Dealt)
    first, second = recorded(seated)
    assert passes(first) == [(0, [0, 2, 4], "finished"), (1, [1, 3, 5], "finished")]
    assert passes(second) == [(0, [1, 3, 5], "finished"), (1, [2, 4, 0], "finished")]
    assert (first.notes, second.notes) == ({}, {})
    assert meeting.steps == 2 * (3 + 1)  # the end of an epoch is met, too


def test_batches_are_taken_in_step_too():
    _, seated = seats(InBatches, length=4)
    first, _ = recorded(seated)
    assert [list(map(list, one.batches())) for one in first.passes] == [[[0], [2]], [[1], [3]]]


@pytest.mark.parametrize("length", [1, 3, 5])
def test_all_ranks_note_the_same_step_and_stop_there(length):
    meeting, seated = seats(Dealt, length=length)
    first, second = recorded(seated)
    assert first.notes == second.notes == {"uneven": (0, length // 2, (True, False))}
    assert passes(first) == [(0, list(range(0, length, 2)), "abandoned")]
    assert passes(second) == [(0, list(range(1, length, 2)), "finished")]
    assert meeting.steps == length // 2 + 1


LONG = 4 * in_step.SINGLE
"""So many steps are taken one by one, in a stride as long as these, and in one of twice that."""


@pytest.mark.parametrize("more", [0, 1, LONG - 1, LONG])
def test_in_a_long_epoch_ranks_meet_ever_more_seldom(more):
    meeting, seated = seats(Dealt, length=2 * (LONG + more), epochs=1)
    first, second = recorded(seated)
    assert (first.notes, second.notes) == ({}, {})
    assert [one.passes[0].ending for one in (first, second)] == ["finished"] * 2
    assert first.passes[0].steps == LONG + more
    assert meeting.steps == in_step.SINGLE + 2 + 1 + (more == LONG)


@pytest.mark.parametrize(
    ("short", "long", "ending"),
    [
        (in_step.SINGLE, LONG, "abandoned"),
        (LONG - 9, LONG + 9, "abandoned"),
        (LONG, LONG + 1, "finished"),
        (LONG + 1, LONG + 9, "finished"),
    ],
)
def test_who_leaves_a_long_epoch_is_known_to_the_step(short, long, ending):
    class Leaves(Dealt):
        def __iter__(self):
            return iter(range(short if self.rank else long))

    _, seated = seats(Leaves, length=long, contract=sc.Contract(sharding="none"))
    first, second = recorded(seated)
    assert first.notes == second.notes == {"uneven": (0, short, (True, False))}
    assert [one.passes[0].ending for one in (first, second)] == [ending, "finished"]


def test_says_of_many_ranks_who_steps_on():
    _, seated = seats(Dealt, ranks=4, length=6)
    assert {str(record.notes) for record in recorded(seated)} == {
        "{'uneven': (0, 1, (True, True, False, False))}"
    }


def test_a_later_epoch_may_be_the_uneven_one():
    class Growing(Dealt):
        def __iter__(self):
            return iter(range(2 + self.epoch * self.rank))

    _, seated = seats(Growing, contract=sc.Contract(sharding="none"), epochs=3)
    first, second = recorded(seated)
    assert first.notes == second.notes == {"uneven": (1, 2, (False, True))}
    assert [one.epoch for one in first.passes] == [0, 1]


def test_empty_epochs_are_met_once_each():
    meeting, seated = seats(Dealt, length=0)
    assert [passes(one) for one in recorded(seated)] == [[(0, [], "finished"), (1, [], "finished")]] * 2
    assert meeting.steps == 2


class Forever(Dealt):
    def __iter__(self):
        while True:
            yield self.rank


def test_endless_ranks_stop_alike_at_the_cap():
    meeting, seated = seats(Forever, contract=sc.Contract.endless())
    cap = seated[0].cap
    assert [passes(one)[0] for one in recorded(seated)] == [(0, [rank] * cap, "capped") for rank in (0, 1)]
    assert meeting.steps == 2 * cap


def test_of_a_walk_without_an_end_one_pass_is_taken_as_another_goes_on_with_it():
    for contract, taken in ((sc.Contract.endless(), 2), (sc.Contract.endless(after_break="rest"), 1)):
        _, seated = seats(Forever, contract=contract)
        assert [len(one.passes) for one in recorded(seated)] == [taken, taken]


def test_what_should_end_and_does_not_is_a_fault_of_every_rank_alike():
    meeting, seated = seats(Forever)
    faults = recorded(seated)
    assert [(one.kind, one.rank, one.epoch, one.step) for one in faults] == [
        ("endless", rank, 0, seated[0].cap) for rank in (0, 1)
    ]
    assert {one.experiment for one in faults} == {"in_step"}
    assert seated[0].cap == 108
    assert meeting.steps == 16 + 3  # of 16, 32 and 44 steps at once


def test_what_is_no_index_ends_a_rank_s_pass_and_is_told_as_its_end():
    class Odd(Dealt):
        def __iter__(self):
            return iter([0, "a" if self.rank else 1])

    first, second = recorded(seats(Odd)[1])
    assert first.notes == second.notes == {"uneven": (0, 1, (True, False))}
    assert second.passes[0].strange.startswith("step 1 is 'a' (str)")


def test_an_exception_of_one_rank_is_its_fault_with_epoch_and_step():
    class Failing(Dealt):
        def __iter__(self):
            yield 0
            raise RuntimeError("no more")

    _, (seat,) = seats(Failing, ranks=1)
    (fault,) = recorded([seat])
    assert (fault.kind, fault.error, fault.epoch, fault.step) == ("raised", "RuntimeError", 0, 1)
    assert fault.experiment == "in_step"


def test_a_target_that_names_its_epoch_is_built_again_for_each():
    def dealt(length, rank, world_size, epoch):
        made = Dealt(length, rank, world_size)
        return [(one + epoch) % length for one in made]

    first, _ = recorded(seats(dealt)[1])
    assert [list(one.items) for one in first.passes] == [[0, 2, 4], [1, 3, 5]]


def test_without_a_pace_nothing_is_built_or_recorded():
    def never(length):
        raise AssertionError(length)

    _, seated = seats(never, paced=False)
    assert [(one.passes, one.notes) for one in recorded(seated)] == [([], {})] * 2


def test_a_simulated_run_with_a_law_that_reads_it_leaves_it_empty():
    with open_world("simulated") as world:
        trace = world.trace(sc.target(Dealt).bind(), sc.Case(length=4, world_size=2), ("epochs", "in_step"))
    assert trace.is_whole
    assert [record.passes for record in trace.of("in_step")] == [[], []]
