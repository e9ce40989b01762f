"""SC1002: with shuffling, every sample is equally likely at every place and on every rank."""

from __future__ import annotations

import random
from itertools import permutations

import numpy as np
import pytest

from samplercheck import Contract
from samplercheck.laws._long_passes import _distance
from samplercheck.laws.law import Scope
from samplercheck.laws.uniform_shuffle import LAW
from tests.support.traces import a_record, a_trace, judged

EPOCHS = 1_000
LENGTH = 6


def shuffling(*records, contract=None, named=("length", "shuffle", "seed"), **case):
    """A trace of ranks that shuffled, pass by pass."""
    return a_trace(
        *[[]] * len(records),
        others={"draws": [a_record(*passes) for passes in records]},
        contract=contract,
        named=named,
        shuffle=True,
        epochs=max(len(passes) for passes in records),
        **{"length": LENGTH, **case},
    )


def orders(seed=0):
    """Fair orders, one for each epoch."""
    draw = random.Random(seed)
    return [draw.sample(range(LENGTH), LENGTH) for _ in range(EPOCHS)]


def dealt(found):
    """Deal out orders to two ranks."""
    return [one[::2] for one in found], [one[1::2] for one in found]


def test_fair_orders_hold_on_one_rank_and_on_two():
    assert judged(LAW, shuffling(orders())) == []
    assert judged(LAW, shuffling(*dealt(orders()))) == []


def test_a_sample_that_never_comes_first_is_broken():
    biased = [one for one in orders() if one[0] != 2]
    (found,) = judged(LAW, shuffling(biased))
    assert (found.rank, found.step, found.indices) == (0, 0, (2,))
    assert found.chance <= 1e-13
    assert found.found.startswith("sample 2 should be 16.7% at place 0 of rank 0 and was 0.0% over")


def test_a_rank_that_gets_a_sample_too_often_is_broken():
    """At none of its places a sample is conspicuous enough, over all of them it is."""
    draw = random.Random(0)
    first, second = dealt([one for one in orders() if 3 in one[::2] or draw.random() < 0.05])
    (found,) = judged(LAW, shuffling(first, second))
    assert (found.step, found.indices) == (None, (3,))
    assert found.found.startswith("sample 3 should be 16.7% of what rank 0 yields and was 3")


def pooled(never_first=()):
    """Two ranks that shuffle what their node has, padded with sample 0 before that."""
    draw, found = random.Random(1), []
    for _ in range(EPOCHS):
        one = draw.sample([*range(LENGTH - 1), 0], LENGTH)
        while one[0] in never_first:
            draw.shuffle(one)
        found.append(one)
    return dealt(found)


def test_a_sample_that_pads_every_epoch_before_it_is_shuffled_favours_nothing():
    ranks = {"length": LENGTH - 1, "contract": Contract(shuffles="share")}
    assert judged(LAW, shuffling(*pooled(), **ranks)) == []
    (found,) = judged(LAW, shuffling(*pooled([3]), **ranks))
    assert (found.rank, found.step, found.indices) == (0, 0, (3,))
    assert judged(LAW, shuffling(*pooled(), length=LENGTH - 1))[0].indices == (0,)


@pytest.mark.parametrize("period", [10, 30, 400])
def test_orders_that_come_back_by_a_rule_are_counted_once(period):
    few = orders()[:period]
    assert judged(LAW, shuffling((few * EPOCHS)[:EPOCHS])) == []
    assert judged(LAW, shuffling([*orders(1)[:5], *few * 20][:EPOCHS])) == []  # from the sixth epoch on
    assert judged(LAW, shuffling([one for one in few for _ in range(4)])) == []  # each for four epochs


