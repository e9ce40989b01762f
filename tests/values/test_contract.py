"""Contracts: presets, every combination that is refused or must not be, and how they are written."""

from __future__ import annotations

import functools
import pickle
from dataclasses import fields

import pytest

from samplercheck import Contract
from samplercheck.values.batch_rules import budget
from samplercheck.values.contract import CHOICES
from samplercheck.values.errors import ContractError


def keeps_labels(batch, features):
    return len({features["labels"][index] for index in batch}) == 1


def like_torch(dataset, rank, world_size):
    return list(range(rank, len(dataset), world_size))


# Presets

PRESETS = {
    "torch": (Contract.torch, {"reference": "torch", "layout": "strided"}),
    "evaluation": (Contract.evaluation, {"tail": "keep"}),
    "endless": (Contract.endless, {"endless": True, "epochs": "fixed"}),
    "weighted": (
        Contract.weighted,
        {
            "sharding": "none",
            "coverage": "sampled",
            "order": "free",
            "epochs": "advance",
            "ambient_rng": "shared",
        },
    ),
    "single_process": (
        Contract.single_process,
        {"sharding": "none", "order": "free", "epochs": "advance", "ambient_rng": "shared"},
    ),
}


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_is_the_default_but_for_what_its_name_says(name):
    preset, changes = PRESETS[name]
    assert preset() == Contract(**changes) != Contract()


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_takes_further_fields_and_lets_them_win(name):
    preset, changes = PRESETS[name]
    assert preset(resume="none") == Contract(**changes, resume="none")
    assert preset(epochs="fixed").epochs == "fixed"


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_refuses_a_field_that_does_not_exist(name):
    with pytest.raises(ContractError, match=r"'tial' does not exist\. Did you mean 'tail'"):
        PRESETS[name][0](tial="pad")


def test_repeated_says_how_often():
    assert Contract.repeated(3) == Contract(repeats=3)
    assert Contract.repeated(2, tail="drop") == Contract(repeats=2, tail="drop")
    with pytest.raises(ContractError, match="repeats=0 must be an integer from 1 up"):
        Contract.repeated(0)


def test_endless_is_a_preset_of_the_class_and_a_field_of_its_instances():
    assert Contract.endless().endless is True
    assert Contract().endless is False
    assert Contract(endless=True).endless is True
    assert Contract.endless(tail="keep").tail == "keep"


def test_the_default_is_what_the_design_says():
    assert Contract().to_dict() == {
        "sharding": "ranks",
        "coverage": "once",
        "frequencies": "weights",
        "tail": "auto",
        "tail_unit": "sample",
        "tail_first": False,
        "top_up": False,
        "empty_batches": False,
        "even_steps": True,
        "repeats": 1,
        "cycle": 1,
        "order": "auto",
        "shuffles": "dataset",
        "layout": "any",
        "epochs": "set_epoch",
        "after_break": "next",
        "batches": "fixed",
        "endless": False,
        "batch_rule": None,
        "resume": "auto",
        "at_end": "rest",
        "elastic": False,
        "foreign_state": "any",
        "replicas": 1,
        "ambient_rng": "independent",
        "spawn": True,
        "keeps_workers": True,
        "reference": None,
    }


def test_one_walk_over_a_preset_takes_its_shared_draws_back():
    assert Contract.single_process(after_break="rest").ambient_rng == "independent"
    assert Contract.weighted().but(after_break="rest").ambient_rng == "independent"
    with pytest.raises(ContractError, match="index for index"):
        Contract.single_process(after_break="rest", ambient_rng="shared")


# What cannot be kept


