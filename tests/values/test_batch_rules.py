"""The ready batch rules: what they allow, to the last sample."""

from __future__ import annotations

import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from samplercheck import Contract
from samplercheck.values.batch_rules import LARGEST, at_least, budget, distinct, homogeneous, ready_rule
from samplercheck.values.errors import ContractError

FEATURES = {"labels": [0, 0, 1, 2], "lengths": [1, 2, 3, 9], "tokens": 4}

features = st.sampled_from(["labels", "lengths", "weights"])
numbers = st.integers(1, LARGEST) | st.floats(0, LARGEST, exclude_min=True)
axes = st.text(min_size=1, max_size=8).filter(str.isidentifier) | st.sampled_from(["padded", "e3", "budget"])
rules = (
    st.builds(homogeneous, features)
    | st.builds(at_least, features, numbers)
    | st.builds(budget, features, numbers | axes, padded=st.booleans())
    | st.builds(distinct)
)


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
    ("batch", "kept"),
    [([0, 2], True), ([1], True), ([], True), ([1, 2, 1], False), ([3, 2, 1, 0, 3], True)],
    ids=["unlike", "one", "none", "twice", "more than there are"],
)
def test_distinct_allows_no_sample_twice(batch, kept):
    assert distinct()(batch, FEATURES) is kept


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
    "rule", [homogeneous("labels"), at_least("labels", 2), distinct(), budget("lengths", 8, padded=True)]
)
def test_rules_are_values_that_travel_and_are_shown_as_written(rule):
    assert pickle.loads(pickle.dumps(rule)) == rule
    assert repr(rule).split("(")[0] in Contract(batch_rule=rule).text


@pytest.mark.parametrize(
    ("rule", "breach"),
    [
        (homogeneous("labels"), "batches mix labels"),
        (at_least("labels", 2), "batches have fewer than 2 labels"),
        (budget("lengths", 8), "batches exceed the budget of lengths"),
        (distinct(), "batches hold a sample twice"),
    ],
)
def test_a_rule_says_in_few_words_what_breaks_it(rule, breach):
    assert rule.breach == breach


def test_what_is_no_feature_and_no_number_is_refused():
    with pytest.raises(ContractError, match="Feature 'label' does not exist"):
        homogeneous("label")
    for wrong in (0, -1, True, None, float("inf"), float("nan"), LARGEST + 1):
        with pytest.raises(ContractError, match=f"needs a number above 0 and at most .*, not {wrong}"):
            at_least("labels", wrong)
    with pytest.raises(ContractError, match="maximum '100': use a number, or the name of an axis"):
        budget("lengths", "100")


@given(rules)
def test_the_text_of_a_ready_rule_makes_it_again(rule):
    assert ready_rule(str(rule)) == rule
    assert Contract(batch_rule=str(rule)) == Contract(batch_rule=rule)


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("homogeneous(labels)", homogeneous("labels")),
        (" at_least( labels , 2 ) ", at_least("labels", 2)),
        ("budget(lengths,0.5)", budget("lengths", 0.5)),
        ("budget(lengths,bucket,padded)", budget("lengths", "bucket", padded=True)),
        ("distinct()", distinct()),
    ],
)
def test_a_rule_may_be_written_as_text(text, rule):
    assert ready_rule(text) == rule


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("labels", "'labels' is no ready rule: write homogeneous\\(labels\\)"),
        ("os.system(labels)", "is no ready rule"),
        ("homogeneous(labels)(labels)", "is no ready rule"),
        ("homogeneous(labels,2)", "is no ready rule"),
        ("distinct", "is no ready rule"),
        ("distinct(labels)", "is no ready rule"),
        ("at_least(labels)", "is no ready rule"),
        ("at_least(labels,n)", "is no ready rule"),
        ("at_least(labels,-1)", "is no ready rule"),
        ("budget(lengths,100,true)", "is no ready rule"),
        ("homogeneous('labels')", "Feature \"'labels'\" does not exist"),
        ("at_least(labels,0)", "needs a number above 0"),
        ("budget(lengths,1e999)", "needs a number above 0"),
        ("budget(lengths,007)", "maximum '007'"),
        ("budget(lengths,)", "maximum ''"),
    ],
)
def test_a_text_that_is_no_ready_rule_is_refused_with_what_would_be_one(text, said):
    with pytest.raises(ContractError, match=said):
        ready_rule(text)


@given(st.text() | st.from_regex(r"(homogeneous|at_least|budget|distinct)\([^)]*\)", fullmatch=True))
def test_any_text_is_a_ready_rule_or_a_clean_error(text):
    try:
        rule = ready_rule(text)
    except ContractError:
        return
    assert ready_rule(str(rule)) == rule