def test_an_order_that_is_likelier_than_others_is_counted_as_often_as_it_comes():
    """Each sample is equally likely at every place, though one order in six is the dataset's own."""
    draw, drawn = random.Random(3), []
    for one in orders():
        while any(i == place for place, i in enumerate(one)):
            draw.shuffle(one)
        drawn.append(one if draw.randrange(LENGTH) else list(range(LENGTH)))
    assert judged(LAW, shuffling(drawn)) == []
    (found,) = judged(LAW, shuffling([one for one in drawn if one != list(range(LENGTH))]))
    assert found.found.startswith("sample 0 should be 16.7% at place 0 of rank 0 and was 0.0% over")


def test_passes_of_varying_length_are_counted_whole():
    drawn = Contract(coverage="sampled", order="shuffled")
    draw = random.Random(0)
    fair = [draw.choices(range(LENGTH), k=draw.randrange(12)) for _ in range(EPOCHS)]
    assert judged(LAW, shuffling(fair, contract=drawn)) == []
    (found,) = judged(LAW, shuffling([sorted(one) for one in fair], contract=drawn))
    assert found.step is not None


def test_an_order_that_never_changes_is_the_finding_of_another_law():
    assert not LAW.sees(shuffling([[0, 1, 2, 3, 4, 5]] * EPOCHS))


def test_empty_passes_show_nothing():
    assert not LAW.sees(shuffling([[]] * EPOCHS))


def test_without_a_shuffle_there_is_nothing_to_see():
    assert not LAW.sees(a_trace([[0, 1]], length=2, shuffle=False))


def test_draws_by_unequal_weights_are_not_uniform_and_not_judged():
    drawn = Contract(coverage="sampled", order="shuffled")
    even, rising = (1.0,) * LENGTH, tuple(float(i + 1) for i in range(LENGTH))
    named = ("weights",)
    assert LAW.sees(shuffling(orders(), contract=drawn, named=named, features={"weights": even}))
    assert not LAW.sees(shuffling(orders(), contract=drawn, named=named, features={"weights": rising}))


@pytest.mark.parametrize(
    ("contract", "named", "traits", "applies"),
    [
        (Contract(), {"shuffle"}, (), True),
        (Contract(), {"length"}, (), False),
        (Contract(order="shuffled"), {"length"}, (), True),
        (Contract(order="free"), {"shuffle"}, (), False),
        (Contract(shuffles="chunks"), {"shuffle"}, (), False),
        (Contract(coverage="subset"), {"shuffle"}, (), False),
        (Contract(coverage="sampled"), {"shuffle"}, (), True),
        (Contract(coverage="sampled", frequencies="unjudged"), {"shuffle"}, (), False),
        (Contract(batches="variable"), {"shuffle"}, (), False),
        (Contract(tail_unit="group"), {"shuffle"}, (), False),
        (Contract(epochs="fixed"), {"shuffle"}, (), False),
        (Contract(epochs="fixed"), {"shuffle", "seed"}, (), True),
        (Contract(), {"shuffle", "labels"}, (), False),
        (Contract(), {"shuffle"}, ("reads lengths",), False),
        (Contract(), {"shuffle"}, ("reads weights",), True),
        (Contract(), {"shuffle"}, ("stream",), False),
    ],
)
def test_it_applies_to_unconstrained_shuffles_of_whole_epochs(contract, named, traits, applies):
    scope = Scope(contract=contract, named=frozenset(named), traits=frozenset(traits))
    assert LAW.applies(scope) is applies


@pytest.mark.parametrize(
    ("frequencies", "applies"),
    [
        (lambda length, _: [1] * (length - 1) + [0], False),
        (lambda _, features: [1 / features.labels.count(one) for one in features.labels], True),
        (lambda length, features: [features.axis_of_its_own] * length, True),
    ],
)
def test_it_does_not_apply_where_no_case_gives_equal_chances(frequencies, applies):
    contract = Contract(coverage="sampled", frequencies=frequencies, order="shuffled")
    named = frozenset({"length", "seed"})
    assert LAW.applies(Scope(contract=contract, named=named, traits=frozenset())) is applies


LARGE = 3_072


def in_parts(size, seed):
    """An order in which parts of so many samples are shuffled, each by itself."""
    draw = random.Random(seed)
    parts = [range(start, min(start + size, LARGE)) for start in range(0, LARGE, size)]
    return [sample for part in parts for sample in draw.sample(part, len(part))]


