"""Finding a cause: the first change that every case shows, and nothing that any case speaks against."""

from __future__ import annotations

from itertools import count
from random import Random
from types import SimpleNamespace

import pytest

from samplercheck import Case, Contract
from samplercheck.explain.cause import TRIALS, find_cause
from samplercheck.explain.seen import Seen
from samplercheck.targets.binding import Binding
from samplercheck.values.finding import Outcome

BINDING = Binding(lambda length, rank, world_size, shuffle, seed: range(length), Contract(), {}, "made")
FAILING = [Case(length=n, world_size=2, shuffle=True) for n in range(1, 30, 2)]
HOLDS, BROKEN, UNKNOWN, NOTHING = (
    Outcome.HOLDS,
    Outcome.BROKEN,
    Outcome.UNKNOWN,
    Outcome.NOT_APPLICABLE,
)


class Judge:
    """Says what it is told to say and keeps the cases that it was asked for."""

    def __init__(self, says, *, alike=False):
        self.says = says
        self.same = alike
        self.asked = []

    def outcome(self, law, binding, case, *, again=True):
        self.asked.append(case)
        return self.says(binding, case)

    def alike(self, binding, case, changed, other):
        self.asked.append(case)
        return self.same


def law(code):
    return SimpleNamespace(code=code)


def cause_of(code, failing, judge, *, binding=BINDING, broken=(), **seen):
    """What is found of a law that is broken in these cases."""
    return find_cause(law(code), binding, Seen(failing=failing, broken={code, *broken}, **seen), judge)


def even(binding, case):
    return HOLDS if binding is BINDING and case.length % case.world_size == 0 else BROKEN


def test_a_change_that_fixes_every_case_is_the_cause():
    found = cause_of("SC104", FAILING, Judge(even))
    assert found is not None
    assert found.cause.change.text == "length a multiple of world_size"
    assert found.evidence == "with length a multiple of world_size, 15 of 15 hold"


def test_an_empty_dataset_in_which_much_hangs_is_no_case_to_test_causes_on():
    judge = Judge(even)
    found = cause_of("SC104", [Case(length=0, world_size=2), *FAILING], judge)
    assert found is not None
    assert all(case.length for case in judge.asked)
    assert cause_of("SC104", [Case(length=0, world_size=2)] * 3, Judge(lambda *_: BROKEN)) is None


@pytest.mark.parametrize("otherwise", [BROKEN, UNKNOWN])
def test_one_case_that_is_not_fixed_speaks_against_a_cause(otherwise):
    def says(binding, case):
        return otherwise if case.length == 16 else even(binding, case)

    assert cause_of("SC104", FAILING, Judge(says)) is None


def test_where_few_cases_can_be_had_one_of_them_is_enough_if_that_is_said():
    one = FAILING[:1]
    assert cause_of("SC104", one, Judge(even)) is None
    found = cause_of("SC104", one, Judge(even), fewest=1)
    assert found is not None
    assert found.evidence.endswith("1 of 1 hold")


def test_a_change_after_which_there_is_nothing_to_look_at_shows_nothing():
    assert cause_of("SC104", FAILING, Judge(lambda *_: NOTHING)) is None


def test_a_change_that_can_be_made_in_few_cases_shows_nothing():
    mostly_even = [Case(length=n, world_size=2) for n in (2, 4, 6, 8, 10, 11, 13)]
    assert cause_of("SC104", mostly_even, Judge(even)) is None


def test_two_cases_are_too_few_to_show_a_cause():
    assert cause_of("SC104", FAILING[:2], Judge(even)) is None


def test_a_law_without_known_causes_has_none_and_runs_nothing():
    judge = Judge(even)
    assert cause_of("MY001", FAILING, judge) is None
    assert judge.asked == []


def test_cases_in_which_nothing_is_yielded_do_not_show_that_an_argument_is_ignored():
    class Short(Judge):
        least = 0

        def alike(self, binding, case, changed, other):
            return super().alike(binding, case, changed, other) if case.length >= self.least else None

    def found(least, *, alike=True):
        judge = Short(lambda *_: BROKEN, alike=alike)
        judge.least = least
        return cause_of("SC303", FAILING[1:], judge, small=FAILING)

    assert found(1000) is None
    assert found(0, alike=False) is None
    some, every = found(max(case.length for case in FAILING)), found(0)
    assert int(some.evidence.split()[-7]) < int(every.evidence.split()[-7])


