"""Cases: JSON, ids, order and what is refused."""

from __future__ import annotations

import copy
import enum
import json
import pickle

import numpy as np
import pytest
from hypothesis import given

from samplercheck import Case
from samplercheck.values.errors import CaseError
from tests.support.strategies import any_cases, small_cases

# JSON and the id


@pytest.mark.thorough
@given(any_cases())
def test_from_dict_is_the_inverse_of_to_dict_through_json(case):
    assert Case.from_dict(case.to_dict()) == case
    again = Case.from_dict(json.loads(json.dumps(case.to_dict(), allow_nan=False)))
    assert again == case
    assert again.id == case.id


@pytest.mark.thorough
@given(any_cases())
def test_the_id_is_eight_letters_and_digits_of_the_content(case):
    assert len(case.id) == 8
    assert set(case.id) <= set("abcdefghijklmnopqrstuvwxyz234567")
    assert Case.parse(case.token).id == case.id
    assert case.but(seed=(case.seed + 1) % 2**63).id != case.id


@pytest.mark.parametrize(
    ("case", "expected"),
    [
        (Case(length=3, world_size=2), "bl5xvmxe"),
        (Case(length=0), "vqhszjdp"),
        (
            Case(length=2, seed=2**63 - 1, stop=1, features={"weights": [0.5, 1]}, options={"x": "é"}),
            "4vqyiidc",
        ),
    ],
)
def test_an_id_never_changes_between_versions_and_machines(case, expected):
    assert case.id == expected


def test_canonical_json_is_one_line_with_sorted_keys():
    text = Case(length=1, features={"weights": [1.0]}, options={"x": 1e300}).canonical_json()
    assert text == (
        '{"batch_size":1,"drop_last":false,"epochs":3,"features":{"weights":[1.0]},"format":1,"length":1,'
        '"options":{"x":1e+300},"resume_world_size":null,"seed":0,"shuffle":false,"stop":null,"workers":0,'
        '"world_size":1}'
    )


@pytest.mark.thorough
@given(any_cases())
def test_canonical_json_is_ascii_without_nan_and_independent_of_the_order_of_names(case):
    text = case.canonical_json()
    assert text.isascii()
    assert json.loads(text, parse_constant=pytest.fail) == case.to_dict()
    turned = case.but(features=dict(reversed(case.features)), options=dict(reversed(case.options)))
    assert turned.canonical_json() == text


def test_values_that_derive_from_plain_ones_become_plain():
    class Bucket(enum.IntEnum):
        SMALL = 8

    class Mode(str, enum.Enum):
        FAST = "fast"

    case = Case(
        length=2,
        features={"weights": list(np.array([0.5, 0.25]))},
        options={"rate": np.float64(0.1), "bucket": Bucket.SMALL, "mode": Mode.FAST},
    )
    plain = Case(
        length=2, features={"weights": [0.5, 0.25]}, options={"rate": 0.1, "bucket": 8, "mode": "fast"}
    )
    assert case == plain
    assert case.token == plain.token == 'n=2,world=1,batch=1,weights=0.5:0.25,bucket!8,mode!"fast",rate!0.1'
    assert [type(value) for _, value in case.options] == [int, str, float]


# Equality and order

ALIKE_TO_PYTHON = [True, 1, 1.0]


@pytest.mark.parametrize("left", ALIKE_TO_PYTHON, ids=repr)
@pytest.mark.parametrize("right", ALIKE_TO_PYTHON, ids=repr)
def test_options_of_different_types_are_different_cases(left, right):
    one, other = Case(length=1, options={"x": left}), Case(length=1, options={"x": right})
    same = type(left) is type(right)
    assert (one == other) is same
    assert (one.id == other.id) is same
    assert len({one, other}) == (1 if same else 2)


@given(small_cases(), small_cases())
def test_cases_are_equal_exactly_when_their_json_is(one, other):
    assert (one == other) is (one.canonical_json() == other.canonical_json())
    if one == other:
        assert hash(one) == hash(other)
        assert one.id == other.id


@given(small_cases(), small_cases())
def test_of_two_cases_one_is_smaller_or_they_are_equal(one, other):
    assert [one < other, one == other, one > other].count(True) == 1
    assert (one <= other) is (one < other or one == other)
    assert (one >= other) is (one > other or one == other)


