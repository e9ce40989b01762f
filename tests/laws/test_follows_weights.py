"""SC1001: what is drawn with replacement comes as often as its weight says."""

from __future__ import annotations

import random
import sys

import pytest

import samplercheck as sc
from samplercheck import Contract
from samplercheck.laws.follows_weights import LAW
from samplercheck.laws.law import Scope, UndecidedError
from samplercheck.values.owed import MANY_EPOCHS
from tests.support.traces import a_record, a_trace, judged

DRAWN = Contract(coverage="sampled", order="free")
ALONE = Contract.weighted()
EPOCHS = 400


def drawing(*records, contract=DRAWN, named=("weights", "rank", "world_size"), length=4, **case):
    """A trace of ranks that drew with replacement, pass by pass."""
    return a_trace(
        *[[]] * len(records),
        others={"draws": [a_record(*passes) for passes in records]},
        contract=contract,
        named=named,
        length=length,
        epochs=max(len(passes) for passes in records),
        **case,
    )


def passes(weights, number=4, epochs=EPOCHS, seed=0):
    """Fair draws by these weights."""
    draw = random.Random(seed)
    return [draw.choices(range(len(weights)), weights, k=number) for _ in range(epochs)]


WEIGHTS = (1.0, 2.0, 3.0, 4.0)
ONE_ZERO = (1.0, 1.0, 0.0, 1.0)