def test_a_change_of_an_argument_that_the_target_does_not_take_is_not_tried():
    bare = Binding(lambda length: range(length), Contract(), {}, "bare")  # noqa: PLW0108  (range has no signature)
    alike = Judge(lambda *_: BROKEN, alike=True)
    assert cause_of("SC303", FAILING[1:], alike, binding=bare, small=FAILING) is None
    assert cause_of("SC303", FAILING[1:], alike, small=FAILING)


def test_a_cause_is_not_told_where_another_broken_law_means_something_else():
    def says(binding, case):
        return HOLDS if binding is not BINDING else BROKEN

    told = cause_of("SC201", FAILING, Judge(says))
    other = cause_of("SC201", FAILING, Judge(says), broken={"SC501"})
    assert told is not None
    assert other is None or other.cause is not told.cause


def test_the_more_laws_are_broken_the_fewer_cases_are_run_for_each():
    many = [Case(length=n, world_size=2) for n in range(1, 400, 2)]
    few, one = Judge(even), Judge(even)
    others = {f"SC{number}" for number in range(20)}
    cause_of("SC904", many, one)
    cause_of("SC904", many, few, broken=others)
    assert len(few.asked) <= len(one.asked) <= 40 + 1
    found = cause_of("SC104", many, Judge(even), broken=others)
    assert found is not None
    assert found.shown == 12


def test_a_failing_case_that_is_so_already_speaks_against_a_cause():
    divided = Case(length=8, world_size=2)

    def says(binding, case):
        return BROKEN if case == divided else even(binding, case)

    assert cause_of("SC104", FAILING, Judge(says)) is not None
    assert cause_of("SC104", [*FAILING, divided], Judge(says)) is None


def test_what_cases_have_in_common_that_nearly_all_others_have_as_well_is_no_cause():
    """Nine in ten of those that are not divided keep the law: there is more to these."""
    others = [Case(length=n, world_size=2, shuffle=True) for n in range(101, 350, 2)]
    assert cause_of("SC104", FAILING, Judge(even), small=[*FAILING, *others[:30]]) is not None
    assert cause_of("SC104", FAILING, Judge(even), small=[*FAILING, *others]) is None


def test_a_round_too_many_is_the_cause_only_where_nearly_all_that_divide_get_it():
    failing = [Case(length=n, world_size=2) for n in range(2, 30, 2)]
    others = [Case(length=n, world_size=2) for n in range(102, 132, 2)]
    judge = Judge(lambda binding, case: HOLDS if case.length % 2 else BROKEN)
    few, many = ([*failing, *others[:number]] for number in (3, 15))
    found = cause_of("SC103", failing, judge, small=few)
    assert found is not None
    assert found.cause.everywhere
    assert cause_of("SC103", failing, judge, small=many) is None


def test_cases_under_other_settings_do_not_count_among_the_others():
    others = [Case(length=n, world_size=2) for n in range(101, 350, 2)]
    assert cause_of("SC104", FAILING, Judge(even), small=[*FAILING, *others]) is not None


@pytest.mark.parametrize(
    ("fixing", "text"),
    [
        ({"EpochInSeed"}, "the epoch added to the seed of a fresh object"),
        ({"EpochInSeed", "Fresh"}, "a fresh object for every pass"),
    ],
)
def test_a_change_whose_side_effect_is_enough_shows_nothing(fixing, text):
    def says(binding, case):
        return HOLDS if type(binding.build(case, 0, {})).__name__ in fixing else BROKEN

    assert cause_of("SC301", FAILING, Judge(says)).cause.change.text == text


class SeededByItsRank:
    """Yields what it draws when a pass begins."""

    def __init__(self, length, rank, world_size, seed):
        self.seed = seed + rank

    def __iter__(self):
        yield Random(self.seed).random()


def test_seeds_are_blamed_where_those_of_rank_0_make_it_hold_and_never_with_one_rank():
    own = Binding(SeededByItsRank, Contract(), {}, "seed")

    def says(binding, case):
        shares = [list(binding.build(case, rank, {})) for rank in range(case.world_size)]
        return HOLDS if all(share == shares[0] for share in shares) else BROKEN

    found = cause_of("SC102", FAILING, Judge(says), binding=own, fewest=1)
    assert found is not None
    assert found.cause.change.text == "every generator seeded as on rank 0"
    alone = cause_of("SC102", [Case(length=3, shuffle=True)], Judge(lambda *_: BROKEN), binding=own, fewest=1)
    assert alone is None


def test_the_evidence_says_of_how_many_cases_nothing_is_known():
    def says(binding, case):
        return NOTHING if case.length > 20 else even(binding, case)

    found = cause_of("SC104", FAILING, Judge(says))
    assert found.evidence == "with length a multiple of world_size, 10 of 15 hold; the rest tells nothing"


