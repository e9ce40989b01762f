"""SC301 on traces written by hand: a part of every epoch that stands still beside one that is shuffled."""

from __future__ import annotations

import random

import pytest

from samplercheck import Contract
from samplercheck.laws.reshuffles import LAW
from tests.support.traces import a_trace, judged

CHUNKS = Contract(order="shuffled", shuffles="chunks")
LENGTH = 24


def orders(still: int, epochs: int = 48) -> list[list[int]]:
    """Epochs of which so many samples stand at their places, behind others that are shuffled."""
    moving = list(range(LENGTH - still))
    return [
        [*random.Random(epoch).sample(moving, len(moving)), *range(len(moving), LENGTH)]
        for epoch in range(epochs)
    ]


def trace_of(still: int, epochs: int = 48, ranks: int = 1, contract: Contract = CHUNKS, **case):
    shares = [[order[rank::ranks] for order in orders(still, epochs)] for rank in range(ranks)]
    return a_trace(*shares, length=LENGTH, epochs=epochs, contract=contract, **case)


def test_a_part_that_stands_still_breaks():
    (violation,) = judged(LAW, trace_of(12))
    assert violation.found == (
        "12 of the 24 samples of rank 0 come at the same places in each of 48 epochs, and others do not: "
        "12, 13, 14 ... (12 in all)"
    )
    assert (violation.rank, violation.chance, violation.evidence.kind) == (0, 2.0**-47, "stands")
    assert violation.fault == "a part of every epoch has the same order"


def test_the_places_of_all_ranks_count_together():
    (violation,) = judged(LAW, trace_of(8, ranks=3))
    assert violation.found.startswith("3 of the 8 samples of rank 1 come at the same places")
    assert violation.indices == (16, 19, 22)


@pytest.mark.parametrize(
    ("still", "changes"),
    [
        (7, {}),
        (12, {"epochs": 47}),
        (12, {"contract": Contract(order="shuffled")}),
        (12, {"features": {"lengths": (1,) * LENGTH}, "named": {"lengths"}}),
    ],
    ids=["what is left over", "few epochs", "a shuffle of all", "sorted by length"],
)
def test_what_a_design_explains_or_another_law_judges_holds(still, changes):
    assert judged(LAW, trace_of(still, **changes)) == []


def test_epochs_of_different_lengths_show_no_places():
    epochs = [order[: LENGTH - number % 2] for number, order in enumerate(orders(12))]
    assert judged(LAW, a_trace(epochs, length=LENGTH, epochs=48, contract=CHUNKS)) == []
