"""What the experiments on resuming do in a rank: where they stop, what they save, what they leave alone."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch.utils.data import BatchSampler, DistributedSampler

import samplercheck as sc
from samplercheck import Case, Contract
from samplercheck.experiments.states import (
    copy_state,
    file_of,
    find_changed,
    from_file,
    is_same,
    pass_through_file,
)
from samplercheck.laws import epoch_after_resume
from samplercheck.worlds import open_world
from tests.sound.resumable import EndlessResumable
from tests.support.traces import judged
from tests.zoo._resumable import Resumable
from tests.zoo._sound import Strided

RESUMING = ("resumed", "resumed_again", "saved", "elastic")


def trace_of(factory, contract=None, experiments=RESUMING, **case):
    with open_world("simulated") as world:
        binding = sc.target(factory, contract=contract).bind()
        return world.trace(binding, Case(**{"length": 5, "world_size": 2, **case}), experiments)


def placed(kind):
    def build(length, rank, world_size):
        return kind(length, rank, world_size)

    return build


build = placed(Resumable)


def trials_of(trace, experiment, rank=0):
    return trace.of(experiment)[rank].notes.get("trials", [])


def stops_of(trace, experiment, way, epoch=0):
    return [trial.stops for trial in trials_of(trace, experiment) if (trial.way, trial.epoch) == (way, epoch)]


# What is done


def test_of_many_ranks_a_few_are_stopped_and_all_where_worlds_change_size():
    def stopped(world_size, experiment):
        trace = trace_of(
            build, Contract(elastic=True), (experiment,), length=20, world_size=world_size, stop=1
        )
        return [rank for rank in range(world_size) if trials_of(trace, experiment, rank)]

    for experiment in ("resumed", "resumed_again", "saved"):
        assert stopped(8, experiment) == list(range(8))
        assert stopped(9, experiment) == [0, 1, 4, 8]
    assert stopped(9, "elastic") == list(range(9))


def test_a_state_is_written_and_read_as_a_checkpoint_is():
    state = {"done": 3, "generator": torch.arange(2)}
    assert is_same(from_file(file_of(state)), state)
    assert file_of(lambda: 0) == b""


def test_a_target_without_a_state_is_built_and_left_alone():
    trace = trace_of(Strided)
    assert trace.is_whole
    assert [record.passes for name in RESUMING for record in trace.of(name)] == [[]] * 8


def test_every_place_of_the_first_and_of_a_later_epoch_is_stopped_in():
    trace = trace_of(build, length=10)
    assert stops_of(trace, "resumed", "plain") == [(0,), (1,), (2,), (4,), (5,)]
    assert stops_of(trace, "resumed", "end seen") == [(5,)]
    assert stops_of(trace, "resumed", "plain", 1) == stops_of(trace, "resumed", "plain")
    assert stops_of(trace, "resumed_again", "chain") == [(0, 1), (1, 2, 3), (2, 3), (1, 4), (1, 5)]
    assert stops_of(trace, "resumed_again", "twice") == [(2,)]


def test_behind_a_stop_after_one_step_and_behind_the_last_one_a_second_epoch_is_taken():
    record = trace_of(build, length=10).of("resumed")[0]
    ends = [*(one.first for one in record.notes["trials"][1:]), len(record.passes)]
    taken = {
        (one.way, one.stops): [later.epoch for later in record.passes[one.first + 1 : end]]
        for one, end in zip(record.notes["trials"], ends, strict=True)
        if one.epoch == 1 and one.way in ("plain", "end seen")
    }
    long = [way for way, epochs in taken.items() if len(epochs) > 2]
    assert long == [("plain", (1,)), ("end seen", (5,))]
    assert taken["plain", (1,)] == [1, 2, 3]


def test_it_is_noted_whether_the_state_tells_one_place_from_another():
    class KnowsTheEpoch(Resumable):
        def state_dict(self):
            return {"epoch": self.epoch, "done": 0}

    for kind, tells in ((Resumable, True), (KnowsTheEpoch, False)):
        assert trace_of(placed(kind), length=10).of("resumed")[0].notes["tells_steps"] is tells


def test_a_state_is_loaded_twice_and_saved_again_where_the_run_was_stopped_once():
    trace = trace_of(build, length=10, stop=4)
    assert [stops_of(trace, "resumed", "plain", epoch) for epoch in (0, 1)] == [[(4,)], [(4,)]]
    for way in ("twice", "saved again"):
        assert [stops_of(trace, "resumed_again", way, epoch) for epoch in (0, 1)] == [[(4,)], [(4,)]]
    assert [stops_of(trace, "resumed_again", "rolled back", epoch) for epoch in (0, 1)] == [[(4,)], []]


def test_of_what_never_ends_and_hears_of_no_epoch_a_second_pass_is_stopped_in_once_it_has_yielded():
    trace = trace_of(placed(EndlessResumable), Contract(endless=True, epochs="fixed"), length=10)
    assert stops_of(trace, "resumed", "plain") == [(0,), (1,), (2,), (4,), (5,), (10,)]
    assert stops_of(trace, "resumed", "plain", 1) == [(1,), (2,), (4,), (5,), (10,)]
    assert stops_of(trace, "resumed_again", "chain")[0] == (0, 1)
    assert stops_of(trace, "resumed_again", "chain", 1)[0] == (1, 2, 3)
    named = trace_of(placed(EndlessResumable), Contract(endless=True, epochs="fixed"), stop=0)
    assert [(one.epoch, one.stops) for one in trials_of(named, "resumed")] == [(0, (0,))]


def test_a_state_is_loaded_and_saved_twice_before_anything_is_taken_and_its_shape_is_noted():
    class Grows(Resumable):
        def load_state_dict(self, state):
            super().load_state_dict(state)
            self.history = [*state.get("history", ()), state["done"]]

        def state_dict(self):
            return {**super().state_dict(), **({"history": self.history} if hasattr(self, "history") else {})}

    sound, grows = (trace_of(placed(kind), length=10) for kind in (Resumable, Grows))
    assert stops_of(sound, "resumed_again", "saved again") == [(2,)]
    assert [trial.error for trial in trials_of(grows, "resumed_again")] == [""] * 16
    noted = [trace.of("resumed_again")[0].notes for trace in (sound, grows)]
    assert [(one["reshaped"], one["absent"]) for one in noted] == [
        ("", ()),
        ("state['history'] has 1 items, and then 2", ()),
    ]


def test_what_changes_in_a_state_while_its_object_goes_on_is_noted():
    class Alive(Resumable):
        """The state is the attributes' own dictionary."""

        def state_dict(self):
            return vars(self)

        def load_state_dict(self, state):
            vars(self).update(state)

    class LaterAlive(Resumable):
        """What the state holds changes with the next epoch alone."""

        def __init__(self, *place):
            super().__init__(*place)
            self.seen = []

        def set_epoch(self, epoch):
            super().set_epoch(epoch)
            self.seen.append(epoch)

        def state_dict(self):
            return {**super().state_dict(), "seen": self.seen}

    class NotANumber(Resumable):
        """Not a number differs from itself."""

        def state_dict(self):
            return {**super().state_dict(), "at": torch.tensor([float("nan")])}

    kinds = Resumable, Alive, LaterAlive, NotANumber
    noted = [trace_of(placed(kind), length=10).of("resumed_again")[0].notes["changed"] for kind in kinds]
    assert noted == ["", "state['done'] was 4, and is 6", "state['seen'] had 1 item, and has 2", ""]