def test_an_argument_is_not_asked_for_if_no_case_in_which_it_must_matter_tells_it_apart():
    odd = [Case(length=n, world_size=2, shuffle=True) for n in range(3, 30, 2)]
    holding = [Case(length=n, world_size=2) for n in range(3, 30)]

    class Obeying(Judge):
        def alike(self, binding, case, changed, other):
            return super().alike(binding, case, changed, other) and case.shuffle

    kept = {"small": [*odd, *holding]}
    assert cause_of("SC301", odd, Judge(lambda *_: BROKEN, alike=True), **kept).evidence.startswith(
        "with shuffle flipped, 38 of 38 yield the very same"
    )
    assert cause_of("SC301", odd, Obeying(lambda *_: BROKEN, alike=True), **kept).evidence.startswith(
        "with another seed, "
    )


def test_an_argument_is_no_cause_of_a_failure_where_it_cannot_matter():
    single = [Case(length=1, world_size=2, shuffle=True, seed=seed) for seed in range(9)]
    assert cause_of("SC301", single, Judge(lambda *_: BROKEN, alike=True)) is None


def test_an_ignored_batch_size_is_why_batches_have_the_wrong_size_also_where_one_would_be_enough():
    batched = Binding(lambda length, batch_size, rank, world_size: [], Contract(), {}, "made")
    failing = [Case(length=n, batch_size=size) for n in range(3, 9) for size in (1, 3)]
    found = cause_of("SC601", failing, Judge(lambda *_: BROKEN, alike=True), binding=batched)
    assert found.cause.sentence == "The sampler ignores batch_size."
    whole = [Case(length=2, batch_size=3), *failing]  # a batch of two samples is no wrong one
    assert cause_of("SC601", whole, Judge(lambda *_: BROKEN, alike=True), binding=batched) is None


def test_a_case_that_holds_unchanged_when_it_is_run_again_has_no_cause():
    """What failed has changed by itself: a change shows nothing then."""
    asked = []

    def says(binding, case):
        asked.append(case)
        return HOLDS if case in asked[:-1] else even(binding, case)

    first = Judge(says)
    for case in FAILING:
        assert first.outcome(None, BINDING, case) is BROKEN
    assert cause_of("SC104", FAILING, Judge(says)) is None


@pytest.mark.parametrize("every", range(2, TRIALS + 1))
def test_of_few_cases_each_run_must_say_the_same_where_two_objects_differ(every):
    """A clock, or chance, lets one case hold with a change that does nothing, and fail without it."""
    number = count(1)
    judge = Judge(lambda *_: HOLDS if next(number) % every == 0 else BROKEN)
    for code in ("SC102", "SC103", "SC104", "SC301", "SC402"):
        assert cause_of(code, FAILING[1:2], judge, fewest=1, broken={"SC402"}) is None
    assert cause_of("SC104", FAILING[1:2], Judge(even), fewest=1, broken={"SC402"}) is not None


def test_an_argument_is_ignored_only_where_it_is_in_processes_of_their_own_too():
    def found(answer):
        asked = []

        def afresh(cause, case):
            asked.append(case)
            return answer

        seen = Seen(failing=FAILING[1:], broken={"SC303"}, small=FAILING)
        alike = Judge(lambda *_: BROKEN, alike=True)
        return find_cause(law("SC303"), BINDING, seen, alike, afresh), asked

    told, asked = found(answer=True)
    assert told is not None
    assert 0 < len(asked) <= 3
    assert found(answer=False)[0] is None


@pytest.mark.parametrize(("is_lucky", "named"), [(False, True), (True, True), (True, False)])
def test_the_epoch_is_not_blamed_where_another_seed_breaks_the_law_without_it(is_lucky, named):
    """What holds in epoch 0 may hold by the order that came; where no seed can be set nobody can tell."""

    class Told:
        def __init__(self, length, seed=0):
            self.length = length

        def set_epoch(self, epoch):
            self.epoch = epoch

    class Unseeded(Told):
        def __init__(self, length):
            super().__init__(length)

    binding = Binding(Told if named else Unseeded, Contract(), {}, "told")

    def says(binding, case):
        is_still = type(binding.build(case, 0, {})).__name__ == "Still"
        return HOLDS if is_still and not (is_lucky and case.seed) else BROKEN

    found = cause_of("SC102", [Case(length=n, epochs=3) for n in range(3, 9)], Judge(says), binding=binding)
    assert (found is None) is (is_lucky and named)
    if found is not None:
        assert found.cause.change.text == "set_epoch never called"
