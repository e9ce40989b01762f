"""Passes in several manners: what is visited of many epochs, and what may be refused of far ones."""

from __future__ import annotations

from random import Random

import pytest
import torch

import samplercheck as sc
from samplercheck.engine._judging import judge
from samplercheck.laws.selection import select_laws
from samplercheck.worlds import open_world
from samplercheck.worlds.in_rank.deadlines import Deadlines
from tests.zoo._sound import Strided

FAR = [100, 256, 1_000, 2**31]


class Bounded(Strided):
    """Has epochs up to a number, and raises beyond them."""

    last, error = 2**40, ValueError("no such epoch")

    def set_epoch(self, epoch):
        if epoch > self.last:
            raise self.error
        super().set_epoch(epoch)


def traced(last=2**40, error=None, epochs=48, promised="set_epoch"):
    class Own(Bounded):
        pass

    Own.last, Own.error = last, error or Bounded.error

    def build(length, rank, world_size):
        return Own(length, rank, world_size)

    target = sc.target(build, contract=sc.Contract(epochs=promised))
    case = sc.Case(length=3, world_size=2, epochs=epochs)
    with open_world("simulated") as world:
        return world.trace(target.bind(), case, ("epochs", "jumps", "lengths"))


def visited(trace, experiment):
    return [[one.epoch for one in record.passes] for record in trace.of(experiment)]


def test_many_epochs_are_followed_by_far_ones_and_visited_out_of_order():
    trace = traced()
    assert visited(trace, "epochs") == [[*range(48), *FAR]] * 2
    assert visited(trace, "jumps") == [[*FAR[::-1], 10, 7, 4, 47, 0]] * 2
    assert "jumps" in trace.faithful


def test_few_epochs_and_epochs_that_are_not_set_have_no_far_ones():
    assert visited(traced(epochs=47), "epochs") == [[*range(47)]] * 2
    assert visited(traced(promised="advance"), "epochs") == [[*range(48)]] * 2


def test_a_target_may_say_that_it_has_fewer_epochs():
    trace = traced(last=500)
    assert trace.is_whole
    assert visited(trace, "epochs") == [[*range(48), 100, 256]] * 2
    assert visited(trace, "jumps") == [[256, 100, 10, 7, 4, 47, 0]] * 2


def asked_before(trace):
    return [[one.epoch for one in record.lengths if one.when == "before"] for record in trace.of("lengths")]


@pytest.mark.parametrize(
    ("manner", "epochs"),
    [
        ({}, [*range(6), 7, 10, 15, 16, 20, 30, 32, 40, 47, *FAR[:-1]]),
        ({"last": 500}, [*range(6), 7, 10, 15, 16, 20, 30, 32, 40, 47, *FAR[:2]]),
        ({"epochs": 8}, [*range(6), 7]),
        ({"epochs": 3}, [*range(3)]),
        ({"promised": "advance"}, [*range(48)]),
        ({"promised": "fixed"}, [*range(4)]),
    ],
)
def test_the_length_is_asked_for_in_later_epochs_too_whose_passes_are_taken(manner, epochs):
    trace = traced(**manner)
    assert asked_before(trace) == visited(trace, "lengths") == [epochs] * 2
    assert "lengths" in trace.faithful


@pytest.mark.parametrize(("last", "epoch"), [(500, 1_000), (5, 6)])
def test_a_target_that_breaks_in_a_far_epoch_is_at_fault(last, epoch):
    fault = traced(last, IndexError("list index out of range")).faults[0]
    assert (fault.kind, fault.epoch) == ("raised", epoch)
    assert traced(2**20, IndexError("an integer of 31 bits")).is_whole


class WindsForward(Strided):
    """Goes through all epochs before the one that is set, as a generator that is wound forward does."""

    def __iter__(self):
        for _ in range(self.epoch):
            pass
        return super().__iter__()


def test_what_takes_too_long_to_get_to_a_far_epoch_is_not_at_fault_and_not_sent_there_again():
    def build(length, rank, world_size):
        return WindsForward(length, rank, world_size)

    bound = sc.target(build, contract=sc.Contract(order="sequential")).bind()
    case = sc.Case(length=2, world_size=2, epochs=48)
    with open_world("simulated", deadlines=Deadlines(seconds=0.2)) as world:
        trace = world.trace(bound, case, ("epochs", "jumps"))
        again = world.trace(bound, case, ("jumps",))
    assert trace.is_whole
    assert visited(trace, "epochs") == [[*range(48), *FAR[:-1]]] * 2
    assert trace.of("epochs")[0].notes["too_far"] == FAR[-1]
    assert [record.notes.get("too_far") for record in again.of("jumps")] == [None] * 2
    assert visited(again, "jumps") == [[*FAR[:-1][::-1], 10, 7, 4, 47, 0]] * 2


class InPlace(Strided):
    """Every pass is an epoch, and shuffles the one list that all passes walk through."""

    def __init__(self, length, rank, world_size):
        super().__init__(length, rank, world_size)
        self.ids, self.random = list(range(length)), Random(7)

    def __iter__(self):
        self.random.shuffle(self.ids)
        return iter(self.ids)