@pytest.mark.parametrize(
    ("promise", "reason"),
    [
        ({"repeats": 2, "coverage": "sampled"}, 'repeats needs coverage="once"'),
        ({"even_steps": False}, 'declare sharding="ranks" and tail="keep"'),
        ({"even_steps": False, "sharding": "none"}, 'declare sharding="ranks" and tail="keep"'),
        ({"elastic": True, "resume": "none"}, "elastic=True is about resuming"),
        ({"foreign_state": "refused", "resume": "consumed"}, "is about states, and this contract has none"),
        ({"at_end": "next", "resume": "consumed"}, "is about states of epochs that end"),
        ({"at_end": "next", "endless": True, "epochs": "fixed"}, "is about states of epochs that end"),
        ({"at_end": "next", "epochs": "advance", "after_break": "rest"}, "an epoch has no end"),
        ({"layout": "strided", "sharding": "none"}, 'a layout needs sharding="ranks"'),
        ({"layout": "contiguous", "sharding": "none"}, 'a layout needs sharding="ranks"'),
        ({"replicas": 2, "sharding": "none"}, "replicas share a shard"),
        ({"frequencies": "at_least_once", "coverage": "subset"}, "epochs that end"),
        ({"frequencies": "at_least_once", "coverage": "sampled", "tail": "drop"}, "what is dropped"),
        ({"cycle": 4}, 'a cycle of epochs needs coverage="subset"'),
        ({"coverage": "sampled", "frequencies": "fixed"}, 'frequencies="fixed" needs coverage="subset"'),
        ({"coverage": "subset", "frequencies": "fixed", "cycle": 2}, "a cycle has other parts"),
        ({"after_break": "again"}, "is about passes that advance"),
        ({"cycle": 2, "coverage": "subset", "endless": True}, "a cycle of epochs needs"),
        ({"cycle": 2, "coverage": "subset", "epochs": "fixed"}, "needs epochs that differ"),
        ({"frequencies": "eventually", "coverage": "subset", "epochs": "fixed"}, "needs epochs that differ"),
        ({"frequencies": "fixed", "coverage": "subset", "endless": True}, 'frequencies="fixed" needs'),
        ({"even_steps": False, "coverage": "sampled", "sharding": "none"}, 'declare sharding="ranks"'),
        ({"at_end": "next", "resume": "none"}, "is about states of epochs that end"),
        ({"after_break": "rest", "ambient_rng": "shared"}, "is compared index for index"),
        ({"frequencies": "unjudged"}, 'frequencies need coverage="sampled" or coverage="subset"'),
        ({"tail_first": True}, "about samples that are repeated"),
        ({"top_up": True}, 'top_up needs batches="variable"'),
        ({"empty_batches": True}, 'empty_batches need batches="variable"'),
        ({"shuffles": "share", "sharding": "none"}, 'a share needs sharding="ranks"'),
        ({"reference": "torch", "shuffles": "share"}, "shuffles the whole dataset"),
        ({"reference": "torch", "shuffles": "chunks"}, "shuffles the whole dataset"),
        ({"reference": "torch", "epochs": "either"}, "by set_epoch"),
        ({"endless": True, "epochs": "either"}, "no next epoch"),
        ({"endless": True, "tail": "drop"}, "no tail to drop"),
        ({"endless": True, "epochs": "advance"}, "no next epoch"),
        ({"reference": "torch", "sharding": "none"}, "shares one finite epoch"),
        ({"reference": "torch", "coverage": "subset"}, "shares one finite epoch"),
        ({"reference": "torch", "coverage": "sampled"}, "shares one finite epoch"),
        ({"reference": "torch", "endless": True, "epochs": "fixed"}, "shares one finite epoch"),
        ({"reference": "torch", "tail": "keep"}, "never keeps an uneven tail"),
        ({"reference": "torch", "tail_unit": "group"}, "knows no groups"),
        ({"reference": "torch", "layout": "contiguous"}, "deals out strided"),
        ({"reference": "torch", "repeats": 2}, "yields each sample once"),
        ({"reference": "torch", "epochs": "advance"}, "by set_epoch"),
        ({"reference": "torch", "order": "free"}, "fixes the order"),
    ],
    ids=str,
)
def test_what_cannot_be_kept_is_refused_with_the_reason(promise, reason):
    with pytest.raises(ContractError, match=f"^Nothing can keep this contract: .*{reason}"):
        Contract(**promise)