@pytest.mark.parametrize("size", [2, 64, 256, 512])
def test_a_large_dataset_that_is_shuffled_in_parts_is_broken(size):
    first, second = dealt([in_parts(size, seed) for seed in range(2)])
    (found,) = judged(LAW, shuffling(first, second, length=LARGE))
    assert found.rank == 0
    assert found.chance <= 1e-13
    assert found.evidence.kind == "near"
    assert "an unbiased shuffle 512" in found.found


def test_a_large_dataset_that_is_shuffled_as_a_whole_holds():
    for seed in range(0, 40, 2):
        passes = [in_parts(LARGE, seed + more) for more in range(2)]
        assert judged(LAW, shuffling(passes, length=LARGE)) == []
        assert judged(LAW, shuffling(*dealt(passes), length=LARGE)) == []


def test_one_epoch_that_is_well_shuffled_clears_a_rank():
    mixed = [in_parts(256, 0), in_parts(LARGE, 1)]
    assert judged(LAW, shuffling(mixed, length=LARGE)) == []


def test_how_far_luck_takes_a_shuffle_is_bounded_from_above():
    """The inequality has room to spare: of many shuffles none comes near its bound."""
    bounds = [_distance(np.array(in_parts(LARGE, seed)))[2] for seed in range(300)]
    assert min(bounds) > 1e-3


def test_how_far_a_shuffle_takes_samples_is_the_mean_over_all_orders():
    seen = [_distance(np.array(order)) for order in permutations(range(6))]
    assert sum(far for far, _, _ in seen) / len(seen) == pytest.approx(seen[0][1])
    apart = np.array([abs(far - fair) for far, fair, _ in seen])
    assert all((apart >= abs(far - fair) - 1e-9).mean() <= chance for far, fair, chance in seen)


def biased(number, seed):
    """An order by swaps with any place: the textbook's mistake."""
    rng, order = random.Random(seed), list(range(number))
    for at in range(number):
        other = rng.randrange(number)
        order[at], order[other] = order[other], order[at]
    return order


def test_a_slight_bias_shows_in_the_pairs_of_many_long_epochs():
    (found,) = judged(LAW, shuffling([biased(1_536, seed) for seed in range(24)], length=1_536))
    assert "of all pairs of samples in the dataset's order, over 24 epochs" in found.found
    assert found.evidence.kind == "pairs"


def test_the_pairs_of_an_unbiased_shuffle_are_in_order_half_of_the_time():
    for start in range(0, 240, 24):
        orders = [random.Random(seed).sample(range(1_536), 1_536) for seed in range(start, start + 24)]
        assert judged(LAW, shuffling(orders, length=1_536)) == []


def test_a_first_epoch_in_order_is_excused():
    orders = [random.Random(seed).sample(range(1_536), 1_536) for seed in range(23)]
    assert judged(LAW, shuffling([list(range(1_536)), *orders], length=1_536)) == []


def by_keys(number, seed, length=LARGE):
    """An order by random keys, of which there are so many: samples with the same key stay in order."""
    draw = random.Random(seed)
    keys = [draw.randrange(number) for _ in range(length)]
    return sorted(range(length), key=keys.__getitem__)


@pytest.mark.parametrize("number", [100, 1_000])
def test_a_shuffle_by_few_keys_goes_up_from_sample_to_sample(number):
    first, second = dealt([by_keys(number, seed) for seed in range(24)])
    (found,) = judged(LAW, shuffling(first, second, length=LARGE))
    assert (found.rank, found.evidence.kind) == (0, "rising")
    assert "goes up from one sample to the next in" in found.found
    assert found.chance <= 1e-13


def test_strides_through_a_dataset_are_no_shuffle_though_each_goes_up_otherwise():
    strides = [
        [at * step % 3_067 for at in range(3_067)] for step in random.Random(0).sample(range(1, 3_067), 24)
    ]
    (found,) = judged(LAW, shuffling(strides, length=3_067))
    assert found.evidence.kind == "rising"