class AssertsTheEnd(Strided):
    """Every pass is an epoch; each but the first begins where the one before has ended."""

    place = 0

    def __iter__(self):
        assert self.place % len(self) == 0, "the last pass has not ended"
        for step, index in enumerate(self.share()):
            self.place = (step + 1) % len(self) if self.epoch else 0
            yield index
        self.epoch += 1


@pytest.mark.parametrize(
    ("kind", "experiment", "code"), [(InPlace, "interleaved", "SC502"), (AssertsTheEnd, "abandoned", "SC001")]
)
def test_of_many_epochs_a_pass_is_opened_or_given_up_behind_another(kind, experiment, code):
    def build(length, rank, world_size):
        return kind(length, rank, world_size)

    contract = sc.Contract(epochs="advance", order="free", sharding="none")
    bound, (law,) = sc.target(build, contract=contract).bind(), select_laws((code,), ())[0]
    found = []
    with open_world("simulated") as world:
        for epochs in (2, 48):
            case = sc.Case(length=8, epochs=epochs)
            trace = world.trace(bound, case, ("epochs", "again", experiment))
            found.append(judge(law, trace).outcome)
    assert found == [sc.Outcome.HOLDS, sc.Outcome.BROKEN]


class OwnIterator(Strided):
    """Is the iterator of its one pass, which ``iter`` starts again."""

    def __iter__(self):
        self.opened = iter(self.share())
        return self

    def __next__(self):
        return next(self.opened)


class HasNext(OwnIterator):
    """Has a ``__next__`` as well, but its passes are iterators of their own that share a position."""

    def __iter__(self):
        self.opened = iter(self.share())
        return (next(self.opened) for _ in self.share())


@pytest.mark.parametrize(("kind", "grade"), [(OwnIterator, "strict"), (HasNext, "harm")])
def test_an_object_that_is_its_own_iterator_is_open_once_and_two_passes_are_no_harm(kind, grade):
    def build(length, rank, world_size):
        return kind(length, rank, world_size)

    (law,) = select_laws(("SC502",), ())[0]
    with open_world("simulated") as world:
        trace = world.trace(sc.target(build).bind(), sc.Case(length=4), ("epochs", "again", "interleaved"))
    assert {one.grade for one in law.judge(trace)} == {grade}


def walk_forever(length, rank, world_size):
    """Goes round the dataset; where that is empty it never yields."""
    while True:
        yield from range(rank, length, world_size)


def test_an_endless_walk_through_no_samples_is_given_up_before_its_first_step():
    binding = sc.target(walk_forever, contract=sc.Contract(endless=True, epochs="fixed")).bind()
    with open_world("simulated", deadlines=Deadlines(seconds=0.2)) as world:
        trace = world.trace(binding, sc.Case(length=0), ["epochs", "abandoned"])
    assert trace.faults == ()
    assert [one.steps for one in trace.of("abandoned")[0].passes] == [0, 0]


class Divided(Strided):
    """Refuses datasets that the ranks cannot share evenly."""

    def __init__(self, length, rank, world_size):
        if length % world_size:
            raise RuntimeError(f"{length} samples for {world_size} ranks")
        super().__init__(length, rank, world_size)


class AloneOnly(Strided):
    """Raises where another object has an open pass."""

    is_open = False

    def __iter__(self):
        if type(self).is_open:
            raise RuntimeError("another pass is open")
        try:
            type(self).is_open = True
            yield from super().__iter__()
        finally:
            type(self).is_open = False


@pytest.mark.parametrize(
    "world", ["simulated", pytest.param("gloo", marks=(pytest.mark.gloo, pytest.mark.thorough))]
)
@pytest.mark.parametrize(("kind", "faults"), [(Divided, []), (AloneOnly, ["beside"] * 2)])
def test_what_another_object_raises_by_itself_is_no_fault_of_the_one_beside_it(kind, faults, world):
    target = sc.target(kind)
    case = sc.Case(length=8, world_size=2, epochs=48)
    with open_world(world) as opened:
        trace = opened.trace(target.bind(), case, ("epochs", "beside"))
    assert [one.experiment for one in trace.faults] == faults
    assert faults or [[len(one.items) for one in record.passes] for record in trace.of("beside")] == [
        [4, 4],
        [4, 4],
    ]


class KeepsState(Strided):
    """Has a state, and loads it as it is told."""

    load = staticmethod(lambda state: None)

    def state_dict(self):
        return {"rng": torch.get_rng_state()}

    def load_state_dict(self, state):
        self.load(state)


def refuse(state):
    raise ValueError(state)


@pytest.mark.parametrize(
    ("load", "moved"),
    [
        (lambda _: torch.manual_seed(0), (("saving", "torch"),)),
        (lambda state: torch.set_rng_state(state["rng"]), ()),
        (refuse, ()),
    ],
)
def test_what_saving_and_loading_a_state_move_is_noted_in_cases_of_many_epochs(load, moved):
    class Own(KeepsState):
        pass

    Own.load = staticmethod(load)

    def build(length, rank, world_size):
        return Own(length, rank, world_size)

    for epochs, resume, expected in ((48, "auto", moved), (48, "none", ()), (3, "auto", ())):
        target = sc.target(build, contract=sc.Contract(resume=resume))
        with open_world("simulated") as world:
            trace = world.trace(target.bind(), sc.Case(length=3, world_size=2, epochs=epochs), ("epochs",))
        assert [record.notes["moved"] for record in trace.of("epochs")] == [expected] * 2
