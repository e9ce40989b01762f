"""What comes by chance: laws that compare passes are undecided, and a cause needs a control that agrees."""

from __future__ import annotations

import random
from itertools import count

import pytest
from torch.utils.data import DistributedSampler, Sampler

import samplercheck as sc
from samplercheck.engine import Plan, carry_out
from samplercheck.engine._history_search import TRIALS, Rerun
from samplercheck.values.wording import HISTORY

DRAWS = random.Random()
SEEDS = 12
UNEVEN = sc.Contract(tail="keep", even_steps=False)


class SometimesWrong:
    """Repeats its first sample in place of the last, as one in five objects that are built."""

    def __init__(self, length, rank, world_size):
        self.share = list(range(rank, length, world_size))
        if DRAWS.random() < 0.2 and len(self.share) > 1:
            self.share[-1] = self.share[0]

    def __len__(self):
        return len(self.share)

    def __iter__(self):
        return iter(self.share)


class LosesItsLast(SometimesWrong):
    """Loses the last sample of each rank, always."""

    def __init__(self, length, rank, world_size):
        self.share = list(range(rank, length, world_size))[:-1]


def run(target, *codes, ask=None):
    plan = Plan(target=target, contract=UNEVEN, profile="quick", worlds=["simulated"], select=codes)
    return {one.code: one for one in carry_out(plan, ask=ask).results}


def test_where_it_does_not_come_again_neither_len_nor_a_break_is_blamed():
    """Which objects are wrong, and which laws look broken so, depends on how many were built before."""
    undecided = set()
    for seed in range(SEEDS):
        DRAWS.seed(seed)
        told = run(SometimesWrong, "SC202", "SC402", "SC503")
        assert told["SC402"].outcome is sc.Outcome.BROKEN
        others = [told["SC202"], told["SC503"]]
        assert all(one.outcome is not sc.Outcome.BROKEN for one in others)
        unsure = [one for one in others if one.outcome is sc.Outcome.UNKNOWN]
        assert all("SC402" in one.reason for one in unsure)
        undecided |= {one.code for one in unsure}
        if len(undecided) == len(others):
            break
    assert undecided == {"SC202", "SC503"}


def asks(*, lucky_after=None):
    """Answers of copies in which a case fails behind others alone, but for one answer."""
    number = count()

    def ask(question):
        if not isinstance(question, Rerun) or question.restored is not None:
            return None
        is_lucky = next(number) == lucky_after
        return "broken" if bool(question.before) != is_lucky else "holds", ()

    return ask


def test_what_fails_behind_others_each_time_and_never_alone_depends_on_them():
    failure = run(LosesItsLast, "SC102", ask=asks())["SC102"].failure
    assert failure.cause == f"{HISTORY}."
    assert failure.before


@pytest.mark.parametrize("lucky_after", [1, 2, 5, 12, 2 * TRIALS])
def test_one_trial_that_disagrees_leaves_the_cause_unsaid(lucky_after):
    failure = run(LosesItsLast, "SC102", ask=asks(lucky_after=lucky_after))["SC102"].failure
    assert HISTORY not in failure.cause
    assert failure.before == ()


@pytest.mark.thorough
def test_what_differs_when_it_is_built_again_needs_no_history():
    DRAWS.seed(1)
    others = asks()

    def ask(question):
        """Of objects that differ by themselves the first in a process do as well."""
        is_asked = isinstance(question, Rerun) and question.law == "SC402"
        return ("broken", ()) if is_asked else others(question)

    told = run(SometimesWrong, "SC102", "SC402", ask=ask)
    small = told["SC402"].failure.case
    assert told["SC402"].outcome is sc.Outcome.BROKEN
    assert HISTORY not in told["SC402"].failure.cause
    assert HISTORY not in told["SC102"].failure.cause or told["SC102"].failure.case != small


def blended(length: int):
    """Two datasets, a quarter and the rest, blended by other weights: the first runs over into the second."""
    given, order = [0, 0], []
    for step in range(length):
        late = [weight * max(step, 1) - number for weight, number in zip((0.4, 0.6), given, strict=True)]
        which = late.index(max(late))
        order.append((0, length // 4)[which] + given[which])
        given[which] += 1
    return order


def drawn(length: int, seed: int):
    return random.Random(DRAWS.random()).choices(range(length), k=length)


def test_what_no_seed_and_no_epoch_changes_is_not_said_to_fail_by_chance():
    fixed = sc.Contract.single_process(order="free", epochs="fixed")
    for target, contract, by_chance in ((blended, fixed, False), (drawn, fixed, True)):
        DRAWS.seed(1)
        report = sc.run(sc.target(target, contract=contract), profile="quick", select=["SC102"])
        (result,) = report.failures
        assert (result.failure.region == "by chance") == by_chance


class StandsStill(Sampler):
    """Has a set_epoch that nobody calls where it is to move on by itself; its first orders are torch's."""

    def __init__(self, length: int, rank: int, world_size: int, seed: int, shuffle: bool):
        self.sampler = DistributedSampler(range(length), world_size, rank, shuffle=shuffle, seed=seed)

    def set_epoch(self, epoch: int):
        self.sampler.set_epoch(epoch)

    def __iter__(self):
        return iter(self.sampler)


def test_samples_that_are_in_order_by_luck_are_not_said_to_be_unshuffled():
    target = sc.target(StandsStill, contract=sc.Contract(epochs="advance"))
    (result,) = sc.run(target, profile="quick", select=["SC301"]).failures
    assert result.failure.case.length == 2
    assert result.failure.violations[0].evidence.kind == "unshuffled"
    assert "as if nothing shuffled" not in result.failure.hint
