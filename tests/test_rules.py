"""The ready batch rules: what they allow, to the last sample."""

from __future__ import annotations

import pickle

import pytest

from samplercheck import Contract
from samplercheck.errors import ContractError
from samplercheck.rules import at_least, budget, homogeneous

FEATURES = {"labels": [0, 0, 1, 2], "lengths": [1, 2, 3, 9], "tokens": 4}


@pytest.mark.parametrize(("batch", "kept"), [([0, 1], True), ([2], True), ([], True), ([1, 2], False)])
def test_homogeneous_allows_one_value(batch, kept):
    assert homogeneous("labels")(batch, FEATURES) is kept


@pytest.mark.parametrize(
    ("batch", "number", "kept"),
    [([0, 2], 2, True), ([0, 1], 2, False), ([0], 2, True), ([0, 2, 3], 4, True), ([0, 1, 2], 3, False)],
    ids=["enough", "too few", "a batch of one", "all that there are", "two of three"],
)
def test_at_least_asks_for_what_a_batch_can_have(batch, number, kept):
    assert at_least("labels", number)(batch, FEATURES) is kept


@pytest.mark.parametrize(
    ("batch", "padded", "kept"),
    [
        ([0, 1], False, True),
        ([0, 2], False, True),
        ([1, 2], False, False),
        ([3], False, True),
        ([0, 2], True, False),
    ],
    ids=["within", "exactly", "above", "one sample above", "padded to the longest"],
)
def test_budget_adds_up_values(batch, padded, kept):
    assert budget("lengths", 4, padded=padded)(batch, FEATURES) is kept
    assert budget("lengths", "tokens", padded=padded)(batch, FEATURES) is kept


@pytest.mark.parametrize(
    "rule", [homogeneous("labels"), at_least("labels", 2), budget("lengths", 8, padded=True)]
)
def test_rules_are_values_that_travel_and_are_shown_as_written(rule):
    assert pickle.loads(pickle.dumps(rule)) == rule
    assert repr(rule).split("(")[0] in Contract(batch_rule=rule).text


def test_what_is_no_feature_and_no_number_is_refused():
    with pytest.raises(ContractError, match="Feature 'label' does not exist"):
        homogeneous("label")
    with pytest.raises(ContractError, match="needs a number above 0, not 0"):
        at_least("labels", 0)
    with pytest.raises(ContractError, match="needs a number above 0, not True"):
        budget("lengths", True)