@pytest.mark.parametrize(
    "promise",
    [
        *({"sharding": "none", "coverage": coverage} for coverage in CHOICES["coverage"]),
        *(
            {"coverage": coverage, "tail": tail}
            for coverage in ("sampled", "subset")
            for tail in CHOICES["tail"]
        ),
        {"tail": "keep", "tail_unit": "batch"},
        *({"tail_unit": "batch", "tail": tail} for tail in CHOICES["tail"]),
        {"order": "sequential", "epochs": "set_epoch"},
        *({"epochs": "advance", "resume": resume} for resume in CHOICES["resume"]),
        {"reference": like_torch},
        {"reference": "package.module:attribute", "tail": "keep", "order": "free"},
        {"endless": True, "tail": "keep"},
        {"replicas": 4, "repeats": 3},
        {"repeats": 3, "coverage": "subset"},
        {"elastic": True, "resume": "consumed"},
        {"batch_rule": keeps_labels, "batches": "variable"},
        {"reference": "torch", "tail_unit": "batch"},
        {"coverage": "sampled", "frequencies": "unjudged"},
        {"coverage": "sampled", "frequencies": keeps_labels},
        {"repeats": 2, "tail_first": True, "tail": "keep"},
        {"batches": "variable", "empty_batches": True, "top_up": True},
        {"even_steps": False, "tail": "keep"},
        {"even_steps": False, "coverage": "sampled"},
        {"after_break": "again", "epochs": "advance"},
        {"after_break": "again", "epochs": "either"},
        {"after_break": "rest", "endless": True, "epochs": "fixed"},
        {"coverage": "subset", "cycle": 2, "tail": "drop"},
        {"coverage": "subset", "frequencies": "fixed"},
        {"coverage": "sampled", "frequencies": "at_least_once"},
        {"at_end": "next", "resume": "state_dict"},
    ],
    ids=lambda changes: ",".join(
        f"{key}={getattr(value, '__name__', value)}" for key, value in changes.items()
    ),
)
def test_what_can_be_kept_is_accepted(promise):
    contract = Contract(**promise)
    assert {name: getattr(contract, name) for name in promise} == promise


# Values and names


@pytest.mark.parametrize("name", CHOICES)
def test_a_value_that_is_no_choice_is_refused_with_the_nearest_that_is(name):
    nearly = CHOICES[name][-1] + "x"
    with pytest.raises(
        ContractError, match=f"{name}='{nearly}' is not a choice. Did you mean '{CHOICES[name][-1]}'"
    ):
        Contract(**{name: nearly})
    for wrong in (None, 1, True, ["pad"]):
        with pytest.raises(ContractError, match=f"^Contract field {name}="):
            Contract(**{name: wrong})


@pytest.mark.parametrize("name", ["repeats", "replicas"])
@pytest.mark.parametrize("value", [0, -1, 1.0, True, "2", None], ids=repr)
def test_numbers_are_integers_from_one_up(name, value):
    with pytest.raises(ContractError, match=f"{name}=.* must be an integer from 1 up"):
        Contract(**{name: value})


@pytest.mark.parametrize("name", ["endless", "elastic"])
@pytest.mark.parametrize("value", [0, 1, "no", None], ids=repr)
def test_flags_are_bools(name, value):
    with pytest.raises(ContractError, match=f"{name}=.* is not a bool"):
        Contract(**{name: value})


def test_a_batch_rule_is_callable_and_a_reference_a_name_or_callable():
    with pytest.raises(ContractError, match="batch_rule=7 is not callable"):
        Contract(batch_rule=7)
    with pytest.raises(ContractError, match="batch_rule='labels' is no ready rule"):
        Contract(batch_rule="labels")
    with pytest.raises(ContractError, match="reference=7 must be"):
        Contract(reference=7)


def test_a_name_that_is_no_field_is_refused_with_the_nearest_that_is():
    with pytest.raises(ContractError, match=r"'shardin' does not exist\. Did you mean 'sharding'"):
        Contract(shardin="none")  # type: ignore[call-arg]
    with pytest.raises(ContractError, match="Did you mean 'coverage'"):
        Contract().but(converage="once")
    with pytest.raises(ContractError, match="Did you mean 'replicas'"):
        Contract.of({"replica": 2})


# Being data


def test_but_changes_some_fields_and_checks_all():
    contract = Contract.torch().but(tail="drop")
    assert (contract.reference, contract.layout, contract.tail) == ("torch", "strided", "drop")
    assert contract.but() == contract
    with pytest.raises(ContractError, match="never keeps"):
        contract.but(tail="keep")


def test_later_layers_win():
    assert Contract.of({"tail": "pad", "repeats": 2}, {"tail": "drop"}) == Contract(tail="drop", repeats=2)