class DrawsInItsShare:
    """Every rank draws by the weights of its own share, as often as any other: light shares too often."""

    def __init__(self, weights, rank, world_size, seed=0):
        self.weights, self.rank, self.world_size = weights, rank, world_size
        self.seed, self.epoch = seed, 0

    def set_epoch(self, epoch):
        self.epoch = epoch

    def __iter__(self):
        own = list(range(len(self.weights)))
        share = own[self.rank :: self.world_size]
        if any(self.weights[index] for index in share):
            own = share
        drawn = random.Random(f"{self.seed} {self.epoch} {self.rank}")
        total = -(-len(self.weights) // self.world_size)
        return iter(drawn.choices(own, [self.weights[index] for index in own], k=total) if own else [])


def test_draws_from_shares_that_do_not_weigh_the_same_are_found_by_a_quick_run():
    target = sc.target(DrawsInItsShare, contract=DRAWN)
    report = sc.run(target, profile="quick", worlds=["simulated"], select=["SC1001"], isolate=False)
    assert [one.code for one in report.failures] == ["SC1001"]


class Draws:
    """Draws by the weights, or by their roots; what nobody sets stays the first epoch."""

    def __init__(self, weights, seed=0, power=1.0):
        self.weights, self.seed, self.epoch = [weight**power for weight in weights], seed, 0

    def set_epoch(self, epoch):
        self.epoch = epoch

    def __iter__(self):
        numbers = range(len(self.weights))
        return iter(random.Random(f"{self.seed} {self.epoch}").choices(numbers, self.weights, k=len(numbers)))


@pytest.mark.parametrize(("power", "outcome"), [(1.0, "holds"), (0.5, "broken")])
def test_where_set_epoch_is_not_called_other_seeds_show_how_often_samples_come(power, outcome):
    def factory(weights, seed):
        return Draws(weights, seed, power) if weights else []

    report = sc.run(
        factory,
        sc.Contract.weighted(),
        profile="quick",
        worlds=["simulated"],
        select=["SC1001"],
        isolate=False,
    )
    (of_draws,) = (one for one in report.results if one.code == "SC1001")
    assert of_draws.outcome.value == outcome
    assert not any(one.startswith("how often samples come") for one in report.not_tried)


@pytest.mark.parametrize(("weights", "found"), [((2, 1, 2, 1), 1), ((1, 1, 1, 1), 0)])
def test_classes_show_what_single_samples_do_not(weights: tuple[int, ...], found: int) -> None:
    drawn = passes(weights, epochs=330)
    features = {"labels": (0, 1, 0, 1)}
    said = judged(LAW, drawing(drawn, contract=ALONE, named=("labels",), features=features))
    assert len(said) == found
    for one in said:
        assert "of one label should be 50.0% of what is drawn and were " in one.found
        assert one.indices in {(0, 2), (1, 3)}
    assert judged(LAW, drawing(drawn, contract=ALONE, named=())) == []


@pytest.mark.parametrize(("drawn_from", "found"), [(20, 1), (40, 0)])
def test_of_many_samples_a_half_that_never_comes_is_found_in_few_epochs(drawn_from: int, found: int) -> None:
    drawn = passes((1,) * drawn_from, number=40, epochs=64)
    said = judged(LAW, drawing(drawn, contract=ALONE, named=(), length=40))
    assert len(said) == found
    for one in said:
        assert one.found.startswith("samples 20, 21, 22 ... (20 in all) should be 50.0% of what is drawn")
        assert (one.fault, one.consequence) == ("never draws some samples", "loses data")


PART = Contract(sharding="none", coverage="subset", frequencies="uniform", order="free")


def parts(*turns, number=EPOCHS, contract=PART):
    return drawing([list(turns[at % len(turns)]) for at in range(number)], contract=contract, named=())


def test_samples_that_no_part_of_a_subset_holds_are_named():
    (one,) = judged(LAW, parts((0, 1), (1, 2)))
    assert (one.indices, one.chance, one.consequence) == ((3,), 0.0, "loses data")
    assert one.found == "sample 3 never came in 400 passes, of which every 2 take the same samples again"
    (one,) = judged(LAW, parts((1, 2)))
    assert one.found == "samples 0 and 3 never came in 400 passes, of which all take the same samples"


@pytest.mark.parametrize("turns", [((0, 1), (2, 3)), ((0, 1), (1, 2), (2, 3), (3, 0)), ((3, 2, 1, 0),)])
def test_parts_that_hold_each_sample_in_turn_keep_what_is_promised(turns):
    assert LAW.sees(parts(*turns))
    assert judged(LAW, parts(*turns)) == []


@pytest.mark.parametrize(("number", "found"), [(4, 1), (5, 1), (3, 0)])
def test_parts_come_again_once_at_least_before_one_is_said_to_be_left_out(number, found):
    assert len(judged(LAW, parts((0, 1), (1, 2), number=number))) == found


def test_parts_that_are_drawn_show_which_samples_they_favour():
    draw = random.Random(1)
    fair = [draw.sample(range(4), 2) for _ in range(EPOCHS)]
    assert judged(LAW, drawing(fair, contract=PART, named=())) == []
    unfair = [[0, draw.randrange(1, 4)] for _ in range(EPOCHS)]
    (one,) = judged(LAW, drawing(unfair, contract=PART, named=()))
    assert one.found.startswith("sample 0 should be 25.0% of what is drawn and was 50.0%")


def test_of_a_subset_nothing_is_promised_unless_it_is_declared():
    assert LAW.applies(Scope(contract=PART, named=frozenset()))
    for said in ({}, {"frequencies": "unjudged"}):
        assert not LAW.applies(Scope(contract=Contract(coverage="subset", **said), named=frozenset()))


def test_fair_draws_hold():
    assert judged(LAW, drawing(passes(WEIGHTS), features={"weights": WEIGHTS})) == []


def test_draws_by_other_weights_are_broken_and_leave_luck_no_chance():
    (found,) = judged(LAW, drawing(passes((1.0,) * 4), features={"weights": WEIGHTS}))
    assert found.indices == (0,)
    assert found.chance <= 1e-13
    assert found.found.startswith("sample 0 should be 10.0% of what is drawn and was 2")
    assert (found.consequence or LAW.consequence, found.fault) == ("wrong gradients", "")
    assert found.hint.startswith("how weights become draws and drawn numbers")


def test_datasets_that_come_at_rates_of_their_own_may_be_meant():
    (one,) = judged(LAW, drawing(passes(WEIGHTS), named=("datasets", "rank", "world_size")))
    assert "frequencies='eventually'" in one.hint
    (one,) = judged(LAW, drawing(passes(WEIGHTS), named=("length", "rank", "world_size")))
    assert "frequencies='eventually'" not in one.hint


@pytest.mark.parametrize(("quotas", "harm"), [((2, 3, 5), []), ((4, 3, 3), ["wrong gradients"])])
def test_a_quota_of_a_dataset_is_rounded_to_whole_samples(quotas, harm):
    draw = random.Random(0)
    parts = (0, 1), (2, 3, 4, 5), (6, 7, 8)  # nine samples make three datasets of weights 1, 2 and 3
    mixed = [
        [draw.choice(part) for part, quota in zip(parts, quotas, strict=True) for _ in range(quota)]
        for _ in range(EPOCHS)
    ]
    trace = drawing(mixed, named=("datasets", "shares", "rank"), length=9)
    assert [one.consequence or LAW.consequence for one in judged(LAW, trace)] == harm


def test_what_is_never_drawn_is_lost():
    (found,) = judged(LAW, drawing(passes((0.0, 1.0, 1.0, 1.0)), features={"weights": (1.0,) * 4}))
    assert (found.indices, found.consequence) == ((0,), "loses data")
    assert (found.fault, found.event) == ("never draws some samples", "in every epoch")


def bootstrap(epochs=3_000, most=None):
    """Passes in which each of four samples comes a random number of times, in order, or the first of them."""
    draw = random.Random(1)
    return [[i for i in range(4) for _ in range(draw.choice((0, 0, 1, 1, 3)))][:most] for _ in range(epochs)]


def test_passes_of_varying_length_are_counted_whole():
    assert judged(LAW, drawing(bootstrap(), named=("length",))) == []
    (found,) = judged(LAW, drawing(bootstrap(most=4), named=("length",)))
    assert found.found.startswith("sample 3 should be 25.0% of what is drawn and was 1")


def test_samples_repeated_by_a_factor_are_held_against_all_draws_together():
    """A long pass counts for more than a short one, so that each draw counts alike."""
    draw = random.Random(1)
    factors = (1.5, 0.25)
    by_chance = [
        [i for i, factor in enumerate(factors) for _ in range(int(factor) + (draw.random() < factor % 1))]
        for _ in range(5_000)
    ]
    assert judged(LAW, drawing(by_chance, length=2, features={"weights": factors})) == []
    assert judged(LAW, drawing(by_chance, length=2, features={"weights": (2.0, 0.25)}))


def test_weight_zero_that_is_drawn_once_is_broken_for_certain():
    few = passes(ONE_ZERO, epochs=50)
    few[7][1] = 2
    (found,) = judged(LAW, drawing(few, features={"weights": ONE_ZERO}))
    assert (found.chance, found.indices) == (0.0, (2,))
    assert found.found == "sample 2 has weight 0 and was drawn in 1 of 50 passes"
    assert found.fault == "draws samples whose weight is 0"
    assert found.event == "in some epochs where a weight is 0"


def test_weight_zero_that_is_never_drawn_holds():
    assert judged(LAW, drawing(passes(ONE_ZERO), features={"weights": ONE_ZERO})) == []


def swapping():
    """Two samples in either order, by chance."""
    return [random.Random(epoch).sample([0, 1], 2) for epoch in range(EPOCHS)]


def test_ranks_are_judged_together_where_they_share():
    low, high = [[0, 1]] * EPOCHS, [[2, 3]] * EPOCHS
    swapped = swapping()
    even = {"weights": (1.0,) * 4}
    assert judged(LAW, drawing(swapped, high, features=even)) == []
    assert judged(LAW, drawing(swapped, low, features=even))


def test_every_rank_is_judged_by_itself_where_none_share():
    swapped = swapping()
    one_sided = drawing(swapped, [[2, 3]] * EPOCHS, contract=ALONE, features={"weights": (1.0,) * 4})
    (found,) = judged(LAW, one_sided)
    assert found.indices == (0,)


def test_without_weights_the_reference_is_uniform():
    assert judged(LAW, drawing(passes((1.0,) * 4), named=("length",))) == []
    (found,) = judged(LAW, drawing(passes(WEIGHTS), named=("length",)))
    assert found.fault == "draws some samples too often"
    assert "weights" not in found.hint


@pytest.mark.parametrize("named", ["labels", "lengths", "dataset"])
def test_what_may_draw_by_other_features_is_not_judged_where_they_differ(named):
    assert not LAW.sees(drawing(passes(WEIGHTS), named=(named,)))


def test_balanced_labels_leave_a_uniform_reference():
    balanced = {"labels": (0, 1, 0, 1)}
    [found] = judged(LAW, drawing(passes(WEIGHTS), named=("labels",), features=balanced))
    assert found.hint.endswith('here some are favoured. If that is meant, declare frequencies="eventually"')
    unbalanced = drawing(passes(WEIGHTS), named=("labels",), features={"labels": (0, 0, 0, 1)})
    assert not LAW.sees(unbalanced)


def test_one_draw_that_never_changes_says_nothing_of_how_it_was_drawn():
    assert not LAW.sees(drawing([[0, 0, 1, 3]] * EPOCHS, features={"weights": WEIGHTS}))


@pytest.mark.parametrize(
    ("drawn", "found"), [([0, 2, 1, 3], 1), ([0, 1, 1, 3], 0), ([2, 9], 0), ([2, -1], 0)]
)
def test_one_draw_that_never_changes_may_not_hold_what_has_no_weight(drawn, found):
    trace = drawing([drawn] * EPOCHS, features={"weights": ONE_ZERO})
    assert LAW.sees(trace)
    said = judged(LAW, trace)
    assert [one.found for one in said] == ["sample 2 has weight 0 and was drawn in 1 of 1 passes"] * found


def test_draws_of_a_single_sample_have_no_order_and_still_a_frequency():
    shuffled = Contract(coverage="sampled", order="shuffled")
    trace = drawing([[2] * 8] * 48, contract=shuffled, named=())
    assert LAW.sees(trace)
    (found,) = judged(LAW, trace)
    assert found.found == "sample 2 should be 25.0% of what is drawn and was 100.0% over 48 passes"
    for held in (
        drawing([[2] * 4] * 48, contract=shuffled, named=()),  # one draw that comes again may be so by luck
        drawing([[2] * 8] * 48, contract=DRAWN, named=()),  # no epoch has to differ
        drawing([[0] * 8] * 48, contract=shuffled, named=(), length=1),
        drawing([[9] * 8] * 48, contract=shuffled, named=()),
    ):
        assert not LAW.sees(held)


def test_strays_are_left_to_the_law_about_them():
    for stray in (-1, 4):
        strays = [[*one[:-1], stray] for one in passes((1.0,) * 4)]
        assert judged(LAW, drawing(strays, features={"weights": WEIGHTS})) == []


@pytest.mark.parametrize(("length", "seen"), [(0, False), (1, False), (2, True)])
def test_two_samples_at_least_are_needed(length, seen):
    weights = {"weights": (1.0,) * length}
    assert LAW.sees(drawing([[0], [1]], length=length, features=weights)) is seen


def test_it_wants_cases_of_many_epochs():
    few, many = drawing(passes(WEIGHTS, epochs=MANY_EPOCHS - 1)), drawing(passes(WEIGHTS, epochs=MANY_EPOCHS))
    assert not LAW.wants(few.case)
    assert LAW.wants(many.case)


@pytest.mark.parametrize(
    ("contract", "named", "applies"),
    [
        (DRAWN, "weights", True),
        (Contract(), "weights", False),
        (Contract(coverage="subset"), "weights", False),
        (DRAWN.but(epochs="fixed"), "weights", False),
        (DRAWN.but(epochs="fixed"), "seed", True),
    ],
)
def test_it_applies_where_passes_of_draws_differ(contract, named, applies):
    assert LAW.applies(Scope(contract=contract, named=frozenset({named}))) is applies


MANY = 4
EVENTUALLY = Contract(coverage="sampled", frequencies="eventually", order="free")


def test_what_comes_eventually_may_come_at_any_rate_but_never_not_at_all():
    often, never, of_one_zero = (MANY * passes(weights) for weights in ((1, 5, 5, 1), (1, 1, 1, 0), ONE_ZERO))
    assert judged(LAW, drawing(often, contract=EVENTUALLY)) == []
    (found,) = judged(LAW, drawing(never, contract=EVENTUALLY, named=("rank", "world_size")))
    assert found.found == f"sample 3 never came in {MANY * EPOCHS} passes"
    assert found.chance == pytest.approx(4 * 0.98 ** (MANY * EPOCHS))
    assert judged(LAW, drawing(of_one_zero, contract=EVENTUALLY, features={"weights": ONE_ZERO})) == []


@pytest.mark.parametrize(("tail", "length", "number"), [("pad", 64, 1), ("pad", 4, 0), ("drop", 64, 0)])
def test_of_many_samples_some_come_where_shares_are_filled_up(tail, length, number):
    promised = Contract(coverage="subset", frequencies="eventually", order="free", tail=tail)
    trace = drawing(
        [[]] * (MANY + 1) * EPOCHS, contract=promised, named=("rank", "world_size"), length=length
    )
    assert LAW.sees(trace)
    assert [one.indices[:2] for one in judged(LAW, trace)] == [(0, 1)] * number


@pytest.mark.parametrize(
    ("labels", "grade"),
    [
        ((1, 0, 0, 0), "strict"),  # the only one of its label has no partner
        ((0, 0, 0, 0), "harm"),
        ((1, 2, 0, 0), "harm"),  # another label of one sample does come
        ((1, 1, 0, 0), "harm"),  # the other one of its label does come
    ],
)
def test_labels_of_few_samples_may_be_left_out(labels, grade):
    trace = drawing(
        MANY * passes((0, 1, 1, 1)),
        contract=EVENTUALLY,
        named=("labels", "rank", "world_size"),
        features={"labels": labels},
    )
    (found,) = judged(LAW, trace)
    assert (found.indices, found.grade) == ((0,), grade)


def test_of_few_passes_nothing_is_said_about_what_comes_eventually():
    few, many = (drawing(times * passes((1, 1, 1, 0)), contract=EVENTUALLY) for times in (1, MANY))
    assert (LAW.sees(few), LAW.sees(many)) == (False, True)


def by_label(length, features):
    """As often as other labels, and all samples of one alike."""
    return [1 / list(features["labels"]).count(one) for one in features["labels"]]


ODD_NUMBERS = {
    "returned [1.0, 1.0] for 3 samples": lambda *_: [1.0, 1.0],
    "returned [1, 1, 1, 1] for 3 samples": lambda *_: [1, 1, 1, 1],
    "returned 1 for 3 samples": lambda *_: 1,
    "returned [inf, inf, inf] for 3 samples": lambda *_: [float("inf")] * 3,
    "returned [nan, 1, 1] for 3 samples": lambda *_: [float("nan"), 1, 1],
    "returned [-1, 1, 1] for 3 samples": lambda *_: [-1, 1, 1],
    "returned [0, 0, 0] for 3 samples": lambda *_: [0, 0, 0],
    "returned None for 3 samples": lambda *_: None,
    "failed (SystemExit: 3)": lambda *_: sys.exit(3),
    "failed (TypeError: ": abs,
}


@pytest.mark.parametrize("says", ODD_NUMBERS)
def test_a_function_that_gives_no_frequencies_is_told_and_nothing_is_judged_by_it(says):
    contract = Contract(coverage="sampled", frequencies=ODD_NUMBERS[says])
    trace = drawing([[0, 1, 2], [2, 2, 1]] * EPOCHS, contract=contract, length=3)
    with pytest.raises(UndecidedError) as raised:
        LAW.sees(trace)
    assert str(raised.value).startswith(f"the function of the contract's frequencies {says}")


def test_where_nothing_is_drawn_the_function_may_give_zero_for_every_sample():
    contract = Contract(coverage="sampled", frequencies=lambda *_: [0, 0, 0])
    assert not LAW.sees(drawing([[]] * EPOCHS, contract=contract, length=3))


def test_numbers_whose_sum_is_too_large_for_a_float_are_shares_all_the_same():
    contract = Contract(coverage="sampled", frequencies=lambda *_: [1e308, 1e308, 1e308])
    assert judged(LAW, drawing(passes((1, 1, 1), number=3), contract=contract, length=3)) == []


def test_who_has_declared_a_function_is_not_told_to_declare_one():
    contract = Contract(coverage="sampled", frequencies=lambda *_: [1, 2, 6])
    (found,) = judged(LAW, drawing(passes((1, 1, 1), number=3), contract=contract, length=3))
    assert "declare" not in found.hint


def always_first(epochs=EPOCHS, *, is_fair):
    """Labels of two and seven samples in equal shares: one of the two comes four times, the other three."""
    draw = random.Random(0)
    firsts = [draw.choice((0, 1)) if is_fair else 0 for _ in range(epochs)]
    return [draw.sample([0, 1] * 3 + [first, *range(2, 9)], 14) for first in firsts]


@pytest.mark.parametrize("is_fair", [True, False])
def test_a_sample_that_is_always_preferred_to_one_of_its_label_is_found(is_fair):
    contract = Contract(coverage="sampled", frequencies=by_label, order="shuffled")
    labels = {"labels": (1, 1, 0, 0, 0, 0, 0, 0, 0)}
    trace = drawing(
        always_first(is_fair=is_fair), contract=contract, named=("labels", "rank"), length=9, features=labels
    )
    found = judged(LAW, trace)
    if is_fair:
        assert found == []
        return
    assert found[0].found == (
        "sample 0 came more often than sample 1 in 400 of 400 passes and in none less often, where both "
        "should come alike"
    )
    assert found[0].chance == pytest.approx(9 * 9 * (7 / 8) ** EPOCHS)  # both come seven times in each pass


class Evened:
    """Each label comes as often as the commonest, each of its samples as often as the others or once more.

    Its bug gives what is left over to the first samples of a label, in every epoch.
    """

    def __init__(self, labels, rank, world_size, seed, *, to_the_first=False):
        self.rank, self.world_size, self.seed, self.epoch = rank, world_size, seed, 0
        self.groups = [[i for i, one in enumerate(labels) if one == label] for label in sorted({*labels})]
        self.to_the_first = to_the_first

    def set_epoch(self, epoch):
        self.epoch = epoch

    def __iter__(self):
        draw = random.Random(f"{self.seed}/{self.epoch}")
        most, order = max(map(len, self.groups), default=0), []
        for group in self.groups:
            shuffled = draw.sample(group, len(group))
            times, extra = divmod(most, len(group))
            order += shuffled * times + (group if self.to_the_first else shuffled)[:extra]
        draw.shuffle(order)
        total = -(-len(order) // self.world_size) * self.world_size
        return iter([order[i % len(order)] for i in range(self.rank, total, self.world_size)])


@pytest.mark.parametrize("to_the_first", [False, True])
def test_copies_that_are_left_over_are_for_any_sample_of_the_label(to_the_first):
    def build(labels, rank, world_size, seed):
        return Evened(labels, rank, world_size, seed, to_the_first=to_the_first)

    contract = Contract(coverage="sampled", frequencies=by_label, order="shuffled")
    target = sc.target(build, contract=contract)
    report = sc.run(target, profile="quick", select=["SC1001"], worlds=["simulated"])
    assert [one.code for one in report.failures] == ["SC1001"] * to_the_first
    if to_the_first:
        (failure,) = (one.failure for one in report.failures)
        assert "sample 7 should be 11.1% of what is drawn" in failure.message  # so is 8


@pytest.mark.parametrize(
    ("weights", "moved", "hint"),
    [
        ((1, 1, 1, 1), lambda index: index % 3, "how a drawn number becomes a sample (an offset?)"),
        ((1, 1, 1, 1), lambda index: max(index, 1), "how a drawn number becomes a sample (an offset?)"),
        ((1, 2, 3, 0), lambda index: index, "how far draws reach"),
        ((1, 2, 0, 0), lambda index: index, "how far draws reach"),
    ],
)
def test_where_some_never_come_it_is_how_numbers_become_samples_or_how_far_draws_reach(weights, moved, hint):
    drawn = [[moved(index) for index in one] for one in passes(weights)]
    (found,) = judged(LAW, drawing(drawn, contract=ALONE, features={"weights": [w or 1 for w in weights]}))
    assert found.hint.startswith(hint)
    assert found.fault == "never draws some samples"
    assert found.consequence == "loses data"