@pytest.mark.thorough
@given(any_cases(), any_cases())
def test_any_two_cases_can_be_compared(one, other):
    assert [one < other, one == other, one > other].count(True) == 1


@given(small_cases(), small_cases(), small_cases())
def test_the_order_is_transitive(one, two, three):
    low, middle, high = sorted([one, two, three])
    assert low <= middle <= high
    assert low <= high


BASE = Case(
    length=2, world_size=2, batch_size=2, seed=1, epochs=2, stop=1, workers=1, resume_world_size=2,
    shuffle=True, drop_last=True, features={"lengths": [2, 2]}, options={"x": 2},
)  # fmt: skip


@pytest.mark.parametrize(
    "smaller",
    [
        {"length": 1, "features": {"lengths": [2]}},
        {"world_size": 1},
        {"batch_size": 1},
        {"workers": 0},
        {"resume_world_size": 1},
        {"resume_world_size": None},
        {"stop": 0},
        {"stop": None},
        {"shuffle": False},
        {"drop_last": False},
        {"epochs": 1},
        {"seed": 0},
        {"features": {"lengths": [1, 2]}},
        {"features": {}},
        {"options": {"x": 1}},
        {"options": {"x": 1.5}},
        {"options": {"x": None}},
        {"options": {}},
    ],
    ids=repr,
)
def test_a_case_with_one_field_smaller_is_smaller(smaller):
    assert BASE.but(**smaller) < BASE


def test_the_length_decides_first_then_the_world_then_the_batch():
    cases = [
        Case(length=1, world_size=9, batch_size=9, seed=9),
        Case(length=2, world_size=1, batch_size=9),
        Case(length=2, world_size=2, batch_size=1, seed=9),
        Case(length=2, world_size=2, batch_size=2),
    ]
    assert sorted(cases[2:] + cases[:2]) == cases


def test_nothing_is_smaller_than_zero_where_all_else_is_equal():
    assert Case(length=1) < Case(length=1, stop=0)
    assert Case(length=1, options={"x": None}) < Case(length=1, options={"x": 0})
    assert Case(length=1, options={"x": 9}) < Case(length=1, options={"x": ""})


def test_a_case_is_compared_with_cases_alone():
    assert Case(length=1) != "n=1"
    with pytest.raises(TypeError, match="not supported"):
        Case(length=1) < 1  # noqa: B015


# What is refused


@pytest.mark.parametrize(
    ("name", "low", "high"),
    [
        ("length", 0, 2**63 - 1),
        ("world_size", 1, 2**31 - 1),
        ("batch_size", 1, 2**63 - 1),
        ("seed", 0, 2**63 - 1),
        ("epochs", 1, 10_000),
        ("stop", 0, 2**63 - 1),
        ("workers", 0, 2**15),
        ("resume_world_size", 1, 2**31 - 1),
    ],
)
def test_each_field_has_bounds_that_the_error_names(name, low, high):
    for legal in (low, high):
        assert getattr(Case(**{"length": 1, name: legal}), name) == legal
    for illegal in (low - 1, high + 1, 10**5000, 1.0, "1", True, float("nan")):
        with pytest.raises(CaseError, match=f"^{name}=.*use an integer from {low} to {high}"):
            Case(**{"length": 1, name: illegal})


@pytest.mark.parametrize("name", ["length", "world_size", "batch_size", "seed", "epochs", "workers"])
def test_only_stop_and_the_second_world_may_be_none(name):
    assert Case(length=1, stop=None, resume_world_size=None).stop is None
    with pytest.raises(CaseError, match=f"{name}=None is not legal"):
        Case(**{"length": 1, name: None})


