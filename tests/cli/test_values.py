"""What ``--contract``, ``--axis``, ``--skip`` and the like mean, and the errors of what means nothing."""

from __future__ import annotations

from typing import Any

import pytest

from samplercheck import Contract
from samplercheck.cli.values import axes_from, contract_from, names_from, skips_from
from samplercheck.running.config.settings import memory_from
from samplercheck.values.errors import ContractError, UsageError


@pytest.mark.parametrize(
    ("words", "fields"),
    [
        ([], {}),
        (["tail=keep", "repeats=3", "elastic=TRUE"], {"tail": "keep", "repeats": 3, "elastic": True}),
        (["reference=torch"], {"reference": "torch"}),
        (["reference=none", "resume=none"], {"reference": None, "resume": "none"}),
        (["batch_rule=budget(lengths,100)"], {"batch_rule": "budget(lengths,100)"}),
        (["batch_rule=none"], {"batch_rule": None}),
        (["repeated=3"], {"repeats": 3}),
        (["coverage=subset", "cycle=4", "replicas=2"], {"coverage": "subset", "cycle": 4, "replicas": 2}),
        (["evaluation", "layout=strided"], {"tail": "keep", "layout": "strided"}),
        (["endless"], {"endless": True, "epochs": "fixed"}),
        (["endless=true"], {"endless": True}),
        (["evaluation", "tail=drop"], {"tail": "drop"}),
    ],
)
def test_contract_words_become_fields(words: list[str], fields: dict[str, Any]) -> None:
    assert contract_from(words) == fields


@pytest.mark.parametrize("name", ["torch", "evaluation", "endless", "weighted", "single_process"])
def test_a_preset_is_the_contract_s_own(name: str) -> None:
    assert Contract(**contract_from([name])) == getattr(Contract, name)()


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("tial=keep", "'tial' does not exist. Did you mean 'tail'"),
        ("tail=kep", "tail='kep' is not a choice. Did you mean 'keep'"),
        ("weigthed", "'weigthed' is no preset.*Did you mean 'weighted'"),
        ("repeats=three", "repeats='three' must be an integer"),
        ("elastic=yes", "elastic='yes' is not a bool"),
        ("repeated", "repeated='' needs a number"),
        ("repeated=0", "repeats=0 must be an integer from 1"),
        ("batch_rule=f", "batch_rule='f' is no ready rule.*A rule of your own is a function"),
        ("batch_rule=homogeneous(label)", "Feature 'label' does not exist"),
    ],
)
def test_a_contract_word_that_means_nothing_is_an_error_with_the_fix(word: str, said: str) -> None:
    with pytest.raises(ContractError, match=said):
        contract_from([word])


def test_one_word_may_hold_several_fields_of_a_contract() -> None:
    rule = "budget(lengths,bucket,padded)"
    read = contract_from(["evaluation,order=free", f"batch_rule={rule},batches=variable"])
    assert read == {"tail": "keep", "order": "free", "batch_rule": rule, "batches": "variable"}


def test_contract_words_that_contradict_each_other_are_refused() -> None:
    with pytest.raises(ContractError, match="can keep this contract: repeats needs"):
        contract_from(["repeated=2", "coverage=sampled"])


@pytest.mark.parametrize(
    ("word", "values"),
    [
        ("bucket=1,2,8", [1, 2, 8]),
        ("bucket= 1 , 0.5,-3", [1, 0.5, -3]),
        ("mode=true,False,fast,null", [True, False, "fast", None]),
        ('mode="1","a,b",x"y', ["1", "a,b", 'x"y']),
        ("mode=none,nan,1e3", ["none", "nan", 1000.0]),
    ],
)
def test_axis_words_become_values_with_their_types(word: str, values: list[Any]) -> None:
    read = axes_from([word])
    assert list(read) == [word.partition("=")[0]]
    assert [(type(one), one) for one in next(iter(read.values()))] == [(type(one), one) for one in values]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["bucket"], "'bucket' names no values"),
        (["=1"], "'=1' names no values"),
        (["bucket="], "'bucket' has an empty value"),
        (["bucket=1,,2"], "'bucket' has an empty value"),
        (["bucket=1", "bucket=2"], "'bucket' is given twice"),
        (['bucket="a'], "which is no quoted text"),
    ],
)
def test_an_axis_that_means_nothing_is_an_error_with_the_fix(words: list[str], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        axes_from(words)


def test_a_skip_needs_its_reason() -> None:
    assert skips_from(["SC104=issue 12 = known"]) == {"SC104": "issue 12 = known"}
    for word in ("SC104", "SC104=", "=because"):
        with pytest.raises(UsageError, match="needs a reason"):
            skips_from([word])


def test_names_are_joined_by_commas_or_given_one_by_one_and_kept_once() -> None:
    assert names_from(["gloo,nccl", "simulated", " gloo , "]) == ("gloo", "nccl", "simulated")
    assert names_from([]) == ()


@pytest.mark.parametrize(
    ("text", "size"),
    [("512M", 512 * 2**20), ("2g", 2**31), ("1.5GiB", 3 * 2**29), ("300KB", 300 * 2**10), ("4096", 4096)],
)
def test_a_size_is_a_number_with_a_unit(text: str, size: int) -> None:
    assert memory_from(text) == size


@pytest.mark.parametrize("text", ["", "much", "-1G", "0", "0M", "1X", "1G2"])
def test_what_is_no_size_is_an_error_with_an_example(text: str) -> None:
    with pytest.raises(UsageError, match="as in 512M"):
        memory_from(text)


def test_one_walk_over_a_preset_takes_its_shared_draws_back() -> None:
    assert "ambient_rng" not in contract_from(["single_process", "after_break=rest"])
    with pytest.raises(ContractError, match="index for index"):
        contract_from(["single_process", "after_break=rest", "ambient_rng=shared"])
