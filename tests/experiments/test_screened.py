"""One object that is disturbed in all ways stands for seven experiments, and hides nothing that they show."""

from __future__ import annotations

import pickle
from itertools import islice
from typing import Any, ClassVar

import pytest
from torch.utils.data import DistributedSampler

import samplercheck as sc
from samplercheck.engine._judging import judge
from samplercheck.experiments import EXPERIMENTS
from samplercheck.laws import ALL_LAWS
from samplercheck.search.axes import combinations
from samplercheck.search.profiles import find_profile
from samplercheck.search.small_scope import scope_of
from samplercheck.values.finding import Outcome
from samplercheck.worlds import open_world
from samplercheck.worlds.in_rank.deadlines import Deadlines
from tests.sound.samplers import SOUND
from tests.support.tiers import thin_out
from tests.zoo.cases import NEVER_TWICE, SIMULATED, worlds_of, zoo

CASE = sc.Case(length=11, world_size=2, shuffle=True, epochs=3)
SCREENED = ("lengths", "jumps", "again", "interleaved", "abandoned", "pickled")
NAMES = ("epochs", *SCREENED)
NUMBER = 4
LUCKY = {2, 3, 4}
"""Of so few samples two orders are alike by luck now and then, and not the same two in both."""


class Counted(DistributedSampler):
    """Counts passes."""

    passes: ClassVar[list[int]] = []

    def __iter__(self):
        self.passes.append(self.epoch)
        return super().__iter__()


class StaysBehind(DistributedSampler):
    """Goes to no epoch before the one where it is."""

    def set_epoch(self, epoch):
        super().set_epoch(max(epoch, self.epoch))


class GoesOn(DistributedSampler):
    """Takes another order in a second pass."""

    def __iter__(self):
        yield from super().__iter__()
        self.epoch += 100


class Shared(DistributedSampler):
    """Has one place for all iterators."""

    def __iter__(self):
        self.order = super().__iter__()
        while True:
            try:
                index = next(self.order)
            except StopIteration:
                return
            yield index


class LeavesRest(DistributedSampler):
    """Goes on where a pass was given up."""

    def __init__(self, *arguments, **named):
        super().__init__(*arguments, **named)
        self.rest: list[int] = []

    def __iter__(self):
        mine, begun = self.rest or list(super().__iter__()), self.epoch
        self.rest = mine
        while self.rest and self.epoch == begun:
            self.rest = self.rest[1:]
            yield mine[len(mine) - len(self.rest) - 1]


class ForgetsItsEpoch(DistributedSampler):
    def __getstate__(self):
        return {**self.__dict__, "epoch": 0}


class CannotBeCopied(DistributedSampler):
    def __getstate__(self):
        raise pickle.PicklingError("no")


class CountsItsQuestions(DistributedSampler):
    """Has another length when it is asked again."""

    asked = 0

    def __len__(self):
        self.asked += 1
        return super().__len__() + self.asked // 3


class GuessesALength(DistributedSampler):
    """Is one too long in its last epoch."""

    def __len__(self):
        return super().__len__() + (self.epoch == 2)


@pytest.fixture
def world():
    with open_world("simulated") as opened:
        yield opened


def described(trace, names=SCREENED):
    return {
        name: [
            [(one.epoch, list(one.items), one.ending) for one in record.passes] for record in trace.of(name)
        ]
        for name in names
    }


def broken(trace, laws):
    return {law.code for law in laws if judge(law, trace).outcome is Outcome.BROKEN}


def test_a_sound_sampler_takes_five_passes_more_than_its_epochs(world):
    Counted.passes = []
    trace = world.trace(sc.target(Counted).bind(), CASE, NAMES)
    assert len(Counted.passes) == 2 * (3 + 5)
    assert trace.faithful == {*SCREENED}


@pytest.mark.parametrize("case", [CASE, CASE.but(shuffle=False), CASE.but(length=0), CASE.but(epochs=1)])
def test_its_records_are_those_of_the_experiments(world, case):
    binding = sc.target(DistributedSampler).bind()
    spared, full = world.trace(binding, case, NAMES), world.trace(binding, case, NAMES, spare="none")
    # A copy is taken in the last epoch, and another one where epochs are run one by one.
    assert described(spared, SCREENED[:-1]) == described(full, SCREENED[:-1])
    answers = [
        {(one.when, one.epoch, one.value) for one in each.of("lengths")[1].lengths} for each in (spared, full)
    ]
    assert answers[0] <= answers[1]
    assert [record.notes for name in SCREENED for record in spared.of(name)] == [
        record.notes for name in SCREENED for record in full.of(name)
    ]


@pytest.mark.parametrize(
    ("kind", "code"),
    [
        (StaysBehind, "SC304"),
        (GoesOn, "SC501"),
        (Shared, "SC502"),
        (LeavesRest, "SC503"),
        (ForgetsItsEpoch, "SC504"),
        (CannotBeCopied, "SC504"),
        (CountsItsQuestions, "SC202"),
        (GuessesALength, "SC201"),
    ],
)
def test_what_differs_is_shown_by_the_experiments_themselves(world, kind, code):
    binding = sc.target(kind).bind()
    spared, full = world.trace(binding, CASE, NAMES), world.trace(binding, CASE, NAMES, spare="none")
    laws = [law for law in ALL_LAWS if law.code == code]
    assert broken(spared, laws) == broken(full, laws) == {code}
    assert described(spared, SCREENED[:-1]) == described(full, SCREENED[:-1])


def test_what_always_differs_is_screened_a_few_times_only(world):
    binding = sc.target(GoesOn).bind()
    for length in range(1, 9):
        world.trace(binding, CASE.but(length=length), NAMES)
    assert world._unlike == 5


class LosesCount(DistributedSampler):
    """Counts to its length in steps that go past it, where it was set to another epoch."""

    def __len__(self):
        counted = 0
        while self.epoch and counted != self.num_samples:
            counted += 4
        return self.num_samples


def test_what_hangs_is_screened_once():
    with open_world("simulated", deadlines=Deadlines(seconds=0.1)) as opened:
        world: Any = opened
        binding = sc.target(LosesCount).bind()
        for length in (11, 12):
            trace = world.trace(binding, CASE.but(length=length), NAMES)
            assert [(one.experiment, one.phase) for one in trace.faults] == [("lengths", "len")]
            assert world._unlike == 5


TARGETS = [pytest.param(factory, promise, axes, id=name) for name, factory, promise, axes in SOUND]
BUGS = [
    pytest.param(one.bug, one.CONTRACT, one.AXES, id=one.SLUG)
    for one in zoo()
    if worlds_of(one) == SIMULATED and "SC002" not in one.EXPECT and one.SLUG not in NEVER_TWICE
]


@pytest.mark.parametrize(("factory", "promise", "axes"), thin_out(TARGETS + BUGS, each=6))
def test_laws_say_the_same_of_cases_with_and_without_what_is_spared(world, factory, promise, axes):
    binding = sc.target(factory, name="target", contract=sc.Contract(**promise), axes=axes).bind()
    small = scope_of(binding, find_profile("quick"), combinations(axes, 0)).cases()
    scope = [case for case in small if case.length not in LUCKY]
    for case in islice(scope, 0, None, max(1, len(scope) // NUMBER)):
        spared = world.trace(binding, case, tuple(EXPERIMENTS))
        full = world.trace(binding, case, tuple(EXPERIMENTS), spare="none")
        due = broken(full, ALL_LAWS)
        assert "SC402" in due or broken(spared, ALL_LAWS) == due, case.token
