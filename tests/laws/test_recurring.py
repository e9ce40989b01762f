"""SC1002, of many epochs: few of them have the order of an earlier one."""

from __future__ import annotations

import random
from math import comb, factorial, perm

import pytest

from samplercheck import Contract
from samplercheck.laws.uniform_shuffle import LAW
from tests.laws.test_uniform_shuffle import shuffling
from tests.support.traces import judged

NUMBER, EPOCHS = 26, 384


def orders(values, length=NUMBER, epochs=EPOCHS):
    """Fair orders, of seeds that have so many values."""
    draw = random.Random(1)
    return [random.Random(draw.randrange(values)).sample(range(length), length) for _ in range(epochs)]


def dealt(found):
    return tuple([one[rank::3] for one in found] for rank in range(3))


@pytest.mark.parametrize("values", [256, 1_000])
def test_seeds_of_few_values_are_broken_on_one_rank_and_on_three(values):
    for ranks in ((orders(values),), dealt(orders(values))):
        (found,) = judged(LAW, shuffling(*ranks, length=NUMBER))
        assert found.evidence.kind == "few"
        assert found.chance <= 1e-13


@pytest.mark.parametrize("values", [2**16, 2**62])
def test_seeds_of_many_values_hold_though_two_may_be_alike(values):
    found = orders(values)
    assert judged(LAW, shuffling(found, length=NUMBER)) == []
    found[200] = found[100]
    assert judged(LAW, shuffling(found, length=NUMBER)) == []


def test_seven_samples_have_orders_that_come_again_by_luck():
    found = orders(2**62, length=7)
    assert len(set(map(tuple, found))) < EPOCHS
    assert judged(LAW, shuffling(found, length=7)) == []


def test_orders_that_stay_for_some_epochs_or_come_in_turn_are_for_another_law():
    stays = [one for one in orders(2**62, epochs=EPOCHS // 4) for _ in range(4)]
    assert judged(LAW, shuffling(stays, length=NUMBER)) == []
    assert judged(LAW, shuffling(orders(2**62, epochs=192) * 2, length=NUMBER)) == []


def test_epochs_in_an_order_of_their_own_now_and_then_are_meant():
    found, draw = orders(2**62), random.Random(3)
    for at in draw.sample(range(EPOCHS), 60):
        found[at] = list(range(NUMBER)) if at % 2 else list(range(NUMBER))[::-1]
    assert [one for one in judged(LAW, shuffling(found, length=NUMBER)) if one.evidence.kind == "few"] == []


def test_of_orders_of_seeds_it_says_so():
    fixed = Contract(epochs="fixed", order="shuffled")
    (found,) = judged(LAW, shuffling(orders(256), length=NUMBER, contract=fixed))
    assert found.found.split()[1] == "seeds"


def test_batches_that_are_sorted_inside_are_counted_as_they_come():
    batches = [[sorted(one[at : at + 2]) for at in range(0, NUMBER, 2)] for one in orders(256)]
    (found,) = judged(LAW, shuffling(batches, length=NUMBER, batch_size=2, kind="batches"))
    assert found.evidence.kind == "few"


def in_batches(found):
    return [[one[at : at + 2] for at in range(0, NUMBER, 2)] for one in found]


@pytest.mark.parametrize(
    ("deal", "number", "case"),
    [
        (lambda found: (found,), factorial(NUMBER), {}),
        (dealt, factorial(NUMBER), {}),
        (lambda found: ([one[:20] for one in found],), perm(NUMBER, 20), {}),
        (lambda found: (in_batches(found),), factorial(NUMBER) / 2**13, {"batch_size": 2, "kind": "batches"}),
        (
            lambda found: ([one[:13] for one in found], [one[13:] for one in found]),
            factorial(13) ** 2 / (NUMBER + 1),
            {"contract": Contract(shuffles="share")},
        ),
    ],
    ids=["all", "all of three ranks", "the first of them", "in batches", "a share of each rank"],
)
def test_luck_is_that_of_two_epochs_among_as_many_orders_as_there_are(deal, number, case):
    (found,) = judged(LAW, shuffling(*deal(orders(256)), length=NUMBER, **case))
    assert found.chance == pytest.approx(comb(EPOCHS, 2) / number)


@pytest.mark.parametrize(("pairs", "epochs", "number"), [(4, 90, 0), (5, 90, 1), (5, 192, 1), (5, 193, 0)])
def test_two_orders_may_come_again_and_of_the_others_some_in_a_hundred_epochs(pairs, epochs, number):
    found = orders(2**62, epochs=epochs)
    for at in range(pairs):
        found[70 + at * at] = found[at]
    assert len(judged(LAW, shuffling(found, length=NUMBER))) == number
