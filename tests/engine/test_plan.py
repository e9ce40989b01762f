"""A plan survives JSON, and its contract and axes change the target's own."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from samplercheck import Case, Contract
from samplercheck.engine.plan import Plan, target_of
from samplercheck.storage.store import Store
from samplercheck.targets.target import target
from samplercheck.values.errors import ContractError, UsageError
from tests.support.command_line import a_target

words = st.text(max_size=5)
scalars = st.booleans() | st.integers() | st.floats(allow_nan=False) | words


@pytest.mark.thorough
@given(
    st.builds(
        Plan,
        target=words,
        contract=st.dictionaries(words, scalars, max_size=3),
        axes=st.dictionaries(words, st.lists(scalars | st.none(), max_size=3), max_size=3),
        worlds=st.lists(words).map(tuple),
        select=st.lists(words).map(tuple),
        skip=st.dictionaries(words, words, max_size=2),
        seed=st.integers(0),
        max_time=st.none() | st.floats(0, 1e9),
        max_cases=st.none() | st.integers(0),
        changes=st.booleans(),
        cases=st.lists(st.builds(Case, length=st.integers(0, 9), world_size=st.integers(1, 4))).map(tuple),
        explains=st.booleans(),
        world_settings=st.dictionaries(st.sampled_from(["max_ranks", "memory"]), st.integers(1)),
    )
)
def test_a_plan_survives_json(plan: Plan) -> None:
    assert Plan.from_dict(json.loads(json.dumps(plan.to_dict()))) == plan


@given(words)
def test_the_store_of_a_plan_survives_json(directory: str) -> None:
    again = Plan.from_dict(json.loads(json.dumps(Plan(target="m:f", store=Store(directory)).to_dict())))
    assert again.store is not None
    assert again.store.directory == Store(directory).directory


def test_an_unknown_field_is_refused() -> None:
    with pytest.raises(UsageError, match=r"Field 'sed' of a run does not exist\. Did you mean 'seed'"):
        Plan.from_dict({"target": "m:f", "sed": 1})


def test_what_is_asked_changes_the_target_s_own_contract_and_axes() -> None:
    plain = target_of(Plan(target=a_target("bucketed"), changes=True))
    assert (plain.contract, plain.axes) == (Contract(tail="keep"), {"bucket": [1, 4]})
    changes = {"contract": {"layout": "strided"}, "axes": {"bucket": [2]}}
    asked = target_of(Plan(target=a_target("bucketed"), changes=True, **changes))
    assert (asked.contract, asked.axes) == (Contract(tail="keep", layout="strided"), {"bucket": [2]})
    assert asked.name == "bucketed"


def test_what_is_assumed_of_a_target_is_so_where_only_axes_bind_its_parameters() -> None:
    def build(lengths: list[int], budget: int) -> list[list[int]]:
        return [[i] for i, _ in enumerate(lengths)][:budget]

    assert not target_of(Plan(target=build, changes=True)).is_assumed
    asked = target_of(Plan(target=build, axes={"budget": [8]}, changes=True))
    assert (asked.is_assumed, asked.contract) == (True, Contract.single_process())
    assert target_of(Plan(target=asked, axes={"budget": [9]}, changes=True)).is_assumed
    kept = target_of(Plan(target=target(build, contract=Contract()), axes={"budget": [8]}, changes=True))
    assert (kept.is_assumed, kept.contract, kept.axes) == (False, Contract(), {"budget": [8]})


@pytest.mark.parametrize("changes", [{"endless": True, "tail": "drop"}, {"tial": "keep"}])
def test_an_impossible_contract_is_refused(changes: dict[str, Any]) -> None:
    with pytest.raises(ContractError):
        target_of(Plan(target=a_target("bucketed"), contract=changes, changes=True))


@pytest.mark.parametrize("seconds", [float("nan"), -1.0])
def test_a_time_that_is_none_is_refused(seconds: float) -> None:
    with pytest.raises(UsageError, match="has to be a number of seconds"):
        Plan(target="t.py:T", max_time=seconds)
