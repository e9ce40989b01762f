"""Errors: one root, each crosses a process border, and the end of their messages."""

from __future__ import annotations

import copy
import pickle
from importlib import import_module
from pkgutil import walk_packages

import pytest

import samplercheck
from samplercheck.values import errors
from samplercheck.values.errors import LawBroken, SamplerCheckError, UsageError, did_you_mean


def all_classes():
    """Every error class of the package, wherever it is defined."""
    for module in walk_packages(samplercheck.__path__, "samplercheck."):
        if not module.name.endswith("__main__"):
            import_module(module.name)
    found, left = [], [SamplerCheckError]
    while left:
        one = left.pop()
        found.append(one)
        left += one.__subclasses__()
    return sorted(found, key=lambda one: one.__name__)


@pytest.mark.parametrize("kind", all_classes(), ids=lambda kind: kind.__name__)
def test_an_error_survives_pickle_and_copy(kind):
    error = kind("tail='pda' is not a choice. Did you mean 'pad'?")
    for again in (pickle.loads(pickle.dumps(error)), copy.copy(error)):
        assert type(again) is kind
        assert str(again) == str(error)
        assert again.args == error.args


@pytest.mark.parametrize("kind", all_classes(), ids=lambda kind: kind.__name__)
def test_an_error_class_stands_in_the_errors_module(kind):
    assert kind.__module__ == "samplercheck.values.errors"
    assert kind.__name__ in errors.__all__


def test_what_the_caller_can_fix_is_a_usage_error():
    leaves = {kind.__name__ for kind in all_classes() if issubclass(kind, UsageError)} - {"UsageError"}
    assert leaves == {
        "AdapterError",
        "CaseError",
        "ContractError",
        "InputError",
        "JobError",
        "LawError",
        "TargetError",
    }


def test_a_broken_law_is_an_assertion_error_for_pytest():
    assert issubclass(LawBroken, AssertionError)
    assert issubclass(LawBroken, SamplerCheckError)
    assert not issubclass(LawBroken, UsageError)


@pytest.mark.parametrize(
    ("value", "known", "said"),
    [
        ("pda", ("pad", "drop"), "Did you mean 'pad'? Known: drop, pad."),
        ("zzz", ("pad", "drop"), "Known: drop, pad."),
        ("pad", (), "Nothing is known here."),
        ("tali.py", ("tail.py", "other.py"), "Did you mean 'tail.py'? Known: other.py, tail.py."),
        ("zzz.py", ("pad.py",), "Known: pad.py."),  # files of one kind are not near for that
    ],
)
def test_did_you_mean_names_the_nearest_word_and_then_all(value, known, said):
    assert did_you_mean(value, known) == said


def test_did_you_mean_lists_no_more_than_one_reads():
    words = [f"word{number:03}" for number in range(200)]
    said = did_you_mean("word199", words)
    assert said.startswith("Did you mean 'word199'? Known: word000, ")
    assert said.endswith(", word059 and 140 more.")