def test_the_text_is_what_one_would_write():
    assert Contract().text == "Contract()"
    assert Contract.torch().text == "Contract(layout='strided', reference='torch')"
    assert Contract(tail="drop", repeats=2).text == "Contract(tail='drop', repeats=2)"


@pytest.mark.parametrize("name", PRESETS)
def test_the_text_of_a_preset_makes_it_again(name):
    preset = PRESETS[name][0]()
    assert eval(preset.text, {"Contract": Contract}) == preset


def test_a_callable_is_named_in_data_and_text():
    contract = Contract(batch_rule=keeps_labels, reference=like_torch)
    assert contract.to_dict()["batch_rule"] == f"{__name__}:keeps_labels"
    assert contract.to_dict()["reference"] == f"{__name__}:like_torch"
    assert contract.text == (
        f"Contract(batch_rule='{__name__}:keeps_labels', reference='{__name__}:like_torch')"
    )


class Told:
    """A rule with a state of its own."""

    def __call__(self, batch, features):
        return True


@pytest.mark.parametrize("rule", [Told(), functools.partial(keeps_labels, 3), functools.partial(Told())])
def test_what_has_no_name_of_its_own_is_called_alike_in_each_process(rule):
    told = Contract(batch_rule=rule).to_dict()["batch_rule"]
    assert "0x" not in told
    assert "Told object" in told or "keeps_labels" in told


def test_where_a_function_is_declared_is_said_to_whoever_names_one():
    with pytest.raises(ContractError, match=r"none of .* A function is declared in Python"):
        Contract(coverage="sampled", frequencies="mypkg.rules:by_label")
    with pytest.raises(ContractError, match=r"'unjudged'\.$"):
        Contract(coverage="sampled", frequencies="weigths")


def test_a_ready_rule_is_its_text_in_data_text_and_changes():
    contract, text = Contract(batch_rule=budget("lengths", "tokens")), "budget(lengths,tokens)"
    assert contract.to_dict()["batch_rule"] == text
    assert contract.changes() == {"batch_rule": text}
    assert eval(contract.text, {"Contract": Contract}) == contract == Contract(**contract.changes())
    assert contract.changes(contract.but()) == {}


def test_a_contract_is_a_value():
    contract = Contract.weighted(reference=like_torch)
    assert pickle.loads(pickle.dumps(contract)) == contract
    assert hash(Contract()) == hash(Contract(tail="auto"))
    assert len({Contract(), Contract.torch(), Contract.torch()}) == 2
    with pytest.raises(AttributeError):
        contract.tail = "pad"  # type: ignore[misc]
    assert list(contract.to_dict()) == [item.name for item in fields(Contract)]


@pytest.mark.parametrize(
    ("coverage", "frequencies", "promises"),
    [
        ("once", "weights", False),
        ("sampled", "weights", True),
        ("sampled", "uniform", True),
        ("sampled", "eventually", True),
        ("sampled", "at_least_once", False),
        ("sampled", "unjudged", False),
        ("subset", "weights", False),
        ("subset", "uniform", True),
        ("subset", "eventually", True),
        ("subset", "fixed", False),
        ("subset", "unjudged", False),
        ("subset", keeps_labels, True),
    ],
)
def test_how_often_samples_come_is_promised_of_draws_and_of_subsets_that_say_so(
    coverage, frequencies, promises
):
    contract = Contract(coverage=coverage, frequencies=frequencies)
    assert contract.promises_frequencies is promises
    words = ("eventually", "fixed", "at_least_once")
    said = contract.comes_in_time, contract.keeps_part, contract.repeats_some
    assert said == tuple(frequencies == word for word in words)


@pytest.mark.parametrize("epochs", CHOICES["epochs"])
def test_a_break_is_followed_by_what_the_contract_says(epochs):
    contract = Contract(epochs=epochs)
    advances = epochs in ("advance", "either")
    assert (contract.advances, contract.sets_epochs) == (advances, epochs in ("set_epoch", "either"))
    assert (contract.counts_breaks, contract.begins_again, contract.is_one_walk) == (advances, False, False)
    rest = contract.but(after_break="rest")
    assert (rest.counts_breaks, rest.begins_again, rest.is_one_walk) == (False, False, True)
    if advances:
        again = contract.but(after_break="again")
        assert (again.counts_breaks, again.begins_again, again.is_one_walk) == (False, True, False)