def test_a_state_that_cannot_be_saved_before_the_first_item_is_no_trial_to_judge():
    class Refuses(Resumable):
        begun = False

        def go(self):
            self.begun = True
            return super().go()

        def state_dict(self):
            if not self.begun:
                raise RuntimeError("nothing was taken")
            return super().state_dict()

    trace = trace_of(placed(Refuses), length=10)
    assert trace.is_whole
    assert "reshaped" not in trace.of("resumed_again")[0].notes


def test_a_case_that_names_its_stop_is_stopped_there_alone():
    trace = trace_of(build, length=10, stop=3)
    assert stops_of(trace, "resumed", "plain") == [(3,)]


def test_a_run_is_stopped_after_exactly_so_many_steps_with_its_iterator_open():
    drawn = []

    class Watched(Resumable):
        def run(self, mine, start):
            try:
                for sample in super().run(mine, start):
                    drawn.append(sample)
                    yield sample
            finally:
                drawn.append("closed")

        def state_dict(self):
            assert drawn == [0, 2]
            return super().state_dict()

    def watched(length, rank, world_size):
        drawn.clear()
        return Watched(length, rank, world_size)

    trace = trace_of(watched, length=5, stop=2, epochs=1, experiments=("resumed",))
    plain = trials_of(trace, "resumed")[0]
    assert plain.error == ""
    assert [one.items.tolist() for one in trace.of("resumed")[0].passes[plain.first :][:2]] == [[0, 2], [4]]


@pytest.mark.parametrize("failing", ["state_dict", "load_state_dict"])
def test_what_fails_on_the_way_is_kept_in_the_trial_and_is_no_fault(failing):
    def fails(*_):
        raise KeyError("epoch")

    broken = type("Broken", (Resumable,), {failing: fails})
    trace = trace_of(placed(broken))
    assert trace.is_whole
    assert {trial.error for trial in trials_of(trace, "resumed")} == {f"{failing}() raised KeyError: 'epoch'"}


def test_the_process_s_generators_are_in_another_state_when_a_run_is_resumed():
    seen = []

    class Draws(Resumable):
        def state_dict(self):
            seen.append(torch.get_rng_state().tolist())
            return super().state_dict()

        def load_state_dict(self, state):
            seen.append(torch.get_rng_state().tolist())
            super().load_state_dict(state)

    trace_of(placed(Draws), experiments=("resumed",), stop=1)
    assert seen
    assert all(before != after for before, after in zip(seen[::2], seen[1::2], strict=True))