def test_long_keys_draws_and_padding_go_up_half_of_the_time():
    keyed = [by_keys(2**62, seed) for seed in range(24)]
    assert judged(LAW, shuffling(keyed, length=LARGE)) == []
    padded = [one + one[:500] for one in keyed]
    assert judged(LAW, shuffling(padded, length=LARGE)) == []
    draws = [random.Random(seed).choices(range(LARGE), k=LARGE) for seed in range(24)]
    drawn = Contract(coverage="sampled", order="shuffled")
    assert judged(LAW, shuffling(draws, length=LARGE, contract=drawn, named=("length", "seed"))) == []


def test_two_epochs_in_order_are_excused():
    orders = [by_keys(2**62, seed) for seed in range(22)]
    assert judged(LAW, shuffling([list(range(LARGE)), *orders, list(range(LARGE))], length=LARGE)) == []


def in_batches(orders, size=3):
    return [[sorted(one[at : at + size]) for at in range(0, len(one), size)] for one in orders]


def test_in_which_order_a_batch_holds_its_samples_means_nothing():
    ascending = in_batches(orders())
    assert judged(LAW, shuffling(ascending, batch_size=3)) == []
    long = in_batches([by_keys(2**62, seed) for seed in range(24)], 64)
    assert judged(LAW, shuffling(long, length=LARGE, batch_size=64)) == []


def test_a_sample_that_is_never_in_the_first_batch_is_broken():
    biased = in_batches([one for one in orders() if 2 not in one[:3]])
    (found,) = judged(LAW, shuffling(biased, batch_size=3, kind="batches"))
    assert found.indices == (2,)
    assert found.found.startswith("sample 2 should be 16.7% in the batch of place ")


def test_of_a_rank_that_stands_still_beside_others_that_is_said():
    first, second = dealt(orders())
    (found,) = judged(LAW, shuffling(first, [second[0]] * EPOCHS))
    assert (found.rank, found.evidence.kind) == (1, "still")
    share = Contract(shuffles="share")
    draw = random.Random(0)
    moving, still = [draw.sample((0, 2, 4), 3) for _ in range(EPOCHS)], [[5, 1, 3]] * EPOCHS
    (found,) = judged(LAW, shuffling(moving, still, contract=share))
    assert (found.rank, found.evidence.kind) == (1, "still")
    assert found.found == f"rank 1 yields the same in each of {EPOCHS} epochs, and other ranks do not"


def padded(fill):
    """Three ranks that take blocks of two of four shuffled samples and what these are filled up with."""
    draw = random.Random(0)
    whole = [(one := draw.sample(range(4), 4)) + fill(one) for _ in range(EPOCHS)]
    return [[one[at : at + 2] for one in whole] for at in (0, 2, 4)]


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 0, 1)])
def test_of_a_rank_of_nothing_but_padding_it_is_said_that_the_padding_stays(order):
    ranks = padded(lambda _: [0, 0])
    (found,) = judged(LAW, shuffling(*[ranks[at] for at in order], length=4))
    assert (found.rank, found.evidence.kind) == (order.index(2), "still")
    assert found.fault == "the padding is always the same samples"
    assert found.found.endswith("epochs is padded with sample 0, and with no other")
    assert "set_epoch" not in found.hint
    assert judged(LAW, shuffling(*padded(lambda one: one[:2]), length=4)) == []


def test_it_is_said_of_padding_beside_other_samples_too_but_not_where_some_are_missing():
    draw = random.Random(0)
    whole = [[*draw.sample(range(5), 5), 0] for _ in range(EPOCHS)]
    (found,) = judged(LAW, shuffling(*dealt(whole), length=5))
    assert (found.fault, found.indices) == ("the padding is always the same samples", (0,))
    assert found.evidence.kind == ""
    (found,) = judged(LAW, shuffling(*dealt([[*one[1:], 0] for one in whole]), length=6))
    assert found.fault == ""
