"""What no law looks at under a contract is said, and nothing is said of what is judged."""

from __future__ import annotations

import pytest

from samplercheck import Contract
from samplercheck.engine._not_tried import ALIKE, BEGINNING, DRAWING, LATER, ORDER, SHARING, list_unjudged
from samplercheck.laws.law import Scope


def told(contract: Contract, named: frozenset[str] = frozenset()) -> list[str]:
    return list(list_unjudged(Scope(contract=contract, named=named)))


@pytest.mark.parametrize(
    ("contract", "lines"),
    [
        (Contract(), []),
        (Contract.torch(), []),
        (Contract.endless(), [LATER, SHARING]),
        (Contract.endless(layout="strided"), [LATER]),
        (Contract.endless(layout="contiguous"), [LATER, SHARING]),
        (Contract.endless(sharding="none"), [LATER]),
        (Contract.endless(batches="variable", layout="strided"), [LATER, BEGINNING, SHARING]),
        (Contract.endless(coverage="sampled"), [DRAWING]),
        (Contract(coverage="sampled", epochs="fixed"), [DRAWING]),
        (Contract(coverage="sampled", order="free"), [ORDER]),
        (Contract(coverage="sampled", sharding="none", epochs="fixed"), []),
    ],
)
def test_what_is_not_judged_is_said(contract: Contract, lines: list[str]) -> None:
    assert told(contract) == lines


def test_that_ranks_are_alike_on_purpose_is_said_where_a_rank_is_named() -> None:
    plain, shared = Contract(sharding="none"), Contract()
    assert told(plain, frozenset({"rank"})) == [ALIKE]
    assert told(plain, frozenset({"length"})) == told(shared, frozenset({"rank"})) == []


def test_what_groups_samples_may_hold_them_back() -> None:
    assert told(Contract.endless(), frozenset({"lengths"})) == [LATER, BEGINNING, SHARING]
