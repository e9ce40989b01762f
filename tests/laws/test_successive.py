"""SC1002, of successive epochs: none goes through the order of the epoch before it."""

from __future__ import annotations

import random

import pytest

from samplercheck import Contract
from samplercheck.laws.uniform_shuffle import LAW
from tests.laws.test_uniform_shuffle import shuffling
from tests.support.traces import judged

NUMBER, EPOCHS = 1_536, 24
FRESH = [random.Random(seed).sample(range(NUMBER), NUMBER) for seed in range(EPOCHS)]


def turned(order, places):
    return order[places:] + order[:places]


def strided(orders):
    return [one[::2] for one in orders], [one[1::2] for one in orders]


def contiguous(orders):
    half = NUMBER // 2
    return [one[:half] for one in orders], [one[half:] for one in orders]


TO_AND_FRO = [FRESH[number // 2][:: -1 if number % 2 else 1] for number in range(EPOCHS)]
TURNED = [turned(FRESH[0], 61 * number % NUMBER) for number in range(EPOCHS)]
IN_PARTS = [
    [
        sample
        for part in random.Random(seed).sample(range(64), 64)
        for sample in FRESH[0][part * 24 : part * 24 + 24]
    ]
    for seed in range(EPOCHS)
]


@pytest.mark.parametrize("orders", [TO_AND_FRO, TURNED, IN_PARTS], ids=["to and fro", "turned", "in parts"])
@pytest.mark.parametrize("deal", [strided, contiguous, lambda orders: (orders,)])
def test_an_order_that_goes_through_the_one_before_is_broken_however_it_is_dealt(orders, deal):
    (found,) = judged(LAW, shuffling(*deal(orders), length=NUMBER))
    assert found.evidence.kind == "successive"
    assert found.chance <= 1e-13
    assert found.fault == "epochs go through the order before them"


@pytest.mark.parametrize("size", [2, 3, 7])
def test_whole_batches_that_go_backwards_are_broken_whatever_their_own_order_is(size):
    batches = [[one[at : at + size] for at in range(0, NUMBER, size)] for one in TO_AND_FRO]
    (found,) = judged(LAW, shuffling(batches, length=NUMBER, batch_size=size, kind="batches"))
    assert found.evidence.kind == "successive"


@pytest.mark.parametrize("deal", [strided, contiguous, lambda orders: (orders,)])
def test_epochs_that_are_shuffled_for_themselves_hold(deal):
    assert judged(LAW, shuffling(*deal(FRESH), length=NUMBER)) == []


def test_padding_by_the_head_holds():
    padded = [one + one[:100] for one in FRESH]
    assert judged(LAW, shuffling(*strided(padded), length=NUMBER)) == []


def test_what_every_epoch_drops_at_random_holds():
    assert judged(LAW, shuffling([one[:1_400] for one in FRESH], length=NUMBER)) == []


def test_two_epochs_of_a_beginning_are_excused():
    first = [FRESH[0], turned(FRESH[0], 7), turned(FRESH[0], 9)]
    assert judged(LAW, shuffling([*first, *FRESH[1:]], length=NUMBER)) == []


def test_draws_and_orders_of_seeds_are_not_asked_for_it():
    fixed = Contract(epochs="fixed", order="shuffled")
    assert judged(LAW, shuffling(TO_AND_FRO, length=NUMBER, contract=fixed)) == []


def test_how_far_luck_takes_independent_shuffles_is_bounded_from_above():
    draw = random.Random(1)
    for _ in range(20):
        orders = [draw.sample(range(NUMBER), NUMBER) for _ in range(EPOCHS)]
        assert judged(LAW, shuffling(*strided(orders), length=NUMBER)) == []