def test_consumed_samples_are_counted_over_all_ranks_and_epochs():
    told = []

    def counting(length, rank, world_size, consumed):
        told.append(consumed)
        sampler = Strided(length, rank, world_size)
        return sampler.share()[consumed // world_size % max(1, len(sampler)) :]

    contract = Contract(resume="consumed", epochs="fixed")
    trace_of(counting, contract, ("resumed",), world_size=2, length=5)
    assert sorted({*told}) == [0, 2, 4, 6, 8, 10, 12]


def test_consumed_batches_are_counted_by_whole_ones_where_an_epoch_has_just_begun():
    told = []

    def counting(length, rank, world_size, batch_size, drop_last, consumed):
        told.append(consumed)
        sampler = DistributedSampler(range(length), world_size, rank, shuffle=False, drop_last=drop_last)
        batches = list(BatchSampler(sampler, batch_size, drop_last))
        return batches[consumed // (batch_size * world_size) % max(1, len(batches)) :]

    contract = Contract(resume="consumed", epochs="fixed")
    trace_of(counting, contract, ("resumed",), length=10, batch_size=2, drop_last=True)
    assert sorted({*told}) == [0, 4, 8, 12, 16]  # and not 10, as samples alone would be dropped


def test_elastic_runs_go_on_in_the_worlds_beside_and_only_where_a_case_says():
    places = trace_of(build, length=8).of("elastic")[0].notes["places"]
    assert {world for world, _ in places} == {1, 3, 4}
    assert {rank for world, rank in places if world == 3} == {0, 2}
    places = trace_of(build, length=8, resume_world_size=5).of("elastic")[1].notes["places"]
    assert {*places} == {(5, 1), (5, 3)}


# States


@pytest.mark.parametrize(
    "state", [{}, {"epoch": 1, "done": [1, 2], "rng": (3, "x", None, 0.5, True)}, {"t": torch.arange(3)}]
)
def test_plain_states_and_tensors_go_through_a_file(state):
    kept, refused = pass_through_file(state)
    assert refused == ""
    assert is_same(kept, state)
    assert kept is not state


def test_a_copy_does_not_follow_its_original():
    state = {"done": [1]}
    copy = copy_state(state)
    state["done"].append(2)
    assert copy == {"done": [1]}


@pytest.mark.parametrize("value", [np.int64(3), object(), Strided(3), (i for i in range(3))])
def test_what_safe_loading_refuses_is_said(value):
    kept, refused = pass_through_file({"value": value})
    assert refused
    assert "value" in kept


def test_states_are_compared_by_what_they_hold():
    assert is_same({"a": [torch.tensor([1, 2])]}, {"a": [torch.tensor([1, 2])]})
    assert not is_same({"a": [torch.tensor([1, 2])]}, {"a": [torch.tensor([1, 3])]})
    assert not is_same({"a": 1}, {"a": True})
    assert not is_same({"a": 1}, {"b": 1})
    assert not is_same([1], [1, 2])
    assert not is_same([1, 2], [1, True])
    assert not is_same((1, 2), (1, 3))


@pytest.mark.parametrize("numbers", [list(range(624)), tuple(range(624)), [1, True], [*range(9), 0.5, "x"]])
def test_lists_of_numbers_are_copied_and_the_one_that_changes_is_named(numbers):
    kept, refused = pass_through_file({"rng": numbers})
    assert (kept, refused) == ({"rng": numbers}, "")
    assert type(kept["rng"]) is type(numbers)
    assert find_changed(kept, {"rng": numbers}) == ""
    changed = type(numbers)([7, *numbers[1:]])
    assert find_changed(kept, {"rng": changed}) == f"state['rng'][0] was {numbers[0]}, and is 7"
    assert not is_same(kept, {"rng": changed})


def test_a_number_that_no_safe_loading_reads_is_found_among_many():
    assert is_same(copy_state([1, 2**63]), [1, 2**63])
    assert copy_state([1, -(2**63)]) == [1, -(2**63)]


class WithoutEpochs(BatchSampler):
    """Counts what it yielded, and its state holds a number that is another one in each object."""

    drawn = iter(range(1_000))

    def __init__(self, length):
        self.length, self.start = length, 0
        self.done, self.number = 0, next(self.drawn)

    def __iter__(self):
        begin, self.start = self.start, 0
        for place in range(begin, self.length):
            self.done = place + 1
            yield [place]

    def state_dict(self):
        return {"done": self.done, "number": self.number}

    def load_state_dict(self, state):
        self.start = self.done = state["done"]


def test_what_has_no_set_epoch_goes_to_no_other_epoch_at_once():
    contract = Contract(sharding="none", epochs="set_epoch", resume="state_dict")
    trace = trace_of(WithoutEpochs, contract, ("epochs", "again", "resumed"), world_size=1)
    assert trace.of("resumed")[0].notes["tells_epochs"], "its states differ, and hold no epoch"
    assert judged(epoch_after_resume.LAW, trace) == []
