"""Every batch keeps the contract's batch rule (SC604)."""

from __future__ import annotations

import pytest

from samplercheck import Contract
from samplercheck.laws.keeps_batch_rule import LAW
from samplercheck.laws.law import Scope
from samplercheck.values.batch_rules import at_least, budget, homogeneous
from tests.support.traces import a_trace, judged

LABELS = {"labels": [0, 0, 1, 1, 2]}
LENGTHS = {"lengths": [1, 2, 3, 4, 16]}


def found(*ranks, rule, features=LABELS, **rest):
    return judged(
        LAW, a_trace(*ranks, contract=Contract(batch_rule=rule), length=5, features=features, **rest)
    )


def test_batches_that_keep_the_rule_hold():
    assert found([[[0, 1], [3, 2]]], [[[4, 4]]], rule=homogeneous("labels")) == []


def test_a_batch_that_breaks_the_rule_is_named_with_its_values():
    (one,) = found([[[0, 1], [1, 2]]], rule=homogeneous("labels"))
    assert (one.rank, one.epoch, one.step, one.indices) == (0, 0, 1, (1, 2))
    batch = "rank 0 yields the batch 1, 2 (labels 0, 1) against homogeneous(labels)"
    assert one.found == f"{batch} in step 1 of epoch 0"
    assert one.hint.startswith("Where batches are closed")
    assert one.fault == "batches mix labels"


def test_where_other_batches_than_the_last_break_the_rule_it_is_not_how_they_are_closed():
    (one,) = found([[[1, 2], [0, 1]]], rule=homogeneous("labels"))
    assert one.hint.startswith("What puts samples into one batch")
    (long,) = found([[[3, 4], [0, 1]]], rule=budget("lengths", 8), features=LENGTHS)
    assert long.hint.startswith("Where batches are closed")
    (single,) = found([[[0, 1, 2]]], rule=homogeneous("labels"))  # the first one and the last
    assert single.hint == "What puts samples into one batch: the rule is to hold for each."


def test_padding_is_named_only_where_samples_come_again():
    plain = ([[[0, 1], [2, 4]]], [[[0, 1, 2]]])
    padded = ([[[0, 1], [4, 0]]], [[[0, 1, 0, 2]]])
    for ranks, names_it in ((plain, False), (padded, True)):
        for one in (found(passes, rule=homogeneous("labels"))[0] for passes in ranks):
            assert ("padded" in one.hint or "fills up" in one.hint) is names_it


def test_where_labels_are_drawn_it_is_how_they_are_chosen():
    for coverage, hint in (("sampled", "How the labels of a batch"), ("once", "Where batches are closed")):
        contract = Contract(batch_rule=at_least("labels", 2), coverage=coverage)
        trace = a_trace([[[0, 2], [1, 0]]], contract=contract, length=5, features=LABELS)
        (one,) = judged(LAW, trace)
        assert one.hint.startswith(hint)


def test_a_sample_that_breaks_the_rule_alone_is_no_matter_of_closing_batches():
    (one,) = found([[[0, 1], [3]]], rule=lambda batch, features: 3 not in batch)
    assert one.hint.startswith("Which samples are dealt out")


def test_a_rule_of_ones_own_reads_features_by_name_and_attribute():
    def sorted_by_length(batch, features):
        assert features["lengths"] == features.lengths
        return [features.lengths[index] for index in batch] == sorted(
            features.lengths[index] for index in batch
        )

    assert found([[[0, 2]]], rule=sorted_by_length, features=LENGTHS) == []
    (one,) = found([[[2, 0]]], rule=sorted_by_length, features=LENGTHS)
    assert one.found == "rank 0 yields the batch 2, 0 in step 0 of epoch 0"


def test_a_rule_reads_the_values_of_axes():
    rule = budget("lengths", "tokens")
    assert found([[[0, 1]]], rule=rule, features=LENGTHS, options={"tokens": 3}) == []
    assert len(found([[[1, 2]]], rule=rule, features=LENGTHS, options={"tokens": 3})) == 1


def test_an_unknown_feature_is_an_error_and_no_pass():
    trace = a_trace([[[0]]], contract=Contract(batch_rule=lambda _, features: features.label), length=1)
    with pytest.raises(AttributeError, match="no feature and no axis 'label'"):
        list(LAW.judge(trace))


def test_an_empty_batch_and_a_stray_index_are_other_laws():
    assert found([[[], [0]]], rule=lambda batch, _: bool(batch)) == []
    ruled = Contract(batch_rule=homogeneous("labels"))
    assert LAW.sees(a_trace([[[0]]], contract=ruled, length=1))
    for yielded in ([[9]], [[-1]], [], [0]):
        assert not LAW.sees(a_trace([yielded], contract=ruled, length=1))


def test_it_applies_where_the_contract_has_a_rule():
    assert LAW.applies(Scope(contract=Contract(batch_rule=homogeneous("labels")), named=frozenset()))
    assert not LAW.applies(Scope(contract=Contract(), named=frozenset()))