@pytest.mark.parametrize("name", ["shuffle", "drop_last"])
@pytest.mark.parametrize("value", [0, 1, None, "True"], ids=repr)
def test_flags_are_bools(name, value):
    with pytest.raises(CaseError, match=f"{name}={value!r} is not a bool"):
        Case(**{"length": 1, name: value})


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"features": {"length": [1]}}, "Did you mean 'lengths'"),
        ({"features": {7: [1]}}, "Feature 7 does not exist"),
        ({"features": {"lengths": [1, 2]}}, "needs 1 numbers"),
        ({"features": {"lengths": []}}, "needs 1 numbers"),
        ({"features": {"lengths": 5}}, "needs 1 numbers"),
        ({"features": {"lengths": "5"}}, "needs 1 numbers"),
        ({"features": {"lengths": [-1]}}, "needs 1 numbers"),
        ({"features": {"lengths": [True]}}, "needs 1 numbers"),
        ({"features": {"lengths": [None]}}, "needs 1 numbers"),
        ({"features": {"weights": [float("nan")]}}, "needs 1 numbers"),
        ({"features": {"weights": [float("inf")]}}, "needs 1 numbers"),
        ({"features": {"weights": [10**5000]}}, "needs 1 numbers"),
        ({"features": 5}, "features=5 is not a mapping"),
        ({"features": ["lengths"]}, "is not a mapping"),
        ({"options": 5}, "options=5 is not a mapping"),
        ({"options": {"two words": 1}}, "'two words' is not a parameter name"),
        ({"options": {1: 1, "a": 1}}, "1 is not a parameter name"),
        ({"options": {"x": [1]}}, r"x=\[1\] is not plain data"),
        ({"options": {"x": float("nan")}}, "x=nan is not plain data"),
        ({"options": {"x": float("-inf")}}, "x=-inf is not plain data"),
        ({"options": {"x": 10**5000}}, "x=an integer above 2.8192 is not plain data"),
    ],
    ids=range(21),
)
def test_features_and_options_are_finite_plain_data(changes, said):
    with pytest.raises(CaseError, match=said):
        Case(length=1, **changes)


def test_a_name_that_is_no_field_is_refused_with_the_nearest_that_is():
    with pytest.raises(CaseError, match="'lenght' does not exist\\. Did you mean 'length'"):
        Case(lenght=3)  # type: ignore[call-arg]
    with pytest.raises(CaseError, match="Did you mean 'world_size'"):
        Case(length=3).but(word_size=2)
    with pytest.raises(CaseError, match="Did you mean 'batch_size'"):
        Case.from_dict({"length": 3, "batchsize": 2})
    with pytest.raises(CaseError, match="field 3 does not exist"):
        Case.from_dict({"length": 3, 3: 3})  # type: ignore[dict-item]


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ({}, "needs a length"),
        ([], "is not a case"),
        (None, "is not a case"),
        ({"length": 1, "format": 2}, "format 2 is not 1"),
        ({"length": 1, "format": "1"}, "format '1' is not 1"),
    ],
    ids=repr,
)
def test_data_that_describes_no_case_is_refused(data, said):
    with pytest.raises(CaseError, match=said):
        Case.from_dict(data)


def test_fields_are_given_by_name():
    with pytest.raises(TypeError):
        Case(3)  # type: ignore[call-arg]


# Being data


@pytest.mark.thorough
@given(any_cases())
def test_a_case_survives_pickle_and_copies(case):
    assert pickle.loads(pickle.dumps(case)) == case
    assert copy.deepcopy(case) == copy.copy(case) == case


def test_a_case_cannot_be_changed():
    with pytest.raises(AttributeError):
        Case(length=1).length = 2  # type: ignore[misc]


def test_but_changes_some_fields_and_leaves_the_rest():
    assert Case(length=3, seed=5, options={"x": 1}).but(length=2) == Case(length=2, seed=5, options={"x": 1})


def test_mappings_become_sorted_tuples_and_options_are_found_by_name():
    case = Case(length=1, features={"weights": [2], "labels": (0,)}, options={"b": 2, "a": 1})
    assert case.features == (("labels", (0,)), ("weights", (2,)))
    assert case.options == (("a", 1), ("b", 2))
    assert case.option("b") == 2
    assert Case(length=1, features=case.features, options=case.options) == case


@pytest.mark.parametrize(
    ("length", "world_size", "batch_size", "realistic"),
    [(4, 2, 2, True), (3, 2, 2, False), (9, 1, 1, True), (4, 5, 1, True), (0, 2, 1, False)],
)
def test_realistic_is_more_than_a_few_samples(length, world_size, batch_size, realistic):
    case = Case(length=length, world_size=world_size, batch_size=batch_size)
    assert case.is_realistic is realistic
